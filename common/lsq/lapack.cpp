#include "common/lsq/lapack.h"

#include <lapacke.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "common/blas.h"

// The _work variants are called throughout: the others read every matrix once more to look for NaN.
namespace ipfit::lapack {
namespace {

// Must come first in every function: OpenBLAS does not fail without memory for its kernels, it waits for ever.
void need_buffer() {
  thread_local bool had_one = false;
  if (!had_one && blas_threads_with_memory(1) == 0) {
    throw std::bad_alloc();
  }
  had_one = true;
}

lapack_int size(Eigen::Index value) {
  if (value > std::numeric_limits<lapack_int>::max()) {
    throw std::logic_error("LAPACK: a dimension of " + std::to_string(value) + " does not fit into its integers");
  }
  return static_cast<lapack_int>(value);
}

// LAPACK wants a leading dimension of at least 1, even of an empty matrix.
template <class M>
lapack_int leading(const M& matrix) {
  return std::max(size(matrix.outerStride()), lapack_int{1});
}

void check(lapack_int info, const char* routine) {
  if (info != 0) {
    throw std::logic_error(std::string("LAPACK: ") + routine + " returned " + std::to_string(info));
  }
}

// Calls `routine(work, length)` twice: to ask for the best length, then with room of that length.
template <class Routine>
void with_workspace(const char* name, const Routine& routine) {
  double best = 0.0;
  check(routine(&best, lapack_int{-1}), name);
  Eigen::VectorXd work(static_cast<Eigen::Index>(best));
  check(routine(work.data(), size(work.size())), name);
}

}  // namespace

Eigen::VectorXd qr(Matrix a) {
  need_buffer();
  Eigen::VectorXd scales(std::min(a.rows(), a.cols()));
  with_workspace("dgeqrf", [&](double* work, lapack_int length) {
    return LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, size(a.rows()), size(a.cols()), a.data(), leading(a), scales.data(),
                               work, length);
  });
  return scales;
}

PivotedQr pivoted_qr(Matrix a) {
  need_buffer();
  PivotedQr out;
  out.scales.resize(std::min(a.rows(), a.cols()));
  std::vector<lapack_int> pivots(static_cast<std::size_t>(a.cols()), 0);
  with_workspace("dgeqp3", [&](double* work, lapack_int length) {
    return LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, size(a.rows()), size(a.cols()), a.data(), leading(a), pivots.data(),
                               out.scales.data(), work, length);
  });
  for (const lapack_int pivot : pivots) {
    out.order.push_back(pivot - 1);
  }
  return out;
}

void apply_q(Side side, ConstMatrix a, const Eigen::VectorXd& scales, Vector c) {
  need_buffer();
  with_workspace("dormqr", [&](double* work, lapack_int length) {
    return LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', side == Side::kQ ? 'N' : 'T', size(c.size()), 1,
                               size(scales.size()), a.data(), leading(a), scales.data(), c.data(),
                               std::max(size(c.size()), lapack_int{1}), work, length);
  });
}

void solve_triangle(Triangle triangle, const ConstMatrix& r, Vector x) {
  need_buffer();
  check(LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', triangle == Triangle::kUpper ? 'N' : 'T', 'N', size(r.cols()), 1,
                            r.data(), leading(r), x.data(), std::max(size(x.size()), lapack_int{1})),
        "dtrtrs");
}

double reciprocal_condition(const ConstMatrix& r) {
  need_buffer();
  double out = 0.0;
  Eigen::VectorXd work(3 * r.cols());
  std::vector<lapack_int> integers(static_cast<std::size_t>(r.cols()));
  check(LAPACKE_dtrcon_work(LAPACK_COL_MAJOR, '1', 'U', 'N', size(r.cols()), r.data(), leading(r), &out, work.data(),
                            integers.data()),
        "dtrcon");
  return out;
}

}  // namespace ipfit::lapack
