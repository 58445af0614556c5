#include "manager/output/contributions.h"

#include <fmt/format.h>

#include <cassert>
#include <string_view>
#include <vector>

#include "common/lsq/weights.h"
#include "common/text_table.h"

namespace ipfit {
namespace {

constexpr std::array<std::string_view, kKinds> kKindNames{"energy", "forces", "virial"};

double share(double sum, double total) {
  return total > 0.0 ? sum / total : 0.0;
}

std::string percent(double sum, double total) {
  return fmt::format("{:.1f}", 100.0 * share(sum, total));
}

}  // namespace

void Contributions::add(const std::string& group, std::int64_t atoms, RowMask mask, std::span<const double> weights,
                        std::span<const double> labels, std::span<const double> predictions) {
  assert(weights.size() == labels.size() && labels.size() == predictions.size());
  const std::array<std::int64_t, kKinds> counts{mask.energy ? 1 : 0, mask.forces ? 3 * atoms : 0, mask.virial ? 6 : 0};
  std::size_t row = 0;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    Contribution& to = groups_[group][kind];
    for (std::int64_t i = 0; i < counts[kind]; ++i, ++row) {
      const double residual = weights[row] * (predictions[row] - labels[row]);
      to.sum += residual * residual;
      ++(weights[row] > 0.0 ? to.rows : to.left_out);
    }
  }
}

void Contributions::add(const Compared& compared, const WeightsSpec& weights) {
  const Structure& structure = compared.structure;
  if (structure.set != DataSet::kTrain) {
    return;
  }
  std::vector<double> of_rows(compared.labels.size());
  fill_weights(weights_of(weights, structure.config_type), structure, compared.mask, of_rows);
  add(structure.config_type, structure.size(), compared.mask, of_rows, compared.labels, compared.predictions);
}

double Contributions::total() const {
  double sum = 0.0;
  for (const auto& [name, kinds] : groups_) {
    for (const Contribution& kind : kinds) {
      sum += kind.sum;
    }
  }
  return sum;
}

Json contributions_json(const Contributions& contributions) {
  const double total = contributions.total();
  Json groups = Json::object();
  for (const auto& [name, kinds] : contributions.groups()) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Contribution& of = kinds[kind];
      groups[name][std::string(kKindNames[kind])] = {
          {"rows", of.rows}, {"left_out", of.left_out}, {"sum", of.sum}, {"share", share(of.sum, total)}};
    }
  }
  return {{"total", total}, {"groups", groups}};
}

std::string contributions_text(const Contributions& contributions) {
  const double total = contributions.total();
  TextTable table({"share of the weighted sum, %", "energy", "rows", "forces", "rows", "virial", "rows", "all"});
  for (const auto& [name, kinds] : contributions.groups()) {
    std::vector<std::string> cells{name};
    double all = 0.0;
    for (const Contribution& kind : kinds) {
      cells.push_back(kind.rows > 0 ? percent(kind.sum, total) : "-");
      cells.push_back(std::to_string(kind.rows));
      all += kind.sum;
    }
    cells.push_back(percent(all, total));
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string left_out_text(const Contributions& contributions) {
  std::string out;
  for (const auto& [name, kinds] : contributions.groups()) {
    std::string rows;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (kinds[kind].left_out > 0) {
        rows += fmt::format("{}{} {}", rows.empty() ? "" : ", ", kinds[kind].left_out, kKindNames[kind]);
      }
    }
    out += rows.empty() ? "" : fmt::format("weight 0, not fitted to: rows of {}: {}\n", name, rows);
  }
  return out;
}

}  // namespace ipfit
