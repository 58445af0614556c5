#include "worker/basis/pair/pair_basis.h"

#include <algorithm>

namespace ipfit {

PairBasis::PairBasis(const PairSpec& spec, std::vector<double> coefficients)
    : functions_(spec.cutoff, spec.size),
      elements_(static_cast<int>(spec.elements.size())),
      columns_(column_count(spec)),
      coefficients_(std::move(coefficients)),
      per_cutoff_squared_(1.0 / (spec.cutoff * spec.cutoff)),
      batches_(spec.elements.size()),
      sums_(spec.elements.size(), Eigen::Matrix<double, kMoments, Eigen::Dynamic>::Zero(kMoments, spec.size)) {
  for (int e = 0; e < elements_; ++e) {
    element_of_[spec.elements[static_cast<std::size_t>(e)]] = e;
  }
}

std::int64_t PairBasis::first_column(int element_a, int element_b) const {
  const int low = std::min(element_a, element_b);
  const int high = std::max(element_a, element_b);
  return std::int64_t{functions_.size()} * (low * elements_ - low * (low - 1) / 2 + high - low);
}

template <class Flush>
void PairBasis::for_each_batch(const Environment& site, Flush flush) {
  for (const Neighbour& neighbour : site.neighbours) {
    const auto element = static_cast<std::size_t>(element_of_[neighbour.species]);
    Batch& batch = batches_[element];
    const Vec3& r = neighbour.r;
    batch.s[batch.count] = r.squaredNorm() * per_cutoff_squared_;
    batch.moments.col(batch.count) << r.x(), r.y(), r.z(), r.x() * r.x(), r.y() * r.y(), r.z() * r.z(), r.y() * r.z(),
        r.x() * r.z(), r.x() * r.y(), 0.0;
    batch.met = true;
    if (++batch.count == kLanes) {
      flush(element);
      batch.count = 0;
    }
  }
  for (std::size_t element = 0; element < batches_.size(); ++element) {
    Batch& batch = batches_[element];
    if (batch.count > 0) {
      batch.s.tail(kLanes - batch.count).setOnes();
      batch.moments.rightCols(kLanes - batch.count).setZero();
      flush(element);
      batch.count = 0;
    }
  }
}

void PairBasis::add_site(const Environment& site, const Rows& rows) {
  if (coefficients_.empty()) {
    add_functions(site, rows);
  } else {
    add_potential(site, rows);
  }
}

void PairBasis::add_functions(const Environment& site, const Rows& rows) {
  for_each_batch(site, [&](std::size_t element) {
    const Batch& batch = batches_[element];
    auto& sums = sums_[element];
    // Inlined, so that value and slope stay in registers.
    functions_.for_each(
        batch.s, [&](int k, const Lanes& value, const Lanes& slope) __attribute__((always_inline)) {
          sums.col(k) += batch.moments.lazyProduct(slope.matrix());
          sums(kEnergy, k) += value.sum();
        });
  });
  const int centre = element_of_[site.species];
  for (int e = 0; e < elements_; ++e) {
    Batch& batch = batches_[static_cast<std::size_t>(e)];
    if (!batch.met) {
      continue;
    }
    batch.met = false;
    auto& sums = sums_[static_cast<std::size_t>(e)];
    const std::int64_t first = first_column(centre, e);
    const auto add = [&, size = functions_.size()](double* row, int moment, double factor) {
      const double* from = sums.data() + moment;
      for (double *to = row + first, *const end = to + size; to != end; ++to, from += kMoments) {
        *to += factor * *from;
      }
    };
    if (rows.energy != nullptr) {
      add(rows.energy, kEnergy, 0.5);
    }
    for (int axis = 0; rows.forces != nullptr && axis < 3; ++axis) {
      add(rows.forces + (3 * std::int64_t{site.atom} + axis) * rows.columns, axis, 2.0);
    }
    for (int component = 0; rows.virial != nullptr && component < 6; ++component) {
      add(rows.virial + component * rows.columns, 3 + component, -1.0);
    }
    sums.setZero();
  }
}

void PairBasis::add_potential(const Environment& site, const Rows& rows) {
  const int centre = element_of_[site.species];
  Moments sums = Moments::Zero();
  for_each_batch(site, [&](std::size_t element) {
    Batch& batch = batches_[element];
    batch.met = false;
    const double* c = coefficients_.data() + first_column(centre, static_cast<int>(element));
    Lanes value = Lanes::Zero();
    Lanes slope = Lanes::Zero();
    functions_.for_each(
        batch.s, [&](int k, const Lanes& phi, const Lanes& phi_slope) __attribute__((always_inline)) {
          value += c[k] * phi;
          slope += c[k] * phi_slope;
        });
    sums += batch.moments.lazyProduct(slope.matrix());
    sums[kEnergy] += value.sum();
  });
  if (rows.energy != nullptr) {
    *rows.energy += 0.5 * sums[kEnergy];
  }
  for (int axis = 0; rows.forces != nullptr && axis < 3; ++axis) {
    rows.forces[3 * std::int64_t{site.atom} + axis] += 2.0 * sums[axis];
  }
  for (int component = 0; rows.virial != nullptr && component < 6; ++component) {
    rows.virial[component] -= sums[3 + component];
  }
}

}  // namespace ipfit
