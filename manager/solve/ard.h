#pragma once

#include "manager/solve/solver.h"

namespace ipfit {

/// Automatic relevance determination: like blr, but every coefficient has a prior precision alpha_k of its own, all at
/// a maximum of the evidence. There most of them are infinite: those columns are pruned, their coefficients are exactly
/// 0. The scale of a column has no influence on the evidence, only on where the search starts: from blr in the
/// variables of `system`. The evidence rises with every step (up to rounding), no step is taken at random, and at the
/// end neither a small change of any alpha, nor pruning one column, nor bringing one back raises it. Where that takes
/// forever, as with targets that are met exactly, it ends when 50 steps have gained less than 1e-3 in log evidence, or,
/// as `status` says then, after 1000 steps. About 2 n^3 flops a step.
/// Sources: MacKay, Neural Computation 4, 415 (1992); Tipping, J. Mach. Learn. Res. 1, 211 (2001); Tipping and Faul,
/// AISTATS 9 (2003) for one alpha at a time.
/// Error: no convergence of the decomposition that blr starts with (kFailed).
Result<Solution> solve_ard(const ReducedSystem& system);

}  // namespace ipfit
