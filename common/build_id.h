#pragma once

#include <string_view>

namespace ipfit {

/// Names the sources, compiler and flags that this program was built from: 12 hexadecimal digits. Manager and workers
/// must agree on it, since another build may round differently.
std::string_view build_id();

/// "0.1.0"
std::string_view version();

}  // namespace ipfit
