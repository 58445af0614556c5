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

void apply_q(Side side, ConstMatrix a, const Eigen::VectorXd& scales, Matrix c) {
  need_buffer();
  with_workspace("dormqr", [&](double* work, lapack_int length) {
    return LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', side == Side::kQ ? 'N' : 'T', size(c.rows()), size(c.cols()),
                               size(scales.size()), a.data(), leading(a), scales.data(), c.data(), leading(c), work,
                               length);
  });
}

void solve_triangle(Triangle triangle, const ConstMatrix& r, Matrix x) {
  need_buffer();
  check(LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'U', triangle == Triangle::kUpper ? 'N' : 'T', 'N', size(r.cols()),
                            size(x.cols()), r.data(), leading(r), x.data(), leading(x)),
        "dtrtrs");
}

void invert_triangle(Matrix r) {
  need_buffer();
  check(LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', size(r.cols()), r.data(), leading(r)), "dtrtri");
}

std::optional<Svd> svd(const ConstMatrix& a) {
  need_buffer();
  const lapack_int n = size(a.cols());
  Svd out{Eigen::MatrixXd(n, n), Eigen::VectorXd(n), {}};
  Eigen::MatrixXd transposed(n, n);  // V^T
  const lapack_int stride = std::max(n, lapack_int{1});
  lapack_int info = 0;
  const auto converged = [&](const char* name, const auto& routine) {
    Eigen::MatrixXd copy = a;
    with_workspace(name, [&](double* work, lapack_int length) {
      info = routine(copy.data(), work, length);
      return std::min(info, lapack_int{0});  // above 0: no convergence, which is no bug of the caller
    });
    return info == 0;
  };
  std::vector<lapack_int> integers(static_cast<std::size_t>(8 * a.cols()));
  const auto divide = [&](double* copy, double* work, lapack_int length) {
    return LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'A', n, n, copy, stride, out.values.data(), out.U.data(), stride,
                               transposed.data(), stride, work, length, integers.data());
  };
  const auto iterate = [&](double* copy, double* work, lapack_int length) {
    return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', n, n, copy, stride, out.values.data(), out.U.data(), stride,
                               transposed.data(), stride, work, length);
  };
  if (!a.allFinite() || (!converged("dgesdd", divide) && !converged("dgesvd", iterate))) {
    return std::nullopt;
  }
  out.V = transposed.transpose();
  return out;
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
