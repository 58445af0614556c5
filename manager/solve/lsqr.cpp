#include "manager/solve/lsqr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace ipfit {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The quantities of the paper after some iterations, by its symbols; phi and rho with a bar are phibar and rhobar.
struct Lsqr {
  VectorXd x, v, w, u;
  double alpha = 0.0, phibar = 0.0, rhobar = 0.0;
  double penalty2 = 0.0;         // squared share of the residual that is damp x
  double a_norm2 = 0.0;          // Frobenius norm of [A; damp], estimated from below
  double d_norm2 = 0.0;          // the same of its pseudo-inverse
  double residual = 0.0;         // |[A; damp] x - [y; 0]|, with the unreachable part
  double normal_residual = 0.0;  // |A^T r - damp^2 x|
  std::int64_t iterations = 0;

  double condition() const { return std::sqrt(a_norm2 * d_norm2); }
};

// One rotation for the damping, one for the bidiagonal matrix (section 4 of the paper).
void rotate(Lsqr& state, double beta, double damp) {
  const double rhobar1 = std::hypot(state.rhobar, damp);
  const double psi = damp / rhobar1 * state.phibar;
  state.phibar *= state.rhobar / rhobar1;
  const double rho = std::hypot(rhobar1, beta);
  const double c = rhobar1 / rho;
  const double s = beta / rho;
  const double theta = s * state.alpha;
  state.rhobar = -c * state.alpha;
  const double phi = c * state.phibar;
  state.phibar *= s;
  state.x += phi / rho * state.w;
  state.d_norm2 += state.w.squaredNorm() / (rho * rho);
  state.w = state.v - theta / rho * state.w;
  state.penalty2 += psi * psi;
  state.normal_residual = state.alpha * std::abs(s * phi);
}

// u, v and alpha become those of the next step of the bidiagonalisation; beta is returned.
Result<double> bidiagonalise(const Bidiagonaliser& A, Lsqr& state) {
  Result<VectorXd> product = A(state.v, state.alpha, state.u);
  if (!product) {
    return product.errors();
  }
  const double beta = state.u.norm();
  if (beta > 0.0) {
    state.u /= beta;
    state.v = *product / beta - beta * state.v;
    state.alpha = state.v.norm();
    state.v /= state.alpha > 0.0 ? state.alpha : 1.0;
  } else {
    state.alpha = 0.0;
  }
  return beta;
}

// Why it stops here, or null (section 6 of the paper).
const char* reason_to_stop(const Lsqr& state, const LsqrOptions& options, double y_norm, std::int64_t limit) {
  const double a_norm = std::sqrt(state.a_norm2);
  if (state.residual <= options.rtol * (y_norm + a_norm * state.x.norm())) {
    return "the targets are met";
  }
  if (state.normal_residual <= options.rtol * a_norm * state.residual) {
    return "converged";
  }
  if (state.condition() >= options.condition_limit) {
    return "stopped at the limit of the condition number";
  }
  return state.iterations >= limit ? "NOT converged: stopped at the limit of iterations" : nullptr;
}

Result<Lsqr> start(const Bidiagonaliser& A, std::int64_t columns, const VectorXd& y) {
  Lsqr state;
  state.x = VectorXd::Zero(columns);
  state.u = y;
  state.v = VectorXd::Zero(columns);
  Result<VectorXd> product = A(state.v, -1.0, state.u);  // u stays y
  if (!product) {
    return product.errors();
  }
  state.phibar = state.u.norm();
  if (state.phibar > 0.0) {
    state.u /= state.phibar;
    state.v = *product / state.phibar;
    state.alpha = state.v.norm();
    state.v /= state.alpha > 0.0 ? state.alpha : 1.0;
  }
  state.w = state.v;
  state.rhobar = state.alpha;
  state.residual = state.phibar;
  return state;
}

