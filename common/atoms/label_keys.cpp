#include "common/atoms/label_keys.h"

namespace ipfit {
namespace {

std::vector<std::string_view> given_or(const std::string& given, std::span<const std::string_view> names) {
  return given.empty() ? std::vector<std::string_view>(names.begin(), names.end())
                       : std::vector<std::string_view>{given};
}

}  // namespace

LabelNames names_to_try(const LabelKeys& keys) {
  const bool search = keys.virial.empty() && keys.stress.empty();
  const auto stress_or_virial = [&](std::span<const std::string_view> names) {
    return search ? names : std::span<const std::string_view>();
  };
  LabelNames out;
  out.energy = given_or(keys.energy, kEnergyNames);
  out.forces = given_or(keys.forces, kForcesNames);
  out.virial = given_or(keys.virial, stress_or_virial(kVirialNames));
  out.stress = given_or(keys.stress, stress_or_virial(kStressNames));
  return out;
}

std::string_view group_key(const LabelKeys& keys) {
  return keys.group.empty() ? kGroupName : std::string_view(keys.group);
}

}  // namespace ipfit
