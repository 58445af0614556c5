#include "common/fit/solver_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace ipfit {
namespace {

// The kinds that use each key; all use the prior.
struct KeyUse {
  std::string_view key;
  std::vector<SolverKind> kinds;
  std::string_view remedy;  // where another kind has it
};

const std::vector<KeyUse>& key_uses() {
  static const std::vector<KeyUse> uses{
      {"lambda", {SolverKind::kRidge, SolverKind::kLsqr}, "remove it, or write kind = \"ridge\""},
      {"rtol", {SolverKind::kRrqr, SolverKind::kTsvd, SolverKind::kLsqr}, "remove it, or write kind = \"rrqr\""},
      {"size", {SolverKind::kOmp, SolverKind::kLasso}, "remove it, or write kind = \"omp\""},
      {"committee", {SolverKind::kBlr, SolverKind::kArd}, "remove it, or write kind = \"blr\""},
      {"seed", {SolverKind::kBlr, SolverKind::kArd}, "remove it, or write kind = \"blr\""}};
  return uses;
}

}  // namespace

bool uses(SolverKind kind, std::string_view key) {
  for (const KeyUse& use : key_uses()) {
    if (use.key == key) {
      return std::count(use.kinds.begin(), use.kinds.end(), kind) > 0;
    }
  }
  return true;
}

PriorSpec default_prior(PriorKind kind) {
  PriorSpec prior{.kind = kind};
  if (kind == PriorKind::kGaussian) {
    prior.wl = prior.wn = 1.0 / std::numbers::sqrt2;
  }
  return prior;
}

PriorSpec default_prior(SolverKind kind) {
  return default_prior(kind == SolverKind::kBlr ? PriorKind::kAlgebraic : PriorKind::kNone);
}

SolverSpec default_solver() {
  return {.kind = SolverKind::kBlr, .prior = default_prior(SolverKind::kBlr)};
}

std::vector<KeyMistake> check_solver_keys(const SolverSpec& solver, const GivenKeys& given) {
  const std::string_view kind = word_of(kSolverKinds, solver.kind);
  std::vector<KeyMistake> mistakes;
  for (const KeyUse& use : key_uses()) {
    if (given.contains(use.key) && !uses(solver.kind, use.key)) {
      mistakes.push_back({std::string(use.key),
                          fmt::format("solver.{} is given, but solver.kind = \"{}\" does not use it", use.key, kind),
                          std::string(use.remedy)});
    }
  }
  const bool by_rule = solver.strength != StrengthRule::kGiven;
  if (solver.kind == SolverKind::kRidge && !given.contains("lambda")) {
    mistakes.push_back({"kind", "solver.lambda is missing, but solver.kind = \"ridge\" needs it",
                        "add lambda = 1e-3, for example, or lambda = \"evidence\""});
  }
  if (uses(solver.kind, "size") && !given.contains("size")) {
    mistakes.push_back({"kind", fmt::format("solver.size is missing, but solver.kind = \"{}\" needs it", kind),
                        "add size = 100, for example, or size = \"gcv\""});
  }
  if (by_rule && (solver.kind == SolverKind::kRrqr || solver.kind == SolverKind::kLsqr)) {
    mistakes.push_back({given.contains("rtol") && !given.contains("lambda") ? "rtol" : "lambda",
                        fmt::format("solver.kind = \"{}\" cannot choose by a rule, expected a number", kind),
                        solver.kind == SolverKind::kRrqr ? "or write kind = \"tsvd\"" : "or write kind = \"ridge\""});
  }
  return mistakes;
}

}  // namespace ipfit
