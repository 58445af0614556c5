#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <string>

#include "common/blas.h"
#include "common/lsq/reduced.h"
#include "manager/solve/solver.h"

// What the solvers take for N columns, on one thread.
namespace ipfit {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Four rows a column. Columns are sums of neighbouring random ones, which makes them resemble each other, and fall in
/// size by eight orders of magnitude, as those of a basis do; targets depend on the larger ones, with noise.
ReducedSystem system_of(Eigen::Index columns, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  RowMajor a = RowMajor::NullaryExpr(4 * columns, columns, [&] { return uniform(generator); });
  for (Eigen::Index k = 1; k < columns; ++k) {
    a.col(k) += 0.99 * a.col(k - 1);
  }
  const Eigen::ArrayXd sizes = Eigen::ArrayXd::LinSpaced(columns, 0.0, 1.0);
  a *= (-8.0 * std::log(10.0) * sizes).exp().matrix().asDiagonal();
  Eigen::VectorXd y = a.rowwise().sum();
  y += 0.01 * Eigen::VectorXd::NullaryExpr(y.size(), [&] { return uniform(generator); });
  return ipfit::reduce(std::span<const double>(a.data(), static_cast<std::size_t>(a.size())),
                       std::span<const double>(y.data(), static_cast<std::size_t>(y.size())), columns);
}

void solve_with(benchmark::State& state, SolverSpec options) {
  const ReducedSystem system = system_of(state.range(0), 1);
  const ReducedSystem validation = system_of(state.range(0), 2);
  const bool validated = options.strength == StrengthRule::kValidation;
  std::string status;
  for (auto _ : state) {
    status = solve(system, options, {}, validated ? &validation : nullptr)->status;
  }
  state.SetLabel(status);
}

#define IPFIT_SOLVE_BENCH(name, ...) \
  BENCHMARK_CAPTURE(solve_with, name, SolverSpec __VA_ARGS__)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond)
IPFIT_SOLVE_BENCH(qr, {});
IPFIT_SOLVE_BENCH(rrqr, {.kind = SolverKind::kRrqr});
IPFIT_SOLVE_BENCH(tsvd, {.kind = SolverKind::kTsvd});
IPFIT_SOLVE_BENCH(tsvd_validation, {.kind = SolverKind::kTsvd, .strength = StrengthRule::kValidation});
IPFIT_SOLVE_BENCH(ridge, {.kind = SolverKind::kRidge, .lambda = 1e-3});
IPFIT_SOLVE_BENCH(ridge_evidence, {.kind = SolverKind::kRidge, .strength = StrengthRule::kEvidence});
IPFIT_SOLVE_BENCH(ridge_gcv, {.kind = SolverKind::kRidge, .strength = StrengthRule::kGcv});
IPFIT_SOLVE_BENCH(ridge_validation, {.kind = SolverKind::kRidge, .strength = StrengthRule::kValidation});
IPFIT_SOLVE_BENCH(blr_committee_of_8, {.kind = SolverKind::kBlr, .committee = 8});
IPFIT_SOLVE_BENCH(ard, {.kind = SolverKind::kArd});
IPFIT_SOLVE_BENCH(omp_100, {.kind = SolverKind::kOmp, .size = 100});
IPFIT_SOLVE_BENCH(omp_path, {.kind = SolverKind::kOmp, .strength = StrengthRule::kValidation});
IPFIT_SOLVE_BENCH(lasso_100, {.kind = SolverKind::kLasso, .size = 100});
IPFIT_SOLVE_BENCH(lasso_path, {.kind = SolverKind::kLasso, .strength = StrengthRule::kValidation});
IPFIT_SOLVE_BENCH(lsqr, {.kind = SolverKind::kLsqr});

}  // namespace
}  // namespace ipfit

int main(int argc, char** argv) {
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
