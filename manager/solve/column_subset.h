#pragma once

#include <Eigen/Core>
#include <vector>

#include "common/fit/basis_choice.h"
#include "common/model/basis_spec.h"
#include "common/result.h"
#include "manager/solve/solver.h"

namespace ipfit {

/// The columns of `basis`, which `choice` resolves to, that a basis of the first `functions` functions would have, in
/// their order: around each element with kind = "ace", of each pair with kind = "pair"; all where there are not more.
/// Errors: those of resolve_basis.
Result<std::vector<Eigen::Index>> first_functions(const BasisChoice& choice, const BasisSpec& basis, int functions);

/// A solution of these columns as one of all `count`: coefficients of the others are 0, their precisions infinite.
Solution among_all(Solution solution, const std::vector<Eigen::Index>& columns, Eigen::Index count);

}  // namespace ipfit
