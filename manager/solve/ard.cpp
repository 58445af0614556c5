#include "manager/solve/ard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "common/lsq/lapack.h"
#include "manager/solve/least_norm.h"
#include "manager/solve/ridge.h"
#include "manager/solve/spectrum.h"
#include "manager/solve/variables.h"

namespace ipfit {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kPruned = std::numeric_limits<double>::infinity();

/// The posterior for the ratios a_k = alpha_k / beta of the active columns, at the beta that is best for them. With
/// T^T T = X^T X + diag(a), from a QR factorisation, G = (T^T T)^-1 and E = |X m - y|^2 + sum a m^2:
///   log evidence = rows/2 (log(rows / (2 pi E)) - 1) + 1/2 sum log a - sum log T_kk,   beta = rows / E
struct Posterior {
  Columns active;        // numbers in the full system
  ReducedSystem system;  // its columns `active`
  VectorXd a;
  VectorXd m;               // mean
  Eigen::MatrixXd inverse;  // of T
  VectorXd g;               // diagonal of G
  VectorXd determined;      // gamma_k = 1 - a_k G_kk: to what extent the data determine a coefficient
  double beta = 0.0;
  double log_evidence = 0.0;
  double condition = 0.0;

  Index size() const { return a.size(); }
  /// What decides whether a column is worth having, q^2 / s of Tipping and Faul: above 1 it is, all others as they are.
  double relevance(Index k) const { return determined[k] <= 0.0 ? 0.0 : beta * m[k] * m[k] / (g[k] * determined[k]); }
  bool has_irrelevant() const {
    for (Index k = 0; k < size(); ++k) {
      if (relevance(k) < 1.0) {
        return true;
      }
    }
    return false;
  }
  /// The largest derivative of twice the log evidence by a log a_k, in size.
  double steepest() const {
    return size() == 0 ? 0.0 : (determined.array() - beta * a.array() * m.array().square()).abs().maxCoeff();
  }
};

double log_evidence(double rows, double energy) {
  return 0.5 * rows * (std::log(rows / (2.0 * std::numbers::pi * energy)) - 1.0);
}

Posterior posterior(Columns active, ReducedSystem system, VectorXd a) {
  const ReducedSystem stacked = with_prior(system, a.cwiseSqrt());
  const double energy = stacked.rho * stacked.rho;
  Posterior out;
  out.beta = static_cast<double>(system.rows) / energy;
  out.log_evidence = log_evidence(static_cast<double>(system.rows), energy) + 0.5 * a.array().log().sum() -
                     stacked.R.diagonal().array().log().sum();
  out.m = stacked.z;
  lapack::solve_triangle(lapack::Triangle::kUpper, stacked.R, out.m);
  out.condition = triangle_condition(stacked.R);
  out.inverse = stacked.R;
  lapack::invert_triangle(out.inverse);
  out.g = out.inverse.rowwise().squaredNorm();
  out.determined = 1.0 - a.array() * out.g.array();
  out.active = std::move(active);
  out.system = std::move(system);
  out.a = std::move(a);
  return out;
}

// The posterior with other ratios for the active columns, without those for which they are kPruned.
Posterior with_ratios(const Posterior& from, const VectorXd& a) {
  Columns kept;
  Columns active;
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] != kPruned) {
      kept.push_back(k);
      active.push_back(from.active[static_cast<std::size_t>(k)]);
    }
  }
  if (kept.size() == from.active.size()) {
    return posterior(from.active, from.system, a);
  }
  return posterior(std::move(active), with_columns(from.system, kept), a(kept));
}

class Search {
 public:
  Search(const ReducedSystem& full, Posterior start) : full_(full), here_(std::move(start)) {}

  /// True where a maximum was reached.
  bool run() {
    double before = -std::numeric_limits<double>::infinity();
    for (steps_ = 0; steps_ < kMostSteps; ++steps_) {
      if (steps_ % kPatience == 0) {
        if (here_.log_evidence - before < kSlow && !bring_back()) {
          return true;
        }
        before = here_.log_evidence;
      }
      const double steepest = here_.steepest();
      const bool irrelevant = here_.has_irrelevant();
      const bool flat = steepest <= kFlat && !irrelevant;
      // Asking costs as much as a few steps: once when the way is nearly done, and again at its end.
      if (flat || (steepest <= kNearlyFlat && !irrelevant && !asked_)) {
        asked_ = !bring_back();
        if (flat && asked_) {
          return true;
        }
      } else {
        climb(irrelevant);
      }
    }
    return false;
  }

  const Posterior& result() const { return here_; }
  int steps() const { return steps_; }

