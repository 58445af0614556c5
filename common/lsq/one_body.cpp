#include "common/lsq/one_body.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>

#include "common/atoms/cell.h"
#include "common/atoms/element.h"
#include "common/lsq/reduced.h"

namespace ipfit {
namespace {

// Isolated atoms of one element may differ by the convergence of a calculation, not by its settings.
constexpr double kSameEnergy = 1e-6;  // eV

// Compositions are ratios of small integers: singular values are zero or far above this, rounding far below.
constexpr double kSameComposition = 1e-10;

std::string place(const Source& source) {
  return fmt::format("{} frame {} (line {})", source.file, source.frame, source.line);
}

// "one_body = { In = -1.5, P = ? }", with what is known and a question mark for what is not.
std::string line_to_add(const std::vector<std::uint8_t>& elements, const std::map<std::uint8_t, double>& known) {
  std::string entries;
  for (const std::uint8_t element : elements) {
    const auto found = known.find(element);
    entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", element_symbol(element),
                           found == known.end() ? "?" : fmt::format("{}", found->second));
  }
  return fmt::format("one_body = {{ {} }}", entries);
}

Error missing(const std::string& what, const std::string& remedy) {
  return {ErrorKind::kInput, "reference.one_body", what, remedy};
}

Result<OneBodyEnergies> given(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements) {
  OneBodyEnergies out;
  std::vector<Error> errors;
  for (const std::uint8_t element : elements) {
    const auto found = reference.energies.find(element);
    if (found == reference.energies.end()) {
      errors.push_back(missing(fmt::format("no energy is given for {}", element_symbol(element)),
                               "write " + line_to_add(elements, reference.energies) + ", in eV per atom"));
    } else {
      out.energies[element] = found->second;
    }
  }
  return errors.empty() ? Result(std::move(out)) : Result<OneBodyEnergies>(std::move(errors));
}

std::string structures_with(std::uint8_t element, std::span<const Composition> data) {
  constexpr int kNamed = 3;
  std::int64_t count = 0;
  std::string named;
  for (const Composition& composition : data) {
    if (composition.counts.contains(element) && ++count <= kNamed) {
      named += (named.empty() ? "" : ", ") + place(composition.source);
    }
  }
  if (count == 0) {
    return "no structure contains it";
  }
  return fmt::format("{} {} it: {}{}", count, count == 1 ? "structure contains" : "structures contain", named,
                     count > kNamed ? ", ..." : "");
}

Result<OneBodyEnergies> from_isolated_atoms(const std::vector<std::uint8_t>& elements,
                                            std::span<const Composition> data, double cutoff) {
  OneBodyEnergies out;
  std::map<std::uint8_t, const Composition*> first;
  std::vector<Error> errors;
  for (const Composition& atom : data) {
    if (!(atom.image_distance > cutoff) || !atom.energy) {
      continue;
    }
    const std::uint8_t element = atom.counts.begin()->first;
    const auto [known, is_new] = first.try_emplace(element, &atom);
    if (is_new) {
      out.energies[element] = *atom.energy;
    } else if (std::abs(*atom.energy - out.energies[element]) > kSameEnergy) {
      errors.push_back(
          {ErrorKind::kInput, fmt::format("{}:{}", atom.source.file, atom.source.line),
           fmt::format("this isolated atom of {} has {} eV, the one in {} has {} eV", element_symbol(element),
                       *atom.energy, place(known->second->source), out.energies[element]),
           "remove the wrong one, or give the energies as " + line_to_add(elements, {})});
    }
  }
  for (const std::uint8_t element : elements) {
    if (!first.contains(element)) {
      errors.push_back(missing(fmt::format("the training data have no isolated atom of {} with an energy; {}",
                                           element_symbol(element), structures_with(element, data)),
                               "add one, or write " + line_to_add(elements, out.energies) + ", in eV per atom"));
    }
  }
  return errors.empty() ? Result(std::move(out)) : Result<OneBodyEnergies>(std::move(errors));
}

OneBodyEnergies fitted(const std::vector<std::uint8_t>& elements, std::span<const Composition> data) {
  std::vector<double> fractions;
  std::vector<double> energies;
  for (const Composition& composition : data) {
    if (!composition.energy) {
      continue;
    }
    std::int64_t atoms = 0;
    for (const auto& [element, count] : composition.counts) {
      atoms += count;
    }
    const double per_atom = 1.0 / static_cast<double>(atoms);
    for (const std::uint8_t element : elements) {
      const auto found = composition.counts.find(element);
      fractions.push_back(found == composition.counts.end() ? 0.0 : static_cast<double>(found->second) * per_atom);
    }
    energies.push_back(*composition.energy * per_atom);
  }
  const auto columns = static_cast<std::int64_t>(elements.size());
  const ReducedSystem system = reduce(fractions, energies, columns);
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(system.R, Eigen::ComputeFullU | Eigen::ComputeFullV);
  svd.setThreshold(kSameComposition);
  const Eigen::VectorXd solution = svd.solve(system.z);
  OneBodyEnergies out;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    out.energies[elements[k]] = solution[static_cast<Eigen::Index>(k)];
  }
  if (svd.rank() < columns) {
    out.note = fmt::format(
        "the compositions determine {} of {} one-body energies; the solution of least norm is used, whose single "
        "energies "
        "mean nothing: only sums over compositions as in the data do",
        svd.rank(), columns);
  }
  return out;
}

}  // namespace

Composition composition_of(const Structure& structure) {
  Composition out{{}, structure.labels.energy, image_distance(structure), structure.source};
  for (const std::uint8_t element : structure.species) {
    ++out.counts[element];
  }
  return out;
}

Result<OneBodyEnergies> one_body_energies(const ReferenceSpec& reference, const std::vector<std::uint8_t>& elements,
                                          std::span<const Composition> data, double cutoff) {
  switch (reference.one_body) {
    case OneBodyRule::kNone:
      break;
    case OneBodyRule::kGiven:
      return given(reference, elements);
    case OneBodyRule::kIsolatedAtom:
      return from_isolated_atoms(elements, data, cutoff);
    case OneBodyRule::kFit:
      return fitted(elements, data);
  }
  OneBodyEnergies none;
  for (const std::uint8_t element : elements) {
    none.energies[element] = 0.0;
  }
  return none;
}

}  // namespace ipfit
