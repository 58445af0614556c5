#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/model/ace/ace_spec.h"
#include "common/model/ace/coupling.h"
#include "worker/basis/ace/site_kernel.h"

namespace ipfit {

/// The couplings of a shape, laid out for the site kernel.
struct ShapeTable {
  Coupling coupling;
  std::vector<std::int32_t> factor;           ///< factor t -> distinct label
  std::vector<std::int32_t> l;                ///< per distinct label
  std::vector<std::int32_t> first_component;  ///< per distinct label
  std::int32_t components = 0;                ///< sum of 2l + 1
  std::vector<std::int16_t> entry;            ///< BatchView::entry
};

/// What the neighbours of one element contribute to the functions around a centre.
struct NeighbourPlan {
  std::vector<LabelView> labels;  ///< rows counted from first_row
  std::int32_t first_row = 0;     ///< among the rows of all elements
  std::int32_t rows = 0;
  std::int32_t l_max = 0;
  std::vector<TermView> terms;
  std::vector<std::int32_t> first_terms;  ///< RunView::first_term point here
  std::vector<RunView> runs;
};

/// Everything about the functions around one element that does not depend on where the neighbours are.
struct CentrePlan {
  std::int64_t first_column = 0;  ///< of the design matrix
  std::int64_t columns = 0;
  std::int32_t rows = 0;                  ///< real components of all A
  std::vector<NeighbourPlan> neighbours;  ///< per element
  std::vector<BatchView> batches;         ///< columns counted from first_column
  std::vector<std::int32_t> batch_rows;   ///< BatchView::row point here
  std::int64_t gradients = 0;             ///< doubles
  std::int64_t scratch = 0;               ///< doubles, of SiteKernel::products
};

/// Keeps what the plans point to; not to be copied.
struct AcePlan {
  std::map<AceShape, ShapeTable> shapes;
  std::vector<CentrePlan> centres;
  std::int64_t columns = 0;
};
std::unique_ptr<const AcePlan> make_ace_plan(const AceSpec& spec);

/// Couplings of a fitted potential, summed over the functions of each multiset: orbits x kSide doubles per batch, one
/// after the other. `coefficients`: one per column of the centre.
std::vector<double> summed_couplings(const CentrePlan& plan, const double* coefficients);

}  // namespace ipfit
