#include "common/model/ace/gauss_legendre.h"

#include <cmath>
#include <numbers>

namespace ipfit {
namespace {

struct Legendre {
  long double value;
  long double slope;
};

/// P_n and its derivative at -1 < x < 1 (DLMF 14.10.3, 14.10.5).
Legendre legendre(int n, long double x) {
  long double before = 1.0L;
  long double now = x;
  for (int k = 2; k <= n; ++k) {
    const long double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now;
    now = next;
  }
  return {now, n * (before - x * now) / ((1.0L - x) * (1.0L + x))};
}

}  // namespace

std::vector<QuadratureNode> gauss_legendre(int count) {
  std::vector<QuadratureNode> nodes;
  for (int i = count; i > 0; --i) {
    // Newton's iteration from an estimate good to 1/count² of the distance between nodes (DLMF 18.16.3) converges
    // quadratically; six steps are more than enough for any count.
    long double x = std::cos(std::numbers::pi_v<long double> * (i - 0.25L) / (count + 0.5L));
    for (int step = 0; step < 6; ++step) {
      const Legendre p = legendre(count, x);
      x -= p.value / p.slope;
    }
    const long double slope = legendre(count, x).slope;
    nodes.push_back({x, 2.0L / ((1.0L - x) * (1.0L + x) * slope * slope)});
  }
  return nodes;
}

}  // namespace ipfit
