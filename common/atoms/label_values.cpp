#include "common/atoms/label_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/atoms/cell.h"
#include "common/atoms/stress.h"

namespace ipfit {
namespace {

const KeyValue* find_first(const CommentLine& comment, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    if (const KeyValue* pair = comment.find(name)) {
      return pair;
    }
  }
  return nullptr;
}

Status read_energy(const TextLine& line, const KeyValue& pair, Structure& structure) {
  const Result<NumberArray> numbers = number_values(line, pair);
  if (!numbers) {
    return numbers.error();
  }
  if (numbers->values.size() != 1) {
    return line.error(pair.key_text, fmt::format("{} must be one number, {} given", pair.key, numbers->values.size()),
                      "give the total energy of the cell in eV");
  }
  structure.labels.energy = numbers->values.front();
  return Done{};
}

// A tensor in eV that is finite and symmetric, or an error about the key it came from.
Result<Voigt> checked(const TextLine& line, const KeyValue& pair, const Mat3& virial, double volume) {
  if (!virial.allFinite()) {
    return line.error(pair.key_text, fmt::format("the virial made from {} is not finite", pair.key),
                      "correct the numbers of it and of Lattice");
  }
  const std::optional<Voigt> components = symmetric_components(virial, volume);
  if (!components) {
    return line.error(pair.key_text, fmt::format("{} is not symmetric", pair.key),
                      "give a symmetric tensor, rows xx xy xz yx yy yz zx zy zz");
  }
  return *components;
}

Error disagreement(const TextLine& line, const KeyValue& virial, const KeyValue& stress, const Mat3& a, const Mat3& b) {
  return line.error(
      virial.key_text,
      fmt::format(
          "{} and {} disagree: {} is {:.6g} {:.6g} {:.6g} eV (xx yy zz), but -volume * {} is {:.6g} {:.6g} {:.6g} eV",
          virial.key, stress.key, virial.key, a(0, 0), a(1, 1), a(2, 2), stress.key, b(0, 0), b(1, 1), b(2, 2)),
      "check stress_unit and the sign, or name the one to use with virial_key or stress_key");
}

// The tensor of `pair` as a virial in eV; nothing where there is no such key.
Result<std::optional<Mat3>> virial_in_ev(const TextLine& line, const KeyValue* pair, const LabelKeys& keys,
                                         double factor) {
  if (pair == nullptr) {
    return std::optional<Mat3>();
  }
  const Result<Mat3> tensor = tensor_value(line, *pair, keys.stress_order);
  if (!tensor) {
    return tensor.error();
  }
  return std::optional<Mat3>(*tensor * factor);
}

Status read_virial(const TextLine& line, const KeyValue* virial, const KeyValue* stress, const LabelKeys& keys,
                   Structure& structure) {
  const double volume = cell_volume(structure.cell);
  const Result<std::optional<Mat3>> of_virial = virial_in_ev(line, virial, keys, 1.0);
  if (!of_virial) {
    return of_virial.error();
  }
  const Result<std::optional<Mat3>> of_stress =
      virial_in_ev(line, stress, keys, virial_per_stress(keys.stress_unit, volume));
  if (!of_stress) {
    return of_stress.error();
  }
  // The stress first: where both are there, what is kept is the virial.
  std::optional<Voigt>& kept = structure.fully_periodic() ? structure.labels.virial : structure.labels.ignored_virial;
  for (const auto& [pair, tensor] : {std::pair(stress, &*of_stress), std::pair(virial, &*of_virial)}) {
    if (pair != nullptr) {
      const Result<Voigt> components = checked(line, *pair, **tensor, volume);
      if (!components) {
        return components.error();
      }
      kept = *components;
    }
  }
  const bool comparable = virial != nullptr && stress != nullptr && structure.fully_periodic();
  if (comparable &&
      (**of_virial - **of_stress).cwiseAbs().maxCoeff() > virial_tolerance(**of_virial, **of_stress, volume)) {
    return disagreement(line, *virial, *stress, **of_virial, **of_stress);
  }
  return Done{};
}

Status read_group(const TextLine& line, const KeyValue& pair, Structure& structure) {
  if (pair.form == ValueForm::kNone) {
    return line.error(pair.key_text, fmt::format("{} has no value", pair.key), "write key=value");
  }
  const std::string name = string_value(pair);
  if (name.size() > kMaxGroupName) {
    return line.error(pair.text,
                      fmt::format("{} has {} characters, at most {} are allowed", pair.key, name.size(), kMaxGroupName),
                      "give the group a short name");
  }
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c <= '~'; })) {
    return line.error(pair.text,
                      fmt::format("{} is {}, only printable ASCII characters are allowed", pair.key, shown(name)),
                      "rename the group");
  }
  if (!name.empty()) {
    structure.config_type = name;
  }
  return Done{};
}

}  // namespace

Status read_labels(const TextLine& line, const CommentLine& comment, const LabelKeys& keys, const LabelNames& names,
                   Structure& structure) {
  if (const KeyValue* energy = find_first(comment, names.energy)) {
    if (Status status = read_energy(line, *energy, structure); !status) {
      return status;
    }
  }
  const KeyValue* virial = find_first(comment, names.virial);
  const KeyValue* stress = find_first(comment, names.stress);
  if (virial != nullptr || stress != nullptr) {
    if (Status status = read_virial(line, virial, stress, keys, structure); !status) {
      return status;
    }
  }
  const KeyValue* group = comment.find(group_key(keys));
  return group == nullptr ? Status(Done{}) : read_group(line, *group, structure);
}

}  // namespace ipfit
