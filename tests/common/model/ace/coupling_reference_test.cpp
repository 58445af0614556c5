#include <Eigen/Dense>
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <map>
#include <numeric>

#include "common/json.h"
#include "common/model/ace/ace_rule_limits.h"
#include "common/model/ace/coupling.h"
#include "common/model/ace/enumerate_multisets.h"
#include "tests/support/coupling_tensors.h"
#include "tests/support/reference.h"
#include "tests/support/text_file.h"

using namespace ipfit;
using namespace ipfit::test;

// Counts and projectors from two constructions of other origin, the character formula and coupling trees.

namespace {

// Projectors are sums of products of orthonormal tensors, entries up to 1; the file has them to the last digit.
constexpr double kProjector = 1e-12;

Json couplings_of(const std::filesystem::path& path) {
  const Result<Json> json = parse_json(text_of(path), path.string());
  REQUIRE(json);
  return *json;
}

// (n, l) pairs of the file; equal pairs are equal labels.
AceMultiset multiset_of(const Json& entry) {
  AceMultiset multiset;
  for (std::size_t t = 0; t < entry["ls"].size(); ++t) {
    multiset.labels.push_back({entry["ls"][t].get<std::uint8_t>(), 0, entry["ns"][t].get<std::uint8_t>()});
  }
  return multiset;
}

// The places of the factors of the file in the order of a multiset.
std::vector<std::size_t> sorted_places(const Json& entry) {
  const AceMultiset multiset = multiset_of(entry);
  std::vector<std::size_t> places(multiset.labels.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return multiset.labels[a] < multiset.labels[b]; });
  return places;
}

AceShape sorted_shape(const Json& entry) {
  AceMultiset multiset = multiset_of(entry);
  std::sort(multiset.labels.begin(), multiset.labels.end());
  return shape_of(multiset);
}

// The tuples of a list of the file, their factors in the order of a multiset.
std::vector<Tuple> sorted_tuples(const Json& entry, const char* list) {
  const std::vector<std::size_t> places = sorted_places(entry);
  std::vector<Tuple> tuples;
  for (const Json& listed : entry[list]) {
    Tuple& tuple = tuples.emplace_back();
    for (const std::size_t place : places) {
      tuple.push_back(listed[place].get<int>());
    }
  }
  return tuples;
}

// S_q in Y_m = sum over q of S_q times this, for q = m and -m (docs/explanation/ace-basis.md).
std::complex<double> real_part(int m, int q) {
  const double half = std::sqrt(0.5);
  if (m == 0) {
    return q == 0 ? 1.0 : 0.0;
  }
  if (std::abs(q) != std::abs(m)) {
    return 0.0;
  }
  if (m > 0) {
    const double sign = m % 2 == 0 ? half : -half;
    return q > 0 ? std::complex<double>(sign, 0.0) : std::complex<double>(0.0, sign);
  }
  return q > 0 ? std::complex<double>(half, 0.0) : std::complex<double>(0.0, -half);
}

// The tensors of complex harmonics as tensors of real ones, over the tuples that the file lists.
Eigen::MatrixXcd real_tensors(const AceShape& shape, const Eigen::MatrixXd& tensors,
                              const std::vector<Tuple>& real_tuples) {
  const std::vector<Tuple> tuples = tuples_with_sum(shape.l, 0);
  Eigen::MatrixXcd map(static_cast<Eigen::Index>(tuples.size()), static_cast<Eigen::Index>(real_tuples.size()));
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    for (std::size_t j = 0; j < real_tuples.size(); ++j) {
      std::complex<double> product = 1.0;
      for (std::size_t t = 0; t < shape.l.size(); ++t) {
        product *= real_part(tuples[i][t], real_tuples[j][t]);
      }
      map(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = product;
    }
  }
  return tensors.cast<std::complex<double>>() * map;
}

// Position of each tuple of the file in tuples_with_sum(l, 0).
std::vector<Eigen::Index> positions(const AceShape& shape, const std::vector<Tuple>& listed) {
  const std::vector<Tuple> tuples = tuples_with_sum(shape.l, 0);
  REQUIRE(listed.size() == tuples.size());
  std::vector<Eigen::Index> found;
  for (const Tuple& tuple : listed) {
    found.push_back(std::lower_bound(tuples.begin(), tuples.end(), tuple) - tuples.begin());
  }
  return found;
}

struct Totals {
  std::int64_t multisets = 0;
  std::int64_t functions = 0;
};

Totals totals_of(const MultisetRange& range) {
  Totals totals;
  for_each_multiset(range, [&](const AceMultiset&, std::int32_t count) {
    ++totals.multisets;
    totals.functions += count;
    return true;
  });
  return totals;
}

AceRule lists(int elements, std::vector<int> n_max, std::vector<int> l_max) {
  AceRule rule;
  rule.elements.assign(static_cast<std::size_t>(elements), 14);
  rule.choice = AceChoice::kLists;
  rule.n_max = std::move(n_max);
  rule.l_max = std::move(l_max);
  return rule;
}

}  // namespace