Result<Solution> finished(const Bidiagonaliser& A, const VectorXd& y, Lsqr state, const LsqrOptions& options,
                          const std::string& reason) {
  VectorXd missed = y;
  const Result<VectorXd> last = A(state.x, 1.0, missed);
  if (!last) {
    return last.errors();
  }
  Solution out;
  out.residual = std::hypot(missed.stableNorm(), options.rho);
  out.rank = std::min<std::int64_t>(state.iterations, state.x.size());
  out.condition = state.condition();
  out.status = fmt::format("{} after {} iterations, condition above {:.1e}, accuracy {:.1e}", reason, state.iterations,
                           out.condition, options.rtol);
  if (options.damp > 0.0) {
    out.lambda = options.damp;
  }
  out.coefficients = std::move(state.x);
  return out;
}

}  // namespace

Result<Solution> lsqr(const Bidiagonaliser& A, std::int64_t columns, const Eigen::VectorXd& y,
                      const LsqrOptions& options) {
  Result<Lsqr> started = start(A, columns, y);
  if (!started) {
    return started.errors();
  }
  Lsqr state = *std::move(started);
  const double y_norm = std::hypot(state.phibar, options.rho);
  const std::int64_t limit = options.iterations > 0 ? options.iterations : 4 * columns + 100;
  const char* reason = state.alpha > 0.0 ? nullptr : "no column can reach the targets";
  while (reason == nullptr) {
    const double alpha = state.alpha;
    const Result<double> beta = bidiagonalise(A, state);
    if (!beta) {
      return beta.errors();
    }
    state.a_norm2 += alpha * alpha + *beta * *beta + options.damp * options.damp;
    rotate(state, *beta, options.damp);
    ++state.iterations;
    state.residual = std::sqrt(state.phibar * state.phibar + state.penalty2 + options.rho * options.rho);
    reason = reason_to_stop(state, options, y_norm, limit);
  }
  return finished(A, y, std::move(state), options, reason);
}

Bidiagonaliser operator_of(const ReducedSystem& system) {
  return [&system](const VectorXd& v, double alpha, VectorXd& u) -> Result<VectorXd> {
    const auto R = system.R.triangularView<Eigen::Upper>();
    u = R * v - alpha * u;
    return VectorXd(R.transpose() * u);
  };
}

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Panel = std::function<void(std::int64_t first, const Eigen::Map<const RowMajor>& a, const VectorXd& y)>;

Status for_each_panel(std::int64_t rows, std::int64_t columns, const RowReader& reader, const Panel& visit) {
  constexpr std::int64_t kHeight = 2048;
  std::vector<double> a(static_cast<std::size_t>(std::min(rows, kHeight) * columns));
  for (std::int64_t first = 0; first < rows; first += kHeight) {
    const std::int64_t count = std::min(kHeight, rows - first);
    VectorXd y(count);
    const std::span<double> cells = std::span(a).first(static_cast<std::size_t>(count * columns));
    if (Status read = reader(first, count, cells, std::span(y.data(), static_cast<std::size_t>(count))); !read) {
      return read;
    }
    visit(first, Eigen::Map<const RowMajor>(a.data(), count, columns), y);
  }
  return Done{};
}

}  // namespace

Bidiagonaliser operator_of(std::int64_t rows, const Eigen::VectorXd& scales, const RowReader& reader) {
  return [rows, scales, reader](const VectorXd& v, double alpha, VectorXd& u) -> Result<VectorXd> {
    const VectorXd unscaled = v.cwiseQuotient(scales);
    VectorXd product = VectorXd::Zero(v.size());
    const Status read = for_each_panel(rows, v.size(), reader, [&](std::int64_t first, const auto& a, const VectorXd&) {
      auto part = u.segment(first, a.rows());
      part = a * unscaled - alpha * part;
      product += a.transpose() * part;
    });
    if (!read) {
      return read.errors();
    }
    return VectorXd(product.cwiseQuotient(scales));
  };
}

Result<Eigen::VectorXd> read_targets(std::int64_t rows, std::int64_t columns, const RowReader& reader) {
  VectorXd targets(rows);
  const Status read = for_each_panel(rows, columns, reader, [&](std::int64_t first, const auto& a, const VectorXd& y) {
    targets.segment(first, a.rows()) = y;
  });
  if (!read) {
    return read.errors();
  }
  return targets;
}

}  // namespace ipfit
