#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/fit/fit_spec.h"
#include "common/model/zbl.h"
#include "common/result.h"

namespace ipfit {

/// The ZBL repulsion that a fit file asks for. Ends that it leaves out are those of default_zbl, but half of `outer`
/// for `inner` where only `outer` is given. `elements`, those of the basis, must not be empty.
std::optional<Zbl> zbl_of(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements);

/// The same reference with its ends written out. Errors (kInput): an inner end that is given and not below an outer end
/// that is not, and one below kSmallestRepulsion.
Result<ReferenceSpec> resolve_zbl(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements);

}  // namespace ipfit
