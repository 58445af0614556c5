#pragma once

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/fit/key_mistake.h"

namespace ipfit {

/// What the keys of [solver] mean together.

inline constexpr std::array<std::pair<std::string_view, SolverKind>, 9> kSolverKinds{{{"qr", SolverKind::kQr},
                                                                                      {"rrqr", SolverKind::kRrqr},
                                                                                      {"tsvd", SolverKind::kTsvd},
                                                                                      {"ridge", SolverKind::kRidge},
                                                                                      {"blr", SolverKind::kBlr},
                                                                                      {"ard", SolverKind::kArd},
                                                                                      {"omp", SolverKind::kOmp},
                                                                                      {"lasso", SolverKind::kLasso},
                                                                                      {"lsqr", SolverKind::kLsqr}}};
inline constexpr std::array<std::pair<std::string_view, PriorKind>, 4> kPriorKinds{
    {{"none", PriorKind::kNone},
     {"algebraic", PriorKind::kAlgebraic},
     {"exponential", PriorKind::kExponential},
     {"gaussian", PriorKind::kGaussian}}};

/// Words that may stand instead of a number: for lambda all of them, for rtol and size all but the first.
inline constexpr std::array<std::pair<std::string_view, StrengthRule>, 3> kStrengthWords{
    {{"evidence", StrengthRule::kEvidence}, {"gcv", StrengthRule::kGcv}, {"validation", StrengthRule::kValidation}}};

/// The word for a value of one of these lists; empty where there is none.
template <class Names, class E>
std::string_view word_of(const Names& names, E value) {
  for (const auto& [word, named] : names) {
    if (named == value) {
      return word;
    }
  }
  return {};
}

/// Whether a key other than `kind` says anything to a kind of solver.
bool uses(SolverKind kind, std::string_view key);

/// The widths that are customary.
PriorSpec default_prior(PriorKind kind);

/// The prior of a solver for which a fit file names none: an algebraic one for blr, which finds its strength, none for
/// the others.
PriorSpec default_prior(SolverKind kind);

/// The solver of a fit file that says nothing of it (docs/explanation/accuracy.md).
SolverSpec default_solver();

/// Keys that the kind of solver does not use, or that it needs. Values are right by themselves.
std::vector<KeyMistake> check_solver_keys(const SolverSpec& solver, const GivenKeys& given);

}  // namespace ipfit
