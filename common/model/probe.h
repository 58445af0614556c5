#pragma once

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
Model probe_model();          ///< pair basis, not fitted

/// An entry of the rows (energy, forces, virial) of the probe.
struct ProbeEntry {
  std::int64_t row;
  std::int64_t column;
};

/// The entries that make up the self-test, in order: energy, forces on every atom, virial.
std::span<const ProbeEntry> probe_entries();

/// What they must be, computed with 50 digits by tests/golden/pair_probe.py from the formulas in
/// docs/explanation/pair-basis.md, independently of the evaluator.
std::span<const double> expected_self_test();

/// Errors (kRefused) where the count differs, or a number by more than 1e-12 of its expected size: some 4000 units in
/// the last place, while the order of some hundred additions may change a few.
Status check_self_test(std::span<const double> found);

}  // namespace ipfit
