#pragma once

#include <functional>

#include "common/fit/fit_spec.h"
#include "common/model/model.h"
#include "common/result.h"
#include "manager/output/compared.h"
#include "manager/output/report/report_data.h"

namespace ipfit {

/// Hands every compared structure to a visitor, always the same in the same order.
using EachCompared = std::function<Status(const std::function<void(const Compared&)>&)>;

/// All that a report says of predictions and labels. Goes over the structures twice: the first time for the ranges of
/// the plots. `weights` are those of the fit. Energies are without the one-body energies of the potential, so that what
/// binds can be seen.
Result<Comparison> compare_data(const EachCompared& each, const Model& potential, const WeightsSpec& weights);

}  // namespace ipfit
