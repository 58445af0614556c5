#pragma once

// A data set and a model that are small enough to look at.

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/file_system.h"
#include "common/model/model.h"
#include "proto/structure_codec.h"

namespace ipfit::test {

/// Dimers of silicon in a box, one longer than the other, all labels given; the last `tests` of them are for testing.
inline std::vector<Structure> dimers(int count, int tests = 0) {
  std::vector<Structure> structures;
  for (int i = 0; i < count; ++i) {
    Structure structure;
    structure.species = {14, 14};
    structure.positions = {Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 2.0 + 0.1 * i)};
    structure.cell = 12.0 * Mat3::Identity();
    structure.pbc = {true, true, true};
    structure.labels.energy = -8.0 + 0.1 * i;
    structure.labels.forces = {Vec3(0.0, 0.0, 0.5), Vec3(0.0, 0.0, -0.5)};
    structure.labels.virial = Voigt{0.0, 0.0, -1.0, 0.0, 0.0, 0.0};
    structure.config_type = i % 2 == 0 ? "even" : "odd";
    structure.set = i < count - tests ? DataSet::kTrain : DataSet::kTest;
    structure.source = {"dimers.xyz", i + 1, 4 * i + 1};
    structures.push_back(structure);
  }
  return structures;
}

inline void write_dataset(const std::string& path, const std::vector<Structure>& structures) {
  std::string records;
  for (const Structure& structure : structures) {
    const auto record = encode_structure(structure);
    records.append(reinterpret_cast<const char*>(record.data()), record.size());
  }
  REQUIRE(write_file_durably(path, records).ok());
}

inline Model small_model() {
  return Model{PairSpec{{14}, 5.0, 3}, {}, {}};
}

}  // namespace ipfit::test
