#include "common/atoms/extxyz.h"

#include <algorithm>

#include "common/atoms/atom_line.h"
#include "common/atoms/cell_keys.h"
#include "common/atoms/label_values.h"
#include "common/atoms/own_weights.h"

namespace ipfit {
namespace {

// Everything that the second line says; the result is how to read the atom lines.
Result<Columns> read_comment(const FrameHead& head, const LabelKeys& keys, Structure& structure) {
  if (!head.keys) {
    return plain_columns();
  }
  const LabelNames names = names_to_try(keys);
  Result<Columns> columns = parse_properties(head.comment, *head.keys->properties(), names.forces);
  if (!columns) {
    return columns;
  }
  if (Status status = read_cell(head.comment, *head.keys, structure); !status) {
    return status.error();
  }
  if (Status status = read_labels(head.comment, *head.keys, keys, names, structure); !status) {
    return status.error();
  }
  if (Status status = read_own_weights(head.comment, *head.keys, *columns, structure); !status) {
    return status.error();
  }
  return columns;
}

// Room for the atoms that are announced, but for no more than the rest of the file can hold (a column needs two bytes)
// and than is cheap to be wrong about; beyond that the vectors grow with what is really read.
void reserve_atoms(Structure& structure, std::int64_t announced, const Columns& columns, std::uint64_t bytes_left) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 20;
  const std::uint64_t possible = bytes_left / (2 * static_cast<std::uint64_t>(columns.total)) + 1;
  const std::size_t room = std::min({static_cast<std::uint64_t>(announced), possible, kMostAtOnce});
  structure.species.reserve(room);
  structure.positions.reserve(room);
  if (columns.has_forces) {
    structure.labels.forces.reserve(room);
  }
  if (columns.has_force_weights) {
    structure.weights.forces.reserve(room);
  }
}

}  // namespace

Result<ExtxyzReader> ExtxyzReader::open(const std::string& path, const LabelKeys& keys) {
  Result<LineSource> source = LineSource::open(path);
  if (!source) {
    return source.error();
  }
  return ExtxyzReader(std::move(*source), keys);
}

ExtxyzReader ExtxyzReader::from_text(std::string text, const LabelKeys& keys, std::string name) {
  return {LineSource::from_text(std::move(text), std::move(name)), keys};
}

Result<std::optional<Structure>> ExtxyzReader::next() {
  if (failure_) {
    return *failure_;
  }
  Result<std::optional<Structure>> structure = read_frame();
  if (!structure) {
    failure_ = structure.error();
  }
  return structure;
}

Result<std::optional<Structure>> ExtxyzReader::read_frame() {
  const Result<std::optional<FrameHead>> found = next_frame_head(source_);
  if (!found) {
    return found.error();
  }
  if (!*found) {
    return std::optional<Structure>();
  }
  const FrameHead& head = **found;
  std::optional<Structure> structure(std::in_place);
  structure->source = {source_.name(), ++frames_, head.line};
  const Result<Columns> columns = read_comment(head, keys_, *structure);
  if (!columns) {
    return columns.error();
  }
  reserve_atoms(*structure, head.atoms, *columns, source_.bytes_left());
  for (std::int64_t atom = 1; atom <= head.atoms; ++atom) {
    const Result<std::optional<TextLine>> line = source_.next();
    if (!line) {
      return line.error();
    }
    if (!*line) {
      return file_ends_early(source_, head, atom - 1);
    }
    if (Status status = read_atom_line(**line, *columns, atom, *structure); !status) {
      return status.error();
    }
  }
  return structure;
}

Result<std::vector<Structure>> read_extxyz(const std::string& path, const LabelKeys& keys) {
  Result<ExtxyzReader> reader = ExtxyzReader::open(path, keys);
  if (!reader) {
    return reader.error();
  }
  std::vector<Structure> out;
  while (true) {
    Result<std::optional<Structure>> structure = reader->next();
    if (!structure) {
      return structure.error();
    }
    if (!*structure) {
      return out;
    }
    out.push_back(std::move(**structure));
  }
}

}  // namespace ipfit
