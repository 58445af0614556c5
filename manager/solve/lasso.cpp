#include "manager/solve/lasso.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "manager/solve/active_qr.h"
#include "manager/solve/least_norm.h"
#include "manager/solve/qr.h"
#include "manager/solve/size_choice.h"

namespace ipfit {
namespace {

using Eigen::Index;

/// What comes next on the way to smaller penalties.
struct Event {
  enum class Kind { kEnd, kJoin, kLeave };
  Kind kind = Kind::kEnd;
  Index which = 0;    // kJoin: the column; kLeave: its place among the active ones
  double step = 0.0;  // by which the penalty falls until then
};

/// The state between two corners, with the symbols of the paper: active columns X_A = Q T with signs s, w = T^-T s. The
/// fit moves along the equiangular vector u = X_A (X_A^T X_A)^-1 s = Q w.
class Homotopy {
 public:
  Homotopy(const ReducedSystem& system, Index most)
      : X_(system.R),
        y_(system.z),
        rho_(system.rho),
        most_(std::min(most, X_.cols())),
        tolerance_(rounding_tolerance(X_.cols())),
        active_(X_.rows(), most_),
        signs_(Eigen::VectorXd::Zero(X_.cols())),
        idle_(static_cast<std::size_t>(X_.cols()), true),
        barred_(static_cast<std::size_t>(X_.cols()), false) {}

  LassoPath run() {
    correlations_ = X_.transpose() * y_;
    Index first = 0;
    const double start = correlations_.cwiseAbs().maxCoeff(&first);
    penalty_ = start;
    LassoPath path;
    path.knots.push_back(knot(Eigen::VectorXd(0)));
    if (start == 0.0) {
      return path;
    }
    if (most_ == 0) {
      path.cut = true;
      return path;
    }
    join(first);
    const Index limit = 8 * X_.cols() + 8;
    for (Index step = 0; step < limit; ++step) {
      const Event event = next_event();
      path.knots.push_back(move(event, tolerance_ * start));
      if (penalty_ == 0.0) {
        return path;
      }
      if (event.kind == Event::Kind::kLeave) {
        leave(event.which);
      } else if (active_.size() == most_ && most_ < X_.cols()) {
        break;
      } else {
        last_left_ = -1;
        join(event.which);
      }
    }
    path.cut = true;
    return path;
  }

 private:
  void join(Index column) {
    signs_[column] = correlations_[column] < 0.0 ? -1.0 : 1.0;
    const auto at = static_cast<std::size_t>(column);
    idle_[at] = !active_.append(column, X_.col(column), tolerance_);
    barred_[at] = idle_[at];
  }

  void leave(Index place) {
    last_left_ = active_.columns()[static_cast<std::size_t>(place)];
    idle_[static_cast<std::size_t>(last_left_)] = true;
    active_.remove(place);
    std::fill(barred_.begin(), barred_.end(), false);
  }

  Eigen::VectorXd w() const {
    Eigen::VectorXd signs(active_.size());
    for (Index k = 0; k < signs.size(); ++k) {
      signs[k] = signs_[active_.columns()[static_cast<std::size_t>(k)]];
    }
    return active_.T().transpose().triangularView<Eigen::Lower>().solve(signs);
  }

  Eigen::VectorXd values_at(double penalty) const {
    return active_.T().triangularView<Eigen::Upper>().solve(active_.Q().transpose() * y_ - penalty * w());
  }

