#include "manager/output/report/report_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "manager/output/report/report_plots.h"
#include "manager/output/report/xml_text.h"
#include "manager/plan/dataset_index.h"

namespace ipfit {
namespace {

constexpr std::string_view kStyle = R"(
body { margin: 2rem auto; max-width: 62rem; padding: 0 1rem; background: #fff; color: #222;
  font: 15px/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .2rem; border-bottom: 1px solid #ccc; }
p { margin: .4rem 0; max-width: 48rem; }
p.small { color: #555; }
table { border-collapse: collapse; margin: .6rem 0; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .18rem .7rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; vertical-align: bottom; }
thead tr:last-child th { border-bottom: 1px solid #444; }
table.errors tbody tr:last-child td { border-top: 1px solid #444; font-weight: 600; }
th.name, td.name { text-align: left; white-space: normal; overflow-wrap: anywhere; padding-left: 0; }
th.span { text-align: center; }
table.errors th, table.errors td { min-width: 4.2rem; } table.errors .name { min-width: 12rem; }
pre { font: 12.5px/1.4 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; background: #f5f5f5;
  padding: .7rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.plots { display: flex; flex-wrap: wrap; gap: .6rem 1rem; }
svg.plot { width: 300px; height: 284px; font-size: 11px; }
.train { color: #0072B2; } .test { color: #D55E00; } .validation { color: #CC79A7; } .mark { color: #007A5A; }
.key { font-weight: 600; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } h2 { break-after: avoid; }
  svg.plot, tr { break-inside: avoid; } .plots { display: block; orphans: 1; widows: 1; } svg.plot { width: 32%; height: auto; } pre { background: none; } }
)";

// ---- tables -------------------------------------------------------------------------------------------------------

/// Columns of names stand to the left, all others to the right.
struct Column {
  std::string title;
  bool name = false;
};

std::string cell(const char* tag, const std::string& text, bool name) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, name ? R"( class="name")" : "", xml_text(text));
}

std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                  const std::string& start = "<table><thead>") {
  std::string out = start + "<tr>";
  for (const Column& column : columns) {
    out += cell("th", column.title, column.name);
  }
  out += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += cell("td", row[i], columns[i].name);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

std::string heading(const std::string& text) {
  return "<h2>" + xml_text(text) + "</h2>\n";
}

std::string paragraph(const std::string& text) {
  return "<p>" + xml_text(text) + "</p>\n";
}

std::string small_paragraph(const std::string& text) {
  return R"(<p class="small">)" + xml_text(text) + "</p>\n";
}

// ---- sections -----------------------------------------------------------------------------------------------------

std::vector<std::string> error_row(const std::string& name, const GroupErrors& errors) {
  std::vector<std::string> row{name, fmt::format("{}", errors.structures)};
  for (const ErrorSums& kind : errors.kinds) {
    row.push_back(kind.count > 0 ? short_number(kind.mae()) : "-");
    row.push_back(kind.count > 0 ? short_number(kind.rmse()) : "-");
  }
  return row;
}

std::string error_table(const std::string& title, const SetErrors& set) {
  if (set.total.structures == 0) {
    return "";
  }
  std::vector<Column> columns{{title + ", group", true}, {"structures"}};
  for (int i = 0; i < kKinds; ++i) {
    columns.push_back({"MAE"});
    columns.push_back({"RMSE"});
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, errors] : set.groups) {
    rows.push_back(error_row(name, errors));
  }
  rows.push_back(error_row("total", set.total));
  return table(
      columns, rows,
      R"(<table class="errors"><thead><tr><th colspan="2"></th><th class="span" colspan="2">energy, meV/atom</th>)"
      R"(<th class="span" colspan="2">forces, eV/Å</th><th class="span" colspan="2">virial, meV/atom</th></tr>)");
}

std::string errors_section(const Comparison& comparison) {
  return heading("Errors") + error_table("Training set", comparison.table.of(DataSet::kTrain)) +
         error_table("Validation set", comparison.table.of(DataSet::kValidation)) +
         error_table("Test set", comparison.table.of(DataSet::kTest)) +
         small_paragraph(
             "MAE: mean of the absolute errors; RMSE: root of the mean of the squared errors; over energies per "
             "atom, force components, virial components per atom.");
}

std::string key(const Comparison& comparison) {
  std::string out = R"(<p><span class="key train">■ training</span>)";
  if (comparison.table.of(DataSet::kValidation).total.structures > 0) {
    out += R"( &#160; <span class="key validation">■ validation</span>)";
  }
  if (comparison.table.of(DataSet::kTest).total.structures > 0) {
    out += R"( &#160; <span class="key test">■ test</span>)";
  }
  return out + "</p>\n";
}

std::string beyond_note(const Comparison& comparison) {
  std::uint64_t beyond = 0;
  for (const Parity& parity : comparison.parities) {
    for (const Density& set : parity.errors) {
      beyond += set.beyond();
    }
  }
  return beyond == 0 ? "" : fmt::format(" {} errors are too large for their frames.", beyond);
}

std::string contributions_section(const Contributions& contributions) {
  const double total = contributions.total();
  if (!(total > 0.0)) {
    return "";
  }
  const auto share = [&](double sum) { return fmt::format("{:.1f}", 100.0 * sum / total); };
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, kinds] : contributions.groups()) {
    std::vector<std::string> row{name};
    double all = 0.0;
    for (const Contribution& kind : kinds) {
      row.push_back(kind.rows > 0 ? share(kind.sum) : "-");
      row.push_back(std::to_string(kind.rows));
      all += kind.sum;
    }
    row.push_back(share(all));
    rows.push_back(std::move(row));
  }
  return heading("What the fit listens to") +
         table({{"group", true}, {"energy, %"}, {"rows"}, {"forces, %"}, {"rows"}, {"virial, %"}, {"rows"}, {"all, %"}},
               rows) +
         small_paragraph(
             "Share of each group and kind of rows in the weighted sum of squared errors over the training data, and "
             "the "
             "number of rows that have a weight.");
}

std::string plots_section(const Comparison& comparison) {
  if (comparison.parities.empty()) {
    return "";
  }
  std::string out = heading("Predictions and references") + key(comparison) + R"(<div class="plots">)" +
                    parity_plots(comparison) + "</div>\n" +
                    small_paragraph(
                        "The fuller the colour, the more points; test points lie above the others. Energies are "
                        "without those of single atoms." +
                        beyond_note(comparison));
  if (std::ranges::any_of(comparison.by_force, [](const BinnedRmse& set) { return !set.points().empty(); })) {
    out += heading("Errors of forces") + key(comparison) + R"(<div class="plots">)" + force_error_plots(comparison) +
           "</div>\n" +
           small_paragraph("Each point is the RMSE over the atoms in one bin; bins at the ends may hold few.");
  }
  return out;
}

std::string worst_table(const std::string& title, const std::string& unit, const Worst& worst) {
  if (worst.list().empty()) {
    return "";
  }
  std::vector<std::vector<std::string>> rows;
  for (const StructureError& bad : worst.list()) {
    rows.push_back({bad.source.file, fmt::format("{}", bad.source.frame), fmt::format("{}", bad.source.line), bad.group,
                    std::string(kDataSetNames[static_cast<std::size_t>(bad.set)]), fmt::format("{}", bad.atoms),
                    short_number(bad.error)});
  }
  return paragraph(title) +
         table({{"file", true}, {"frame"}, {"line"}, {"group", true}, {"set", true}, {"atoms"}, {unit}}, rows);
}

std::string worst_section(const Comparison& comparison) {
  if (comparison.worst_energies.list().empty() && comparison.worst_forces.list().empty()) {
    return "";
  }
  return heading("Worst structures") +
         worst_table("By energy: prediction less reference.", "error, meV/atom", comparison.worst_energies) +
         worst_table("By forces: RMSE over the components of the structure.", "RMSE, eV/Å", comparison.worst_forces);
}

std::string dimers_section(const std::vector<DimerCurve>& dimers) {
  if (dimers.empty()) {
    return "";
  }
  std::string out = heading("Two atoms alone") + R"(<div class="plots">)";
  std::vector<std::vector<std::string>> rows;
  for (const DimerCurve& curve : dimers) {
    out += dimer_plot(curve);
    rows.push_back(dimer_row(curve));
  }
  std::vector<Column> columns;
  for (const std::string& title : dimer_columns()) {
    columns.push_back({title, columns.empty()});
  }
  return out + "</div>\n" + table(columns, rows) +
         small_paragraph(
             "Energy of two atoms by their distance up to the cutoff, less their one-body energies. The dashed line is "
             "the "
             "shortest distance of this pair in the training data: the potential has learnt nothing of shorter ones, "
             "where "
             "the energy should rise.");
}

std::string solver_section(const ReportData& report) {
  std::string out = heading("Fit");
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : report.solver) {
    rows.push_back({name, value});
  }
  if (!rows.empty()) {
    out += table({{"solver", true}, {"", true}}, rows);
  }
  if (!report.singular_values.empty()) {
    out += R"(<div class="plots">)" + singular_value_plot(report.singular_values) + "</div>\n";
  }
  return out + "<pre>" + xml_text(report.basis.substr(0, report.basis.find_last_not_of('\n') + 1)) + "</pre>\n";
}

