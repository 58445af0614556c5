#pragma once

// Tasks as a manager sends them, for the tests of the worker.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/atoms/structure.h"
#include "common/checksum.h"
#include "common/model/model.h"
#include "proto/message.h"
#include "proto/structure_codec.h"
#include "proto/transport.h"

namespace ipfit::test {

inline constexpr int kFunctions = 20;

/// A model of one element, silicon, with kFunctions columns.
inline Model silicon_model() {
  return Model{PairSpec{{14}, 5.0, kFunctions}, {}, {}};
}

/// Atoms on a line, 2.5 Å apart, without a cell.
inline Structure chain(int atoms) {
  Structure structure;
  for (int i = 0; i < atoms; ++i) {
    structure.species.push_back(14);
    structure.positions.emplace_back(2.5 * i, 0.0, 0.0);
  }
  return structure;
}

/// Bytes of the block of a structure with energy and forces.
inline std::uint64_t block_bytes(int atoms) {
  return static_cast<std::uint64_t>(1 + 3 * atoms) * kFunctions * sizeof(double);
}

struct Sent {
  Message message;
  Payload payload;
};

inline Sent model_message(const Model& model) {
  const std::string text = write_model(model);
  return {ModelMessage{fingerprint(text)}, Payload(text)};
}

/// The structures with energy and forces.
inline Sent task_message(std::uint32_t task, const std::vector<Structure>& structures,
                         const Model& model = silicon_model()) {
  TaskMessage message;
  message.task = TaskId{1, Phase::kAssembly, task};
  message.model = fingerprint(write_model(model));
  message.first_structure = 100 * task;
  std::vector<std::byte> payload;
  for (const Structure& structure : structures) {
    message.structures.push_back({{true, true, false}, false});
    const std::vector<std::byte> record = encode_structure(structure);
    payload.insert(payload.end(), record.begin(), record.end());
  }
  message.payload_checksum = checksum(payload);
  return {message, Payload(std::move(payload))};
}

}  // namespace ipfit::test
