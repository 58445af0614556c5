#include "worker/assignment.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "common/checksum.h"
#include "common/lsq/observation.h"
#include "common/lsq/reduced_row.h"
#include "common/lsq/targets.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

/// One at a time, since the answer must name the structure that cannot be read.
std::optional<TaskFailed> read_structures(std::span<const std::byte> bytes, const TaskMessage& message,
                                          std::vector<Structure>& structures) {
  const auto failed = [&](const std::string& reason) {
    const std::size_t last = message.structures.empty() ? 0 : message.structures.size() - 1;
    const std::size_t at = std::min(structures.size(), last);
    return TaskFailed{message.task, message.first_structure + static_cast<std::uint32_t>(at), reason};
  };
  while (!bytes.empty()) {
    const Result<std::size_t> size = record_size(bytes);
    if (!size) {
      return failed(size.error().text());
    }
    Result<std::vector<Structure>> one = decode_structures(bytes.first(*size));
    if (!one) {
      return failed(one.error().text());
    }
    if (structures.size() == message.structures.size()) {
      break;
    }
    structures.push_back(std::move(one->front()));
    bytes = bytes.subspan(*size);
  }
  if (structures.empty() || !bytes.empty() || structures.size() != message.structures.size()) {
    return failed("the task names " + std::to_string(message.structures.size()) + " structures, " +
                  (bytes.empty() ? std::to_string(structures.size()) : "more than that") +
                  " came with it, expected the same number, at least one");
  }
  return std::nullopt;
}

bool has_labels(const Structure& structure, RowMask mask) {
  const RowMask there = mask_of(structure);
  return (there.energy || !mask.energy) && (there.forces || !mask.forces) && (there.virial || !mask.virial);
}

}  // namespace

std::uint32_t Assignment::left_out() const {
  return static_cast<std::uint32_t>(std::ranges::count(message.structures, true, &TaskStructure::excluded));
}

ReadTask read_task(const TaskMessage& message, const Payload& payload, std::shared_ptr<const Model> model) {
  if (checksum(payload.bytes()) != message.payload_checksum) {
    return HandBack{{message.task}};
  }
  Assignment assignment{message, std::move(model), {}, 0, {}, 0, false};
  assignment.structures.reserve(message.structures.size());
  if (auto failed = read_structures(payload.bytes(), message, assignment.structures)) {
    return std::move(*failed);
  }
  for (std::size_t s = 0; s < assignment.structures.size(); ++s) {
    assignment.rows += row_count(assignment.structures[s].size(), message.structures[s].mask);
  }
  if (assignment.rows == 0) {
    return TaskFailed{message.task, message.first_structure, "the task asks for no rows, expected at least one"};
  }
  std::int64_t numbers = assignment.rows * assignment.model->columns();
  if (message.reduce) {
    std::vector<RowMask> masks;
    for (std::size_t s = 0; s < assignment.structures.size(); ++s) {
      masks.push_back(message.structures[s].mask);
      if (!has_labels(assignment.structures[s], masks.back())) {
        return TaskFailed{message.task, message.first_structure + static_cast<std::uint32_t>(s),
                          "rows are to be reduced for which the structure has no labels"};
      }
    }
    const std::int64_t columns = reduced_columns(*assignment.model);
    assignment.sets = task_sets(assignment.structures, masks, columns);
    numbers = kept_rows(assignment.sets.sets) * columns;
  }
  assignment.bytes = static_cast<std::uint64_t>(numbers) * sizeof(double);
  return assignment;
}

}  // namespace ipfit
