#include "common/model/ace/coupling.h"

#include <Eigen/Dense>
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "tests/support/coupling_tensors.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

// Coefficients up to 1, each right to a few units in the last place; sums over a few thousand of them.
constexpr double kSum = 1e-13;

AceShape shape(std::vector<std::uint8_t> l, std::vector<int> same) {
  AceShape made{std::move(l), {}};
  made.same.assign(made.l.size(), false);
  for (const int t : same) {
    made.same[static_cast<std::size_t>(t)] = true;
  }
  return made;
}

// All shapes of up to three factors, and some of those of more that are not too large to write out.
std::vector<AceShape> many_shapes() {
  std::vector<AceShape> shapes;
  for (const auto& [rank, l_max] :
       {std::pair(1, 2), std::pair(2, 6), std::pair(3, 4), std::pair(4, 3), std::pair(5, 1)}) {
    const std::vector<AceShape> more = shapes_up_to(rank, l_max);
    shapes.insert(shapes.end(), more.begin(), more.end());
  }
  for (const AceShape& each : {shape({4, 4, 4, 4}, {}), shape({4, 4, 4, 4}, {1, 2}), shape({5, 5, 5, 5}, {1, 2, 3}),
                               shape({2, 2, 3, 4, 5}, {1}), shape({2, 2, 2, 2, 2}, {1, 2, 3, 4}),
                               shape({1, 1, 1, 1, 1, 1}, {}), shape({1, 1, 1, 2, 2, 3}, {1, 2, 4}),
                               shape({2, 2, 2, 2, 2, 2}, {1, 2, 3, 4, 5}), shape({2, 2, 2, 2, 2, 2}, {1, 2, 4, 5})}) {
    shapes.push_back(each);
  }
  return shapes;
}

// The part of the tensors in the space of all tuples: what does not depend on the choice of functions inside a shape.
Eigen::MatrixXd projector(const AceShape& of) {
  const Eigen::MatrixXd tensors = full_tensors(of, coupling_of(of));
  return tensors.transpose() * tensors;
}

// The raising operator, from the tuples with sum 0 to those with sum 1.
Eigen::MatrixXd raising(const std::vector<std::uint8_t>& l) {
  const std::vector<Tuple> from = tuples_with_sum(l, 0);
  const std::vector<Tuple> to = tuples_with_sum(l, 1);
  Eigen::MatrixXd matrix =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(to.size()), static_cast<Eigen::Index>(from.size()));
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::size_t t = 0; t < l.size(); ++t) {
      Tuple up = from[i];
      const int m = up[t]++;
      if (m < l[t]) {
        const auto row = std::lower_bound(to.begin(), to.end(), up) - to.begin();
        matrix(row, static_cast<Eigen::Index>(i)) += std::sqrt(l[t] * (l[t] + 1.0) - m * (m + 1.0));
      }
    }
  }
  return matrix;
}

// The mean over all orders of equal labels.
Eigen::MatrixXd averaging(const AceShape& of) {
  const std::vector<Tuple> tuples = tuples_with_sum(of.l, 0);
  std::map<Tuple, std::vector<Eigen::Index>> members;
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    members[sorted_within_runs(of, tuples[i])].push_back(static_cast<Eigen::Index>(i));
  }
  const auto size = static_cast<Eigen::Index>(tuples.size());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(size, size);
  for (const auto& [orbit, indices] : members) {
    for (const Eigen::Index i : indices) {
      for (const Eigen::Index j : indices) {
        matrix(i, j) = 1.0 / static_cast<double>(indices.size());
      }
    }
  }
  return matrix;
}

}  // namespace

TEST_CASE("a single factor is invariant without a degree only") {
  CHECK(coupling_count(shape({0}, {})) == 1);
  CHECK(coupling_count(shape({1}, {})) == 0);
  CHECK(coupling_count(shape({2}, {})) == 0);
  const Coupling one = coupling_of(shape({0}, {}));
  REQUIRE(one.count == 1);
  REQUIRE(one.m.size() == 1);
  CHECK(one.m[0] == std::array<std::int8_t, AceSpec::kLargestRank>{});
  CHECK(one.weights == std::vector<double>{1.0});
}

