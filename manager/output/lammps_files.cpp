#include "manager/output/lammps_files.h"

#include <fmt/format.h>

#include <variant>

#include "common/atoms/bond_length.h"
#include "common/build_id.h"
#include "manager/output/example_structure.h"
#include "manager/output/lammps_data.h"
#include "manager/output/lammps_input.h"
#include "manager/output/yace.h"
#include "manager/plan/dataset_index.h"
#include "manager/plan/fit_directory.h"

namespace ipfit {
namespace {

std::string data_file(const Model& model, const std::optional<Structure>& shown) {
  const std::vector<std::uint8_t>& elements = elements_of(model.basis);
  const Structure structure =
      shown ? *shown : example_crystal(elements, bond_length(elements.front(), elements.back()));
  return lammps_data(in_lammps_cell(structure, model.cutoff()), elements,
                     shown ? "training structure: " + describe(shown->source) : "a crystal, made up");
}

}  // namespace

Status check_exportable(const BasisSpec& basis) {
  if (std::holds_alternative<AceSpec>(basis)) {
    return Done{};
  }
  return Error{ErrorKind::kInput, "", "LAMMPS has no pair style for potentials of the pair basis",
               "fit with kind = \"ace\"; ipfit predict evaluates this one"};
}

Result<LammpsFiles> lammps_files(const Model& model, const std::string& inputs, const std::optional<Structure>& shown,
                                 const std::string& potential_name) {
  if (Status exportable = check_exportable(model.basis); !exportable) {
    return exportable.errors();
  }
  const auto& spec = std::get<AceSpec>(model.basis);
  const Provenance provenance{{"code", fmt::format("ipfit {}, build {}", version(), build_id())},
                              {"inputs", inputs},
                              {"functions", std::to_string(model.coefficients.size())}};
  return LammpsFiles{
      write_yace(spec, model.coefficients, model.one_body, provenance),
      lammps_input(spec.elements, model.zbl, {potential_name, kLammpsStructureName}),
      data_file(model, shown),
  };
}

}  // namespace ipfit
