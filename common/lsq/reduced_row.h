#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"
#include "common/model/model.h"

namespace ipfit {

/// Rows are reduced before anybody knows the one-body energies, so what is known of a row goes with it, as further
/// columns that are reduced with the others:
///
///     functions | ZBL, if the model has one | number of atoms of each element, in energies | label
///
/// Q^T makes of each the same combination, so targets can be formed of reduced rows as of the first ones:
/// y = label - ZBL - sum of the numbers of atoms times one-body energies.
std::int64_t reduced_columns(const Model& model);

/// The further columns of the rows of a structure but for ZBL, in row order: row_count(atoms, mask) x (elements + 1).
void fill_labels(const Structure& structure, RowMask mask, const std::vector<std::uint8_t>& elements,
                 std::span<double> out);

/// What these rows are multiplied by before they are reduced: the part of their weight that is the structure's, which
/// is 1/sqrt(atoms) for energy and virial, times the weight of its own where it has one.
void fill_structure_weights(const Structure& structure, RowMask mask, std::span<double> out);

/// What the further columns of a reduced row are multiplied by to get its target, ZBL included; as many as there are.
Eigen::VectorXd target_factors(const Model& model, const std::map<std::uint8_t, double>& one_body);

}  // namespace ipfit
