#include "common/atoms/dataset_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/atoms/cell.h"
#include "common/atoms/element.h"
#include "common/atoms/stress.h"
#include "common/lsq/observation.h"
#include "common/text_table.h"

namespace ipfit {
namespace {

constexpr std::size_t kNamedWithoutLabels = 5;

void widen(GroupSummary& summary, double energy_per_atom) {
  summary.lowest_energy_per_atom = std::min(summary.lowest_energy_per_atom.value_or(energy_per_atom), energy_per_atom);
  summary.highest_energy_per_atom =
      std::max(summary.highest_energy_per_atom.value_or(energy_per_atom), energy_per_atom);
}

void count(GroupSummary& summary, const Structure& structure) {
  const Labels& labels = structure.labels;
  ++summary.structures;
  summary.atoms += structure.size();
  summary.energies += labels.energy ? 1 : 0;
  summary.forces += labels.forces.empty() ? 0 : 1;
  summary.virials += labels.virial ? 1 : 0;
  summary.virials_ignored += labels.ignored_virial ? 1 : 0;
  if (labels.energy) {
    widen(summary, *labels.energy / static_cast<double>(structure.size()));
  }
  if (labels.virial) {
    summary.sum_of_pressures += pressure(*labels.virial, cell_volume(structure.cell));
  }
}

std::string number_or_dash(const std::optional<double>& value, double factor, int digits) {
  return value ? fmt::format("{:.{}f}", *value * factor, digits) : "-";
}

std::vector<std::string> table_row(const std::string& name, const GroupSummary& s) {
  return {name,
          fmt::format("{}", s.structures),
          fmt::format("{}", s.atoms),
          fmt::format("{}", s.energies),
          fmt::format("{}", s.structures - s.energies),
          fmt::format("{}", s.forces),
          fmt::format("{}", s.structures - s.forces),
          fmt::format("{}", s.virials),
          fmt::format("{}", s.structures - s.virials),
          number_or_dash(s.lowest_energy_per_atom, 1.0, 4),
          number_or_dash(s.highest_energy_per_atom, 1.0, 4),
          number_or_dash(s.mean_pressure(), kKbarPerEvPerCubicAngstrom, 2),
          number_or_dash(s.mean_pressure(), kGpaPerEvPerCubicAngstrom, 3)};
}

std::string place_of(const Source& source) {
  return fmt::format("{}:{} (frame {})", source.file, source.line, source.frame);
}

Error nothing_named(const std::string& option, const std::string& name, const std::string& kind,
                    const GroupSummary& all) {
  return {ErrorKind::kInput, option,
          fmt::format("none of the {} structures has {} under the name '{}'", all.structures, kind, name),
          fmt::format("correct {}, or leave it out to have the usual names tried", option)};
}

}  // namespace

std::optional<double> GroupSummary::mean_pressure() const {
  return virials == 0 ? std::nullopt : std::optional<double>(sum_of_pressures / static_cast<double>(virials));
}

std::size_t DatasetSummary::group_index(const std::string& name) {
  const auto [entry, is_new] = group_index_.try_emplace(name, groups_.size());
  if (is_new) {
    groups_.emplace_back(name, GroupSummary{});
  }
  return entry->second;
}

void DatasetSummary::note_largest_force(const Structure& structure) {
  for (std::size_t i = 0; i < structure.labels.forces.size(); ++i) {
    for (const double component : structure.labels.forces[i]) {
      if (!largest_force_ || std::abs(component) > std::abs(largest_force_->value)) {
        largest_force_ = LargestForce{component, static_cast<std::int64_t>(i) + 1, structure.source};
      }
    }
  }
}

void DatasetSummary::add(const Structure& structure) {
  const std::size_t group = group_index(structure.config_type);
  count(all_, structure);
  count(groups_[group].second, structure);
  if (structure.size() == 1) {
    single_atoms_.push_back({group, image_distance(structure)});
  }
  for (const std::uint8_t Z : structure.species) {
    ++atoms_by_element_[Z];
  }
  note_largest_force(structure);
  const Labels& labels = structure.labels;
  rows_.energy += row_count(structure.size(), {.energy = labels.energy.has_value()});
  rows_.forces += row_count(structure.size(), {.forces = !labels.forces.empty()});
  rows_.virial += row_count(structure.size(), {.virial = labels.virial.has_value()});
  if (!labels.energy && labels.forces.empty() && !labels.virial) {
    ++without_labels_;
    if (first_without_labels_.size() < kNamedWithoutLabels) {
      first_without_labels_.push_back(structure.source);
    }
  }
}

void DatasetSummary::count_isolated(double distance) {
  all_.isolated_atoms = 0;
  for (auto& [name, summary] : groups_) {
    summary.isolated_atoms = 0;
  }
  for (const SingleAtom& atom : single_atoms_) {
    const int isolated = atom.image_distance > distance ? 1 : 0;
    all_.isolated_atoms += isolated;
    groups_[atom.group].second.isolated_atoms += isolated;
  }
}

std::string DatasetSummary::group_table() const {
  TextTable table({"group", "structures", "atoms", "energies", "missing", "forces", "missing", "virials", "missing",
                   "E/atom min (eV)", "max (eV)", "mean P (kbar)", "(GPa)"});
  for (const auto& [name, summary] : groups_) {
    table.add_row(table_row(name, summary));
  }
  if (groups_.size() > 1) {
    table.add_row(table_row("all", all_));
  }
  return table.text();
}

std::string DatasetSummary::remarks() const {
  std::string out = "elements:";
  for (const auto& [Z, atoms] : atoms_by_element_) {
    out += fmt::format(" {} ({} atoms)", element_symbol(Z), atoms);
  }
  out += fmt::format("\nrows: {} ({} energy, {} forces, {} virial)\n", rows_.total(), rows_.energy, rows_.forces,
                     rows_.virial);
  if (largest_force_) {
    out += fmt::format("largest force component: {:.4f} eV/Å, atom {} of {}\n", largest_force_->value,
                       largest_force_->atom, place_of(largest_force_->source));
  }
  if (all_.isolated_atoms > 0) {
    out += fmt::format("isolated atoms: {} structures\n", all_.isolated_atoms);
  }
  if (all_.virials_ignored > 0) {
    out += fmt::format("virial ignored: {} structures are not periodic in all directions\n", all_.virials_ignored);
  }
  if (without_labels_ > 0) {
    out += fmt::format("no label at all: {} structures, first", without_labels_);
    for (const Source& source : first_without_labels_) {
      out += " " + place_of(source);
    }
    out += '\n';
  }
  return out;
}

std::string DatasetSummary::text() const {
  return group_table() + '\n' + remarks();
}

std::vector<Error> check_labels(const DatasetSummary& summary, const LabelKeys& asked) {
  const GroupSummary& all = summary.all();
  std::vector<Error> errors;
  if (!asked.energy.empty() && all.energies == 0) {
    errors.push_back(nothing_named("energy_key", asked.energy, "an energy", all));
  }
  if (!asked.forces.empty() && all.forces == 0) {
    errors.push_back(nothing_named("forces_key", asked.forces, "a column of forces", all));
  }
  const bool virial_asked = !asked.virial.empty() || !asked.stress.empty();
  if (virial_asked && all.virials == 0 && all.virials_ignored > 0) {
    errors.push_back(
        {ErrorKind::kInput, asked.virial.empty() ? "stress_key" : "virial_key",
         fmt::format(
             "{} structures have a virial, but none of them is periodic in all directions, so there is none to fit",
             all.virials_ignored),
         "give pbc=\"T T T\" where it is meant, or leave the key out"});
  } else if (virial_asked && all.virials == 0) {
    errors.push_back(asked.virial.empty() ? nothing_named("stress_key", asked.stress, "a stress", all)
                                          : nothing_named("virial_key", asked.virial, "a virial", all));
  }
  if (errors.empty() && summary.rows().total() == 0) {
    errors.push_back({ErrorKind::kInput, "",
                      fmt::format("none of the {} structures has an energy, forces or a virial", all.structures),
                      "name the keys with energy_key, forces_key, virial_key or stress_key"});
  }
  return errors;
}

}  // namespace ipfit
