#include "common/model/basis_spec.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/element.h"
#include "common/model/ace/ace_labels.h"

namespace ipfit {
namespace {

std::int64_t columns(const PairSpec& spec) {
  const auto elements = static_cast<std::int64_t>(spec.elements.size());
  return elements * (elements + 1) / 2 * spec.size;
}

std::int64_t columns(const AceSpec& spec) {
  return column_count(spec);
}

double cutoff(const PairSpec& spec) {
  return spec.cutoff;
}

double cutoff(const AceSpec& spec) {
  double largest = 0.0;
  for (const AceBond& bond : spec.bonds) {
    largest = std::max(largest, bond.cutoff);
  }
  return largest;
}

std::vector<std::string> labels(const PairSpec& spec) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(columns(spec)));
  for (std::size_t a = 0; a < spec.elements.size(); ++a) {
    for (std::size_t b = a; b < spec.elements.size(); ++b) {
      for (int k = 0; k < spec.size; ++k) {
        names.push_back(fmt::format("{} k={}", pair_text(spec.elements[a], spec.elements[b]), k));
      }
    }
  }
  return names;
}

std::vector<std::string> labels(const AceSpec& spec) {
  return column_labels(spec);
}

}  // namespace

const std::vector<std::uint8_t>& elements_of(const BasisSpec& spec) {
  return std::visit([](const auto& kind) -> const std::vector<std::uint8_t>& { return kind.elements; }, spec);
}

double cutoff_of(const BasisSpec& spec) {
  return std::visit([](const auto& kind) { return cutoff(kind); }, spec);
}

std::int64_t column_count(const BasisSpec& spec) {
  return std::visit([](const auto& kind) { return columns(kind); }, spec);
}

std::vector<std::string> column_labels(const BasisSpec& spec) {
  return std::visit([](const auto& kind) { return labels(kind); }, spec);
}

}  // namespace ipfit
