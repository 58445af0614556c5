#pragma once

#include "manager/solve/solver.h"

namespace ipfit {

/// Automatic relevance determination: like blr, but every coefficient has a prior precision alpha_k of its own, all at
/// a maximum of the evidence. There most of them are infinite: those columns are pruned, their coefficients are exactly
/// 0. The scale of a column has no influence on the evidence, only on where the search starts: from blr in the
/// variables of `system`. The evidence rises with every step (up to rounding), no step is taken at random, and at the
/// end neither a small change of any alpha, nor pruning one column, nor bringing one back raises it, unless `status`
/// says that the limit of steps came first. Sources: MacKay, Neural Computation 4, 415 (1992); Tipping, J. Mach. Learn.
/// Res. 1, 211 (2001); Tipping and Faul, AISTATS 9 (2003) for one alpha at a time. About 2 n^3 flops a step. Error: no
/// convergence of the decomposition that blr starts with (kFailed).
Result<Solution> solve_ard(const ReducedSystem& system);

}  // namespace ipfit
