#include "common/model/ace/radial.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include "common/json.h"
#include "common/model/ace/orthonormal_transform.h"
#include "tests/support/radial_values.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr long double kPi = std::numbers::pi_v<long double>;

/// Values and slopes straight from the definitions, in long double. What cancels close to the cutoff is written in
/// terms of the distance from it: with y = pi (rc - r)/rc, sin(m pi r/rc) = -(-1)^m sin(m y).
struct Exact {
  std::vector<long double> g;
  std::vector<long double> slopes;
};

/// sin(x) - x.
long double sine_rest(long double x) {
  if (x > 1.0L) {
    return std::sin(x) - x;
  }
  long double sum = 0.0L;
  long double term = x;
  for (int k = 2; k < 26; k += 2) {
    term *= -x * x / (k * (k + 1));
    sum += term;
  }
  return sum;
}

Exact exact_sbessel(const AceBond& bond, long double r) {
  const long double rc = bond.cutoff;
  const long double u = kPi * r / rc;
  const long double y = kPi * (rc - r) / rc;
  Exact exact;
  long double d_before = 1.0L;
  for (int n = 0; n < bond.size; ++n) {
    const long double m = n + 1.0L;
    const long double p = n + 2.0L;
    const long double scale = std::sqrt(2.0L) * kPi / (rc * std::sqrt(rc)) * m * p / std::sqrt(m * m + p * p);
    long double f = 0.0L;
    long double df = 0.0L;
    if (r < 0.5L * rc) {
      f = (n % 2 == 0 ? scale : -scale) * (std::sph_bessel(0, m * u) + std::sph_bessel(0, p * u));
      df = (n % 2 == 0 ? -scale : scale) * kPi / rc * (m * std::sph_bessel(1, m * u) + p * std::sph_bessel(1, p * u));
    } else {
      const long double sines = sine_rest(m * y) / m - sine_rest(p * y) / p;
      const long double cosines = 2.0L * std::sin(0.5L * y) * std::sin(0.5L * (m + p) * y);
      f = scale * sines / u;
      df = -scale / u * (kPi / rc * cosines + sines / r);
    }
    if (n == 0) {
      exact = {{f}, {df}};
      continue;
    }
    const long double e = n * n * (n + 2.0L) * (n + 2.0L) / (4.0L * std::pow(n + 1.0L, 4) + 1.0L);
    const long double d = 1.0L - e / d_before;
    exact.g.push_back((f + std::sqrt(e / d_before) * exact.g.back()) / std::sqrt(d));
    exact.slopes.push_back((df + std::sqrt(e / d_before) * exact.slopes.back()) / std::sqrt(d));
    d_before = d;
  }
  return exact;
}

/// (1 - cos(k theta))/2 = sin²(k theta/2) with sin²(theta/2) = z/2, and its slope by z.
void add_chebyshev(int k, long double z, long double dz, long double e, long double de, Exact& exact) {
  const long double theta = 2.0L * std::asin(std::sqrt(std::min(z / 2.0L, 1.0L)));
  const long double w = std::pow(std::sin(k * theta / 2.0L), 2);
  const long double dw = 0.5L * k * std::sin(k * theta) / std::sin(theta);
  exact.g.push_back(e * w);
  exact.slopes.push_back(de * w + e * dw * dz);
}

Exact exact_cheb_exp_cos(const AceBond& bond, long double r) {
  const long double rc = bond.cutoff;
  const long double left = rc - r;
  const long double lambda = bond.lambda;
  const long double z = 2.0L * std::exp(-lambda) * std::expm1(lambda * left / rc) / -std::expm1(-lambda);
  const long double dz = -2.0L * lambda / rc * std::exp(-lambda * r / rc) / -std::expm1(-lambda);
  const auto step = [&](long double width) {  // (1 + cos(pi (width - left)/width))/2
    return std::pow(std::sin(0.5L * kPi * left / width), 2);
  };
  const auto slope = [&](long double width) { return -0.5L * kPi / width * std::sin(kPi * left / width); };
  long double e = step(rc);
  long double de = slope(rc);
  if (left < bond.cutoff_width) {
    de = de * step(bond.cutoff_width) + e * slope(bond.cutoff_width);
    e *= step(bond.cutoff_width);
  }
  Exact exact{{e}, {de}};
  for (int k = 1; k < bond.size; ++k) {
    add_chebyshev(k, z, dz, e, de, exact);
  }
  return exact;
}

