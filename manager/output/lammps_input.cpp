#include "manager/output/lammps_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "common/atoms/element.h"

namespace ipfit {
namespace {

constexpr const char* kInput = R"(# Evaluates {structure} with {potential}, once: lmp -in in.lammps
# LAMMPS needs its package ML-PACE (lmp -h lists pair style pace).

units        metal                 # eV, angstrom, ps, bar
newton       on
atom_style   atomic
boundary     p p p

read_data    {structure}

{pair}
neighbor     1.0 bin
thermo_style custom step atoms pe fmax press vol
run          0
print        "energy $(pe) eV, largest force component $(fmax) eV/angstrom, pressure $(press) bar"

# Relaxation of atoms and cell: take away the # of these lines.
# fix          cell all box/relax aniso 0.0
# minimize     1.0e-10 1.0e-6 1000 10000

# Molecular dynamics at 300 K and no pressure: take away the # of these lines.
# replicate    2 2 2
# velocity     all create 300.0 4711
# timestep     0.001                 # ps
# fix          md all npt temp 300.0 300.0 0.1 iso 0.0 0.0 1.0
# thermo       100
# run          10000
)";

}  // namespace

std::string lammps_input(const std::vector<std::uint8_t>& elements, const LammpsNames& names) {
  std::vector<std::string_view> symbols;
  for (const std::uint8_t element : elements) {
    symbols.push_back(element_symbol(element));
  }
  const std::string pair =
      fmt::format("pair_style   pace\npair_coeff   * * {} {}\n", names.potential, fmt::join(symbols, " "));
  return fmt::format(kInput, fmt::arg("structure", names.structure), fmt::arg("potential", names.potential),
                     fmt::arg("pair", pair));
}

}  // namespace ipfit
