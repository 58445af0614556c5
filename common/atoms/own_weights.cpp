#include "common/atoms/own_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace ipfit {
namespace {

using Names = std::span<const std::string_view>;

struct Weigher {
  Names names;
  bool sigma;
};

Result<double> read_one(const TextLine& line, const KeyValue& pair, bool sigma) {
  const Result<NumberArray> numbers = number_values(line, pair);
  if (!numbers) {
    return numbers.error();
  }
  const bool single = numbers->values.size() == 1;
  const std::optional<double> weight = single ? own_weight(numbers->values.front(), sigma) : std::nullopt;
  if (!weight) {
    return line.error(pair.key_text,
                      fmt::format("{} must be one number {} 0, and no weight above 1e30", pair.key, sigma ? ">" : ">="),
                      sigma ? "give the error that is expected of the label" : "give 0 to leave the label out");
  }
  return *weight;
}

// The weight of one kind, however it is given; `taken`: a column gives it already.
Result<std::optional<double>> read_kind(const TextLine& line, const CommentLine& comment, Names sigmas, Names weights,
                                        bool taken) {
  std::optional<double> found;
  for (const Weigher& weigher : {Weigher{sigmas, true}, Weigher{weights, false}}) {
    for (const std::string_view name : weigher.names) {
      const KeyValue* pair = comment.find(name);
      if (pair == nullptr) {
        continue;
      }
      if (found || taken) {
        return line.error(pair->key_text, fmt::format("{} is not the only weight or sigma of its kind here", name),
                          "keep one of them: the weight is 1/sigma");
      }
      const Result<double> weight = read_one(line, *pair, weigher.sigma);
      if (!weight) {
        return weight.error();
      }
      found = *weight;
    }
  }
  return found;
}

}  // namespace

bool weighs(std::string_view name) {
  const std::array<Names, 6> all = {kEnergySigmaNames, kEnergyWeightNames, kForceSigmaNames,
                                    kForceWeightNames, kVirialSigmaNames,  kVirialWeightNames};
  return std::ranges::any_of(all, [&](Names names) { return std::ranges::count(names, name) > 0; });
}

std::optional<double> own_weight(double value, bool sigma) {
  const double weight = sigma ? 1.0 / value : value;
  constexpr double kMost = 1e30;  // as in a fit file: squares of weighted rows are finite
  const bool good = std::isfinite(value) && value >= 0.0 && weight <= kMost;
  return good ? std::optional(weight) : std::nullopt;
}

Status read_own_weights(const TextLine& line, const CommentLine& comment, const Columns& columns,
                        Structure& structure) {
  const auto energy = read_kind(line, comment, kEnergySigmaNames, kEnergyWeightNames, false);
  const auto forces = read_kind(line, comment, kForceSigmaNames, kForceWeightNames, columns.has_force_weights);
  const auto virial = read_kind(line, comment, kVirialSigmaNames, kVirialWeightNames, false);
  for (const auto* kind : {&energy, &forces, &virial}) {
    if (!*kind) {
      return kind->error();
    }
  }
  structure.weights.energy = *energy;
  structure.weights.virial = *virial;
  if (*forces) {
    structure.weights.forces = {**forces};
  }
  return Done{};
}

}  // namespace ipfit
