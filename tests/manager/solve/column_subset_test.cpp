#include "manager/solve/column_subset.h"

#include <catch2/catch.hpp>
#include <set>

namespace ipfit {
namespace {

using Eigen::Index;

AceRule rule(int size, std::vector<std::uint8_t> elements = {14}) {
  AceRule out;
  out.elements = std::move(elements);
  out.cutoff = 5.0;
  out.size = size;
  return out;
}

std::set<std::string> labels_of(const BasisSpec& basis, const std::vector<Index>& columns) {
  const auto labels = column_labels(basis);
  std::set<std::string> out;
  for (const Index column : columns) {
    out.insert(labels[static_cast<std::size_t>(column)]);
  }
  return out;
}

TEST_CASE("the first functions are those of the smaller basis, as far as it is part of the larger one") {
  for (const std::vector<std::uint8_t>& elements : {std::vector<std::uint8_t>{14}, std::vector<std::uint8_t>{49, 15}}) {
    const BasisChoice choice = rule(120, elements);
    const BasisSpec basis = *resolve_basis(choice);
    const auto smaller = column_labels(*resolve_basis(rule(40, elements)));
    const auto columns = first_functions(choice, basis, 40);
    REQUIRE(columns.ok());
    CHECK(std::is_sorted(columns->begin(), columns->end()));
    const auto found = labels_of(basis, *columns);
    const std::set<std::string> expected(smaller.begin(), smaller.end());
    CHECK(std::includes(expected.begin(), expected.end(), found.begin(), found.end()));
    CHECK(10 * found.size() >= 9 * expected.size());
  }
}

TEST_CASE("the first functions of a pair basis are those of each pair; more than there are mean all") {
  const BasisChoice choice = PairSpec{{49, 15}, 5.0, 6};
  const BasisSpec basis = *resolve_basis(choice);
  const auto columns = first_functions(choice, basis, 2);
  REQUIRE(columns.ok());
  CHECK(*columns == std::vector<Index>{0, 1, 6, 7, 12, 13});
  CHECK(first_functions(choice, basis, 6)->size() == 18);
  CHECK(first_functions(choice, basis, 1000)->size() == 18);
}

TEST_CASE("a solution of some columns has zeros for the others") {
  Solution some;
  some.coefficients = Eigen::Vector2d(1.5, -2.5);
  some.precisions = Eigen::Vector2d(3.0, 4.0);
  some.committee = Eigen::MatrixXd::Constant(2, 3, 0.5);
  const Solution all = among_all(some, {1, 3}, 5);
  CHECK(all.coefficients == (Eigen::VectorXd(5) << 0.0, 1.5, 0.0, -2.5, 0.0).finished());
  CHECK(std::isinf(all.precisions[0]));
  CHECK(all.precisions[3] == 4.0);
  CHECK(all.committee.rows() == 5);
  CHECK(all.committee.row(3).isConstant(0.5));
  CHECK(all.committee.row(4).isZero(0.0));
  CHECK(all.covariance_factor.size() == 0);
}

}  // namespace
}  // namespace ipfit