 private:
  static constexpr int kMostSteps = 1000;
  static constexpr int kPatience = 50;             // after so many steps that gain together less than
  static constexpr double kSlow = 1e-3;            // this there is nothing more to be had that would matter
  static constexpr double kFlat = 1e-6;            // steepest slope that counts as none
  static constexpr double kNearlyFlat = 1e-2;      // where columns that come back will stay
  static constexpr double kNegligibleGain = 1e-6;  // of log evidence

  // The boldest step that raises the evidence is taken; the last one always does.
  void climb(bool irrelevant) {
    if (bold_again_ <= steps_) {
      if (accept(each_alone())) {
        return;
      }
      bold_again_ = steps_ + 5;
    }
    if ((irrelevant && prune_many()) || accept(mackay())) {
      return;
    }
    here_ = with_ratios(here_, expectation());
  }

  // Near the maximum differences of the evidence are rounding errors, and the slope is the better judge. Written so
  // that a NaN is refused.
  bool accept(const VectorXd& a) {
    Posterior next = with_ratios(here_, a);
    const double gain = next.log_evidence - here_.log_evidence;
    const double noise = 1e-13 * std::abs(here_.log_evidence);
    if (!(gain > noise) && !(gain > -noise && next.steepest() < here_.steepest())) {
      return false;
    }
    here_ = std::move(next);
    return true;
  }

  // No ratio so small that E would vanish: below this the penalty is less than rounding errors of the columns.
  VectorXd bounded(const VectorXd& a) const {
    const VectorXd lengths = here_.system.R.colwise().norm();
    const double tolerance = rounding_tolerance(full_.R.cols());
    return a.cwiseMax((lengths * tolerance).cwiseAbs2()).cwiseMax(std::numeric_limits<double>::min());
  }

  // Each ratio at its own maximum with the others as they are (Tipping and Faul, equations 20 and 21): s / (q^2/s - 1).
  // Exact for orthogonal columns; too bold where columns resemble each other.
  VectorXd each_alone() const {
    VectorXd a(here_.size());
    for (Index k = 0; k < a.size(); ++k) {
      const double relevance = here_.relevance(k);
      a[k] = relevance > 1.0 ? here_.determined[k] / here_.g[k] / (relevance - 1.0) : kPruned;
    }
    return bounded(a);
  }

  // MacKay's fixed point: alpha_k = gamma_k / m_k^2. At most a millionfold in one step, so that it stays finite.
  VectorXd mackay() const {
    VectorXd a = here_.a;
    for (Index k = 0; k < a.size(); ++k) {
      const double wanted = std::max(here_.determined[k], 0.0) / (here_.beta * here_.m[k] * here_.m[k]);
      a[k] = wanted < 1e6 * a[k] ? wanted : 1e6 * a[k];
    }
    return bounded(a);
  }

  // The step of expectation maximisation (Tipping, appendix A), which cannot lower the evidence.
  VectorXd expectation() const {
    return bounded((here_.beta * here_.m.array().square() + here_.g.array()).inverse().matrix());
  }

  // Prunes irrelevant columns: the half that the data determine least, or half of that, down to a single one, whose
  // pruning cannot lower the evidence.
  bool prune_many() {
    Columns candidates;
    for (Index k = 0; k < here_.size(); ++k) {
      if (here_.relevance(k) < 1.0) {
        candidates.push_back(k);
      }
    }
    std::ranges::stable_sort(candidates, {}, [&](Index k) { return here_.determined[k]; });
    for (std::size_t count = (candidates.size() + 1) / 2;; count /= 2) {
      VectorXd a = here_.a;
      for (std::size_t k = 0; k < count; ++k) {
        a[candidates[k]] = kPruned;
      }
      if (accept(a)) {
        return true;
      }
      if (count == 1) {
        return false;
      }
    }
  }

  /// A pruned column that would raise the evidence, with the ratio at which it does so most.
  struct Candidate {
    Index column = 0;
    double a = 0.0;
    double gain = 0.0;
  };