Exact exact_cheb_pow(const AceBond& bond, long double r) {
  const long double rest = (bond.cutoff - r) / bond.cutoff;
  const long double lambda = bond.lambda;
  Exact exact;
  for (int k = 1; k <= bond.size; ++k) {
    add_chebyshev(k, 2.0L * std::pow(rest, lambda), -2.0L * lambda / bond.cutoff * std::pow(rest, lambda - 1.0L), 1.0L,
                  0.0L, exact);
  }
  return exact;
}

Exact exact_functions(const AceBond& bond, double r) {
  switch (bond.family) {
    case RadialFamily::kSBessel:
      return exact_sbessel(bond, r);
    case RadialFamily::kChebExpCos:
      return exact_cheb_exp_cos(bond, r);
    case RadialFamily::kChebPow:
      return exact_cheb_pow(bond, r);
  }
  return {};
}

}  // namespace

TEST_CASE("radial functions and slopes are those of their definitions, close to the ends as well") {
  // Errors are measured by the largest of the functions up to n, since each passes through zero, and grow with n like
  // the rounding of a recurrence of n steps.
  const double tolerance = 1e-13;
  for (const RadialFamily family : kFamilies) {
    const AceBond bond = bond_of(family, 20);
    const RadialFunctions functions(bond);
    std::vector<double> distances{1e-3, 0.02, 0.1, 1.75, 1.7507, 5.4, 5.49, 5.4999, 5.499999};
    for (double r = 0.3; r < 5.5; r += 0.173) {
      distances.push_back(r);
    }
    for (const double r : distances) {
      const RadialValues found = functions_at(functions, r);
      const Exact exact = exact_functions(bond, r);
      long double scale = 0.0L;
      long double slope_scale = 0.0L;
      for (std::size_t k = 0; k < exact.g.size(); ++k) {
        CAPTURE(family, r, k, found.g[k], found.slopes[k]);
        scale = std::max(scale, std::fabs(exact.g[k]));
        slope_scale = std::max(slope_scale, std::fabs(exact.slopes[k]));
        CHECK(std::fabs(found.g[k] - exact.g[k]) <= tolerance * scale);
        CHECK(std::fabs(found.slopes[k] - exact.slopes[k]) <= tolerance * slope_scale);
      }
    }
  }
}

TEST_CASE("radial functions agree with the reference values") {
  IPFIT_REFERENCE_OR_SKIP(path, "golden/radial_and_harmonics.json");
  const Result<Json> file = parse_json(test::text_of(path), path.string());
  REQUIRE(file);
  const std::map<std::string, RadialFamily> families{{"SBessel", RadialFamily::kSBessel},
                                                     {"ChebExpCos", RadialFamily::kChebExpCos},
                                                     {"ChebPow", RadialFamily::kChebPow}};
  int entries = 0;
  for (const Json& entry : (*file)["radial"]) {
    const auto family = families.find(entry["radbasename"].get<std::string>());
    if (family == families.end() || entry["inner_cutoff_type"] != "distance") {
      continue;
    }
    ++entries;
    AceBond bond = bond_of(family->second, entry["nradbase"].get<int>());
    bond.lambda = entry["lambda"].get<double>();
    bond.cutoff = entry["rcut"].get<double>();
    bond.cutoff_width = entry["dcut"].get<double>();
    if (entry["rcut_in"].get<double>() > 0.0) {
      bond = with_inner(bond, entry["rcut_in"].get<double>(), entry["dcut_in"].get<double>());
    }
    const RadialFunctions functions(bond);
    // Close to the cutoff the terms of the reference values cancel. Each is of the size of the functions (slopes) at
    // their largest, and made of a rounded x, of which T_k makes k² roundings: that is their absolute accuracy.
    double largest = 0.0;
    double largest_slope = 0.0;
    for (const Json& value : entry["values"]) {
      largest = std::max(largest, largest_entry(value["g"].get<std::vector<double>>()));
      largest_slope = std::max(largest_slope, largest_entry(value["dg"].get<std::vector<double>>()));
    }
    for (const Json& value : entry["values"]) {
      const auto r = value["r"].get<double>();
      const RadialValues found = functions_at(functions, r);
      for (std::size_t k = 0; k < found.g.size(); ++k) {
        const auto g = value["g"][k].get<double>();
        const auto dg = value["dg"][k].get<double>();
        const double roundings = static_cast<double>((k + 2) * (k + 2)) * kEpsilon;
        CAPTURE(entry["radbasename"].get<std::string>(), bond.lambda, r, k);
        CHECK(std::abs(found.g[k] - g) <= 1e-12 * std::abs(g) + roundings * largest);
        CHECK(std::abs(found.slopes[k] - dg) <= 1e-12 * std::abs(dg) + roundings * largest_slope);
      }
    }
  }
  REQUIRE(entries == 9);
}

