#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/model/model.h"
#include "common/result.h"

namespace ipfit {

/// A small built-in problem with a known answer. A worker evaluates it (worker/self_test.h) and sends the numbers when
/// it joins; the manager compares them with what they must be, without an evaluator of its own. It finds binaries,
/// processors and numerical settings that compute something else before they spoil a fit.
Structure probe_structure();  ///< three atoms of two elements in a skewed cell that is smaller than the cutoff

/// What is evaluated for it: rows of the pair basis; rows of the ACE basis, with all families of radial functions, all
/// ranks, and harmonics up to l = 4; and a potential of that basis, which has arithmetic of its own.
std::vector<Model> probe_models();

/// An entry of the rows (energy, forces, virial) that belongs to the self-test, and what it must be: computed with 40
/// digits or more by tests/golden/pair_probe.py and ace_probe.py from the formulas in docs/explanation, independently
/// of the evaluator.
struct ProbeEntry {
  std::size_t model;  ///< index in probe_models()
  std::int64_t row;
  std::int64_t column;
  double value;
};
std::span<const ProbeEntry> probe_entries();

/// `found`: the numbers of probe_entries, in their order. Errors (kRefused) where the count differs, or a number by
/// more than 1e-12 of its expected size: some 4000 units in the last place, while the order of some hundred additions
/// and fused operations change some thirty (found: 7e-15 at most, with all vector instructions).
Status check_self_test(std::span<const double> found);

}  // namespace ipfit
