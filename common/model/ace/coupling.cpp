#include "common/model/ace/coupling.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <map>

#include "common/model/ace/clebsch_gordan.h"
#include "common/model/ace/symmetric_power.h"

namespace ipfit {
namespace {

// Consecutive factors with the same label.
struct Group {
  int l = 0;
  int k = 0;
};

std::vector<Group> groups_of(const AceShape& shape) {
  std::vector<Group> groups;
  for (std::size_t t = 0; t < shape.l.size(); ++t) {
    if (shape.same[t]) {
      ++groups.back().k;
    } else {
      groups.push_back({shape.l[t], 1});
    }
  }
  return groups;
}

int sum_of_degrees(const AceShape& shape) {
  int sum = 0;
  for (const std::uint8_t l : shape.l) {
    sum += l;
  }
  return sum;
}

// Largest angular momentum of the groups from g on, for each g; 0 at the end.
std::vector<int> reach_of(const std::vector<SymmetricPower>& powers) {
  std::vector<int> reach(powers.size() + 1, 0);
  for (std::size_t g = powers.size(); g-- > 0;) {
    reach[g] = reach[g + 1] + powers[g].k * powers[g].l;
  }
  return reach;
}

// The products with sum of m = 0, one of each mirror pair.
struct Orbits {
  std::vector<OrderTuple> m;
  std::vector<double> tuples;                       // how many tuples each stands for, mirror images included
  std::vector<std::vector<std::size_t>> monomials;  // per group, per orbit: index in SymmetricPower
};

class OrbitLister {
 public:
  explicit OrbitLister(const std::vector<SymmetricPower>& powers)
      : powers_(powers), reach_(reach_of(powers)), chosen_(powers.size()) {
    orbits_.monomials.resize(powers.size());
    extend(0, 0);
  }

  Orbits take() { return std::move(orbits_); }

 private:
  void extend(std::size_t g, int M) {
    if (g == powers_.size()) {
      append();
      return;
    }
    for (std::size_t i = 0; i < powers_[g].monomials.size(); ++i) {
      if (std::abs(M + powers_[g].M[i]) <= reach_[g + 1]) {
        chosen_[g] = i;
        extend(g + 1, M + powers_[g].M[i]);
      }
    }
  }

  void append() {
    OrderTuple m{};
    OrderTuple mirror{};
    double tuples = 1.0;
    std::ptrdiff_t rank = 0;
    for (std::size_t g = 0; g < powers_.size(); ++g) {
      const OrderTuple& monomial = powers_[g].monomials[chosen_[g]];
      std::copy_n(monomial.begin(), powers_[g].k, m.begin() + rank);
      // Descending orders stay descending when read backwards with the other sign.
      std::transform(monomial.rend() - powers_[g].k, monomial.rend(), mirror.begin() + rank,
                     [](std::int8_t each) { return static_cast<std::int8_t>(-each); });
      tuples *= powers_[g].arrangements[chosen_[g]];
      rank += powers_[g].k;
    }
    if (m < mirror) {
      return;
    }
    orbits_.m.push_back(m);
    orbits_.tuples.push_back(m == mirror ? tuples : 2.0 * tuples);
    for (std::size_t g = 0; g < powers_.size(); ++g) {
      orbits_.monomials[g].push_back(chosen_[g]);
    }
  }

  const std::vector<SymmetricPower>& powers_;
  std::vector<int> reach_;
  std::vector<std::size_t> chosen_;
  Orbits orbits_;
};

// Couples the groups one after the other and lists every way to reach 0. Each way is a product of amplitudes and
// Clebsch-Gordan coefficients: the states of a group are orthonormal, so the results are too.
class Coupler {
 public:
  Coupler(const std::vector<SymmetricPower>& powers, const Orbits& orbits)
      : powers_(powers), orbits_(orbits), reach_(reach_of(powers)) {
    std::vector<int> M(orbits.m.size(), 0);
    for (const SymmetricPower& power : powers) {
      sums_.push_back(M);
      for (std::size_t o = 0; o < M.size(); ++o) {
        M[o] += power.M[orbits.monomials[sums_.size() - 1][o]];
      }
    }
    extend(0, 0, orbits.tuples);
  }

