#include "manager/solve/penalty_choice.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "manager/solve/variables.h"

namespace ipfit {
namespace {

// |A c - y|^2 + lambda^2 |c|^2
double penalised_residual(const Spectrum& spectrum, const Filtered& ridge) {
  return spectrum.rho * spectrum.rho + (ridge.lost.array() * spectrum.z.array().square()).sum();
}

}  // namespace

// With mu = lambda^2 and E the penalised residual, of which dE/dmu = |c|^2:
//   log p = rows/2 (log(rows / (2 pi E)) - 1) - 1/2 sum log(1 + s^2/mu)
//   d/d(log mu) = 1/2 (sum s^2/(s^2 + mu) - rows mu |c|^2 / E),   mu |c|^2 = sum kept lost z^2
Slope log_evidence(const Spectrum& spectrum, double log_lambda) {
  const double lambda = std::exp(log_lambda);
  const Filtered ridge = filtered(spectrum, lambda);
  const auto rows = static_cast<double>(spectrum.rows);
  const double energy = penalised_residual(spectrum, ridge);
  const double penalty = (ridge.kept.array() * ridge.lost.array() * spectrum.z.array().square()).sum();
  const double volume = (spectrum.s.array() / lambda).square().log1p().sum();
  return {0.5 * rows * (std::log(rows / (2.0 * std::numbers::pi * energy)) - 1.0) - 0.5 * volume,
          ridge.kept.sum() - rows * penalty / energy};
}

double best_noise_precision(const Spectrum& spectrum, double lambda) {
  return static_cast<double>(spectrum.rows) / penalised_residual(spectrum, filtered(spectrum, lambda));
}

Slope log_gcv(const Spectrum& spectrum, double log_lambda) {
  const Filtered ridge = filtered(spectrum, std::exp(log_lambda));
  const Eigen::ArrayXd lost = ridge.lost.array();
  const Eigen::ArrayXd kept = ridge.kept.array();
  const Eigen::ArrayXd z2 = spectrum.z.array().square();
  const auto rows = static_cast<double>(spectrum.rows);
  // Directions beyond the number of rows have s = 0 but for rounding, and lose nothing that a row has.
  const Eigen::Index reached = std::min<Eigen::Index>(spectrum.s.size(), spectrum.rows);
  const double residual = spectrum.rho * spectrum.rho + (lost.square() * z2).sum();
  const double residual_slope = 4.0 * (lost.square() * kept * z2).sum();
  const double freedom = rows - static_cast<double>(reached) + lost.head(reached).sum();
  const double freedom_slope = 2.0 * (lost * kept).head(reached).sum();
  return {std::log(rows * residual) - 2.0 * std::log(freedom),
          residual_slope / residual - 2.0 * freedom_slope / freedom};
}

Slope validation_residual(const Spectrum& spectrum, const ReducedSystem& validation, double log_lambda) {
  const Filtered ridge = filtered(spectrum, std::exp(log_lambda));
  const auto predicted = [&](const Eigen::VectorXd& directions) -> Eigen::VectorXd {
    return validation.R.triangularView<Eigen::Upper>() * (spectrum.V * directions);
  };
  const Eigen::VectorXd missed = predicted(ridge.directions) - validation.z;
  const Eigen::VectorXd change = predicted(-2.0 * ridge.lost.cwiseProduct(ridge.directions));
  return {missed.squaredNorm() + validation.rho * validation.rho, 2.0 * missed.dot(change)};
}

std::pair<double, double> lambda_range(const Spectrum& spectrum) {
  const double largest = spectrum.s[0];
  return {rounding_tolerance(spectrum.s.size()) * largest, 1e3 * largest};
}

double best_lambda(const Spectrum& spectrum, const std::function<Slope(double)>& objective) {
  constexpr double kStep = 0.25;  // a factor of 1.28 in lambda: a valley is at least about as wide as one term's, e^2
  const auto [low, high] = lambda_range(spectrum);
  const double found = std::exp(minimise(objective, std::log(low), std::log(high), kStep));
  return std::clamp(found, low, high);
}

}  // namespace ipfit
