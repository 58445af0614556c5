#include "manager/solve/prior.h"

#include <algorithm>
#include <cmath>

namespace ipfit {
namespace {

double roughness(const PriorSpec& prior, const ColumnFactor& factor) {
  const double l = factor.l / prior.wl;
  const double n = factor.n / prior.wn;
  switch (prior.kind) {
    case PriorKind::kNone:
      return 0.0;
    case PriorKind::kAlgebraic:
      return std::pow(l, prior.power) + std::pow(n, prior.power);
    case PriorKind::kExponential:
      return l + n;
    case PriorKind::kGaussian:
      return l * l + n * n;
  }
  return 0.0;
}

}  // namespace

DiagonalPrior prior_scales(const PriorSpec& prior, const std::vector<std::vector<ColumnFactor>>& columns) {
  if (prior.kind == PriorKind::kNone) {
    return {};
  }
  constexpr double kLargest = 1e100;
  DiagonalPrior gamma(static_cast<Eigen::Index>(columns.size()));
  for (Eigen::Index k = 0; k < gamma.size(); ++k) {
    double sum = 0.0;
    for (const ColumnFactor& factor : columns[static_cast<std::size_t>(k)]) {
      sum += roughness(prior, factor);
    }
    gamma[k] = std::min(prior.kind == PriorKind::kAlgebraic ? sum : std::exp(sum), kLargest);
  }
  return gamma;
}

}  // namespace ipfit
