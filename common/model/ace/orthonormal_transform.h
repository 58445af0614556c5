#pragma once

#include <vector>

#include "common/model/ace/ace_spec.h"

namespace ipfit {

/// What the functions are without the inner cutoff counts with this weight in orthonormal_transform.
constexpr double kHiddenWeight = 1e-6;

/// The transform that makes the functions of a bond orthonormal: integral from 0 to cutoff of b_m b_n r² dr = delta.
/// Lower triangular (so b_1 ... b_n do not depend on how many follow), positive diagonal, row-major, size x size.
/// Empty for SBessel without inner cutoff, which is orthonormal as it stands.
///
/// With an inner cutoff the functions are the same as before beyond it, but part of what distinguished them is gone:
/// made orthonormal on what is left, fifteen of them can need coefficients of 1e13, which neither this program nor one
/// that tabulates the g_k can sum. So the integral plus kHiddenWeight times that without inner cutoff is made delta,
/// which bounds the coefficients by 1e3 times those without inner cutoff; functions that can be told apart come out
/// orthonormal to about 1e-6 times their squared coefficients, the others smaller than 1.
std::vector<double> orthonormal_transform(const AceBond& bond);

}  // namespace ipfit
