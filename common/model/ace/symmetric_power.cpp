#include "common/model/ace/symmetric_power.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>

#include "common/model/ace/clebsch_gordan.h"

namespace ipfit {
namespace {

// More than rounding makes of equal norms, which symmetry brings about.
constexpr double kLarger = 1.0 + 1e-6;

void append_monomials(SymmetricPower& power, OrderTuple& m, int t) {
  if (t == power.k) {
    power.monomials.push_back(m);
    return;
  }
  const int highest = t == 0 ? power.l : m[static_cast<std::size_t>(t - 1)];
  for (int value = -power.l; value <= highest; ++value) {
    m[static_cast<std::size_t>(t)] = static_cast<std::int8_t>(value);
    append_monomials(power, m, t + 1);
  }
  m[static_cast<std::size_t>(t)] = 0;
}

// k! over the factorials of how often each m occurs.
double arrangements_of(const OrderTuple& m, int k) {
  double count = 1.0;
  int run = 0;
  for (int t = 0; t < k; ++t) {
    const auto at = static_cast<std::size_t>(t);
    run = t > 0 && m[at] == m[at - 1] ? run + 1 : 1;
    count = count * (t + 1) / run;
  }
  return count;
}

SymmetricPower monomials_of(int l, int k) {
  SymmetricPower power;
  power.l = l;
  power.k = k;
  OrderTuple m{};
  append_monomials(power, m, 0);
  for (const OrderTuple& monomial : power.monomials) {
    int sum = 0;
    for (const std::int8_t each : monomial) {
      sum += each;
    }
    power.M.push_back(sum);
    power.arrangements.push_back(arrangements_of(monomial, k));
  }
  return power;
}

// Where each monomial is found among those of one factor less when one of its factors is taken out: monomials x k.
std::vector<std::size_t> parents_of(const SymmetricPower& power, const SymmetricPower& fewer) {
  std::vector<std::size_t> parents;
  parents.reserve(power.monomials.size() * static_cast<std::size_t>(power.k));
  for (const OrderTuple& monomial : power.monomials) {
    for (std::ptrdiff_t t = 0; t < power.k; ++t) {
      OrderTuple rest{};
      const auto middle = std::copy(monomial.begin(), monomial.begin() + t, rest.begin());
      std::copy(monomial.begin() + t + 1, monomial.begin() + power.k, middle);
      const auto found = std::lower_bound(fewer.monomials.begin(), fewer.monomials.end(), rest);
      parents.push_back(static_cast<std::size_t>(found - fewer.monomials.begin()));
    }
  }
  return parents;
}

// A state of k - 1 factors and one more, coupled to J, averaged over which of the factors is the one more.
std::vector<double> coupled(const SymmetricPower& power, const std::vector<std::size_t>& parents,
                            const SymmetricPower::Multiplet& state, int J) {
  const ClebschGordan coefficient(state.J, power.l, J);
  std::vector<double> c(power.monomials.size(), 0.0);
  const auto k = static_cast<std::size_t>(power.k);
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (std::abs(power.M[i]) > J) {
      continue;
    }
    for (std::size_t t = 0; t < k; ++t) {
      const int m = power.monomials[i][t];  // NOLINT(bugprone-signed-char-misuse): a number, no character
      if (std::abs(power.M[i] - m) <= state.J) {
        c[i] += coefficient(power.M[i] - m, m) * state.c[parents[i * k + t]];
      }
    }
    c[i] /= power.k;
  }
  return c;
}

// The scalar product of two states, as the mean over their 2J + 1 members, for which it is the same.
double overlap(const SymmetricPower& power, int J, const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += power.arrangements[i] * a[i] * b[i];
  }
  return sum / (2 * J + 1);
}

void subtract(std::vector<double>& from, double share, const std::vector<double>& what) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    from[i] -= share * what[i];
  }
}

