#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "manager/solve/ard.h"
#include "manager/solve/blr.h"
#include "manager/solve/lasso.h"
#include "manager/solve/lsqr.h"
#include "manager/solve/omp.h"
#include "tests/support/least_squares.h"

// Two small systems given by formulas, against scikit-learn and SciPy, which work on all rows with code of their own.
// tests/golden/solver_references.py says how the numbers came about.
using namespace ipfit;
using namespace ipfit::test;

namespace {

using References = std::map<std::string, Eigen::VectorXd>;

const References& references() {
  static const References read = [] {
    References out;
    std::ifstream file("tests/golden/solver_references.txt");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      std::vector<double> values;
      for (std::string word; words >> word;) {
        values.push_back(std::strtod(word.c_str(), nullptr));  // streams do not read "inf"
      }
      out[name] = Eigen::Map<Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
    }
    return out;
  }();
  REQUIRE(read.size() > 50);
  return read;
}

const Eigen::VectorXd& reference(const std::string& name) {
  CAPTURE(name);
  const auto found = references().find(name);
  REQUIRE(found != references().end());
  return found->second;
}

Rows system_of(const std::string& name) {
  const bool smooth = name == "smooth";
  Rows rows(smooth ? 40 : 60, smooth ? 6 : 10);
  for (Eigen::Index row = 0; row < rows.A.rows(); ++row) {
    const auto i = static_cast<double>(row + 1);
    for (Eigen::Index column = 0; column < rows.A.cols(); ++column) {
      const auto j = static_cast<double>(column + 1);
      rows.A(row, column) = smooth ? std::cos(0.37 * i * j) / j : std::cos(1.1 * i * j + 0.4 * j);
    }
    rows.y[row] = smooth ? 0.1 * std::sin(7.3 * i * i) : 0.05 * std::sin(3.7 * i * i);
  }
  if (smooth) {
    rows.y += rows.A * Eigen::VectorXd{{1.0, -1.0, 1.0, -1.0, 1.0, -1.0}};
  } else {
    rows.y += 2.0 * rows.A.col(1) - rows.A.col(4) + 0.5 * rows.A.col(7);
  }
  return rows;
}

void check_close(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  CHECK((found - expected).norm() <= tolerance * (1.0 + expected.norm()));
}

}  // namespace

TEST_CASE("Bayesian regression agrees with scikit-learn") {
  const std::string name = GENERATE("smooth", "sparse");
  const Solution found = *solve_blr(reduced(system_of(name)));
  const std::string key = name + ".bayesian_ridge.";
  // scikit-learn iterates to a fixed point until coefficients change by 1e-15; normal equations there.
  check_close(found.coefficients, reference(key + "coefficients"), 1e-11);
  CHECK(*found.noise_precision == Approx(reference(key + "noise_precision")[0]).epsilon(1e-9));
  CHECK(*found.prior_precision == Approx(reference(key + "prior_precision")[0]).epsilon(1e-9));
  CHECK(*found.log_evidence == Approx(reference(key + "log_evidence")[0]).epsilon(1e-11));
  check_close(found.covariance_factor.rowwise().norm(), reference(key + "deviations"), 1e-9);
}

TEST_CASE("automatic relevance determination agrees with scikit-learn") {
  const std::string name = GENERATE("smooth", "sparse");
  const Solution found = *solve_ard(reduced(system_of(name)));
  const std::string key = name + ".ard.";
  // We stop at a slope of the evidence of 5e-7 for each log precision.
  check_close(found.coefficients, reference(key + "coefficients"), 1e-8);
  CHECK(*found.noise_precision == Approx(reference(key + "noise_precision")[0]).epsilon(1e-7));
  const Eigen::VectorXd& precisions = reference(key + "precisions");
  for (Eigen::Index k = 0; k < precisions.size(); ++k) {
    CHECK(std::isfinite(found.precisions[k]) == std::isfinite(precisions[k]));
    if (std::isfinite(precisions[k])) {
      CHECK(found.precisions[k] == Approx(precisions[k]).epsilon(1e-5));
    }
  }
}

TEST_CASE("the lasso path agrees with scikit-learn, corner by corner") {
  const std::string name = GENERATE("smooth", "sparse");
  const Rows rows = system_of(name);
  const LassoPath path = lasso_path(reduced(rows), rows.A.cols());
  const Eigen::VectorXd& penalties = reference(name + ".lasso.penalties");
  REQUIRE(static_cast<Eigen::Index>(path.knots.size()) == penalties.size());
  for (Eigen::Index k = 0; k < penalties.size(); ++k) {
    const double penalty = path.knots[static_cast<std::size_t>(k)].penalty;
    CHECK(penalty == Approx(penalties[k]).epsilon(1e-11).margin(1e-13));
    check_close(lasso_at(path, penalty, rows.A.cols()), reference(name + ".lasso." + std::to_string(k)), 1e-12);
  }
}

TEST_CASE("orthogonal matching pursuit agrees with scikit-learn at every size") {
  const std::string name = GENERATE("smooth", "sparse");
  const Rows rows = system_of(name);
  for (Eigen::Index size = 1; size <= rows.A.cols(); ++size) {
    const Solution found = solve_omp(reduced(rows), StrengthRule::kGiven, size, nullptr);
    check_close(found.coefficients, reference(name + ".omp." + std::to_string(size)), 1e-12);
  }
}

TEST_CASE("LSQR agrees with SciPy after every iteration") {
  const std::string name = GENERATE("smooth", "sparse");
  const std::string damp = GENERATE("0.0", "0.5");
  const ReducedSystem system = reduced(system_of(name));
  for (int iterations = 1; iterations <= 4; ++iterations) {
    const LsqrOptions options{.damp = std::stod(damp), .rtol = 0.0, .rho = system.rho, .iterations = iterations};
    const Result<Solution> found = lsqr(operator_of(system), system.R.cols(), system.z, options);
    REQUIRE(found.ok());
    check_close(found->coefficients, reference(name + ".lsqr." + damp + "." + std::to_string(iterations)), 1e-12);
  }
}