TEST_CASE("the inner step agrees with the reference values") {
  IPFIT_REFERENCE_OR_SKIP(path, "golden/radial_and_harmonics.json");
  const Result<Json> file = parse_json(test::text_of(path), path.string());
  REQUIRE(file);
  REQUIRE_FALSE((*file)["step"].empty());
  for (const Json& entry : (*file)["step"]) {
    // The listed step falls from 1 to 0 with growing x; the functions carry 1 minus it.
    AceBond bond = bond_of(RadialFamily::kSBessel, 1);
    bond.cutoff = 4.0 * entry["xc"].get<double>();
    const auto r = entry["x"].get<double>();
    const RadialValues raw = functions_at(RadialFunctions(bond), r);
    const RadialValues found =
        functions_at(RadialFunctions(with_inner(bond, entry["xc"].get<double>(), entry["delta"].get<double>())), r);
    const double step = found.g[0] / raw.g[0];
    CHECK(1.0 - step == Approx(entry["f"].get<double>()).margin(1e-15).epsilon(1e-12));
    CHECK((step * raw.slopes[0] - found.slopes[0]) / raw.g[0] ==
          Approx(entry["df"].get<double>()).margin(1e-15).epsilon(1e-12));
  }
}

TEST_CASE("slopes of radial functions are the derivatives of the values") {
  for (const RadialFamily family : kFamilies) {
    AceBond bond = with_inner(bond_of(family, 10), 1.8, 0.9);
    bond.transform = orthonormal_transform(bond);
    const RadialFunctions functions(bond);
    for (double r = 0.95; r < 5.19; r += 0.0837) {
      const double h = 1e-4;
      const auto difference = [&](double by) {
        const RadialValues above = functions_at(functions, r + by);
        const RadialValues below = functions_at(functions, r - by);
        Eigen::VectorXd slopes(bond.size);
        for (Eigen::Index k = 0; k < slopes.size(); ++k) {
          const auto i = static_cast<std::size_t>(k);
          slopes[k] = (above.g[i] - below.g[i]) / (2.0 * by);
        }
        return slopes;
      };
      const Eigen::VectorXd slopes = (4.0 * difference(h) - difference(2.0 * h)) / 3.0;
      const RadialValues found = functions_at(functions, r);
      // The error of the formula is h⁴ d5g/30 with d5g up to (20/Å)^5 times 10, and more where a window's end lies
      // between the points: a jump of the third derivative changes the result by h² times it.
      const bool at_an_end = std::abs(r - 1.8) < 3.0 * h || std::abs(r - 0.9) < 3.0 * h;
      for (std::size_t k = 0; k < found.slopes.size(); ++k) {
        CAPTURE(family, r, k);
        CHECK(std::abs(found.slopes[k] - slopes[static_cast<Eigen::Index>(k)]) < (at_an_end ? 1e-4 : 1e-7));
      }
    }
  }
}

