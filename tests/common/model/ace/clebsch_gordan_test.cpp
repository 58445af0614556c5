#include "common/model/ace/clebsch_gordan.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

using namespace ipfit;

namespace {

// A few units in the last place of numbers up to 1, and as many for each of up to 41 terms of a sum.
constexpr double kLast = 4e-16;
constexpr double kSum = 1e-14;

// Every triple up to a largest degree of each.
template <class Check>
void for_triples(int largest, Check check) {
  for (int j1 = 0; j1 <= largest; ++j1) {
    for (int j2 = 0; j2 <= largest; ++j2) {
      for (int J = std::abs(j1 - j2); J <= j1 + j2; ++J) {
        CAPTURE(j1, j2, J);
        check(j1, j2, J);
      }
    }
  }
}

}  // namespace

TEST_CASE("Clebsch-Gordan coefficients have the tabulated values") {
  // Table in the Review of Particle Physics, 1 x 1 and 2 x 1.
  const ClebschGordan one_one_two(1, 1, 2);
  CHECK(one_one_two(1, 1) == 1.0);
  CHECK(one_one_two(1, 0) == Approx(std::sqrt(1.0 / 2.0)).epsilon(kLast));
  CHECK(one_one_two(1, -1) == Approx(std::sqrt(1.0 / 6.0)).epsilon(kLast));
  CHECK(one_one_two(0, 0) == Approx(std::sqrt(2.0 / 3.0)).epsilon(kLast));
  const ClebschGordan one_one_one(1, 1, 1);
  CHECK(one_one_one(1, 0) == Approx(std::sqrt(1.0 / 2.0)).epsilon(kLast));
  CHECK(one_one_one(0, 1) == Approx(-std::sqrt(1.0 / 2.0)).epsilon(kLast));
  CHECK(one_one_one(0, 0) == 0.0);
  const ClebschGordan two_one_one(2, 1, 1);
  CHECK(two_one_one(2, -1) == Approx(std::sqrt(3.0 / 5.0)).epsilon(kLast));
  CHECK(two_one_one(1, 0) == Approx(-std::sqrt(3.0 / 10.0)).epsilon(kLast));
  CHECK(two_one_one(0, 1) == Approx(std::sqrt(1.0 / 10.0)).epsilon(kLast));
  CHECK(two_one_one(2, 1) == 0.0);
}

TEST_CASE("a scalar is made of two equal degrees with alternating signs") {
  for (int j = 0; j <= 30; ++j) {
    const ClebschGordan scalar(j, j, 0);
    for (int m = -j; m <= j; ++m) {
      CHECK(scalar(m, -m) == Approx(((j - m) % 2 == 0 ? 1.0 : -1.0) / std::sqrt(2.0 * j + 1.0)).epsilon(kLast));
    }
  }
}

TEST_CASE("the coupled states are orthonormal") {
  for (const auto& [j1, j2] : {std::pair(1, 2), std::pair(4, 3), std::pair(10, 10), std::pair(20, 10)}) {
    for (int J = j1 - j2; J <= j1 + j2; ++J) {
      for (int K = std::abs(j1 - j2); K <= j1 + j2; ++K) {
        CAPTURE(j1, j2, J, K);
        if (J < std::abs(j1 - j2)) {
          continue;
        }
        const ClebschGordan a(j1, j2, J);
        const ClebschGordan b(j1, j2, K);
        for (int M = 0; M <= std::min(J, K); ++M) {
          double sum = 0.0;
          for (int m1 = std::max(-j1, M - j2); m1 <= std::min(j1, M + j2); ++m1) {
            sum += a(m1, M - m1) * b(m1, M - m1);
          }
          CHECK(sum == Approx(J == K ? 1.0 : 0.0).margin(kSum));
        }
      }
    }
  }
}

TEST_CASE("raising a coupled state raises one or the other part") {
  const auto up = [](int j, int m) { return std::sqrt(static_cast<double>(j * (j + 1) - m * (m + 1))); };
  for_triples(6, [&](int j1, int j2, int J) {
    const ClebschGordan c(j1, j2, J);
    for (int m1 = -j1; m1 <= j1; ++m1) {
      for (int m2 = -j2; m2 <= j2; ++m2) {
        const int M = m1 + m2 - 1;
        if (std::abs(M) <= J && M + 1 <= J) {
          const double parts =
              (m1 > -j1 ? up(j1, m1 - 1) * c(m1 - 1, m2) : 0.0) + (m2 > -j2 ? up(j2, m2 - 1) * c(m1, m2 - 1) : 0.0);
          CHECK(parts == Approx(up(J, M) * c(m1, m2)).margin(kSum));
        }
      }
    }
  });
}

TEST_CASE("exchanging the parts, or the sign of all orders, changes the sign by parity only") {
  for_triples(10, [](int j1, int j2, int J) {
    const ClebschGordan c(j1, j2, J);
    const ClebschGordan exchanged(j2, j1, J);
    const double sign = (j1 + j2 - J) % 2 == 0 ? 1.0 : -1.0;
    bool mirrors = true;
    bool exchanges = true;
    for (int m1 = -j1; m1 <= j1; ++m1) {
      for (int m2 = -j2; m2 <= j2; ++m2) {
        mirrors = mirrors && c(-m1, -m2) == sign * c(m1, m2);
        exchanges = exchanges && std::abs(exchanged(m2, m1) - sign * c(m1, m2)) <= kLast;
      }
    }
    CHECK(mirrors);
    CHECK(exchanges);
  });
}
