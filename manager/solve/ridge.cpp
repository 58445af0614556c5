#include "manager/solve/ridge.h"

namespace ipfit {

ReducedSystem with_prior(const ReducedSystem& system, const DiagonalPrior& gamma) {
  ReducedSystem prior = empty_system(gamma.size());
  prior.R = gamma.asDiagonal();
  prior.rows = gamma.size();
  return merge(system, prior);
}

DiagonalPrior ridge_prior(double lambda, const DiagonalPrior& prior, std::int64_t columns) {
  return lambda * (prior.size() == 0 ? DiagonalPrior::Ones(columns) : prior);
}

}  // namespace ipfit
