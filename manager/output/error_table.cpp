#include "manager/output/error_table.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <string_view>

#include "common/json.h"

namespace ipfit {
namespace {

constexpr double kMilli = 1000.0;  // eV to meV

void add_error(ErrorSums& sums, double error) {
  sums.absolute += std::abs(error);
  sums.squared += error * error;
  ++sums.count;
}

// ---- errors.json --------------------------------------------------------------------------------------------------

constexpr std::array<std::pair<std::string_view, Kind>, kKinds> kKindNames{
    {{"energy", Kind::kEnergy}, {"forces", Kind::kForces}, {"virial", Kind::kVirial}}};

Json to_json(const ErrorSums& sums) {
  const bool any = sums.count > 0;
  return {{"mae", any ? Json(sums.mae()) : Json()}, {"rmse", any ? Json(sums.rmse()) : Json()}, {"count", sums.count}};
}

Json to_json(const GroupErrors& errors) {
  Json json;
  for (const auto& [name, kind] : kKindNames) {
    json[name] = to_json(errors.of(kind));
  }
  return json;
}

Json to_json(const SetErrors& set) {
  Json groups = Json::object();
  for (const auto& [name, errors] : set.groups) {
    groups[name] = to_json(errors);
  }
  return {{"total", to_json(set.total)}, {"groups", groups}};
}

// ---- errors.txt ---------------------------------------------------------------------------------------------------

constexpr std::size_t kNameWidth = 22;

bool continues_character(char byte) {  // in UTF-8
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (const char byte : text) {
    count += continues_character(byte) ? 0U : 1U;
  }
  return count;
}

/// The text in exactly kNameWidth characters: what is too long ends in "…", control characters become "?".
std::string name_cell(std::string_view name) {
  const std::size_t room = characters(name) > kNameWidth ? kNameWidth - 1 : kNameWidth;
  std::string cell;
  std::size_t used = 0;
  for (const char byte : name) {
    used += continues_character(byte) ? 0U : 1U;
    if (used > room) {
      return cell + "…";
    }
    cell += static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f ? '?' : byte;
  }
  return cell + std::string(kNameWidth - used, ' ');
}

/// At least two significant digits, in ten characters.
std::string number_cell(double value, int decimals) {
  const bool fits = value == 0.0 || (value >= std::pow(10.0, 1 - decimals) && value < 1e5);
  return fits ? fmt::format("{:>10.{}f}", value, decimals) : fmt::format("{:>10.2e}", value);
}

std::string cells(const ErrorSums& sums, int decimals) {
  return sums.count == 0 ? fmt::format("  {:>10}{:>10}", "-", "-")
                         : "  " + number_cell(sums.mae(), decimals) + number_cell(sums.rmse(), decimals);
}

std::string line_of(std::string_view name, const GroupErrors& errors) {
  return fmt::format("{}{:>11}{}{}{}\n", name_cell(name), errors.structures, cells(errors.of(Kind::kEnergy), 2),
                     cells(errors.of(Kind::kForces), 4), cells(errors.of(Kind::kVirial), 2));
}

}  // namespace

double ErrorSums::mae() const {
  return absolute / static_cast<double>(count);
}

double ErrorSums::rmse() const {
  return std::sqrt(squared / static_cast<double>(count));
}

void ErrorTable::add(DataSet set, const std::string& group, std::int64_t atoms, RowMask mask,
                     std::span<const double> labels, std::span<const double> predictions) {
  const auto rows = static_cast<std::size_t>(row_count(atoms, mask));
  assert(atoms > 0 && labels.size() == rows && predictions.size() == rows);
  SetErrors& errors = sets_[static_cast<std::size_t>(set)];
  for (GroupErrors* to : {&errors.total, &errors.groups[group]}) {
    ++to->structures;
    std::size_t row = 0;
    const auto add_rows = [&](Kind kind, std::int64_t count, double scale) {
      for (std::int64_t i = 0; i < count; ++i, ++row) {
        add_error(to->kinds[static_cast<std::size_t>(kind)], (predictions[row] - labels[row]) * scale);
      }
    };
    const double per_atom = kMilli / static_cast<double>(atoms);
    add_rows(Kind::kEnergy, mask.energy ? 1 : 0, per_atom);
    add_rows(Kind::kForces, mask.forces ? 3 * atoms : 0, 1.0);
    add_rows(Kind::kVirial, mask.virial ? 6 : 0, per_atom);
  }
}

std::string errors_json(const ErrorTable& table, const Contributions* contributions) {
  Json json = {{"train", to_json(table.of(DataSet::kTrain))}, {"test", to_json(table.of(DataSet::kTest))}};
  if (table.of(DataSet::kValidation).total.structures > 0) {
    json["validation"] = to_json(table.of(DataSet::kValidation));
  }
  if (contributions != nullptr) {
    json["contributions"] = contributions_json(*contributions);
  }
  // Group names come from data files and may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string errors_text(std::string_view title, const SetErrors& set) {
  if (set.total.structures == 0) {
    return fmt::format("{}: no structures\n", title);
  }
  const std::string rule(kNameWidth + 77, '-');
  std::string out =
      fmt::format("{:<33}{:>22}{:>22}{:>22}\n", title, "energy, meV/atom", "forces, eV/Å", "virial, meV/atom");
  out += fmt::format("{:<22}{:>11}", "group", "structures");
  for (int i = 0; i < kKinds; ++i) {
    out += fmt::format("  {:>10}{:>10}", "MAE", "RMSE");
  }
  out += "\n" + rule + "\n";
  for (const auto& [name, errors] : set.groups) {
    out += line_of(name, errors);
  }
  return out + rule + "\n" + line_of("total", set.total);
}

std::string errors_text(const ErrorTable& table) {
  const SetErrors& validation = table.of(DataSet::kValidation);
  return errors_text("Training set", table.of(DataSet::kTrain)) + "\n" +
         (validation.total.structures > 0 ? errors_text("Validation set", validation) + "\n" : "") +
         errors_text("Test set", table.of(DataSet::kTest));
}

}  // namespace ipfit