// The candidate with the largest norm; the first of those that differ by rounding only.
std::size_t largest(const SymmetricPower& power, int J, const std::vector<std::vector<double>>& candidates) {
  std::size_t best = 0;
  double best_norm2 = 0.0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double norm2 = overlap(power, J, candidates[i], candidates[i]);
    if (norm2 > best_norm2 * kLarger) {
      best = i;
      best_norm2 = norm2;
    }
  }
  return best;
}

// Appends `count` orthonormal multiplets that span the candidates. The one with most left outside the span of those
// taken is the next: the candidates are a projection of orthonormal states, so on average count/candidates is left, and
// no digits are lost. In order of their states, the first that is independent at all can have 1e-7 left (five factors
// of l = 10).
void append_independent(SymmetricPower& power, int J, std::int64_t count, std::vector<std::vector<double>> candidates) {
  const std::size_t first = power.multiplets.size();
  for (; count > 0; --count) {
    const std::size_t chosen = largest(power, J, candidates);
    std::vector<double> c = std::move(candidates[chosen]);
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(chosen));
    // Once more, for what rounding left (Giraud, Langou, Rozloznik, Comput. Math. Appl. 50, 1069 (2005)).
    for (std::size_t s = first; s < power.multiplets.size(); ++s) {
      subtract(c, overlap(power, J, power.multiplets[s].c, c), power.multiplets[s].c);
    }
    const double scale = 1.0 / std::sqrt(overlap(power, J, c, c));
    for (double& each : c) {
      each *= scale;
    }
    for (std::vector<double>& candidate : candidates) {
      subtract(candidate, overlap(power, J, c, candidate), c);
    }
    power.multiplets.push_back({J, std::move(c)});
  }
}

SymmetricPower one_more(const SymmetricPower& fewer, int largest_J) {
  SymmetricPower power = monomials_of(fewer.l, fewer.k + 1);
  const std::vector<std::size_t> parents = parents_of(power, fewer);
  const std::vector<std::int64_t> counts = monomials_by_sum(power.l, power.k);
  const int top = power.k * power.l;
  for (int J = 0; J <= std::min(largest_J, top); ++J) {
    const int sum = top + J;
    const auto at = static_cast<std::size_t>(sum);
    const std::int64_t count = counts[at] - (J < top ? counts[at + 1] : 0);
    if (count == 0) {
      continue;
    }
    std::vector<std::vector<double>> candidates;
    for (const SymmetricPower::Multiplet& state : fewer.multiplets) {
      if (std::abs(state.J - power.l) <= J && J <= state.J + power.l) {
        candidates.push_back(coupled(power, parents, state, J));
      }
    }
    append_independent(power, J, count, std::move(candidates));
  }
  return power;
}

}  // namespace

std::vector<std::int64_t> monomials_by_sum(int l, int k) {
  // counts[i][M + i l]: monomials of i factors whose m are among those gone through.
  std::vector<std::vector<std::int64_t>> counts;
  for (int i = 0; i <= k; ++i) {
    counts.emplace_back(static_cast<std::size_t>(2 * i * l + 1), 0);
  }
  counts[0][0] = 1;
  for (int m = -l; m <= l; ++m) {
    for (std::size_t i = 1; i < counts.size(); ++i) {
      for (std::size_t j = 0; j < counts[i - 1].size(); ++j) {
        counts[i][j + static_cast<std::size_t>(m + l)] += counts[i - 1][j];
      }
    }
  }
  return counts.back();
}

SymmetricPower symmetric_power(int l, int k, int largest_J) {
  assert(k >= 1 && k <= AceSpec::kLargestRank);
  SymmetricPower power = monomials_of(l, 1);
  power.multiplets.push_back({l, std::vector<double>(power.monomials.size(), 1.0)});
  for (int factors = 2; factors <= k; ++factors) {
    // Each factor yet to come can lower J by l at most.
    power = one_more(power, largest_J + (k - factors) * l);
  }
  if (k == 1 && l > largest_J) {
    power.multiplets.clear();
  }
  return power;
}

}  // namespace ipfit
