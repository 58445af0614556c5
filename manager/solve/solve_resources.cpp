#include "manager/solve/solve_resources.h"

#include <algorithm>
#include <thread>

#include "common/blas.h"
#include "common/lsq/reduced.h"

namespace ipfit {

int solver_threads() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::max(1, blas_threads_with_memory(cores));
}

double solve_bytes(std::int64_t rows, std::int64_t columns, int threads) {
  // Measured: ard 11.3 matrices of n x n, singular values 8, qr with a prior 5, without one 3.
  constexpr double kTriangles = 12.0;
  const auto n = static_cast<double>(columns);
  const double weights = 16.0 * static_cast<double>(rows);
  return weights + std::max(reduction_bytes(rows, columns, threads), kTriangles * n * n * 8.0);
}

}  // namespace ipfit
