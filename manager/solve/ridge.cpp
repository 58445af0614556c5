#include "manager/solve/ridge.h"

#include <fmt/format.h>

#include <cmath>

#include "manager/solve/least_norm.h"
#include "manager/solve/penalty_choice.h"
#include "manager/solve/qr.h"

namespace ipfit {
namespace {

bool nothing_to_fit(const Spectrum& spectrum) {
  return spectrum.s[0] == 0.0 || spectrum.z.isZero(0.0);
}

Solution zero_solution(const Spectrum& spectrum) {
  Solution out;
  out.coefficients = Eigen::VectorXd::Zero(spectrum.s.size());
  out.singular_values = spectrum.s;
  out.effective_parameters = 0.0;
  out.covariance_factor = Eigen::MatrixXd(spectrum.s.size(), 0);
  out.status = "no column can reach the targets: all coefficients are 0";
  return out;
}

// Towards the ends objectives are flat, and rounding errors decide where exactly the search stops.
std::string limit_in_words(const Spectrum& spectrum, double lambda) {
  const auto [low, high] = lambda_range(spectrum);
  return lambda < 2.0 * low    ? ", which is as little as rounding errors allow"
         : lambda > 0.5 * high ? ", which is the most there is: the columns explain nothing of the targets"
                               : "";
}

// Ridge at a lambda > 0 that was found by `rule`.
Solution at_chosen(const Spectrum& spectrum, double lambda, std::string_view rule) {
  const Filtered ridge = filtered(spectrum, lambda);
  const double smallest = spectrum.s[spectrum.s.size() - 1];
  Solution out;
  out.coefficients = spectrum.V * ridge.directions;
  out.rank = spectrum.s.size();
  out.condition = std::hypot(spectrum.s[0], lambda) / std::hypot(smallest, lambda);
  out.lambda = lambda;
  out.effective_parameters = ridge.kept.sum();
  out.singular_values = spectrum.s;
  out.status = fmt::format("lambda {:.2e} by {}{}; {:.1f} effective parameters of {}{}", lambda, rule,
                           limit_in_words(spectrum, lambda), *out.effective_parameters, out.rank,
                           condition_in_words(out.condition));
  return out;
}

Solution chosen_ridge(const Spectrum& spectrum, StrengthRule rule, const ReducedSystem* validation) {
  if (rule == StrengthRule::kEvidence) {
    return evidence_ridge(spectrum);
  }
  if (nothing_to_fit(spectrum)) {
    return zero_solution(spectrum);
  }
  if (rule == StrengthRule::kGcv) {
    return at_chosen(spectrum, best_lambda(spectrum, [&](double x) { return log_gcv(spectrum, x); }),
                     "generalised cross-validation");
  }
  return at_chosen(spectrum,
                   best_lambda(spectrum, [&](double x) { return validation_residual(spectrum, *validation, x); }),
                   "validation");
}

}  // namespace

ReducedSystem with_prior(const ReducedSystem& system, const DiagonalPrior& gamma) {
  ReducedSystem prior = empty_system(gamma.size());
  prior.R = gamma.asDiagonal();
  prior.rows = gamma.size();
  return merge(system, prior);
}

Solution solve_ridge(const ReducedSystem& system, double lambda) {
  const ReducedSystem solved = with_prior(system, Eigen::VectorXd::Constant(system.R.cols(), lambda));
  Solution out = solve_qr(solved.R, solved.z);
  out.lambda = lambda;
  return out;
}

Result<Solution> solve_ridge(const ReducedSystem& system, StrengthRule rule, const ReducedSystem* validation) {
  const Result<Spectrum> spectrum = spectrum_of(system);
  if (!spectrum) {
    return spectrum.errors();
  }
  return chosen_ridge(*spectrum, rule, validation);
}

Solution evidence_ridge(const Spectrum& spectrum) {
  if (nothing_to_fit(spectrum)) {
    return zero_solution(spectrum);
  }
  const double lambda = best_lambda(spectrum, [&](double x) {
    const Slope up = log_evidence(spectrum, x);
    return Slope{-up.value, -up.derivative};
  });
  Solution out = at_chosen(spectrum, lambda, "evidence");
  out.log_evidence = log_evidence(spectrum, std::log(lambda)).value;
  out.noise_precision = best_noise_precision(spectrum, lambda);
  out.prior_precision = lambda * lambda * *out.noise_precision;
  return out;
}

}  // namespace ipfit
