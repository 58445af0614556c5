#include "common/fit/repulsion.h"

#include <fmt/format.h>

#include "common/model/limits.h"

namespace ipfit {

std::optional<Zbl> zbl_of(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements) {
  if (!reference.zbl) {
    return std::nullopt;
  }
  Zbl zbl = default_zbl(elements);
  if (reference.zbl_outer > 0.0) {
    zbl = {0.5 * reference.zbl_outer, reference.zbl_outer};
  }
  if (reference.zbl_inner > 0.0) {
    zbl.inner = reference.zbl_inner;
  }
  return zbl;
}

Result<ReferenceSpec> resolve_zbl(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements) {
  ReferenceSpec resolved = reference;
  if (const std::optional<Zbl> zbl = zbl_of(reference, elements)) {
    if (zbl->inner < kSmallestRepulsion) {
      return Error{ErrorKind::kInput, reference.zbl_inner > 0.0 ? "reference.zbl_inner" : "reference.zbl_outer",
                   fmt::format("makes the switch begin at {} Å, expected {} Å or more", zbl->inner, kSmallestRepulsion),
                   "raise it, or leave it out"};
    }
    if (zbl->inner >= zbl->outer) {
      return Error{ErrorKind::kInput, "reference.zbl_inner",
                   fmt::format("is {} Å, expected less than zbl_outer, which for these elements is {} Å", zbl->inner,
                               zbl->outer),
                   "lower it, or give zbl_outer as well"};
    }
    resolved.zbl_inner = zbl->inner;
    resolved.zbl_outer = zbl->outer;
  }
  return resolved;
}

}  // namespace ipfit
