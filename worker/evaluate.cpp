#include "worker/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <optional>

#include "common/atoms/element.h"
#include "worker/row_checks.h"
#include "worker/zbl_rows.h"

namespace ipfit {
namespace {

std::string place(const Source& source) {
  return source.file.empty() ? "" : fmt::format("{} frame {} (line {})", source.file, source.frame, source.line);
}

std::vector<Error> at(const Structure& structure, std::vector<Error> errors) {
  for (Error& error : errors) {
    error.where = place(structure.source);
  }
  return errors;
}

std::string row_name(std::int64_t row, RowMask mask, std::int64_t atoms) {
  constexpr std::array<const char*, 6> kVoigt{"xx", "yy", "zz", "yz", "xz", "xy"};
  if (mask.energy && row-- == 0) {
    return "the energy";
  }
  if (mask.forces && row < 3 * atoms) {
    return fmt::format("the {} force on atom {}", "xyz"[row % 3], row / 3 + 1);
  }
  return fmt::format("the {} virial", kVoigt[static_cast<std::size_t>(mask.forces ? row - 3 * atoms : row)]);
}

}  // namespace

Evaluator::Evaluator(Model model)
    : model_(std::move(model)), columns_(model_.columns()), basis_(make_basis(model_.basis, model_.coefficients)) {}

std::string Evaluator::column_name(std::int64_t column) const {
  if (model_.fitted()) {
    return "the prediction";
  }
  return column == column_count(model_.basis)
             ? "the ZBL repulsion"
             : fmt::format("function {}", column_labels(model_.basis)[static_cast<std::size_t>(column)]);
}

Status Evaluator::check_elements(const Structure& structure) const {
  const std::vector<std::uint8_t>& known = elements_of(model_.basis);
  for (std::size_t i = 0; i < structure.species.size(); ++i) {
    if (std::find(known.begin(), known.end(), structure.species[i]) == known.end()) {
      std::string names;
      for (const std::uint8_t element : known) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", element_symbol(element));
      }
      return Error{ErrorKind::kFailed, "",
                   fmt::format("atom {} is {}, an element that the basis does not have (it has {})", i + 1,
                               element_symbol(structure.species[i]), names),
                   "add it to elements in [basis] or leave this structure out"};
    }
  }
  return Done{};
}

Rows Evaluator::layout(const Structure& structure, RowMask mask, std::span<double> out) {
  assert(static_cast<std::int64_t>(out.size()) == row_count(structure.size(), mask) * columns_);
  std::fill(out.begin(), out.end(), 0.0);
  unasked_.assign(static_cast<std::size_t>(7 * columns_), 0.0);
  Rows rows;
  rows.columns = columns_;
  double* next = out.data();
  const auto take = [&](std::int64_t count) {
    double* const begin = next;
    next += count * columns_;
    return begin;
  };
  rows.energy = mask.energy ? take(1) : unasked_.data();
  rows.forces = mask.forces ? take(3 * structure.size()) : nullptr;
  rows.virial = mask.virial ? take(6) : unasked_.data() + columns_;
  return rows;
}

// A repulsion may reach further than the basis, which wants to see no neighbours beyond its cutoff.
std::span<const Neighbour> Evaluator::seen_by_basis(std::span<const Neighbour> neighbours) {
  const double cutoff = basis_->cutoff();
  if (model_.cutoff() <= cutoff) {
    return neighbours;
  }
  near_.clear();
  std::copy_if(neighbours.begin(), neighbours.end(), std::back_inserter(near_),
               [&](const Neighbour& neighbour) { return neighbour.distance < cutoff; });
  return near_;
}

Status Evaluator::add_sites(const Structure& structure, const Rows& rows) {
  if (Status status = neighbours_.prepare(structure, model_.cutoff()); !status) {
    return status;
  }
  for (std::int32_t atom = 0; atom < structure.size(); ++atom) {
    const Result<std::span<const Neighbour>> found = neighbours_.of(atom);
    if (!found) {
      return found.errors();
    }
    Environment site{atom, structure.species[static_cast<std::size_t>(atom)], *found};
    if (model_.zbl) {
      add_zbl(*model_.zbl, site, columns_ - 1, rows);
    }
    site.neighbours = seen_by_basis(*found);
    basis_->add_site(site, rows);
  }
  return Done{};
}

Status Evaluator::check_finite(const Structure& structure, RowMask mask, std::span<const double> out) const {
  const std::optional<std::int64_t> bad = first_not_finite(out);
  if (!bad) {
    return Done{};
  }
  return Error{ErrorKind::kFailed, "",
               fmt::format("{} of {} is {}, not a finite number", row_name(*bad / columns_, mask, structure.size()),
                           column_name(*bad % columns_), out[static_cast<std::size_t>(*bad)]),
               "look at the distances and the coefficients, or leave this structure out"};
}

Status Evaluator::check_forces(const Structure& structure, const Rows& rows) {
  const std::optional<Imbalance> found = find_imbalance(structure.size(), rows, scratch_);
  if (!found) {
    return Done{};
  }
  return Error{ErrorKind::kFailed, "",
               fmt::format("the {} forces of {} sum to {:.3g} over the atoms, expected 0 within {:.3g}",
                           "xyz"[found->axis], column_name(found->column), found -> sum, found -> allowed),
               "memory or processor of this machine may be faulty: evaluate on another one"};
}

double Evaluator::one_body_energy(const Structure& structure) const {
  double energy = 0.0;
  for (const std::uint8_t species : structure.species) {
    const auto found = model_.one_body.find(species);
    energy += found == model_.one_body.end() ? 0.0 : found->second;
  }
  return energy;
}

Status Evaluator::evaluate(const Structure& structure, RowMask mask, std::span<double> out) {
  Status status = check_elements(structure);
  if (!status) {
    return at(structure, status.errors());
  }
  const Rows rows = layout(structure, mask, out);
  status = add_sites(structure, rows);
  if (status) {
    status = check_finite(structure, mask, out);
  }
  if (status && mask.forces) {
    status = check_forces(structure, rows);
  }
  if (!status) {
    return at(structure, status.errors());
  }
  if (model_.fitted() && mask.energy) {
    *rows.energy += one_body_energy(structure);
  }
  return status;
}

}  // namespace ipfit
