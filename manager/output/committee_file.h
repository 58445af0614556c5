#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/model/model.h"
#include "common/result.h"

namespace ipfit {

/// The potentials of the committee in a coefficients.json: `potential`, which belongs to the file, with the
/// coefficients and one-body energies of each member. Errors: kInput where the file is not as ipfit writes it, or of
/// another potential; kRefused where it has no committee.
Result<std::vector<Model>> read_committee(std::string_view coefficients_json, const std::string& where,
                                          const Model& potential);

}  // namespace ipfit