TEST_CASE("all reference counts of couplings are found") {
  IPFIT_REFERENCE_OR_SKIP(reference, "golden/couplings.json");
  const Json file = couplings_of(reference);
  CHECK(file["counts"].size() == 1272);
  for (const Json& entry : file["counts"]) {
    INFO(entry.dump());
    CHECK(coupling_count(sorted_shape(entry)) == entry["count"].get<int>());
  }
  for (const Json& entry : file["odd_parity"]) {
    INFO(entry.dump());
    CHECK(coupling_count(sorted_shape(entry)) == entry["o3_invariants"].get<int>());
    CHECK(coupling_of(sorted_shape(entry)).count == entry["o3_invariants"].get<int>());
  }
}

TEST_CASE("all reference projectors of couplings are found, in complex harmonics and in real ones") {
  IPFIT_REFERENCE_OR_SKIP(reference, "golden/couplings.json");
  int real = 0;
  const Json file = couplings_of(reference);
  CHECK(file["projectors"].size() == 26);
  for (const Json& entry : file["projectors"]) {
    INFO(entry["ns"].dump() << " " << entry["ls"].dump());
    const AceShape shape = sorted_shape(entry);
    const Coupling coupling = coupling_of(shape);
    REQUIRE(coupling.count == entry["dimension"].get<int>());
    const Eigen::MatrixXd tensors = full_tensors(shape, coupling);
    const Eigen::MatrixXd projector = tensors.transpose() * tensors;
    const std::vector<Eigen::Index> at = positions(shape, sorted_tuples(entry, "m_list"));
    double worst = 0.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t j = 0; j < at.size(); ++j) {
        worst = std::max(worst, std::abs(projector(at[i], at[j]) - entry["projector"][i][j].get<double>()));
      }
    }
    CHECK(worst <= kProjector);
    if (entry.contains("real_m_list")) {
      ++real;
      const Eigen::MatrixXcd rotated = real_tensors(shape, tensors, sorted_tuples(entry, "real_m_list"));
      Eigen::MatrixXcd difference = rotated.transpose() * rotated;
      for (const Json& triple : entry["real_projector_sparse"]) {
        difference(triple[0].get<Eigen::Index>(), triple[1].get<Eigen::Index>()) -= triple[2].get<double>();
      }
      CHECK(rotated.imag().cwiseAbs().maxCoeff() <= kProjector);
      CHECK(difference.cwiseAbs().maxCoeff() <= kProjector);
    }
  }
  CHECK(real == 16);
}

TEST_CASE("all reference totals of multisets and functions in a box are found") {
  IPFIT_REFERENCE_OR_SKIP(reference, "golden/couplings.json");
  const Json file = couplings_of(reference);
  CHECK(file["totals_by_nmax_lmax"].size() == 186);
  for (const Json& entry : file["totals_by_nmax_lmax"]) {
    INFO(entry.dump());
    const int rank = entry["rank"].get<int>();
    const auto ranks = static_cast<std::size_t>(rank);
    const AceRule rule = lists(entry["species"].get<int>(), std::vector<int>(ranks, entry["nmax"].get<int>()),
                               std::vector<int>(ranks, entry["lmax"].get<int>()));
    const Totals totals = totals_of(range_of(rule, 0, rank));
    CHECK(totals.multisets == entry["multisets"].get<std::int64_t>());
    CHECK(totals.functions == entry["functions"].get<std::int64_t>());
  }
  for (const Json& entry : file["totals_by_rank_lists"]) {
    INFO(entry.dump());
    const AceRule rule = lists(entry["species"].get<int>(), entry["nmax_by_rank"].get<std::vector<int>>(),
                               entry["lmax_by_rank"].get<std::vector<int>>());
    for (int rank = 1; rank <= highest_rank(rule); ++rank) {
      CHECK(totals_of(range_of(rule, 0, rank)).functions ==
            entry["functions_by_rank"][static_cast<std::size_t>(rank - 1)].get<std::int64_t>());
    }
  }
}

TEST_CASE("all reference totals of multisets and functions up to a level are found") {
  IPFIT_REFERENCE_OR_SKIP(reference, "golden/couplings.json");
  const std::map<std::string, double> wl = {{"sum over factors of (n + 1.5 l)", 1.5},
                                            {"sum over factors of (n + l)", 1.0}};
  const Json file = couplings_of(reference);
  CHECK(file["totals_by_level"].size() == 52);
  for (const Json& entry : file["totals_by_level"]) {
    INFO(entry.dump());
    AceRule rule;
    rule.elements.assign(entry["species"].get<std::size_t>(), 14);
    rule.choice = AceChoice::kDegree;
    rule.wl = wl.at(entry["level"].get<std::string>());
    rule.degree.assign(5, entry["max_level"].get<double>());
    for (int rank = 1; rank <= 5; ++rank) {
      const Totals totals = totals_of(range_of(rule, 0, rank));
      CHECK(totals.multisets == entry["multisets"][std::to_string(rank)].get<std::int64_t>());
      CHECK(totals.functions == entry["functions"][std::to_string(rank)].get<std::int64_t>());
    }
  }
}
