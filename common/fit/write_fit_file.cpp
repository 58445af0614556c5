#include "common/fit/write_fit_file.h"

#include <fmt/format.h>

#include "common/fit/fit_keys.h"

namespace ipfit {
namespace {

std::string comment_of(const FitKey& key) {
  const std::string unit = key.unit.empty() ? "" : fmt::format(", in {}", key.unit);
  const std::string usual = key.usual.empty() ? "" : fmt::format("; usual: {}", key.usual);
  return fmt::format("# {}{}{}; default: {}\n", key.meaning, unit, usual, default_in_words(key));
}

/// The keys of one section with their values. `group` matters in kGroupSection only.
std::string written_section(FitSpec& spec, std::string_view section, const std::string& group) {
  const std::string name = section == kGroupSection ? "weights." + toml_key(group) : std::string(section);
  const GroupWeights weights = section == kGroupSection ? spec.weights.groups[group] : spec.weights.fallback;
  std::string out = fmt::format("\n[{}]\n", name);
  for (const FitKey& key : fit_keys()) {
    if (key.section != section || !matters(key, spec) || (key.counts != nullptr && !key.counts(weights))) {
      continue;
    }
    out += comment_of(key);
    out += fmt::format("{} = {}\n", key.name, toml_value(key.field(spec, group)));
  }
  return out;
}

}  // namespace

std::string write_fit_file(const FitSpec& spec) {
  std::string out =
      "# Fit file of ipfit as resolved: every key that matters, defaults included (docs/reference/fit-file.md).\n";
  FitSpec fields = spec;  // fields point into a FitSpec that may change
  std::string_view last;
  for (const FitKey& key : fit_keys()) {
    if (key.section == last) {
      continue;
    }
    last = key.section;
    if (key.section != kGroupSection) {
      out += written_section(fields, key.section, "");
      continue;
    }
    for (const auto& [group, weights] : spec.weights.groups) {
      out += written_section(fields, key.section, group);
    }
  }
  return out;
}

std::string assembly_identity(const FitSpec& spec) {
  std::string out;
  FitSpec fields = spec;
  for (const FitKey& key : fit_keys()) {
    if (key.shapes_rows && matters(key, fields)) {
      out += fmt::format("{}.{} = {}\n", key.section, key.name, toml_value(key.field(fields, "")));
    }
  }
  return out;
}

}  // namespace ipfit
