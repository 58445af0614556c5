#include "worker/basis/ace/ace_basis.h"

#include <algorithm>

#include "worker/basis/ace/harmonics.h"

namespace ipfit {
namespace {

constexpr std::int32_t kTotals = 9;  // force on the centre, virial

// What the site kernel, which sees no header but its own, takes for granted.
static_assert(kSide == RadialFunctions::kLanes);
static_assert(kLargestHarmonic == AceSpec::kLargestDegree);
static_assert(AceSpec::kLargestRank == 6, "its functions are made for ranks 1 to 6");

std::int32_t padded(std::size_t count) {
  return static_cast<std::int32_t>((count + kSide - 1) / kSide) * kSide;
}

using Distances = std::array<double, RadialFunctions::kLanes>;

/// Bond vectors, unit vectors and inverse distances of kSide neighbours from `first` on; gives their distances. Padding
/// is an atom at the cutoff, where all radial functions are zero.
Distances place(const Environment& site, const std::vector<std::int32_t>& found, double cutoff, std::int32_t first,
                std::int32_t stride, double* r, double* unit, double* inverse) {
  Distances distance{};
  for (std::int32_t lane = 0; lane < kSide; ++lane) {
    const std::int32_t at = first + lane;
    const auto index = static_cast<std::size_t>(at);
    const Neighbour* neighbour =
        index < found.size() ? &site.neighbours[static_cast<std::size_t>(found[index])] : nullptr;
    const Vec3 position = neighbour != nullptr ? neighbour->r : Vec3(0.0, 0.0, cutoff);
    const double length = neighbour != nullptr ? neighbour->distance : cutoff;
    distance[static_cast<std::size_t>(lane)] = length;
    inverse[at] = 1.0 / length;
    for (std::int32_t axis = 0; axis < 3; ++axis) {
      r[axis * stride + at] = position[axis];
      unit[axis * stride + at] = position[axis] / length;
    }
  }
  return distance;
}

}  // namespace

AceBasis::AceBasis(const AceSpec& spec, std::vector<double> coefficients, const SiteKernel& kernel)
    : spec_(spec),
      plan_(make_ace_plan(spec)),
      coefficients_(std::move(coefficients)),
      recursion_(harmonic_recursion(AceSpec::kLargestDegree)),
      kernel_(kernel),
      neighbours_(spec.elements.size()) {
  element_of_.fill(-1);
  for (std::size_t e = 0; e < spec_.elements.size(); ++e) {
    element_of_[spec_.elements[e]] = static_cast<int>(e);
  }
  for (const AceBond& bond : spec_.bonds) {
    radial_.emplace_back(bond);
    cutoff_ = std::max(cutoff_, bond.cutoff);
  }
  for (const CentrePlan& centre : plan_->centres) {
    densities_.at_least(static_cast<std::size_t>(centre.rows));
    values_.at_least(static_cast<std::size_t>(centre.columns));
    gradients_.at_least(static_cast<std::size_t>(std::max<std::int64_t>(centre.gradients, centre.rows)));
    scratch_.at_least(static_cast<std::size_t>(std::max<std::int64_t>(centre.scratch, kCollected * kTile)));
    if (!coefficients_.empty()) {
      couplings_.push_back(summed_couplings(centre, coefficients_.data() + centre.first_column));
      std::vector<const double*>& first = coupling_of_.emplace_back();
      const double* next = couplings_.back().data();
      for (const BatchView& batch : centre.batches) {
        first.push_back(next);
        next += batch.orbits * kSide;
      }
    }
  }
}

void AceBasis::collect(const Environment& site) {
  for (Neighbours& neighbours : neighbours_) {
    neighbours.found.clear();
  }
  const auto centre = static_cast<std::size_t>(element_of_[site.species]);
  for (std::size_t i = 0; i < site.neighbours.size(); ++i) {
    const Neighbour& neighbour = site.neighbours[i];
    const auto element = static_cast<std::size_t>(element_of_[neighbour.species]);
    if (neighbour.distance < spec_.bonds[spec_.bond_index(centre, element)].cutoff) {
      neighbours_[element].found.push_back(static_cast<std::int32_t>(i));
    }
  }
}

void AceBasis::number_atoms(const Environment& site, Neighbours& neighbours) {
  neighbours.atom.clear();
  neighbours.atoms.clear();
  for (const std::int32_t i : neighbours.found) {
    const std::int32_t atom = site.neighbours[static_cast<std::size_t>(i)].atom;
    if (atom == site.atom) {
      neighbours.atom.push_back(-1);
      continue;
    }
    if (static_cast<std::size_t>(atom) >= number_of_atom_.size()) {
      number_of_atom_.resize(static_cast<std::size_t>(atom) + 1, -1);
    }
    std::int32_t& number = number_of_atom_[static_cast<std::size_t>(atom)];
    if (number < 0) {
      number = static_cast<std::int32_t>(neighbours.atoms.size());
      neighbours.atoms.push_back(atom);
    }
    neighbours.atom.push_back(number);
  }
  for (const std::int32_t atom : neighbours.atoms) {
    number_of_atom_[static_cast<std::size_t>(atom)] = -1;
  }
}

void AceBasis::prepare(const Environment& site, std::size_t centre, std::size_t element) {
  Neighbours& neighbours = neighbours_[element];
  const NeighbourPlan& plan = plan_->centres[centre].neighbours[element];
  const RadialFunctions& radial = radial_[spec_.bond_index(centre, element)];
  number_atoms(site, neighbours);
  const std::int32_t stride = padded(neighbours.found.size());
  const std::int32_t components = (plan.l_max + 1) * (plan.l_max + 1);
  const auto wide = static_cast<std::size_t>(stride);
  double* next = neighbours.numbers.at_least(
      wide * (7 + 2 * static_cast<std::size_t>(radial.size()) + 4 * static_cast<std::size_t>(components)));
  const auto take = [&](std::int32_t rows) {
    double* const begin = next;
    next += rows * stride;
    return begin;
  };
  double* const r = take(3);
  double* const unit = take(3);
  double* const inverse = take(1);
  double* const values = take(radial.size());
  double* const slopes = take(radial.size());
  double* const harmonics = take(components);
  double* const gradients = take(3 * components);

  scratch_.at_least(std::size_t{2 * kSide} * static_cast<std::size_t>(radial.size()));
  for (std::int32_t j = 0; j < stride; j += kSide) {
    const Distances distance = place(site, neighbours.found, radial.cutoff(), j, stride, r, unit, inverse);
    double* const lanes = scratch_.data();
    radial.evaluate(distance, lanes, lanes + radial.size() * kSide);
    for (std::int32_t n = 0; n < radial.size(); ++n) {
      std::copy_n(lanes + n * kSide, kSide, values + n * stride + j);
      std::copy_n(lanes + (radial.size() + n) * kSide, kSide, slopes + n * stride + j);
    }
  }
  kernel_.harmonics(plan.l_max, stride, unit, recursion_.data(), harmonics, gradients);
  neighbours.view = {static_cast<std::int32_t>(neighbours.found.size()),
                     stride,
                     r,
                     unit,
                     inverse,
                     values,
                     slopes,
                     harmonics,
                     gradients,
                     neighbours.atom.data(),
                     static_cast<std::int32_t>(neighbours.atoms.size()),
                     neighbours.atoms.size() == neighbours.found.size()};
}

void AceBasis::add_site(const Environment& site, const Rows& rows) {
  collect(site);
  const auto centre = static_cast<std::size_t>(element_of_[site.species]);
  const CentrePlan& plan = plan_->centres[centre];
  if (plan.columns == 0 || site.neighbours.empty()) {
    return;
  }
  for (std::size_t element = 0; element < neighbours_.size(); ++element) {
    if (!plan.neighbours[element].labels.empty() && !neighbours_[element].found.empty()) {
      prepare(site, centre, element);
    } else {
      neighbours_[element].found.clear();
    }
  }
  if (coefficients_.empty()) {
    add_functions(site, plan, rows);
  } else {
    add_potential(site, centre, rows);
  }
}

void AceBasis::add_functions(const Environment& site, const CentrePlan& plan, const Rows& rows) {
  double* const densities = densities_.data();
  std::fill_n(densities, plan.rows, 0.0);
  for (std::size_t element = 0; element < neighbours_.size(); ++element) {
    Neighbours& neighbours = neighbours_[element];
    const NeighbourPlan& part = plan.neighbours[element];
    if (neighbours.found.empty()) {
      continue;
    }
    const auto labels = static_cast<std::int32_t>(part.labels.size());
    // An odd number of cache lines apart, so that the rows of a tile do not compete for the same places in the cache;
    // and room behind the last row for what whole vectors write beyond.
    neighbours.stride = padded(3 * neighbours.atoms.size() + kTotals) | kSide;
    neighbours.derivatives.at_least(static_cast<std::size_t>(part.rows * neighbours.stride) + kTile);
    scratch_.at_least(3 * static_cast<std::size_t>(neighbours.view.padded));
    kernel_.derivatives(neighbours.view, part.labels.data(), labels, densities + part.first_row,
                        neighbours.derivatives.data(), neighbours.stride, scratch_.data());
  }
  kernel_.products(plan.batches.data(), static_cast<std::int32_t>(plan.batches.size()), densities, values_.data(),
                   gradients_.data(), scratch_.data());
  if (rows.energy != nullptr) {
    double* const energy = rows.energy + plan.first_column;
    const double* const values = values_.data();
    for (std::int64_t column = 0; column < plan.columns; ++column) {
      energy[column] += values[column];
    }
  }
  for (std::size_t element = 0; element < neighbours_.size(); ++element) {
    if (!neighbours_[element].found.empty()) {
      add_products(site, element, plan, rows);
    }
  }
}

void AceBasis::add_products(const Environment& site, std::size_t element, const CentrePlan& plan, const Rows& rows) {
  const Neighbours& neighbours = neighbours_[element];
  const NeighbourPlan& part = plan.neighbours[element];
  targets_.clear();
  if (rows.forces != nullptr) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      for (const std::int32_t atom : neighbours.atoms) {
        targets_.push_back(rows.forces + (3 * std::int64_t{atom} + axis) * rows.columns + plan.first_column);
      }
    }
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      targets_.push_back(rows.forces + (3 * std::int64_t{site.atom} + axis) * rows.columns + plan.first_column);
    }
  }
  if (rows.virial != nullptr) {
    for (std::int64_t component = 0; component < 6; ++component) {
      targets_.push_back(rows.virial + component * rows.columns + plan.first_column);
    }
  }
  const std::int64_t skipped = rows.forces == nullptr ? 3 * std::int64_t{neighbours.view.atoms} + 3 : 0;
  kernel_.contract(part.runs.data(), static_cast<std::int32_t>(part.runs.size()), part.terms.data(), gradients_.data(),
                   neighbours.derivatives.data() + skipped, neighbours.stride,
                   static_cast<std::int32_t>(targets_.size()), targets_.data(), scratch_.data());
}

