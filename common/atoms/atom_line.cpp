#include "common/atoms/atom_line.h"

#include <fmt/format.h>

#include <optional>

#include "common/atoms/element.h"
#include "common/atoms/number_text.h"
#include "common/atoms/own_weights.h"

namespace ipfit {
namespace {

struct AtomValues {
  std::uint8_t species = 0;
  Vec3 position = Vec3::Zero();
  Vec3 force = Vec3::Zero();
  double force_weight = 0.0;
};

std::optional<std::uint8_t> element_of_number(std::string_view text) {
  const std::optional<std::int64_t> Z = parse_integer(text);
  return Z && *Z >= 1 && *Z <= kLargestAtomicNumber ? std::optional(static_cast<std::uint8_t>(*Z)) : std::nullopt;
}

std::optional<std::uint8_t> element_of(std::string_view word, ColumnRole role) {
  if (role == ColumnRole::kAtomicNumber) {
    return element_of_number(word);
  }
  const std::optional<std::uint8_t> symbol = atomic_number(word);
  return symbol || role == ColumnRole::kSpecies ? symbol : element_of_number(word);
}

bool has_type(std::string_view word, ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return true;
    case ColumnType::kInteger:
      return parse_integer(word).has_value();
    case ColumnType::kReal:
      return parse_real(word).has_value();
    case ColumnType::kLogical:
      break;
  }
  return parse_logical(word).has_value();
}

bool take_vector(std::string_view word, std::int64_t component, Vec3& vector) {
  const std::optional<double> value = parse_real(word);
  if (value) {
    vector[component] = *value;
  }
  return value.has_value();
}

bool take_weight(std::string_view word, bool sigma, double& out) {
  const std::optional<double> value = parse_real(word);
  const std::optional<double> weight = value ? own_weight(*value, sigma) : std::nullopt;
  out = weight.value_or(0.0);
  return weight.has_value();
}

// False where the word cannot stand in this column, or contradicts the element that was read before.
bool take_value(std::string_view word, const ColumnGroup& group, std::int64_t index, AtomValues& out) {
  switch (group.role) {
    case ColumnRole::kOther:
      return has_type(word, group.type);
    case ColumnRole::kPositions:
      return take_vector(word, index, out.position);
    case ColumnRole::kForces:
      return take_vector(word, index, out.force);
    case ColumnRole::kForceSigma:
    case ColumnRole::kForceWeight:
      return take_weight(word, group.role == ColumnRole::kForceSigma, out.force_weight);
    case ColumnRole::kSpecies:
    case ColumnRole::kAtomicNumber:
    case ColumnRole::kElement:
      break;
  }
  const std::optional<std::uint8_t> element = element_of(word, group.role);
  if (!element || (out.species != 0 && out.species != *element)) {
    return false;
  }
  out.species = *element;
  return true;
}

std::string why_not(std::string_view word, const ColumnGroup& group) {
  switch (group.role) {
    case ColumnRole::kSpecies:
      return shown(word) + " is not a chemical symbol";
    case ColumnRole::kAtomicNumber:
      return shown(word) + " is not an atomic number";
    case ColumnRole::kElement:
      return shown(word) + " is neither a chemical symbol nor an atomic number";
    case ColumnRole::kForceSigma:
      return shown(word) + " is no number > 0";
    case ColumnRole::kForceWeight:
      return shown(word) + " is no number >= 0";
    default:
      break;
  }
  switch (group.type) {
    case ColumnType::kInteger:
      return shown(word) + " is not an integer";
    case ColumnType::kLogical:
      return shown(word) + " is neither T nor F";
    default:
      return why_not_real(word);
  }
}

Error wrong_count(const TextLine& line, const Columns& columns, std::int64_t atom, std::int64_t found) {
  std::string_view surplus = line.text;
  for (std::int64_t i = 0; i < columns.total; ++i) {
    take_word(surplus);
  }
  return line.error(trimmed(surplus),
                    fmt::format("atom {}: {} columns expected{}, {} found", atom, columns.total,
                                columns.further_columns ? " (element x y z)" : " by Properties", found),
                    columns.further_columns ? "complete the line"
                                            : "correct this line, or Properties in the second line of the frame");
}

Error wrong_word(const TextLine& line, const Columns& columns, std::int64_t atom, std::string_view word,
                 const ColumnGroup& group, const AtomValues& values) {
  // A column too many or too few shifts the others: that is what to say then.
  const std::int64_t found = count_words(line.text);
  if (found < columns.total || (found > columns.total && !columns.further_columns)) {
    return wrong_count(line, columns, atom, found);
  }
  const bool is_element = group.role == ColumnRole::kSpecies || group.role == ColumnRole::kAtomicNumber;
  if (is_element && element_of(word, group.role)) {
    return line.error(word,
                      fmt::format("atom {}: species and Z contradict each other, {} and {}", atom,
                                  element_symbol(values.species), element_symbol(*element_of(word, group.role))),
                      "correct one of them");
  }
  return line.error(word, fmt::format("{} of atom {}: {}", group.name, atom, why_not(word, group)),
                    "correct it, or the type in Properties");
}

}  // namespace

Status read_atom_line(const TextLine& line, const Columns& columns, std::int64_t atom, Structure& structure) {
  AtomValues values;
  std::string_view rest = line.text;
  for (const ColumnGroup& group : columns.groups) {
    for (std::int64_t i = 0; i < group.count; ++i) {
      const std::string_view word = take_word(rest);
      if (word.empty()) {
        return wrong_count(line, columns, atom, count_words(line.text));
      }
      if (!take_value(word, group, i, values)) {
        return wrong_word(line, columns, atom, word, group, values);
      }
    }
  }
  if (!columns.further_columns && !trimmed(rest).empty()) {
    return wrong_count(line, columns, atom, count_words(line.text));
  }
  structure.species.push_back(values.species);
  structure.positions.push_back(values.position);
  if (columns.has_forces) {
    structure.labels.forces.push_back(values.force);
  }
  if (columns.has_force_weights) {
    structure.weights.forces.push_back(values.force_weight);
  }
  return Done{};
}

}  // namespace ipfit
