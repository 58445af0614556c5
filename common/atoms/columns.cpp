#include "common/atoms/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/atoms/number_text.h"
#include "common/atoms/own_weights.h"

namespace ipfit {
namespace {

// A line of the longest length that is read has fewer columns than this.
constexpr auto kMostColumns = static_cast<std::int64_t>(LineSource::kMaxLineBytes);

constexpr std::string_view kTripletHint = "write Properties=species:S:1:pos:R:3:forces:R:3, with types S, I, R or L";

std::optional<ColumnType> column_type(std::string_view text) {
  if (text == "S") {
    return ColumnType::kText;
  }
  if (text == "I") {
    return ColumnType::kInteger;
  }
  if (text == "R") {
    return ColumnType::kReal;
  }
  if (text == "L") {
    return ColumnType::kLogical;
  }
  return std::nullopt;
}

std::string_view take_field(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  const std::string_view field = rest.substr(0, colon);
  rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  return field;
}

Result<ColumnGroup> take_triplet(const TextLine& line, std::string_view& rest) {
  const std::string_view name = take_field(rest);
  const std::string_view type_text = take_field(rest);
  const std::string_view count_text = take_field(rest);
  if (name.empty() || type_text.empty() || count_text.empty()) {
    return line.error(name,
                      fmt::format("Properties needs name:type:count triplets, one is incomplete near {}", shown(name)),
                      std::string(kTripletHint));
  }
  const std::optional<ColumnType> type = column_type(type_text);
  if (!type) {
    return line.error(type_text,
                      fmt::format("Properties needs name:type:count triplets; {} is no type (of column {})",
                                  shown(type_text), shown(name)),
                      std::string(kTripletHint));
  }
  const std::optional<std::int64_t> count = parse_integer(count_text);
  if (!count || *count < 1 || *count > kMostColumns) {
    return line.error(count_text,
                      fmt::format("Properties needs name:type:count triplets; {} is no number of columns (of {})",
                                  shown(count_text), shown(name)),
                      std::string(kTripletHint));
  }
  return ColumnGroup{std::string(name), *type, *count, ColumnRole::kOther};
}

// A name that is used must occur once; others too, since a name given twice is a mistake of whoever wrote the file.
std::optional<std::string> repeated_name(const Columns& columns) {
  std::vector<std::string_view> names;
  for (const ColumnGroup& group : columns.groups) {
    names.push_back(group.name);
  }
  std::sort(names.begin(), names.end());
  const auto same = std::adjacent_find(names.begin(), names.end());
  return same == names.end() ? std::nullopt : std::optional<std::string>(*same);
}

ColumnGroup* find_group(Columns& columns, std::string_view name) {
  const auto found = std::find_if(columns.groups.begin(), columns.groups.end(),
                                  [&](const ColumnGroup& group) { return group.name == name; });
  return found == columns.groups.end() ? nullptr : &*found;
}

struct Role {
  std::string_view name;
  ColumnRole role;
  std::string wanted;
};

bool fits(const ColumnGroup& group, ColumnRole role) {
  switch (role) {
    case ColumnRole::kSpecies:
    case ColumnRole::kElement:
      return group.type == ColumnType::kText && group.count == 1;
    case ColumnRole::kAtomicNumber:
      return group.type == ColumnType::kInteger && group.count == 1;
    case ColumnRole::kPositions:
    case ColumnRole::kForces:
      // Whole numbers are numbers: writers give an I to arrays of zeros.
      return (group.type == ColumnType::kReal || group.type == ColumnType::kInteger) && group.count == 3;
    case ColumnRole::kForceSigma:
    case ColumnRole::kForceWeight:
      return (group.type == ColumnType::kReal || group.type == ColumnType::kInteger) && group.count == 1;
    case ColumnRole::kOther:
      break;
  }
  return true;
}

// True where the column is there.
Result<bool> assign(const TextLine& line, const KeyValue& properties, Columns& columns, const Role& role) {
  ColumnGroup* group = find_group(columns, role.name);
  if (group == nullptr) {
    return false;
  }
  if (!fits(*group, role.role)) {
    return line.error(properties.text,
                      fmt::format("Properties: the column {} must be {}", shown(role.name), role.wanted),
                      fmt::format("correct its type and count to {}", role.wanted));
  }
  group->role = role.role;
  if (group->type == ColumnType::kInteger && role.role != ColumnRole::kAtomicNumber) {
    group->type = ColumnType::kReal;
  }
  return true;
}

// One column may weigh the forces: two would contradict each other.
Status assign_weights(const TextLine& line, const KeyValue& properties, Columns& columns) {
  for (const auto& [names, role] : {std::pair(std::span(kForceSigmaNames), ColumnRole::kForceSigma),
                                    std::pair(std::span(kForceWeightNames), ColumnRole::kForceWeight)}) {
    for (const std::string_view name : names) {
      const Result<bool> found = assign(line, properties, columns, {name, role, fmt::format("{}:R:1", name)});
      if (!found) {
        return found.error();
      }
      if (*found && columns.has_force_weights) {
        return line.error(properties.text, fmt::format("the column {} is not the only one that weighs forces", name),
                          "keep one of them");
      }
      columns.has_force_weights = columns.has_force_weights || *found;
    }
  }
  return Done{};
}

Status assign_roles(const TextLine& line, const KeyValue& properties, Columns& columns,
                    std::span<const std::string_view> forces_names) {
  const Result<bool> positions = assign(line, properties, columns, {"pos", ColumnRole::kPositions, "pos:R:3"});
  const Result<bool> species = assign(line, properties, columns, {"species", ColumnRole::kSpecies, "species:S:1"});
  const Result<bool> numbers = assign(line, properties, columns, {"Z", ColumnRole::kAtomicNumber, "Z:I:1"});
  for (const Result<bool>* found : {&positions, &species, &numbers}) {
    if (!*found) {
      return found->error();
    }
  }
  if (!*positions) {
    return line.error(properties.key_text, "Properties has no pos column", "add the positions: pos:R:3");
  }
  if (!*species && !*numbers) {
    return line.error(properties.key_text, "Properties has neither a species nor a Z column",
                      "add species:S:1 (chemical symbols) or Z:I:1 (atomic numbers)");
  }
  for (const std::string_view name : forces_names) {
    const std::string wanted = fmt::format("{}:R:3", name);
    const Result<bool> forces = assign(line, properties, columns, {name, ColumnRole::kForces, wanted});
    if (!forces) {
      return forces.error();
    }
    if (*forces) {
      columns.has_forces = true;
      break;
    }
  }
  return assign_weights(line, properties, columns);
}

}  // namespace

Result<Columns> parse_properties(const TextLine& line, const KeyValue& properties,
                                 std::span<const std::string_view> forces_names) {
  Columns columns;
  std::string_view rest = properties.text;
  if (rest.empty() || rest.ends_with(':')) {
    return line.error(properties.text, "Properties needs name:type:count triplets, the last one is incomplete",
                      std::string(kTripletHint));
  }
  while (!rest.empty()) {
    Result<ColumnGroup> group = take_triplet(line, rest);
    if (!group) {
      return group.error();
    }
    columns.total += group->count;
    columns.groups.push_back(std::move(*group));
  }
  if (const std::optional<std::string> name = repeated_name(columns)) {
    return line.error(properties.text, fmt::format("Properties names the column {} twice", shown(*name)),
                      "give every column its own name");
  }
  if (Status status = assign_roles(line, properties, columns, forces_names); !status) {
    return status.error();
  }
  return columns;
}

Columns plain_columns() {
  Columns columns;
  columns.groups.push_back({"species", ColumnType::kText, 1, ColumnRole::kElement});
  columns.groups.push_back({"pos", ColumnType::kReal, 3, ColumnRole::kPositions});
  columns.total = 4;
  columns.further_columns = true;
  return columns;
}

}  // namespace ipfit
