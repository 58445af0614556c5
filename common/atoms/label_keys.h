#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "common/fit/fit_spec.h"

namespace ipfit {

/// Names that are tried, in this order, for a kind of label that the user did not name. docs/reference/extended-xyz.md
/// lists the same. `free_energy` is never among them: it is another quantity (with the electronic entropy).
inline constexpr std::array<std::string_view, 10> kEnergyNames = {
    "energy",     "Energy",    "dft_energy", "DFT_energy",   "REF_energy",
    "ref_energy", "qm_energy", "QM_energy",  "total_energy", "TotEnergy"};
inline constexpr std::array<std::string_view, 11> kForcesNames = {"forces",     "force",     "dft_forces", "dft_force",
                                                                  "DFT_forces", "DFT_force", "REF_forces", "REF_force",
                                                                  "ref_forces", "qm_forces", "QM_forces"};
inline constexpr std::array<std::string_view, 9> kVirialNames = {"virial",      "virials",    "dft_virial",
                                                                 "dft_virials", "DFT_virial", "REF_virial",
                                                                 "REF_virials", "ref_virial", "qm_virial"};
inline constexpr std::array<std::string_view, 6> kStressNames = {"stress",     "dft_stress", "DFT_stress",
                                                                 "REF_stress", "ref_stress", "qm_stress"};

/// The names to look for, the first that occurs being the label. A name that was given stands alone.
/// Virial and stress are two ways to write one thing: where one of them was named, the other is not looked for.
/// The views live as long as the keys they were made from.
struct LabelNames {
  std::vector<std::string_view> energy;
  std::vector<std::string_view> forces;
  std::vector<std::string_view> virial;
  std::vector<std::string_view> stress;
};
LabelNames names_to_try(const LabelKeys& keys);

/// The key of the group: the given name, or config_type.
inline constexpr std::string_view kGroupName = "config_type";
std::string_view group_key(const LabelKeys& keys);

}  // namespace ipfit
