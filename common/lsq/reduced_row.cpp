#include "common/lsq/reduced_row.h"

#include <algorithm>
#include <cassert>

#include "common/lsq/targets.h"
#include "common/lsq/weights.h"

namespace ipfit {

std::int64_t reduced_columns(const Model& model) {
  return model.columns() + static_cast<std::int64_t>(elements_of(model.basis).size()) + 1;
}

void fill_labels(const Structure& structure, RowMask mask, const std::vector<std::uint8_t>& elements,
                 std::span<double> out) {
  const auto rows = static_cast<std::size_t>(row_count(structure.size(), mask));
  const std::size_t width = elements.size() + 1;
  assert(out.size() == rows * width);
  std::ranges::fill(out, 0.0);
  std::vector<double> labels(rows);
  fill_targets(structure, mask, {}, labels);
  for (std::size_t row = 0; row < rows; ++row) {
    out[row * width + elements.size()] = labels[row];
  }
  if (mask.energy) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      out[k] = static_cast<double>(std::ranges::count(structure.species, elements[k]));
    }
  }
}

void fill_structure_weights(const Structure& structure, RowMask mask, std::span<double> out) {
  constexpr GroupWeights kOnes{1.0, 1.0, 1.0};
  fill_weights(kOnes, structure, mask, out);
}

Eigen::VectorXd target_factors(const Model& model, const std::map<std::uint8_t, double>& one_body) {
  const std::vector<std::uint8_t>& elements = elements_of(model.basis);
  const Eigen::Index zbl = model.zbl ? 1 : 0;
  const auto count = static_cast<Eigen::Index>(elements.size());
  Eigen::VectorXd factors = Eigen::VectorXd::Constant(zbl + count + 1, -1.0);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto known = one_body.find(elements[static_cast<std::size_t>(k)]);
    factors[zbl + k] = known == one_body.end() ? 0.0 : -known->second;
  }
  factors[zbl + count] = 1.0;
  return factors;
}

}  // namespace ipfit
