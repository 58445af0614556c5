#include "manager/output/lammps_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>

#include "common/atoms/element.h"

namespace ipfit {
namespace {

constexpr const char* kInput = R"(# Evaluates {structure} with {potential}, once: lmp -in in.lammps
# LAMMPS needs its package ML-PACE: lmp -h then lists the pair style pace. ipfit predict gives the same energy.

units        metal                 # eV, angstrom, ps, bar
newton       on
atom_style   atomic
boundary     p p p

read_data    {structure}

{pair}
neighbor     1.0 bin
thermo_style custom step atoms pe fnorm fmax press vol
run          0
print        "energy $(pe) eV, norm of all forces $(fnorm) eV/angstrom, pressure $(press) bar"

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

/// LAMMPS splits lines at blanks, but for what stands in quotes.
std::string quoted(const std::string& name) {
  return name.find_first_of(" \t#&$") == std::string::npos ? name : '"' + name + '"';
}

std::string pair_lines(const std::vector<std::uint8_t>& elements, const std::optional<Zbl>& zbl,
                       const std::string& potential) {
  std::vector<std::string_view> symbols;
  for (const std::uint8_t element : elements) {
    symbols.push_back(element_symbol(element));
  }
  if (!zbl) {
    return fmt::format("pair_style   pace\npair_coeff   * * {} {}\n", potential, fmt::join(symbols, " "));
  }
  std::string text = fmt::format("pair_style   hybrid/overlay pace zbl {} {}\npair_coeff   * * pace {} {}\n",
                                 zbl->inner, zbl->outer, potential, fmt::join(symbols, " "));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = i; j < elements.size(); ++j) {
      fmt::format_to(std::back_inserter(text), "pair_coeff   {} {} zbl {} {}\n", i + 1, j + 1, elements[i],
                     elements[j]);
    }
  }
  return text;
}

}  // namespace

std::string lammps_input(const std::vector<std::uint8_t>& elements, const std::optional<Zbl>& zbl,
                         const LammpsNames& names) {
  return fmt::format(kInput, fmt::arg("structure", names.structure), fmt::arg("potential", names.potential),
                     fmt::arg("pair", pair_lines(elements, zbl, quoted(names.potential))));
}

}  // namespace ipfit
