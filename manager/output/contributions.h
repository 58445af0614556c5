#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "common/fit/fit_spec.h"
#include "common/json.h"
#include "common/lsq/observation.h"
#include "manager/output/compared.h"

namespace ipfit {

/// What some rows add to the weighted sum of squares that a fit minimises.
struct Contribution {
  std::int64_t rows = 0;      ///< that have a weight above 0
  std::int64_t left_out = 0;  ///< that have weight 0
  double sum = 0.0;           ///< of w^2 (A c - y)^2
};

/// What each group and kind of rows adds to it: which labels the fit listens to. Sums run in the order of the add
/// calls.
class Contributions {
 public:
  /// Adds the rows of one training structure, in row order; all of one length.
  void add(const std::string& group, std::int64_t atoms, RowMask mask, std::span<const double> weights,
           std::span<const double> labels, std::span<const double> predictions);

  const std::map<std::string, std::array<Contribution, kKinds>>& groups() const { return groups_; }
  /// Adds a structure with the weights that a fit gives it, where it is fitted to.
  void add(const Compared& compared, const WeightsSpec& weights);

  double total() const;

 private:
  std::map<std::string, std::array<Contribution, kKinds>> groups_;
};

/// The object "contributions" of errors.json (docs/reference/errors-json.md).
Json contributions_json(const Contributions& contributions);

/// A table for people, groups in alphabetical order.
std::string contributions_text(const Contributions& contributions);

/// "weight 0, not fitted to: 3840 forces of liquid", a line for each; empty where everything has a say.
std::string left_out_text(const Contributions& contributions);

}  // namespace ipfit
