#include "worker/basis/ace/harmonics.h"

#include <cmath>

namespace ipfit {

std::vector<double> harmonic_recursion(int l_max) {
  std::vector<double> factors;
  for (int l = 0; l <= l_max; ++l) {
    for (int m = 0; m <= l; ++m) {
      double a = 0.0;
      double b = 0.0;
      if (m == l) {
        a = l == 0 ? 1.0 : -std::sqrt((2.0 * l + 1.0) / (2.0 * l));
      } else {
        const double below = l - 1.0;
        a = std::sqrt((4.0 * l * l - 1.0) / (l * l - m * m));
        b = m == l - 1 ? 0.0 : -a * std::sqrt((below * below - m * m) / (4.0 * below * below - 1.0));
      }
      const double d = -std::sqrt((l - m) * (l + m + 1.0));
      factors.insert(factors.end(), {a, b, d});
    }
  }
  return factors;
}

}  // namespace ipfit
