#pragma once

#include <vector>

#include "common/atoms/structure.h"
#include "common/result.h"
#include "tests/support/yace/potential.h"

namespace ipfit::test::yace {

/// What a potential says about a structure; site energies include E0.
struct Evaluation {
  double energy = 0.0;           ///< eV
  std::vector<double> energies;  ///< eV, per atom
  std::vector<Vec3> forces;      ///< eV/Å
  Mat3 virial = Mat3::Zero();    ///< eV; -dE/dstrain, row index: force component
};

/// Evaluates literally what the file says, in complex arithmetic, with closed-form radial functions and with neighbours
/// found by trying all images: the independent witness of what ipfit writes. Errors (kInput): an element that the
/// potential does not know.
Result<Evaluation> evaluate(const Potential& potential, const Structure& structure);

}  // namespace ipfit::test::yace
