#pragma once

#include <cstdint>

namespace ipfit {

/// Threads that a solve takes: the cores, fewer where memory is limited (`ulimit -v`).
int solver_threads();

/// About how many bytes of memory it takes to solve a system, the most at any time: for the targets and weights of the
/// rows, and for reducing them or for the solver, whichever is more.
double solve_bytes(std::int64_t rows, std::int64_t columns, int threads);

}  // namespace ipfit
