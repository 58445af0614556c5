#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ipfit {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Six independent components of a symmetric tensor, in this order everywhere in ipfit: xx yy zz yz xz xy.
using Voigt = std::array<double, 6>;

/// What the electronic-structure calculation said. A label that is absent is not zero: it gives no row.
struct Labels {
  std::optional<double> energy;  ///< total energy of the cell, eV
  std::vector<Vec3> forces;      ///< one per atom, eV/Å; empty where the file gives none
  std::optional<Voigt> virial;   ///< eV; virial = -dE/dstrain = -volume * stress, positive trace under compression
  /// What the file gives for a structure that is not periodic in all directions, eV: kept apart, since it gives no row.
  std::optional<Voigt> ignored_virial;
};

/// Weights that a data file gives to single structures: each takes the place of that of the group
/// (common/lsq/weights.h) and has its unit. All >= 0 and finite.
struct OwnWeights {
  std::optional<double> energy;
  std::vector<double> forces;  ///< empty, or one for all atoms, or one per atom
  std::optional<double> virial;
};

/// Where a structure came from, for messages.
struct Source {
  std::string file;
  std::int64_t frame = 0;  ///< counted from 1
  std::int64_t line = 0;   ///< line of the atom count, counted from 1
};

/// What a structure is for.
enum class DataSet : std::uint8_t {
  kTrain = 0,       ///< its rows are fitted to
  kValidation = 1,  ///< its rows are there for solvers that choose by them, with no weight in the fit
  kTest = 2,        ///< only compared
};
inline constexpr std::size_t kDataSets = 3;
inline constexpr std::array<std::string_view, kDataSets> kDataSetNames{"train", "validation", "test"};

/// Atoms in a cell, and their labels. Plain values; whoever makes one checks it (common/atoms/extxyz).
struct Structure {
  std::vector<std::uint8_t> species;  ///< atomic numbers
  std::vector<Vec3> positions;        ///< Å, not wrapped into the cell
  Mat3 cell = Mat3::Zero();           ///< rows are the cell vectors, Å; zero where there is none
  std::array<bool, 3> pbc{false, false, false};
  Labels labels;
  OwnWeights weights;
  std::string config_type = "default";  ///< the group
  DataSet set = DataSet::kTrain;
  Source source;

  std::int64_t size() const { return static_cast<std::int64_t>(species.size()); }
  bool fully_periodic() const { return pbc[0] && pbc[1] && pbc[2]; }
};

}  // namespace ipfit