TEST_CASE("two factors couple when their degrees are equal, three when they close a triangle of even perimeter") {
  for (const AceShape& each : shapes_up_to(2, 10)) {
    CHECK(coupling_count(each) == (each.l[0] == each.l[1] ? 1 : 0));
  }
  for (const AceShape& each : shapes_up_to(3, 10)) {
    const bool closed = each.l[2] <= each.l[0] + each.l[1] && (each.l[0] + each.l[1] + each.l[2]) % 2 == 0;
    CHECK(coupling_count(each) == (closed ? 1 : 0));
  }
}

TEST_CASE("four factors have the counts of the character formula") {
  struct Row {
    std::vector<std::uint8_t> l;
    std::vector<std::pair<std::vector<int>, int>> counts;  // which labels equal the one before, number of functions
  };
  const Row rows[] = {
      {{0, 0, 2, 2}, {{{}, 1}, {{1}, 1}, {{3}, 1}, {{1, 3}, 1}}},
      {{0, 1, 1, 2}, {{{}, 1}, {{2}, 1}}},
      {{0, 2, 2, 2}, {{{}, 1}, {{2}, 1}, {{2, 3}, 1}}},
      {{1, 1, 1, 1}, {{{}, 3}, {{1}, 2}, {{2}, 2}, {{1, 3}, 2}, {{1, 2}, 1}, {{2, 3}, 1}, {{1, 2, 3}, 1}}},
      {{1, 1, 1, 3}, {{{}, 1}, {{1}, 1}, {{1, 2}, 1}}},
      {{1, 1, 2, 2}, {{{}, 3}, {{1}, 2}, {{3}, 2}, {{1, 3}, 2}}},
      {{1, 1, 3, 3}, {{{}, 3}, {{1}, 2}, {{1, 3}, 2}}},
      {{1, 2, 2, 3}, {{{}, 3}, {{2}, 2}}},
      {{1, 3, 3, 3}, {{{}, 3}, {{2}, 2}, {{2, 3}, 1}}},
      {{2, 2, 2, 2}, {{{}, 5}, {{1}, 3}, {{1, 3}, 3}, {{1, 2}, 1}, {{1, 2, 3}, 1}}},
      {{2, 2, 3, 3}, {{{}, 5}, {{1}, 3}, {{1, 3}, 3}}},
      {{3, 3, 3, 3}, {{{}, 7}, {{1}, 4}, {{1, 3}, 4}, {{1, 2}, 2}, {{1, 2, 3}, 2}}},
      {{2, 4, 4, 4}, {{{2, 3}, 1}}},
      {{3, 5, 7, 9}, {{{}, 7}}}};
  for (const Row& row : rows) {
    for (const auto& [same, count] : row.counts) {
      INFO(text_of(shape(row.l, same)));
      CHECK(coupling_count(shape(row.l, same)) == count);
    }
  }
}

TEST_CASE("five and six factors have the counts of the character formula") {
  CHECK(coupling_count(shape({1, 1, 1, 1, 1, 1}, {})) == 15);
  CHECK(coupling_count(shape({1, 1, 1, 1, 1, 1}, {1, 2, 3, 4, 5})) == 1);
  CHECK(coupling_count(shape({1, 1, 1, 1, 1, 1}, {1, 2, 4, 5})) == 2);
  CHECK(coupling_count(shape({1, 1, 1, 1, 1, 1}, {1, 3, 5})) == 5);
  CHECK(coupling_count(shape({2, 2, 2, 2, 2}, {})) == 16);
  CHECK(coupling_count(shape({2, 2, 2, 2, 2}, {1, 2, 3, 4})) == 1);
  CHECK(coupling_count(shape({2, 2, 2, 2, 2, 2}, {})) == 65);
  CHECK(coupling_count(shape({2, 2, 2, 2, 2, 2}, {1, 2, 4, 5})) == 5);
  CHECK(coupling_count(shape({2, 2, 2, 2, 2, 2}, {1, 2, 3, 4, 5})) == 2);
  CHECK(coupling_count(shape({1, 1, 1, 1, 2}, {})) == 6);
  CHECK(coupling_count(shape({1, 1, 1, 1, 2}, {1, 2, 3})) == 1);
}

