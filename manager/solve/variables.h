#pragma once

#include <Eigen/Core>
#include <vector>

#include "common/lsq/reduced.h"

namespace ipfit {

/// Numbers of columns, counted from 0.
using Columns = std::vector<Eigen::Index>;

/// What counts as zero beside 1: rounding errors of evaluating and reducing rows are some tens of epsilon for few
/// columns and grow with their number.
double rounding_tolerance(Eigen::Index columns);

/// The system in the variables `scales` .* c: R diag(1 / scales). All scales are > 0.
ReducedSystem in_variables(const ReducedSystem& system, const Eigen::VectorXd& scales);

/// Scales that bring the columns to length 1. Columns shorter than the rounding errors of the longest one are divided
/// by the length of that one, so they stay negligible; a system of zeros has scales 1.
Eigen::VectorXd column_lengths(const ReducedSystem& system);

/// The system of some of the columns, in that order.
ReducedSystem with_columns(const ReducedSystem& system, const Columns& columns);

/// "3, 17, 40 and 12 more", ascending.
std::string listed(Columns columns);

}  // namespace ipfit
