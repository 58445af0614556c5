#include "tests/support/yace/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <optional>

#include "common/atoms/element.h"
#include "tests/support/image_neighbours.h"
#include "tests/support/yace/harmonics.h"
#include "tests/support/yace/radial.h"

namespace ipfit::test::yace {
namespace {

using Complex = std::complex<double>;

/// One neighbour of a centre and its one-particle functions.
struct Neighbour {
  std::int32_t atom = 0;
  std::size_t species = 0;
  Vec3 r;
  double distance = 0.0;
  Vec3 unit;
  std::vector<Slope> g;                ///< by k
  std::vector<Complex> phi;            ///< R_nl Y_lm, by index(bond, n, l, m)
  std::vector<Eigen::Vector3cd> dphi;  ///< gradients by the position of the neighbour
  Slope core;
};

/// The sums over neighbours, by species: A1_k and A_nlm; or the derivatives of something by them.
struct Densities {
  std::vector<std::vector<double>> rank_one;
  std::vector<std::vector<Complex>> many;
};

std::size_t index_of(const Bond& bond, int n, int l, int m) {
  return static_cast<std::size_t>((n - 1) * (bond.lmax + 1) * (bond.lmax + 1) + l * l + l + m);
}
std::size_t functions_of(const Bond& bond) {
  return static_cast<std::size_t>(bond.nradmax * (bond.lmax + 1) * (bond.lmax + 1));
}

void add_one_particle_functions(const Bond& bond, InnerCutoff inner, Neighbour& neighbour) {
  neighbour.g = radial_functions(bond, inner, neighbour.distance);
  neighbour.phi.resize(functions_of(bond));
  neighbour.dphi.resize(functions_of(bond));
  const Harmonics Y(neighbour.unit, bond.lmax);
  for (int n = 1; n <= bond.nradmax; ++n) {
    for (int l = 0; l <= bond.lmax; ++l) {
      Slope R;
      for (int k = 1; k <= bond.nradbasemax; ++k) {
        const Slope& g = neighbour.g[static_cast<std::size_t>(k) - 1];
        R.value += bond.coefficient(n, l, k) * g.value;
        R.slope += bond.coefficient(n, l, k) * g.slope;
      }
      for (int m = -l; m <= l; ++m) {
        const std::size_t index = index_of(bond, n, l, m);
        neighbour.phi[index] = R.value * Y.value(l, m);
        neighbour.dphi[index] =
            R.slope * Y.value(l, m) * neighbour.unit + R.value / neighbour.distance * Y.tangent(l, m);
      }
    }
  }
}

/// A centre with its neighbours inside the cutoffs of their bonds.
struct Site {
  const Potential& potential;
  std::size_t centre;
  std::vector<Neighbour> neighbours;

  const Bond& bond(std::size_t species) const { return potential.bond(centre, species); }