  std::int32_t count() const { return count_; }
  std::vector<double> take_weights() { return std::move(weights_); }

 private:
  void extend(std::size_t g, int J, const std::vector<double>& amplitudes) {
    if (g == powers_.size()) {
      weights_.insert(weights_.end(), amplitudes.begin(), amplitudes.end());
      ++count_;
      return;
    }
    for (const SymmetricPower::Multiplet& state : powers_[g].multiplets) {
      const int highest = std::min(J + state.J, reach_[g + 1]);
      for (int next = std::abs(J - state.J); next <= highest; ++next) {
        extend(g + 1, next, coupled(g, J, state, next, amplitudes));
      }
    }
  }

  std::vector<double> coupled(std::size_t g, int J, const SymmetricPower::Multiplet& state, int next,
                              std::vector<double> amplitudes) {
    const ClebschGordan& coefficient = table(J, state.J, next);
    for (std::size_t o = 0; o < amplitudes.size(); ++o) {
      const std::size_t monomial = orbits_.monomials[g][o];
      const int M1 = sums_[g][o];
      const int M2 = powers_[g].M[monomial];
      const bool exists = std::abs(M1) <= J && std::abs(M2) <= state.J;
      amplitudes[o] *= exists ? coefficient(M1, M2) * state.c[monomial] : 0.0;
    }
    return amplitudes;
  }

  const ClebschGordan& table(int j1, int j2, int J) {
    return tables_.try_emplace({j1, j2, J}, j1, j2, J).first->second;
  }

  const std::vector<SymmetricPower>& powers_;
  const Orbits& orbits_;
  std::vector<int> reach_;
  std::vector<std::vector<int>> sums_;  // per group, per orbit: sum of the m of the groups before
  std::map<std::array<int, 3>, ClebschGordan> tables_;
  std::vector<double> weights_;
  std::int32_t count_ = 0;
};

struct CouplingSize {
  std::int64_t couplings = 0;
  std::int64_t products = 0;  // with sum of m = 0
};

CouplingSize size_of(const AceShape& shape) {
  const int sum = sum_of_degrees(shape);
  if (sum % 2 != 0) {
    return {};
  }
  std::vector<std::int64_t> by_sum{1};  // entry M + the sum of the degrees so far
  for (const Group& group : groups_of(shape)) {
    const std::vector<std::int64_t> more = monomials_by_sum(group.l, group.k);
    std::vector<std::int64_t> product(by_sum.size() + more.size() - 1, 0);
    for (std::size_t i = 0; i < by_sum.size(); ++i) {
      for (std::size_t j = 0; j < more.size(); ++j) {
        product[i + j] += by_sum[i] * more[j];
      }
    }
    by_sum = std::move(product);
  }
  const auto zero = static_cast<std::size_t>(sum);
  return {by_sum[zero] - (sum > 0 ? by_sum[zero + 1] : 0), by_sum[zero]};
}

}  // namespace

AceShape shape_of(const AceMultiset& multiset) {
  AceShape shape;
  for (std::size_t t = 0; t < multiset.labels.size(); ++t) {
    shape.l.push_back(multiset.labels[t].l);
    shape.same.push_back(t > 0 && multiset.labels[t] == multiset.labels[t - 1]);
  }
  return shape;
}

Coupling coupling_of(const AceShape& shape) {
  Coupling coupling;
  if (coupling_count(shape) == 0) {
    return coupling;
  }
  const int sum = sum_of_degrees(shape);
  std::vector<SymmetricPower> powers;
  for (const Group& group : groups_of(shape)) {
    powers.push_back(symmetric_power(group.l, group.k, sum - group.k * group.l));
  }
  Orbits orbits = OrbitLister(powers).take();
  Coupler coupler(powers, orbits);
  coupling.count = coupler.count();
  coupling.weights = coupler.take_weights();
  coupling.m = std::move(orbits.m);
  assert(coupling.count == coupling_count(shape));
  return coupling;
}

std::int32_t coupling_count(const AceShape& shape) {
  return static_cast<std::int32_t>(size_of(shape).couplings);
}

double coupling_weights(const AceShape& shape) {
  const CouplingSize size = size_of(shape);
  return 0.5 * static_cast<double>(size.couplings) * static_cast<double>(size.products);
}

}  // namespace ipfit
