#pragma once

#include <vector>

#include "tests/support/yace/potential.h"

namespace ipfit::test::yace {

/// A function of one number and its derivative.
struct Slope {
  double value = 0.0;
  double slope = 0.0;
};

/// Smooth step of fifth degree: 1 for x <= end - width, 0 for x >= end.
Slope smooth_step(double x, double end, double width);

/// g_1 ... g_K and their derivatives (1/Å) at distance 0 < r < rcut (Å), inner cutoff included. Closed forms, no
/// splines.
std::vector<Slope> radial_functions(const Bond& bond, InnerCutoff inner, double r);

/// Core repulsion phi (eV) of one neighbour at 0 < r < rcut; atomic numbers matter for InnerCutoff::kZbl only.
Slope core_repulsion(const Bond& bond, InnerCutoff inner, double r, int Z_centre, int Z_neighbour);

/// f(rho; m) of an embedding, and its derivative.
Slope embedding_function(EmbeddingKind kind, double rho, double m);

}  // namespace ipfit::test::yace
