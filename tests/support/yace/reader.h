#pragma once

#include <string>
#include <string_view>

#include "common/result.h"
#include "tests/support/yace/potential.h"

namespace ipfit::test::yace {

/// Reads a .yace potential file, the input of LAMMPS pair_style pace; written from a description of the format and
/// sharing nothing with what ipfit writes it with. Stricter than the library that LAMMPS uses: what that would read
/// past the end, or as something undefined, is an error here. Not known: radial functions of the family ACE.jl. `name`
/// stands for the file in errors (kInput, with the line); up to 20 are reported. Untrusted input is welcome.
Result<Potential> read(std::string_view text, const std::string& name);

}  // namespace ipfit::test::yace
