#include "worker/basis/pair/pair_functions.h"

#include <cmath>

namespace ipfit {

PairFunctions::PairFunctions(double cutoff, int size)
    : cutoff_(cutoff), per_cutoff_squared_(1.0 / (cutoff * cutoff)), steps_(static_cast<std::size_t>(size)) {
  const auto norm = [](double k) { return std::sqrt((2.0 * k + 7.0) / 2.0); };  // h_k = 2^7 / (2k + 7)
  for (int k = 1; k < size; ++k) {
    const double n = k - 1;  // DLMF 18.9.2 with alpha = 6, beta = 0 gives p_{n+1}
    const double a = (2.0 * n + 7.0) * (n + 4.0) / ((n + 1.0) * (n + 7.0));
    const double b = 9.0 * (2.0 * n + 7.0) / ((n + 1.0) * (n + 7.0) * (n + 3.0));
    const double c = (n + 6.0) * n * (n + 4.0) / ((n + 1.0) * (n + 7.0) * (n + 3.0));
    steps_[static_cast<std::size_t>(k)] = {a * norm(k) / norm(k - 1), b * norm(k) / norm(k - 1),
                                           k < 2 ? 0.0 : c * norm(k) / norm(k - 2)};
  }
}

void PairFunctions::at(double r, std::span<double> values, std::span<double> slopes) const {
  const Lanes s = Lanes::Constant(r * r * per_cutoff_squared_);
  for_each(s, [&](int k, const Lanes& value, const Lanes& slope) {
    values[static_cast<std::size_t>(k)] = value[0];
    slopes[static_cast<std::size_t>(k)] = 2.0 * r * slope[0];
  });
}

}  // namespace ipfit
