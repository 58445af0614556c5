#include "common/atoms/key_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "common/atoms/columns.h"
#include "common/atoms/frame_head.h"
#include "common/atoms/label_keys.h"
#include "common/atoms/own_weights.h"

namespace ipfit {
namespace {

using Counts = std::map<std::string, std::int64_t, std::less<>>;

std::int64_t count_of(const Counts& counts, std::string_view name) {
  const auto found = counts.find(name);
  return found == counts.end() ? 0 : found->second;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

bool speaks_of(std::string_view name, std::string_view word) {
  return lower_case(name).find(word) != std::string::npos;
}

bool is_target_like(std::string_view name) {
  constexpr std::array<std::string_view, 4> kWords = {"energy", "force", "virial", "stress"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return speaks_of(name, word); });
}

Status skip_atoms(LineSource& source, const FrameHead& head) {
  for (std::int64_t atom = 0; atom < head.atoms; ++atom) {
    const Result<std::optional<TextLine>> line = source.next();
    if (!line) {
      return line.error();
    }
    if (!*line) {
      return file_ends_early(source, head, atom);
    }
  }
  return Done{};
}

std::string joined(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// How one kind of label is named in the fit file and what it is called in messages.
struct KindOfKey {
  std::string kind;
  std::string option;
  std::string word;  ///< a name with this word could be meant
  bool column = false;
};

Error named_but_absent(const KindOfKey& kind, const std::string& name, const std::vector<std::string>& files,
                       const Counts& counts) {
  std::vector<std::string> similar;
  for (const auto& [other, structures] : counts) {
    if (speaks_of(other, kind.word)) {
      similar.push_back(other);
    }
  }
  const std::string what = kind.column ? "column" : "key";
  const std::string hint = similar.empty() ? fmt::format("there is no {} with '{}' in its name", what, kind.word)
                                           : fmt::format("there are: {}", joined(similar));
  return {ErrorKind::kInput, kind.option,
          fmt::format("no structure has the {} {} (looked in {})", what, shown(name), joined(files)),
          fmt::format("{}; correct {}", hint, kind.option)};
}

KeyChoice choose_one(const KindOfKey& kind, const std::string& asked, const std::vector<std::string_view>& names,
                     const Counts& counts) {
  const auto found =
      std::find_if(names.begin(), names.end(), [&](std::string_view name) { return counts.contains(name); });
  if (found == names.end()) {
    return {kind.kind, "", HowChosen::kAbsent, 0};
  }
  return {kind.kind, std::string(*found), asked.empty() ? HowChosen::kListed : HowChosen::kNamed,
          count_of(counts, *found)};
}

// Only forces have a number for each atom: any other column that would weigh is not used.
bool is_weight(const std::string& name, bool column) {
  return weighs(name) && (!column || name.starts_with("force"));
}

std::vector<FoundKey> weighing_keys(const Counts& counts, bool column) {
  std::vector<FoundKey> out;
  for (const auto& [name, structures] : counts) {
    if (is_weight(name, column)) {
      out.push_back({name, column, structures});
    }
  }
  return out;
}

std::vector<FoundKey> unused_keys(const Counts& counts, bool column, const std::vector<KeyChoice>& choices) {
  std::set<std::string, std::less<>> used;
  for (const KeyChoice& choice : choices) {
    if ((choice.kind == "forces") == column) {
      used.insert(choice.name);
    }
  }
  std::vector<FoundKey> out;
  for (const auto& [name, structures] : counts) {
    if (is_target_like(name) && !is_weight(name, column) && !used.contains(name)) {
      out.push_back({name, column, structures});
    }
  }
  return out;
}

std::string_view how_text(HowChosen how) {
  switch (how) {
    case HowChosen::kNamed:
      return "as named";
    case HowChosen::kUsual:
      return "the usual name";
    default:
      return "found by the list of usual names";
  }
}

}  // namespace

std::string KeyUse::text() const {
  std::string out;
  for (const KeyChoice& choice : choices) {
    if (choice.how == HowChosen::kAbsent) {
      out += fmt::format("{}: none\n", choice.kind);
    } else {
      out += fmt::format("{}: {} in {} of {} structures ({})\n", choice.kind, shown(choice.name), choice.structures,
                         structures, how_text(choice.how));
    }
  }
  for (const FoundKey& key : weights) {
    out += fmt::format("own weights: the {} {}, in {} structures\n", key.column ? "column" : "key", shown(key.name),
                       key.structures);
  }
  for (const FoundKey& key : unused) {
    out += fmt::format("not used: the {} {}, in {} structures\n", key.column ? "column" : "key", shown(key.name),
                       key.structures);
  }
  return out;
}

Status KeySurvey::add(LineSource source) {
  files_.push_back(source.name());
  while (true) {
    const Result<std::optional<FrameHead>> head = next_frame_head(source);
    if (!head) {
      return head.error();
    }
    if (!*head) {
      return Done{};
    }
    ++structures_;
    if (const std::optional<CommentLine>& keys = (*head)->keys) {
      const Result<Columns> columns = parse_properties((*head)->comment, *keys->properties(), {});
      if (!columns) {
        return columns.error();
      }
      for (const KeyValue& pair : keys->pairs) {
        ++keys_[pair.key];
      }
      for (const ColumnGroup& group : columns->groups) {
        ++columns_[group.name];
      }
    }
    if (Status status = skip_atoms(source, **head); !status) {
      return status;
    }
  }
}

Result<KeyUse> KeySurvey::choose(const LabelKeys& asked) const {
  const LabelNames names = names_to_try(asked);
  const std::vector<std::string_view> group_names{group_key(asked)};
  KeyUse out;
  out.keys = asked;
  out.structures = structures_;
  struct Row {
    KindOfKey kind;
    const std::string& asked;
    const std::vector<std::string_view>& names;
    std::string* chosen;
  };
  const std::array<Row, 5> rows = {{
      {{"energy", "energy_key", "energy", false}, asked.energy, names.energy, &out.keys.energy},
      {{"forces", "forces_key", "force", true}, asked.forces, names.forces, &out.keys.forces},
      {{"virial", "virial_key", "virial", false}, asked.virial, names.virial, &out.keys.virial},
      {{"stress", "stress_key", "stress", false}, asked.stress, names.stress, &out.keys.stress},
      {{"group", "group_key", "type", false}, asked.group, group_names, &out.keys.group},
  }};
  std::vector<Error> errors;
  for (const Row& row : rows) {
    const Counts& counts = row.kind.column ? columns_ : keys_;
    KeyChoice choice = choose_one(row.kind, row.asked, row.names, counts);
    // config_type is what a group is called unless somebody says otherwise: data without it are one group.
    const bool usual_group = row.kind.kind == "group" && group_names.front() == kGroupName;
    if (usual_group && choice.how == HowChosen::kNamed) {
      choice.how = HowChosen::kUsual;
    }
    if (choice.how == HowChosen::kAbsent && !row.asked.empty() && !usual_group) {
      errors.push_back(named_but_absent(row.kind, row.asked, files_, counts));
    }
    if (choice.how != HowChosen::kAbsent) {
      *row.chosen = choice.name;
    }
    out.choices.push_back(std::move(choice));
  }
  if (!errors.empty()) {
    return errors;
  }
  out.weights = weighing_keys(keys_, false);
  const std::vector<FoundKey> weighing_columns = weighing_keys(columns_, true);
  out.weights.insert(out.weights.end(), weighing_columns.begin(), weighing_columns.end());
  out.unused = unused_keys(keys_, false, out.choices);
  const std::vector<FoundKey> columns = unused_keys(columns_, true, out.choices);
  out.unused.insert(out.unused.end(), columns.begin(), columns.end());
  return out;
}

Result<KeyUse> discover_keys(const std::vector<std::string>& files, const LabelKeys& asked) {
  KeySurvey survey;
  std::vector<Error> errors;
  for (const std::string& file : files) {
    Result<LineSource> source = LineSource::open(file);
    Status status = source ? survey.add(std::move(*source)) : Status(source.errors());
    if (!status) {
      errors.push_back(status.error());
    }
  }
  if (!errors.empty()) {
    return errors;
  }
  return survey.choose(asked);
}

}  // namespace ipfit
