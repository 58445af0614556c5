#include "manager/plan/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/checksum.h"
#include "common/lsq/one_body.h"
#include "proto/structure_codec.h"

namespace ipfit {
namespace {

// Å; atoms that are farther from their images than any usual cutoff count as single.
constexpr double kFarAway = 8.0;

bool is_single_atom(const Structure& structure) {
  return structure.size() == 1 && composition_of(structure).image_distance > kFarAway;
}

std::uint64_t key_of(Structure structure, int seed) {
  structure.source = {};
  structure.set = DataSet::kTrain;
  const std::vector<std::byte> record = encode_structure(structure);
  return checksum(fmt::format("{} {:016x}", seed, checksum(record)));
}

}  // namespace

void Split::add(const Structure& structure) {
  if (!is_single_atom(structure)) {
    keys_[structure.config_type].push_back(key_of(structure, seed_));
  }
}

void Split::settle() {
  for (auto& [group, keys] : keys_) {
    std::ranges::sort(keys);
    const auto share = std::llround(fraction_ * static_cast<double>(keys.size()));
    // Equal structures have equal keys, and asking for one of them means all: the last ones stay, however many.
    const auto most = std::ranges::lower_bound(keys, keys.back()) - keys.begin();
    keys.resize(static_cast<std::size_t>(std::min<std::ptrdiff_t>(share, most)));
  }
}

bool Split::kept_apart(const Structure& structure) const {
  const auto keys = keys_.find(structure.config_type);
  return keys != keys_.end() && !is_single_atom(structure) &&
         std::ranges::binary_search(keys->second, key_of(structure, seed_));
}

}  // namespace ipfit