TEST_CASE("radial functions are exactly zero from the cutoff on and below the inner cutoff") {
  for (const RadialFamily family : kFamilies) {
    AceBond bond = with_inner(bond_of(family, 15), 1.7, 0.6);
    bond.transform = orthonormal_transform(bond);
    for (const double r : {5.5, std::nextafter(5.5, 6.0), 5.6, 100.0, 1.7 - 0.6, 1.0, 1e-3}) {
      const RadialValues found = functions_at(RadialFunctions(bond), r);
      CAPTURE(family, r);
      CHECK(largest_entry(found.g) == 0.0);
      CHECK(largest_entry(found.slopes) == 0.0);
    }
    CHECK(largest_entry(functions_at(RadialFunctions(bond), 1.2).g) > 0.0);
    CHECK(largest_entry(functions_at(RadialFunctions(bond), std::nextafter(5.5, 5.0)).g) > 0.0);
  }
}

TEST_CASE("beyond the inner cutoff the functions are untouched, and the window joins with value, slope and curvature") {
  for (const RadialFamily family : kFamilies) {
    const double inner = 2.0;
    const double width = 0.75;
    const AceBond bond = bond_of(family, 8);
    const RadialFunctions whole(bond);
    const RadialFunctions functions(with_inner(bond, inner, width));
    for (const double r : {2.0, 2.1, 5.3}) {
      const RadialValues found = functions_at(functions, r);
      const RadialValues raw = functions_at(whole, r);
      CHECK(found.g == raw.g);
      CHECK(found.slopes == raw.slopes);
    }
    // t³ (10 - 15 t + 6 t²) leaves 0 and 1 like 10 t³: with both derivatives zero the difference is of third order.
    for (const double h : {1e-2, 1e-3}) {
      const double third_order = 10.1 * std::pow(h / width, 3);
      const double slope_order = 30.3 * std::pow(h / width, 2) / width;
      const RadialValues above = functions_at(whole, inner - h);
      const RadialValues at_inner = functions_at(functions, inner - h);
      const RadialValues at_outer = functions_at(functions, inner - width + h);
      const RadialValues below = functions_at(whole, inner - width + h);
      for (std::size_t k = 0; k < above.g.size(); ++k) {
        CAPTURE(family, h, k);
        const auto bound = [&](const RadialValues& raw) {
          return third_order * std::abs(raw.slopes[k]) + slope_order * std::abs(raw.g[k]) + 1e-13;
        };
        CHECK(std::abs(at_inner.g[k] - above.g[k]) <= third_order * std::abs(above.g[k]) + 1e-15);
        CHECK(std::abs(at_inner.slopes[k] - above.slopes[k]) <= bound(above));
        CHECK(std::abs(at_outer.g[k]) <= third_order * std::abs(below.g[k]) + 1e-15);
        CHECK(std::abs(at_outer.slopes[k]) <= bound(below));
      }
    }
  }
}

TEST_CASE("transformed functions are the transform times the raw functions") {
  AceBond bond = bond_of(RadialFamily::kChebPow, 5);
  bond.transform.assign(25, 0.0);
  for (std::size_t n = 0; n < 5; ++n) {
    for (std::size_t k = 0; k <= n; ++k) {
      bond.transform[n * 5 + k] = 1.0 / static_cast<double>(1 + n + 2 * k) - 0.3;
    }
  }
  const RadialFunctions functions(bond);
  const RadialValues raw = functions_at(functions, 2.2, Which::kRaw);
  const RadialValues found = functions_at(functions, 2.2);
  for (std::size_t n = 0; n < 5; ++n) {
    double value = 0.0;
    double slope = 0.0;
    for (std::size_t k = 0; k <= n; ++k) {
      value += bond.transform[n * 5 + k] * raw.g[k];
      slope += bond.transform[n * 5 + k] * raw.slopes[k];
    }
    CHECK(found.g[n] == Approx(value).epsilon(4 * kEpsilon));
    CHECK(found.slopes[n] == Approx(slope).epsilon(4 * kEpsilon));
  }
}
