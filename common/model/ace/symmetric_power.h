#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// Orders m of up to kLargestRank factors; entries beyond the rank are 0.
using OrderTuple = std::array<std::int8_t, AceSpec::kLargestRank>;

/// Products of k factors with the same label of degree l: what the angular momenta of equal factors can couple to.
struct SymmetricPower {
  int l = 0;
  int k = 0;

  /// A product does not know the order of its factors, so of all tuples that differ by it the one with descending m
  /// stands for them: a monomial. All of them, in lexicographic order.
  std::vector<OrderTuple> monomials;
  std::vector<int> M;                ///< sum of the m of each monomial
  std::vector<double> arrangements;  ///< how many tuples each monomial stands for

  /// A state of total angular momentum J. The member with projection M has amplitude c[i] at every arrangement of each
  /// monomial i with that M (0 for |M| > J), and norm 1: sum over i with M[i] == M of arrangements[i] c[i]² = 1.
  struct Multiplet {
    int J = 0;
    std::vector<double> c;
  };
  std::vector<Multiplet> multiplets;  ///< by ascending J; those of equal J are orthogonal to each other
};

/// All monomials, and the multiplets with J <= largest_J. 1 <= k <= kLargestRank.
///
/// The states of k factors are made from those of k - 1 (fractional parentage; de-Shalit and Talmi, Nuclear Shell
/// Theory): the k-th factor is coupled to each and the result averaged over which factor came last. Averaging is a
/// projection that commutes with rotations, so the results span all that there is, and one linear combination serves
/// all members of a multiplet. Gram-Schmidt makes them orthonormal, next always the one with most left outside the span
/// of those taken, the first of equals.
SymmetricPower symmetric_power(int l, int k, int largest_J);

/// How many monomials of k factors of degree l have sum of m = M: entry M + k l, for M from -k l to k l.
std::vector<std::int64_t> monomials_by_sum(int l, int k);

}  // namespace ipfit
