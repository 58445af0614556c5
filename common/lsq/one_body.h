#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

/// All that the one-body energies need to know of a structure.
struct Composition {
  std::map<std::uint8_t, std::int64_t> counts;  ///< atoms by atomic number
  std::optional<double> energy;                 ///< eV
  double image_distance = 0.0;                  ///< Å, of the only atom to its periodic images (common/atoms/cell.h)
  Source source;
};

Composition composition_of(const Structure& structure);

struct OneBodyEnergies {
  std::map<std::uint8_t, double> energies;  ///< eV per atom, one for each element asked for
  std::string note;                         ///< what the reader of a report should know about them; may be empty
};

/// The energy of one atom of each of `elements`, which contain all elements of `data`. Structures without energy are
/// ignored.
/// kNone: zero. kGiven: as in the fit file. kIsolatedAtom: the energy of the atom that has no periodic images within
/// the cutoff (Å); several of one element agree within 1e-6 eV. kFit: the e that minimise the sum over structures of
/// ((E - sum_i n_i e_i) / n)^2, n atoms of which n_i of element i: an error per atom, so that large cells do not
/// outvote small ones: where the fit starts from (manager/solve/joint_one_body.h). Where the compositions leave e
/// undetermined (always 1:1, an element that never occurs) the solution of least norm is taken, and the note says so.
/// Errors (kInput): an element without given energy or isolated atom, with the line to add; isolated atoms that
/// disagree.
Result<OneBodyEnergies> one_body_energies(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements,
                                          std::span<const Composition> data, double cutoff);

}  // namespace ipfit