  // Correlations of active columns fall as fast as the penalty, those of others as u says: the first to meet the
  // penalty joins. The first coefficient to come back to zero leaves.
  Event next_event() const {
    const Eigen::VectorXd weights = w();
    const Eigen::VectorXd direction = active_.T().triangularView<Eigen::Upper>().solve(weights);
    const Eigen::VectorXd values = values_at(penalty_);
    Event next{Event::Kind::kEnd, 0, penalty_};
    for (Index k = 0; k < direction.size(); ++k) {
      const double sign = signs_[active_.columns()[static_cast<std::size_t>(k)]];
      const double step = std::max(0.0, sign * values[k]) / (-sign * direction[k]);
      if (sign * direction[k] < 0.0 && step < next.step) {
        next = {Event::Kind::kLeave, k, step};
      }
    }
    const Eigen::VectorXd falls = X_.transpose() * (active_.Q() * weights);
    for (Index j = 0; j < X_.cols(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (!idle_[at] || barred_[at]) {
        continue;
      }
      for (const double sign : {1.0, -1.0}) {
        if (j == last_left_ && sign == signs_[j]) {
          continue;  // it still meets the penalty there, and would come back at once
        }
        const double closing = 1.0 - sign * falls[j];
        const double step = std::max(0.0, penalty_ - sign * correlations_[j]) / closing;
        if (closing > tolerance_ && step < next.step) {
          next = {Event::Kind::kJoin, j, step};
        }
      }
    }
    return next;
  }

  // To the next corner. Everything there follows from active columns, signs and penalty alone, so rounding errors do
  // not add up along the path.
  LassoKnot move(const Event& event, double negligible) {
    penalty_ -= event.step;
    if (penalty_ <= negligible) {
      penalty_ = 0.0;
    }
    Eigen::VectorXd values = values_at(penalty_);
    if (event.kind == Event::Kind::kLeave && penalty_ > 0.0) {
      values[event.which] = 0.0;
    }
    correlations_ = X_.transpose() * (unreached() + penalty_ * (active_.Q() * w()));
    return knot(std::move(values));
  }

  Eigen::VectorXd unreached() const { return y_ - active_.Q() * (active_.Q().transpose() * y_); }

  LassoKnot knot(Eigen::VectorXd values) const {
    return {penalty_, active_.columns(), std::move(values), values_at(0.0), std::hypot(unreached().stableNorm(), rho_)};
  }

  const Eigen::MatrixXd& X_;
  const Eigen::VectorXd& y_;
  const double rho_;
  const Index most_;
  const double tolerance_;
  ActiveQr active_;
  Eigen::VectorXd signs_;
  std::vector<bool> idle_;    // not active
  std::vector<bool> barred_;  // found to be combinations of active columns
  Index last_left_ = -1;
  Eigen::VectorXd correlations_;
  double penalty_ = 0.0;
};

double validate(const LassoKnot& knot, const ReducedSystem& validation) {
  Eigen::VectorXd missed = -validation.z;
  for (Index k = 0; k < knot.least_squares.size(); ++k) {
    missed += knot.least_squares[k] * validation.R.col(knot.columns[static_cast<std::size_t>(k)]);
  }
  return std::hypot(missed.stableNorm(), validation.rho);
}

// Of the knots with the most columns the last: the path ends before one more than `size` comes in.
std::size_t largest(const LassoPath& path) {
  std::size_t best = 0;
  for (std::size_t k = 0; k < path.knots.size(); ++k) {
    if (path.knots[k].columns.size() >= path.knots[best].columns.size()) {
      best = k;
    }
  }
  return best;
}

}  // namespace

LassoPath lasso_path(const ReducedSystem& system, Index most) {
  return Homotopy(system, most).run();
}

Eigen::VectorXd lasso_at(const LassoPath& path, double penalty, Index columns) {
  Eigen::VectorXd out = Eigen::VectorXd::Zero(columns);
  const auto below = std::find_if(path.knots.begin(), path.knots.end(),
                                  [&](const LassoKnot& knot) { return knot.penalty <= penalty; });
  if (below == path.knots.begin() || below == path.knots.end()) {
    return out;
  }
  const LassoKnot& left = *(below - 1);
  const double share = (left.penalty - penalty) / (left.penalty - below->penalty);
  const auto add = [&](const LassoKnot& knot, double weight) {
    for (Index k = 0; k < knot.values.size(); ++k) {
      out[knot.columns[static_cast<std::size_t>(k)]] += weight * knot.values[k];
    }
  };
  add(left, 1.0 - share);
  add(*below, share);
  return out;
}

Solution solve_lasso(const ReducedSystem& system, StrengthRule rule, std::int64_t size,
                     const ReducedSystem* validation) {
  const Index n = system.z.size();
  const LassoPath path = lasso_path(system, size == 0 ? n : size);
  Solution out;
  for (const LassoKnot& knot : path.knots) {
    out.path.push_back({static_cast<std::int64_t>(knot.columns.size()), knot.residual, {}});
    if (validation != nullptr) {
      out.path.back().validation = validate(knot, *validation);
    }
  }
  const LassoKnot& chosen =
      path.knots[rule == StrengthRule::kGiven ? largest(path) : best_size(out.path, rule, system.rows)];
  out.coefficients = Eigen::VectorXd::Zero(n);
  if (!chosen.columns.empty()) {
    const ReducedSystem selected = with_columns(system, chosen.columns);
    const Solution refit = solve_qr(selected.R, selected.z);
    for (Index k = 0; k < refit.coefficients.size(); ++k) {
      out.coefficients[chosen.columns[static_cast<std::size_t>(k)]] = refit.coefficients[k];
    }
    out.rank = refit.rank;
    out.condition = refit.condition;
  }
  out.status = fmt::format("{} of {} columns by {}{}", chosen.columns.size(), n, rule_in_words(rule),
                           condition_in_words(out.condition));
  if (rule == StrengthRule::kGiven && static_cast<std::int64_t>(chosen.columns.size()) < size) {
    out.status += fmt::format("; no further column adds anything, so there are not {}", size);
  }
  return out;
}

}  // namespace ipfit
