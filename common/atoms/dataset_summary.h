#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

/// Counts of one group, or of all.
struct GroupSummary {
  std::int64_t structures = 0;
  std::int64_t atoms = 0;
  std::int64_t energies = 0;  ///< structures that have one; structures - energies are missing
  std::int64_t forces = 0;
  std::int64_t virials = 0;
  std::int64_t isolated_atoms = 0;                ///< structures of one atom without neighbours
  std::int64_t virials_ignored = 0;               ///< given, but the structure is not periodic in all directions
  std::optional<double> lowest_energy_per_atom;   ///< eV
  std::optional<double> highest_energy_per_atom;  ///< eV
  double sum_of_pressures = 0.0;                  ///< eV/Å³, over the structures with a virial

  /// eV/Å³, positive under compression; nothing without virials.
  std::optional<double> mean_pressure() const;
};

/// Number of rows of each kind that the labels give.
struct RowCounts {
  std::int64_t energy = 0;
  std::int64_t forces = 0;
  std::int64_t virial = 0;
  std::int64_t total() const { return energy + forces + virial; }
};

/// The force component of largest magnitude.
struct LargestForce {
  double value = 0.0;     ///< eV/Å, with its sign
  std::int64_t atom = 0;  ///< counted from 1
  Source source;
};

/// What a data set contains, gathered structure by structure.
class DatasetSummary {
 public:
  void add(const Structure& structure);

  /// Counts the single atoms that have no periodic image within `distance` (Å; the cutoff) as isolated. To be called
  /// when all structures are known, because a cutoff may depend on the elements that they contain; before, none counts.
  void count_isolated(double distance);

  const GroupSummary& all() const { return all_; }
  /// In the order in which they first occurred.
  const std::vector<std::pair<std::string, GroupSummary>>& groups() const { return groups_; }
  const std::map<std::uint8_t, std::int64_t>& atoms_by_element() const { return atoms_by_element_; }
  const std::optional<LargestForce>& largest_force() const { return largest_force_; }
  const RowCounts& rows() const { return rows_; }
  std::int64_t structures_without_labels() const { return without_labels_; }

  /// Tables and lines for people.
  std::string text() const;

 private:
  /// A structure of one atom.
  struct SingleAtom {
    std::size_t group = 0;        ///< index in groups_
    double image_distance = 0.0;  ///< Å
  };

  std::size_t group_index(const std::string& name);
  void note_largest_force(const Structure& structure);
  std::string group_table() const;
  std::string remarks() const;

  GroupSummary all_;
  std::vector<std::pair<std::string, GroupSummary>> groups_;
  std::map<std::string, std::size_t> group_index_;
  std::vector<SingleAtom> single_atoms_;
  std::map<std::uint8_t, std::int64_t> atoms_by_element_;
  std::optional<LargestForce> largest_force_;
  RowCounts rows_;
  std::int64_t without_labels_ = 0;
  std::vector<Source> first_without_labels_;
};

/// What makes a data set useless for what was asked: a kind of label that was named and that no structure has, or no
/// label at all. Labels that only some structures have are no error: the table shows them.
std::vector<Error> check_labels(const DatasetSummary& summary, const LabelKeys& asked);

}  // namespace ipfit