void add_groups(std::string_view set, const DatasetSummary& summary, std::vector<std::vector<std::string>>& rows) {
  for (const auto& [name, group] : summary.groups()) {
    rows.push_back({name, std::string(set), fmt::format("{}", group.structures), fmt::format("{}", group.atoms),
                    fmt::format("{}", group.energies), fmt::format("{}", group.forces),
                    fmt::format("{}", group.virials)});
  }
}

std::string data_section(const ReportData& report) {
  std::vector<std::vector<std::string>> files;
  for (const DataFile& file : report.files) {
    files.push_back({file.name, std::string(kDataSetNames[static_cast<std::size_t>(file.set)]),
                     fmt::format("{}", file.structures), fmt::format("{}", file.atoms)});
  }
  std::vector<std::vector<std::string>> groups;
  for (std::size_t set = 0; set < kDataSets; ++set) {
    add_groups(kDataSetNames[set], report.data[set], groups);
  }
  std::string out = heading("Data") + table({{"file", true}, {"set", true}, {"structures"}, {"atoms"}}, files) +
                    table({{"group", true},
                           {"set", true},
                           {"structures"},
                           {"atoms"},
                           {"with energy"},
                           {"with forces"},
                           {"with virial"}},
                          groups);
  if (!report.aside.empty()) {
    out += paragraph("Structures that were set aside:") + "<ul>";
    for (const std::string& structure : report.aside) {
      out += "<li>" + xml_text(structure) + "</li>";
    }
    out += "</ul>\n";
  }
  return out + small_paragraph("Fingerprint of the data set: " + report.dataset_hash);
}

}  // namespace

std::string report_html(const ReportData& report) {
  const std::string title = xml_text(fmt::format("{}: solution {}", report.fit, report.solution));
  std::string out = R"(<!DOCTYPE html>)"
                    "\n"
                    R"(<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>)"
                    R"(<meta name="viewport" content="width=device-width"/><title>)" +
                    title + "</title><style>" + std::string(kStyle) + "</style></head><body>\n<h1>" + title +
                    "</h1>\n" + small_paragraph(report.program);
  if (report.comparison) {
    out += errors_section(*report.comparison) + plots_section(*report.comparison) + worst_section(*report.comparison) +
           contributions_section(report.comparison->contributions);
  } else {
    out += paragraph("No predictions of this potential are stored, so nothing is said of its errors.");
  }
  out += dimers_section(report.dimers) + solver_section(report) + data_section(report);
  return out + heading("Fit file, with every default") + "<pre>" + xml_text(report.fit_file) +
         "</pre>\n</body></html>\n";
}

}  // namespace ipfit
