#pragma once

// Couplings written out over all tuples of orders m, and the shapes to try them on.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "common/model/ace/coupling.h"

namespace ipfit::test {

using Tuple = std::vector<int>;

/// All tuples with |m_t| <= l_t and sum M, in lexicographic order.
inline std::vector<Tuple> tuples_with_sum(const std::vector<std::uint8_t>& l, int M) {
  std::vector<Tuple> tuples{{}};
  for (const std::uint8_t each : l) {
    std::vector<Tuple> longer;
    for (const Tuple& tuple : tuples) {
      for (int m = -each; m <= each; ++m) {
        longer.push_back(tuple);
        longer.back().push_back(m);
      }
    }
    tuples = std::move(longer);
  }
  std::erase_if(tuples, [&](const Tuple& m) { return std::accumulate(m.begin(), m.end(), 0) != M; });
  return tuples;
}

/// The first and one past the last factor of each run of equal labels.
inline std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> runs_of(const AceShape& shape) {
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> runs;
  for (std::size_t t = 0; t < shape.l.size(); ++t) {
    const auto at = static_cast<std::ptrdiff_t>(t);
    if (shape.same[t]) {
      runs.back().second = at + 1;
    } else {
      runs.emplace_back(at, at + 1);
    }
  }
  return runs;
}

/// A tuple with the m of equal labels in descending order.
inline Tuple sorted_within_runs(const AceShape& shape, Tuple m) {
  for (const auto& [first, last] : runs_of(shape)) {
    std::sort(m.begin() + first, m.begin() + last, std::greater<>());
  }
  return m;
}

inline Tuple tuple_of(const AceShape& shape, const std::array<std::int8_t, AceSpec::kLargestRank>& m) {
  return {m.begin(), m.begin() + static_cast<std::ptrdiff_t>(shape.l.size())};
}

inline Tuple mirrored(Tuple m) {
  for (int& each : m) {
    each = -each;
  }
  return m;
}

/// The coefficient of every tuple in every function: count x tuples_with_sum(l, 0). The weight of an orbit is shared
/// out evenly among its tuples and their mirror images. Fails where a tuple is in no orbit or in two.
inline Eigen::MatrixXd full_tensors(const AceShape& shape, const Coupling& coupling) {
  std::map<Tuple, std::size_t> orbits;
  for (std::size_t o = 0; o < coupling.m.size(); ++o) {
    const Tuple m = tuple_of(shape, coupling.m[o]);
    const Tuple mirror = sorted_within_runs(shape, mirrored(m));
    REQUIRE(m == sorted_within_runs(shape, m));
    REQUIRE(orbits.emplace(m, o).second);
    REQUIRE((mirror == m || orbits.emplace(mirror, o).second));
  }
  const std::vector<Tuple> tuples = tuples_with_sum(shape.l, 0);
  std::vector<std::size_t> orbit_of;
  std::vector<int> sizes(coupling.m.size(), 0);
  for (const Tuple& m : tuples) {
    const auto found = orbits.find(sorted_within_runs(shape, m));
    REQUIRE(found != orbits.end());
    orbit_of.push_back(found->second);
    ++sizes[found->second];
  }
  Eigen::MatrixXd tensors(coupling.count, static_cast<Eigen::Index>(tuples.size()));
  for (Eigen::Index k = 0; k < tensors.rows(); ++k) {
    for (std::size_t i = 0; i < tuples.size(); ++i) {
      const std::size_t o = orbit_of[i];
      tensors(k, static_cast<Eigen::Index>(i)) =
          coupling.weights[static_cast<std::size_t>(k) * coupling.m.size() + o] / sizes[o];
    }
  }
  return tensors;
}

/// All shapes of a rank with degrees up to l_max: every pattern of equal labels.
inline std::vector<AceShape> shapes_up_to(int rank, int l_max) {
  std::vector<AceShape> shapes{{}};
  for (int t = 0; t < rank; ++t) {
    std::vector<AceShape> longer;
    for (const AceShape& shape : shapes) {
      for (int l = t == 0 ? 0 : shape.l.back(); l <= l_max; ++l) {
        for (const bool same : {false, true}) {
          if (!same || (t > 0 && l == shape.l.back())) {
            longer.push_back(shape);
            longer.back().l.push_back(static_cast<std::uint8_t>(l));
            longer.back().same.push_back(same);
          }
        }
      }
    }
    shapes = std::move(longer);
  }
  return shapes;
}

/// "l = 1 1=1 2": equal signs join equal labels.
inline std::string text_of(const AceShape& shape) {
  std::string text = "l =";
  for (std::size_t t = 0; t < shape.l.size(); ++t) {
    text += (shape.same[t] ? "=" : " ") + std::to_string(shape.l[t]);
  }
  return text;
}

}  // namespace ipfit::test