void AceBasis::add_potential(const Environment& site, std::size_t centre, const Rows& rows) {
  const CentrePlan& plan = plan_->centres[centre];
  double* const densities = densities_.data();
  double* const gradients = gradients_.data();
  std::fill_n(densities, plan.rows, 0.0);
  std::fill_n(gradients, plan.rows, 0.0);
  for (std::size_t element = 0; element < neighbours_.size(); ++element) {
    const NeighbourPlan& part = plan.neighbours[element];
    if (!neighbours_[element].found.empty()) {
      kernel_.densities(neighbours_[element].view, part.labels.data(), static_cast<std::int32_t>(part.labels.size()),
                        densities + part.first_row);
    }
  }
  const double energy = kernel_.potential(plan.batches.data(), static_cast<std::int32_t>(plan.batches.size()),
                                          coupling_of_[centre].data(), densities, gradients, scratch_.data());
  if (rows.energy != nullptr) {
    *rows.energy += energy;
  }
  if (rows.forces == nullptr && rows.virial == nullptr) {
    return;
  }
  for (std::size_t element = 0; element < neighbours_.size(); ++element) {
    Neighbours& neighbours = neighbours_[element];
    const NeighbourPlan& part = plan.neighbours[element];
    if (neighbours.found.empty()) {
      continue;
    }
    const std::int64_t stride = neighbours.view.padded;
    double* const forces = neighbours.derivatives.at_least(static_cast<std::size_t>(3 * stride));
    const auto degrees = static_cast<std::size_t>(part.l_max) + 1;
    scratch_.at_least(2 * kSide * degrees * degrees);
    kernel_.forces(neighbours.view, part.labels.data(), static_cast<std::int32_t>(part.labels.size()),
                   gradients + part.first_row, part.l_max, forces, scratch_.data());
    for (std::size_t j = 0; j < neighbours.found.size(); ++j) {
      const Neighbour& neighbour = site.neighbours[static_cast<std::size_t>(neighbours.found[j])];
      const Vec3 f(forces[j], forces[static_cast<std::size_t>(stride) + j],
                   forces[2 * static_cast<std::size_t>(stride) + j]);
      if (rows.forces != nullptr) {
        for (std::int64_t axis = 0; axis < 3; ++axis) {
          rows.forces[3 * std::int64_t{neighbour.atom} + axis] += f[axis];
          rows.forces[3 * std::int64_t{site.atom} + axis] -= f[axis];
        }
      }
      if (rows.virial != nullptr) {
        const Vec3& r = neighbour.r;
        rows.virial[0] += f.x() * r.x();
        rows.virial[1] += f.y() * r.y();
        rows.virial[2] += f.z() * r.z();
        rows.virial[3] += 0.5 * (f.y() * r.z() + f.z() * r.y());
        rows.virial[4] += 0.5 * (f.x() * r.z() + f.z() * r.x());
        rows.virial[5] += 0.5 * (f.x() * r.y() + f.y() * r.x());
      }
    }
  }
}

}  // namespace ipfit
