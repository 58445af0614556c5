#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/fit/basis_choice.h"

namespace ipfit {

enum class StressUnit { kEvPerCubicAngstrom, kGpa, kKbar, kBar };
enum class StressOrder { kVoigt /* xx yy zz yz xz xy */, kVasp /* xx yy zz xy yz xz */ };

/// Which keys of an extended-XYZ file are the labels. An empty name means: find it by the documented list.
struct LabelKeys {
  std::string energy;
  std::string forces;
  std::string virial;
  std::string stress;
  std::string group = "config_type";
  StressUnit stress_unit = StressUnit::kEvPerCubicAngstrom;
  StressOrder stress_order = StressOrder::kVoigt;
  bool operator==(const LabelKeys&) const = default;
};

struct DataSpec {
  std::vector<std::string> train;  ///< paths, relative to the fit file
  std::vector<std::string> test;
  LabelKeys keys;
  std::vector<std::string> validation;
  double validation_fraction = 0.0;  ///< of each group of the training data, kept for validation (manager/plan/split.h)
  int validation_seed = 1;
  bool operator==(const DataSpec&) const = default;
};

/// How the one-body energies, the constants of the elements in the energy, are obtained.
enum class OneBodyRule {
  kNone,          ///< zero, said in so many words
  kGiven,         ///< `energies`
  kIsolatedAtom,  ///< from structures of one atom without neighbours in the training data
  kFit,           ///< fitted together with the coefficients (manager/solve/joint_one_body.h)
};

struct ReferenceSpec {
  OneBodyRule one_body = OneBodyRule::kFit;
  std::map<std::uint8_t, double> energies;  ///< eV per atom by atomic number, for kGiven
  bool zbl = false;                         ///< a ZBL repulsion is subtracted too (common/fit/repulsion.h)
  double zbl_inner = 0.0;                   ///< Å; 0: from the elements
  double zbl_outer = 0.0;                   ///< Å; 0: from the elements
  bool operator==(const ReferenceSpec&) const = default;
};

/// Weights multiply rows (not squares). Energy and virial rows are further multiplied by 1/sqrt(atoms). Instead of a
/// weight a kind may have a sigma, the error that is expected of its labels: above 0 it counts, as the weight 1/sigma,
/// and the weight has the value of a new GroupWeights.
struct GroupWeights {
  double energy = 30.0;       ///< 1/eV
  double forces = 1.0;        ///< Å/eV
  double virial = 0.02;       ///< 1/eV
  double energy_sigma = 0.0;  ///< eV per sqrt(atom)
  double forces_sigma = 0.0;  ///< eV/Å
  double virial_sigma = 0.0;  ///< eV per sqrt(atom)
  bool operator==(const GroupWeights&) const = default;
};

struct WeightsSpec {
  GroupWeights fallback;                       ///< [weights.default]
  std::map<std::string, GroupWeights> groups;  ///< [weights.NAME]; what a group leaves out comes from the default
  bool operator==(const WeightsSpec&) const = default;
};

/// docs/explanation/solvers.md says what each minimises and when to take it.
enum class SolverKind { kQr, kRrqr, kTsvd, kRidge, kBlr, kArd, kOmp, kLasso, kLsqr };

/// How the strength of a solver is found: lambda of ridge, the number of directions of tsvd, the size of omp and lasso.
enum class StrengthRule {
  kGiven,
  kEvidence,    ///< ridge: the largest marginal likelihood
  kGcv,         ///< least generalised cross-validation
  kValidation,  ///< least residual of a second system
};

enum class PriorKind { kNone, kAlgebraic, kExponential, kGaussian };

/// A smoothness prior: gamma of a column from degrees n and l of its factors, which it divides by `wn` and `wl`.
struct PriorSpec {
  PriorKind kind = PriorKind::kNone;
  double power = 2.0;  ///< algebraic only; > 0
  double wl = 2.0 / 3.0;
  double wn = 1.0;
  bool operator==(const PriorSpec&) const = default;
};

struct SolverSpec {
  SolverKind kind = SolverKind::kQr;
  /// ridge and lsqr: minimise |W(Ac-y)|^2 + lambda^2 |Gamma c|^2, with Gamma = 1 unless a prior says otherwise
  double lambda = 0.0;
  StrengthRule strength = StrengthRule::kGiven;
  double rtol = 1e-9;  ///< rrqr and tsvd: what counts as zero beside the largest; lsqr: accuracy at which it stops
  int size = 0;  ///< omp and lasso: number of columns that are used; with another rule than kGiven the most, 0: all
  int committee = 0;  ///< blr and ard: number of coefficient sets drawn from the posterior
  int seed = 1;       ///< of the committee
  PriorSpec prior = {};
  int functions = 0;  ///< only the first so many around each element (of each pair), in the order of size; 0: all
  bool operator==(const SolverSpec&) const = default;
};

enum class BadStructure { kStop, kSkip };

/// What is kept of the rows.
enum class Keep {
  kBlocks,   ///< all of them
  kReduced,  ///< of each task the triangular factor of each set of rows (common/lsq/row_sets.h)
};

struct AssemblySpec {
  Keep keep = Keep::kBlocks;
  BadStructure on_bad_structure = BadStructure::kStop;
  bool operator==(const AssemblySpec&) const = default;
};

/// A fit file, read and checked: what to fit, to what, how.
struct FitSpec {
  DataSpec data;
  ReferenceSpec reference;
  BasisChoice basis;
  WeightsSpec weights;
  SolverSpec solver;
  AssemblySpec assembly;
  bool operator==(const FitSpec&) const = default;
};

}  // namespace ipfit
