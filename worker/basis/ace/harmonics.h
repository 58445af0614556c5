#pragma once

#include <vector>

namespace ipfit {

/// Factors of the recursion by which SiteKernel::harmonics makes the Legendre parts P_lm(z) of the spherical harmonics
/// (normalised such that the mean of |Y|² over the sphere is 1, Condon-Shortley phase included;
/// docs/explanation/ace-basis.md). Three per (l, m), at l (l + 1) / 2 + m: a, b, d with
///   P_ll = a P_(l-1,l-1),   P_lm = a z P_(l-1,m) + b P_(l-2,m) for m < l,   dP_lm/dz = d P_(l,m+1).
std::vector<double> harmonic_recursion(int l_max);

}  // namespace ipfit
