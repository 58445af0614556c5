// Eliminating columns from a system must not change what the others come out as.
#include "manager/solve/joint_one_body.h"

#include <Eigen/QR>
#include <catch2/catch.hpp>

using namespace ipfit;

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Rows {
  RowMajor A;
  Eigen::VectorXd y;
};

Rows random_rows(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
  std::srand(seed);
  return {RowMajor::Random(rows, columns), Eigen::VectorXd::Random(rows)};
}

ReducedSystem reduced(const Rows& rows) {
  return reduce({rows.A.data(), static_cast<std::size_t>(rows.A.size())},
                {rows.y.data(), static_cast<std::size_t>(rows.y.size())}, rows.A.cols());
}

}  // namespace

TEST_CASE("least squares of what is left, and the minimiser of what was eliminated, are those of all columns") {
  const Rows rows = random_rows(40, 9, 7);
  const Eigen::VectorXd all = rows.A.householderQr().solve(rows.y);
  for (const Eigen::Index k : {0, 1, 3}) {
    CAPTURE(k);
    const Eliminated eliminated = eliminate_first(reduced(rows), k);
    CHECK(eliminated.others.rows == 40 - k);
    const Eigen::VectorXd c = eliminated.others.R.triangularView<Eigen::Upper>().solve(eliminated.others.z);
    // Random rows are well conditioned: some tens of epsilon.
    CHECK((c - all.tail(9 - k)).norm() < 1e-13);
    CHECK((minimiser(eliminated, c) - all.head(k)).norm() < 1e-13);
    CHECK(eliminated.others.rho == Approx((rows.A * all - rows.y).norm()).epsilon(1e-13));
  }
}

TEST_CASE("a second system with the minimiser put in has the residuals of both together") {
  const Rows rows = random_rows(40, 9, 8);
  for (const Eigen::Index height : {3, 9, 30}) {
    CAPTURE(height);
    const Rows second = random_rows(height, 9, 9);
    const Eliminated eliminated = eliminate_first(reduced(rows), 2);
    const ReducedSystem system = with_minimiser(reduced(second), eliminated);
    CHECK(system.rows == height);
    const Eigen::VectorXd c = Eigen::VectorXd::Random(7);
    Eigen::VectorXd all(9);
    all << minimiser(eliminated, c), c;
    CHECK(std::hypot((system.R * c - system.z).norm(), system.rho) ==
          Approx((second.A * all - second.y).norm()).epsilon(1e-12));
  }
}

TEST_CASE("only what the compositions determine has a column") {
  CHECK(one_body_columns({14}, {}).count() == 0);
  CHECK(one_body_columns({14}, std::vector<double>{3.0, 5.0}).count() == 1);
  CHECK(one_body_columns({14, 8}, std::vector<double>{2.0, 4.0, 3.0, 3.0}).count() == 2);
  const OneBodyColumns always_one_to_one = one_body_columns({49, 15}, std::vector<double>{2.0, 2.0, 5.0, 5.0});
  REQUIRE(always_one_to_one.count() == 1);
  CHECK(std::abs(always_one_to_one.directions(0, 0)) == Approx(std::sqrt(0.5)));
  CHECK(always_one_to_one.directions(0, 0) == Approx(always_one_to_one.directions(1, 0)));
  const auto energies = moved({{49, -1.0}, {15, 2.0}}, always_one_to_one, Eigen::VectorXd::Constant(1, 3.0));
  // What is found goes to both alike: their difference, which nothing determines, stays.
  CHECK(energies.at(49) - energies.at(15) == Approx(-3.0));
}