  Densities zeros() const {
    Densities zero;
    for (std::size_t species = 0; species < potential.elements.size(); ++species) {
      zero.rank_one.emplace_back(static_cast<std::size_t>(bond(species).nradbasemax), 0.0);
      zero.many.emplace_back(functions_of(bond(species)), 0.0);
    }
    return zero;
  }
};

Densities sum_neighbours(const Site& site) {
  Densities A = site.zeros();
  for (const Neighbour& neighbour : site.neighbours) {
    auto& rank_one = A.rank_one[neighbour.species];
    auto& many = A.many[neighbour.species];
    for (std::size_t k = 0; k < rank_one.size(); ++k) {
      rank_one[k] += neighbour.g[k].value;
    }
    for (std::size_t i = 0; i < many.size(); ++i) {
      many[i] += neighbour.phi[i];
    }
  }
  return A;
}

/// rho_p, and its derivatives by the A, those of all m taken as independent.
struct Density {
  double rho = 0.0;
  Densities derivatives;
};

void add_products(const Site& site, const Function& function, std::size_t p, const Densities& A, Density& density) {
  const auto rank = static_cast<std::size_t>(function.rank);
  for (std::size_t tuple = 0; tuple < function.ms.size(); ++tuple) {
    const double c = function.ctildes[tuple][p];
    std::vector<std::size_t> species(rank), index(rank);
    for (std::size_t t = 0; t < rank; ++t) {
      species[t] = static_cast<std::size_t>(function.mus[t]);
      index[t] = index_of(site.bond(species[t]), function.ns[t], function.ls[t], function.ms[tuple][t]);
    }
    Complex whole = c;
    for (std::size_t t = 0; t < rank; ++t) {
      Complex others = c;
      for (std::size_t s = 0; s < rank; ++s) {
        others *= s == t ? Complex(1.0) : A.many[species[s]][index[s]];
      }
      density.derivatives.many[species[t]][index[t]] += others;
      whole *= A.many[species[t]][index[t]];
    }
    density.rho += whole.real();
  }
}

Density density_of(const Site& site, std::size_t p, const Densities& A) {
  Density density{0.0, site.zeros()};
  for (const Function& function : site.potential.functions[site.centre]) {
    if (function.rank == 1) {
      const auto species = static_cast<std::size_t>(function.mus[0]);
      const auto k = static_cast<std::size_t>(function.ns[0]) - 1;
      density.rho += function.ctildes[0][p] * A.rank_one[species][k];
      density.derivatives.rank_one[species][k] += function.ctildes[0][p];
    } else {
      add_products(site, function, p, A, density);
    }
  }
  return density;
}

/// d rho / d r_j.
Vec3 gradient(const Density& density, const Neighbour& neighbour) {
  Vec3 sum = Vec3::Zero();
  const auto& rank_one = density.derivatives.rank_one[neighbour.species];
  const auto& many = density.derivatives.many[neighbour.species];
  for (std::size_t k = 0; k < rank_one.size(); ++k) {
    sum += rank_one[k] * neighbour.g[k].slope * neighbour.unit;
  }
  for (std::size_t i = 0; i < many.size(); ++i) {
    sum += (many[i] * neighbour.dphi[i]).real();
  }
  return sum;
}

/// An energy of a site and its gradients by the positions of the neighbours.
struct SiteEnergy {
  double energy = 0.0;
  std::vector<Vec3> gradients;
};

SiteEnergy embedded(const Site& site) {
  const Embedding& embedding = site.potential.embeddings[site.centre];
  const Densities A = sum_neighbours(site);
  SiteEnergy F{0.0, std::vector<Vec3>(site.neighbours.size(), Vec3::Zero())};
  for (std::size_t p = 0; p < embedding.w.size(); ++p) {
    const Density density = density_of(site, p, A);
    const Slope f = embedding_function(embedding.kind, density.rho, embedding.m[p]);
    F.energy += embedding.w[p] * f.value;
    for (std::size_t j = 0; j < site.neighbours.size(); ++j) {
      F.gradients[j] += embedding.w[p] * f.slope * gradient(density, site.neighbours[j]);
    }
  }
  return F;
}

/// E_i = f F + rho_core, f a function of rho_core.
SiteEnergy with_density_switch(const Site& site, const SiteEnergy& F, double rho_core) {
  const Embedding& embedding = site.potential.embeddings[site.centre];
  const Slope f = smooth_step(rho_core, embedding.rho_core_cutoff, embedding.drho_core_cutoff);
  SiteEnergy E{f.value * F.energy + rho_core, {}};
  for (std::size_t j = 0; j < site.neighbours.size(); ++j) {
    const Neighbour& neighbour = site.neighbours[j];
    E.gradients.push_back(f.value * F.gradients[j] +
                          (1.0 + F.energy * f.slope) * neighbour.core.slope * neighbour.unit);
  }
  return E;
}

/// E_i = f F + (1 - f) rho_core, f a function of the distance of the nearest neighbour, each distance counted from the
/// inner end of the switch of its bond.
SiteEnergy with_nearest_switch(const Site& site, const SiteEnergy& F, double rho_core) {
  double nearest = site.potential.largest_cutoff();
  std::optional<std::size_t> which;
  for (std::size_t j = 0; j < site.neighbours.size(); ++j) {
    const Bond& bond = site.bond(site.neighbours[j].species);
    const double d = site.neighbours[j].distance - (bond.rcut_in - bond.dcut_in);
    if (d < nearest) {
      nearest = d;
      which = j;
    }
  }
  Slope f{1.0, 0.0};
  if (which) {
    const double width = site.bond(site.neighbours[*which].species).dcut_in;
    const Slope step = smooth_step(width - nearest, width, width);
    f = {step.value, -step.slope};
  }
  SiteEnergy E{f.value * F.energy + (1.0 - f.value) * rho_core, {}};
  for (std::size_t j = 0; j < site.neighbours.size(); ++j) {
    const Neighbour& neighbour = site.neighbours[j];
    E.gradients.push_back(f.value * F.gradients[j] + (1.0 - f.value) * neighbour.core.slope * neighbour.unit);
    if (which == j) {
      E.gradients[j] += (F.energy - rho_core) * f.slope * neighbour.unit;
    }
  }
  return E;
}

SiteEnergy site_energy(const Site& site) {
  const SiteEnergy F = embedded(site);
  double rho_core = 0.0;
  for (const Neighbour& neighbour : site.neighbours) {
    rho_core += neighbour.core.value;
  }
  SiteEnergy E = site.potential.inner_cutoff == InnerCutoff::kZbl ? with_nearest_switch(site, F, rho_core)
                                                                  : with_density_switch(site, F, rho_core);
  E.energy += site.potential.E0[site.centre];
  return E;
}

/// Index of each atom's element in the potential.
Result<std::vector<std::size_t>> species_of(const Potential& potential, const Structure& structure) {
  std::vector<std::size_t> species;
  for (const std::uint8_t Z : structure.species) {
    const auto found = std::ranges::find(potential.elements, element_symbol(Z));
    if (found == potential.elements.end()) {
      return Error{ErrorKind::kInput, "", fmt::format("the potential does not know {}", element_symbol(Z)), ""};
    }
    species.push_back(static_cast<std::size_t>(found - potential.elements.begin()));
  }
  return species;
}

Site site_of(const Potential& potential, const Structure& structure, const std::vector<std::size_t>& species,
             std::int32_t atom) {
  const auto centre = static_cast<std::size_t>(atom);
  Site site{potential, species[centre], {}};
  for (const ImageNeighbour& image : image_neighbours(structure, atom, potential.largest_cutoff())) {
    const auto other = static_cast<std::size_t>(image.atom);
    const Bond& bond = site.bond(species[other]);
    const double distance = image.r.norm();
    if (distance < bond.rcut) {
      Neighbour neighbour;
      neighbour.atom = image.atom;
      neighbour.species = species[other];
      neighbour.r = image.r;
      neighbour.distance = distance;
      neighbour.unit = image.r / distance;
      add_one_particle_functions(bond, potential.inner_cutoff, neighbour);
      neighbour.core =
          core_repulsion(bond, potential.inner_cutoff, distance, structure.species[centre], structure.species[other]);
      site.neighbours.push_back(std::move(neighbour));
    }
  }
  return site;
}

}  // namespace

Result<Evaluation> evaluate(const Potential& potential, const Structure& structure) {
  const auto species = species_of(potential, structure);
  if (!species) {
    return species.errors();
  }
  Evaluation total;
  total.forces.assign(structure.species.size(), Vec3::Zero());
  for (std::int32_t atom = 0; atom < structure.size(); ++atom) {
    const Site site = site_of(potential, structure, *species, atom);
    const SiteEnergy E = site_energy(site);
    total.energies.push_back(E.energy);
    total.energy += E.energy;
    for (std::size_t j = 0; j < site.neighbours.size(); ++j) {
      const Neighbour& neighbour = site.neighbours[j];
      total.forces[static_cast<std::size_t>(atom)] += E.gradients[j];
      total.forces[static_cast<std::size_t>(neighbour.atom)] -= E.gradients[j];
      total.virial -= E.gradients[j] * neighbour.r.transpose();
    }
  }
  return total;
}

}  // namespace ipfit::test::yace
