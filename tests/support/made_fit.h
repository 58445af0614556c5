#pragma once

// A fit directory that is assembled, without workers, and can be solved.

#include <catch2/catch.hpp>
#include <random>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_keys.h"
#include "common/fit/repulsion.h"
#include "common/fit/write_fit_file.h"
#include "common/model/model.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/block_store.h"
#include "tests/support/small_fit.h"

namespace ipfit::test {

inline constexpr std::int64_t kFunctions = 3;
inline const std::vector<double> kCoefficients{0.75, -1.5, 0.3};
inline constexpr double kOneBody = -4.25;  // eV

inline FitSpec silicon(bool zbl) {
  FitSpec spec = default_fit_spec(kPairBasis);
  spec.data.train = {"dimers.xyz"};
  spec.basis = PairSpec{{14}, 5.0, kFunctions};
  spec.reference.zbl = zbl;
  return spec;
}

/// A fit directory with 6 dimers, whose store holds random rows with a reference potential behind them, and whose
/// labels are one-body energies + coefficients times rows + reference potential. The last `validation` of them are for
/// that.
inline void make_fit(const FitDirectory& directory, const FitSpec& spec, std::size_t validation = 0) {
  std::mt19937_64 random(20240607);
  std::normal_distribution<double> number;
  const Model model{PairSpec{{14}, 5.0, kFunctions}, {}, {}, zbl_of(spec.reference, {14})};
  const auto columns = static_cast<std::size_t>(model.columns());
  std::vector<Structure> structures = dimers(6);
  for (std::size_t i = structures.size() - validation; i < structures.size(); ++i) {
    structures[i].set = DataSet::kValidation;
  }
  std::vector<double> rows;
  std::int64_t count = 0;
  for (Structure& structure : structures) {
    const auto next = [&] {
      double label = 0.0;
      for (std::size_t column = 0; column < columns; ++column) {
        // The reference is larger than the rest: left in the labels, it would spoil everything.
        rows.push_back(column < kCoefficients.size() ? number(random) : 100.0 * number(random));
        label += (column < kCoefficients.size() ? kCoefficients[column] : 1.0) * rows.back();
      }
      ++count;
      return label;
    };
    structure.labels.energy = next() + 2.0 * kOneBody;
    for (Vec3& force : structure.labels.forces) {
      for (int axis = 0; axis < 3; ++axis) {
        force[axis] = next();
      }
    }
    for (double& component : *structure.labels.virial) {
      component = next();
    }
  }
  write_dataset(directory.dataset(), structures);
  REQUIRE(write_file_durably(directory.fit_file(), write_fit_file(spec)).ok());
  const auto dataset = open_dataset(directory.dataset());
  REQUIRE(dataset);
  auto store = BlockStore::open(directory.system(), {count, model.columns(), dataset->hash,
                                                     fingerprint(write_model(model)), std::string(build_id())});
  REQUIRE(store);
  const auto bytes = std::as_bytes(std::span(rows));
  REQUIRE(store->write({{0, count}, {bytes}, {checksum(bytes)}, "here:1", 0.1}).ok());
  REQUIRE(store->finish().ok());
}

}  // namespace ipfit::test