TEST_CASE("products that change sign under inversion have no couplings") {
  for (const AceShape& each :
       {shape({1, 1, 1}, {}), shape({1, 2, 2}, {}), shape({1, 1, 1, 2}, {}), shape({1, 1, 2, 3}, {1})}) {
    INFO(text_of(each));
    CHECK(coupling_count(each) == 0);
    const Coupling coupling = coupling_of(each);
    CHECK(coupling.count == 0);
    CHECK(coupling.m.empty());
    CHECK(coupling.weights.empty());
  }
}

TEST_CASE("the couplings of a shape are all its invariants, and their tensors are orthonormal") {
  for (const AceShape& each : many_shapes()) {
    INFO(text_of(each));
    const Coupling coupling = coupling_of(each);
    REQUIRE(coupling.count == coupling_count(each));
    REQUIRE(coupling.weights.size() == static_cast<std::size_t>(coupling.count) * coupling.m.size());
    if (coupling.count == 0) {
      continue;
    }
    // Annihilated by the raising operator, and as many as there are: so they are the whole null space.
    const Eigen::MatrixXd tensors = full_tensors(each, coupling);
    CHECK((raising(each.l) * tensors.transpose()).norm() <= 10 * kSum);
    CHECK((tensors * tensors.transpose()).isApprox(Eigen::MatrixXd::Identity(coupling.count, coupling.count), kSum));
  }
}

TEST_CASE("equal labels leave that part of the invariants of distinct ones which does not know their order") {
  for (const AceShape& each : many_shapes()) {
    constexpr std::size_t kFewTuples = 200;  // the matrices are tuples x tuples
    if (coupling_count(each) > 0 && tuples_with_sum(each.l, 0).size() <= kFewTuples) {
      INFO(text_of(each));
      const AceShape distinct{each.l, std::vector<bool>(each.l.size(), false)};
      const Eigen::MatrixXd average = averaging(each);
      CHECK((projector(each) - average * projector(distinct) * average).cwiseAbs().maxCoeff() <= kSum);
    }
  }
}

TEST_CASE("orbits are listed in order, by the larger of two mirror images") {
  for (const AceShape& each : many_shapes()) {
    INFO(text_of(each));
    const Coupling coupling = coupling_of(each);
    CHECK(std::is_sorted(coupling.m.begin(), coupling.m.end()));
    for (const auto& m : coupling.m) {
      const Tuple tuple = tuple_of(each, m);
      CHECK(tuple >= sorted_within_runs(each, mirrored(tuple)));
      const auto first = std::find_if(tuple.begin(), tuple.end(), [](int value) { return value != 0; });
      CHECK((first == tuple.end() || *first > 0));
    }
  }
}

TEST_CASE("couplings have the same bits whenever they are made") {
  for (const AceShape& each : many_shapes()) {
    const Coupling a = coupling_of(each);
    const Coupling b = coupling_of(each);
    CHECK(std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end(), [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    }));
  }
}

TEST_CASE("the largest degrees lose no digits") {
  for (const AceShape& each : {shape({10, 10}, {1}), shape({10, 10, 10}, {1, 2}), shape({10, 10, 10, 10}, {1, 2, 3}),
                               shape({8, 10, 10, 10}, {2, 3}), shape({9, 9, 10, 10}, {})}) {
    INFO(text_of(each));
    const Coupling coupling = coupling_of(each);
    REQUIRE(coupling.count > 0);
    const Eigen::MatrixXd tensors = full_tensors(each, coupling);
    CHECK((tensors * tensors.transpose()).isApprox(Eigen::MatrixXd::Identity(coupling.count, coupling.count), kSum));
  }
}