  // s and q of Tipping and Faul for pruned columns are products of what a factorisation of the active ones leaves of
  // them and of the targets: nothing cancels.
  std::vector<Candidate> candidates() const {
    std::vector<bool> in_use(static_cast<std::size_t>(full_.R.cols()), false);
    for (const Index k : here_.active) {
      in_use[static_cast<std::size_t>(k)] = true;
    }
    Columns idle;
    for (Index k = 0; k < full_.R.cols(); ++k) {
      if (!in_use[static_cast<std::size_t>(k)]) {
        idle.push_back(k);
      }
    }
    const Index n = full_.R.rows();
    const Index k = here_.size();
    Eigen::MatrixXd others = Eigen::MatrixXd::Zero(n + k, static_cast<Index>(idle.size()) + 1);
    others.topRows(n).leftCols(others.cols() - 1) = full_.R(Eigen::all, idle);
    others.col(others.cols() - 1).head(n) = full_.z;
    if (k > 0) {
      Eigen::MatrixXd stacked = Eigen::MatrixXd::Zero(n + k, k);
      stacked.topRows(n) = full_.R(Eigen::all, here_.active);
      stacked.bottomRows(k).diagonal() = here_.a.cwiseSqrt();
      const VectorXd scales = lapack::qr(stacked);
      lapack::apply_q(lapack::Side::kQTransposed, stacked, scales, others);
    }
    const VectorXd targets = others.col(others.cols() - 1).tail(n);
    std::vector<Candidate> out;
    for (std::size_t j = 0; j < idle.size(); ++j) {
      const auto rest = others.col(static_cast<Index>(j)).tail(n);
      const double s = rest.squaredNorm();
      const double relevance = here_.beta * std::pow(rest.dot(targets), 2) / s;
      const double gain = 0.5 * (relevance - 1.0 - std::log(relevance));
      const bool independent = std::sqrt(s) > rounding_tolerance(n) * full_.R.col(idle[j]).norm();
      if (independent && relevance > 1.0 && gain > kNegligibleGain) {
        out.push_back({idle[j], s / (relevance - 1.0), gain});
      }
    }
    return out;
  }

  // Brings back all pruned columns that would each raise the evidence, or else the best of them alone. False where
  // there are none.
  bool bring_back() {
    std::vector<Candidate> back = candidates();
    if (back.empty()) {
      return false;
    }
    if (accept_with(back)) {
      return true;
    }
    const auto best = std::ranges::max_element(back, {}, [](const Candidate& c) { return c.gain; });
    return accept_with({*best});
  }

  bool accept_with(const std::vector<Candidate>& back) {
    Columns active = here_.active;
    VectorXd a(here_.size() + static_cast<Index>(back.size()));
    a.head(here_.size()) = here_.a;
    for (std::size_t k = 0; k < back.size(); ++k) {
      active.push_back(back[k].column);
      a[here_.size() + static_cast<Index>(k)] = back[k].a;
    }
    ReducedSystem system = with_columns(full_, active);
    Posterior next = posterior(std::move(active), std::move(system), std::move(a));
    if (!(next.log_evidence > here_.log_evidence)) {
      return false;
    }
    here_ = std::move(next);
    return true;
  }

  const ReducedSystem& full_;
  Posterior here_;
  int steps_ = 0;
  int bold_again_ = 0;  // the step at which each_alone() is tried again after a failure
  bool asked_ = false;  // whether any pruned column should come back
};

Solution to_solution(const Posterior& found, Index columns, bool converged, int steps) {
  Solution out;
  out.coefficients = VectorXd::Zero(columns);
  out.precisions = VectorXd::Constant(columns, kPruned);
  out.covariance_factor = Eigen::MatrixXd::Zero(columns, found.size());
  for (Index k = 0; k < found.size(); ++k) {
    const Index column = found.active[static_cast<std::size_t>(k)];
    out.coefficients[column] = found.m[k];
    out.precisions[column] = found.beta * found.a[k];
    out.covariance_factor.row(column) = found.inverse.row(k) / std::sqrt(found.beta);
  }
  out.rank = found.size();
  out.condition = found.condition;
  out.effective_parameters = found.determined.sum();
  out.log_evidence = found.log_evidence;
  out.noise_precision = found.beta;
  out.status = fmt::format("{} of {} columns are relevant, {:.1f} effective parameters{}; {} {} steps", out.rank,
                           columns, *out.effective_parameters, condition_in_words(out.condition),
                           converged ? "converged in" : "NOT converged: stopped at the limit of", steps);
  return out;
}

}  // namespace

Result<Solution> solve_ard(const ReducedSystem& system) {
  const Result<Spectrum> spectrum = spectrum_of(system);
  if (!spectrum) {
    return spectrum.errors();
  }
  Solution start = evidence_ridge(*spectrum);
  if (!start.noise_precision) {
    return start;  // nothing to fit
  }
  Columns all;
  for (Index k = 0; k < system.R.cols(); ++k) {
    all.push_back(k);
  }
  const VectorXd a = VectorXd::Constant(system.R.cols(), *start.lambda * *start.lambda);
  Search search(system, posterior(std::move(all), system, a));
  const bool converged = search.run();
  return to_solution(search.result(), system.R.cols(), converged, search.steps());
}

}  // namespace ipfit
