#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ipfit::test::yace {

/// The families of radial functions g_k; kZero is what other names that begin with TEST_ mean.
enum class Family { kChebExpCos, kChebPow, kChebLinear, kSBessel, kZero };

/// What happens at short distance; one setting for a whole file.
enum class InnerCutoff { kDistance, kDensity, kZbl };

enum class EmbeddingKind { kFinnisSinclair, kFinnisSinclairShiftedScaled };

/// The radial functions and the core repulsion of an ordered pair (centre, neighbour). Lengths in Å.
struct Bond {
  Family family = Family::kZero;
  double lambda = 1.0;
  int nradbasemax = 0;                  ///< number of g_k
  int nradmax = 0;                      ///< number of n of R_nl
  int lmax = 0;                         ///< largest l of R_nl
  std::vector<double> radcoefficients;  ///< C_nlk, [nradmax][lmax + 1][nradbasemax]
  double rcut = 0.0;
  double dcut = 0.0;
  double prehc = 0.0;
  double lambdahc = 0.0;
  double rcut_in = 0.0;
  double dcut_in = 0.0;

  /// n and k count from 1, l from 0.
  double coefficient(int n, int l, int k) const {
    return radcoefficients[static_cast<std::size_t>(((n - 1) * (lmax + 1) + l) * nradbasemax + k - 1)];
  }
};

/// F = sum over densities p of w_p f(rho_p; m_p).
struct Embedding {
  EmbeddingKind kind = EmbeddingKind::kFinnisSinclairShiftedScaled;
  int ndensity = 1;
  std::vector<double> w;
  std::vector<double> m;
  double rho_core_cutoff = 0.0;
  double drho_core_cutoff = 0.0;
};

/// A product of `rank` factors with all its m tuples.
struct Function {
  int rank = 0;
  std::vector<int> mus;  ///< species of the neighbours, from 0
  std::vector<int> ns;   ///< from 1; for rank 1 the number k of g_k
  std::vector<int> ls;
  std::vector<std::vector<int>> ms;          ///< tuples
  std::vector<std::vector<double>> ctildes;  ///< by tuple, then by density
};

/// A .yace file after reading and checking: all indices are within their ranges, all lists as long as they must be.
struct Potential {
  std::vector<std::string> elements;
  std::vector<double> E0;  ///< eV
  double delta_spline_bins = 0.0;
  std::vector<Embedding> embeddings;  ///< by centre
  std::vector<Bond> bonds;            ///< by centre, then neighbour
  InnerCutoff inner_cutoff = InnerCutoff::kDensity;
  std::vector<std::vector<Function>> functions;  ///< by centre

  const Bond& bond(std::size_t centre, std::size_t neighbour) const {
    return bonds[centre * elements.size() + neighbour];
  }
  double largest_cutoff() const {
    double largest = 0.0;
    for (const Bond& b : bonds) {
      largest = b.rcut > largest ? b.rcut : largest;
    }
    return largest;
  }
};

}  // namespace ipfit::test::yace
