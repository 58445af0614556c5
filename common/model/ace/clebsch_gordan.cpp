#include "common/model/ace/clebsch_gordan.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace ipfit {
namespace {

constexpr std::size_t kRows = kLargestMomentumSum + 1;

constexpr std::array<std::array<std::int64_t, kRows>, kRows> pascal_triangle() {
  std::array<std::array<std::int64_t, kRows>, kRows> rows{};
  for (std::size_t n = 0; n < kRows; ++n) {
    rows[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) {
      rows[n][k] = rows[n - 1][k - 1] + rows[n - 1][k];
    }
  }
  return rows;
}

constexpr auto kBinomials = pascal_triangle();

std::int64_t binomial(int n, int k) {
  return kBinomials[static_cast<std::size_t>(n)][static_cast<std::size_t>(k)];
}

// With a = j1 + j2 - J, b = j1 - j2 + J, c = -j1 + j2 + J the factorials of Racah's formula pair up to binomials:
//
//   sqrt( (2J+1)/(a+b+c+1) C(2J,b) C(2 j2,a) / ( C(a+b+c,c) C(2J,J+M) C(2 j1,j1+m1) C(2 j2,j2+m2) ) )
//     * sum_k (-1)^k C(a,k) C(b,j1-m1-k) C(c,j2+m2-k)
//
// The terms of the sum are at most 2^(a+b+c) together.
double coefficient(int j1, int m1, int j2, int m2, int J) {
  const int a = j1 + j2 - J;
  const int b = j1 - j2 + J;
  const int c = -j1 + j2 + J;
  std::int64_t sum = 0;
  for (int k = std::max({0, j1 - m1 - b, j2 + m2 - c}); k <= std::min({a, j1 - m1, j2 + m2}); ++k) {
    const std::int64_t term = binomial(a, k) * binomial(b, j1 - m1 - k) * binomial(c, j2 + m2 - k);
    sum += k % 2 == 0 ? term : -term;
  }
  const auto real = [](int n, int k) { return static_cast<double>(binomial(n, k)); };
  const double coupling = (2.0 * J + 1.0) / (a + b + c + 1.0) * real(2 * J, b) * real(2 * j2, a) / real(a + b + c, c);
  const double states = real(2 * J, J + m1 + m2) * real(2 * j1, j1 + m1) * real(2 * j2, j2 + m2);
  return static_cast<double>(sum) * std::sqrt(coupling / states);
}

}  // namespace

ClebschGordan::ClebschGordan(int j1, int j2, int J)
    : j1_(j1), j2_(j2), values_(static_cast<std::size_t>((2 * j1 + 1) * (2 * j2 + 1)), 0.0) {
  assert(std::abs(j1 - j2) <= J && J <= j1 + j2 && j1 + j2 + J <= kLargestMomentumSum);
  auto value = values_.begin();
  for (int m1 = -j1; m1 <= j1; ++m1) {
    for (int m2 = -j2; m2 <= j2; ++m2, ++value) {
      if (std::abs(m1 + m2) <= J) {
        *value = coefficient(j1, m1, j2, m2, J);
      }
    }
  }
}

}  // namespace ipfit
