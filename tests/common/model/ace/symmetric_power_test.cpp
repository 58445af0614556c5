#include "common/model/ace/symmetric_power.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <utility>

using namespace ipfit;

namespace {

// Sums of up to a thousand products of numbers up to 1, whose rounding adds up like a random walk.
constexpr double kSum = 1e-13;

double overlap(const SymmetricPower& power, int M, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += power.M[i] == M ? power.arrangements[i] * a[i] * b[i] : 0.0;
  }
  return sum;
}

// The member with projection M of a multiplet, raised: its amplitude at each arrangement of each monomial.
std::map<OrderTuple, double> raised(const SymmetricPower& power, const std::vector<double>& c, int M) {
  std::map<OrderTuple, double> sums;
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (std::size_t t = 0; power.M[i] == M && t < static_cast<std::size_t>(power.k); ++t) {
      OrderTuple up = power.monomials[i];
      const int m = up[t]++;
      if (m < power.l) {
        for (std::size_t s = t; s > 0 && up[s - 1] < up[s]; --s) {
          std::swap(up[s - 1], up[s]);
        }
        sums[up] += power.arrangements[i] * std::sqrt(power.l * (power.l + 1.0) - m * (m + 1.0)) * c[i];
      }
    }
  }
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (const auto found = sums.find(power.monomials[i]); found != sums.end()) {
      found->second /= power.arrangements[i];
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("equal factors couple to as many multiplets as the monomials have room for") {
  for (int l = 0; l <= 4; ++l) {
    for (int k = 1; k <= 4; ++k) {
      CAPTURE(l, k);
      const SymmetricPower power = symmetric_power(l, k, k * l);
      std::size_t states = 0;
      for (const SymmetricPower::Multiplet& each : power.multiplets) {
        states += static_cast<std::size_t>(2 * each.J + 1);
      }
      CHECK(states == power.monomials.size());
      CHECK(std::is_sorted(power.monomials.begin(), power.monomials.end()));
      double tuples = 0.0;
      for (const double each : power.arrangements) {
        tuples += each;
      }
      CHECK(tuples == std::pow(2 * l + 1, k));
    }
  }
}

TEST_CASE("three phonons couple as the tables say") {
  // Bohr and Mottelson, Nuclear Structure II, table 6-1: three quadrupole phonons make 0, 2, 3, 4, 6.
  std::vector<int> found;
  for (const SymmetricPower::Multiplet& each : symmetric_power(2, 3, 6).multiplets) {
    found.push_back(each.J);
  }
  CHECK(found == std::vector<int>{0, 2, 3, 4, 6});
}

TEST_CASE("a smaller largest J leaves out the others and changes nothing") {
  const SymmetricPower all = symmetric_power(3, 4, 12);
  const SymmetricPower some = symmetric_power(3, 4, 3);
  REQUIRE(some.multiplets.size() < all.multiplets.size());
  for (std::size_t s = 0; s < some.multiplets.size(); ++s) {
    CHECK(some.multiplets[s].J == all.multiplets[s].J);
    CHECK(some.multiplets[s].c == all.multiplets[s].c);
  }
  CHECK(all.multiplets[some.multiplets.size()].J > 3);
  CHECK(symmetric_power(3, 1, 2).multiplets.empty());
}

TEST_CASE("multiplets are orthonormal, and raising a member gives the next") {
  for (const auto& [l, k] : {std::pair(1, 6), std::pair(2, 5), std::pair(3, 4), std::pair(6, 3), std::pair(10, 2)}) {
    const SymmetricPower power = symmetric_power(l, k, k * l);
    for (const SymmetricPower::Multiplet& a : power.multiplets) {
      CAPTURE(l, k, a.J);
      for (const SymmetricPower::Multiplet& b : power.multiplets) {
        for (int M = -std::min(a.J, b.J); M <= std::min(a.J, b.J); ++M) {
          CHECK(overlap(power, M, a.c, b.c) == Approx(&a == &b ? 1.0 : 0.0).margin(kSum));
        }
      }
      for (int M = -a.J; M <= a.J; ++M) {
        const std::map<OrderTuple, double> up = raised(power, a.c, M);
        double worst = 0.0;
        for (std::size_t i = 0; i < a.c.size(); ++i) {
          if (power.M[i] == M + 1) {
            const auto found = up.find(power.monomials[i]);
            const double expected = std::sqrt(a.J * (a.J + 1.0) - M * (M + 1.0)) * a.c[i];
            worst = std::max(worst, std::abs((found == up.end() ? 0.0 : found->second) - expected));
          }
        }
        CHECK(worst <= kSum * (k * l + 1));
      }
    }
  }
}
