#pragma once

#include <optional>
#include <string>

#include "common/atoms/structure.h"
#include "common/model/model.h"
#include "common/result.h"

namespace ipfit {

/// All that it takes to run a potential in LAMMPS (docs/how-to/run-in-lammps.md), as texts.
struct LammpsFiles {
  std::string potential;  ///< .yace
  std::string input;      ///< refers to the two others as `potential_name` and structure.data
  std::string structure;
};

/// Whether LAMMPS pair_style pace can have the potential of such a basis; the error (kInput) says why not.
Status check_exportable(const BasisSpec& basis);

/// `model` is fitted; `inputs` is the fingerprint of what its coefficients depend on; `potential_name` what the
/// potential file is called in the input file. `shown`: the structure to try it with, of the training set; a crystal is
/// made up where there is none. Errors: those of check_exportable.
Result<LammpsFiles> lammps_files(const Model& model, const std::string& inputs, const std::optional<Structure>& shown,
                                 const std::string& potential_name);

}  // namespace ipfit
