#include "manager/output/report/report_text.h"

#include <fmt/format.h>

#include "common/text_table.h"
#include "manager/output/report/report_plots.h"

namespace ipfit {
namespace {

std::string heading(const std::string& text) {
  return fmt::format("\n{}\n{}\n", text, std::string(text.size(), '='));
}

/// Names come from data files: a control character must not reach a terminal.
std::string printable(const std::string& text) {
  std::string out = text;
  for (char& byte : out) {
    byte = static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f ? '?' : byte;
  }
  return out;
}

std::string worst_text(const std::string& title, const std::string& unit, const Worst& worst) {
  if (worst.list().empty()) {
    return "";
  }
  TextTable table({title, "frame", "line", "group", "set", "atoms", unit});
  for (const StructureError& bad : worst.list()) {
    table.add_row({printable(bad.source.file), fmt::format("{}", bad.source.frame), fmt::format("{}", bad.source.line),
                   printable(bad.group), std::string(kDataSetNames[static_cast<std::size_t>(bad.set)]),
                   fmt::format("{}", bad.atoms), short_number(bad.error)});
  }
  return table.text() + "\n";
}

std::string dimers_text(const std::vector<DimerCurve>& dimers) {
  TextTable table(dimer_columns());
  for (const DimerCurve& curve : dimers) {
    table.add_row(dimer_row(curve));
  }
  return table.text();
}

std::string files_text(const std::vector<DataFile>& files) {
  TextTable table({"file", "set", "structures", "atoms"});
  for (const DataFile& file : files) {
    table.add_row({printable(file.name), std::string(kDataSetNames[static_cast<std::size_t>(file.set)]),
                   fmt::format("{}", file.structures), fmt::format("{}", file.atoms)});
  }
  return table.text();
}

std::string data_text(const ReportData& report) {
  std::string out = heading("Data") + files_text(report.files) + "\ntraining data\n" + report.data[0].text();
  for (const DataSet set : {DataSet::kValidation, DataSet::kTest}) {
    const auto index = static_cast<std::size_t>(set);
    if (report.data[index].all().structures > 0) {
      out += fmt::format("\n{} data\n{}", kDataSetNames[index], report.data[index].text());
    }
  }
  for (const std::string& structure : report.aside) {
    out += "set aside: " + printable(structure) + "\n";
  }
  return out + "fingerprint of the data set: " + report.dataset_hash + "\n";
}

}  // namespace

std::string report_text(const ReportData& report) {
  std::string out = fmt::format("{}: solution {}\n{}\n", printable(report.fit), printable(report.solution),
                                printable(report.program));
  out += heading("Errors");
  if (report.comparison) {
    out += errors_text(report.comparison->table);
    out += heading("Worst structures") + worst_text("by energy", "error, meV/atom", report.comparison->worst_energies) +
           worst_text("by forces", "RMSE, eV/Å", report.comparison->worst_forces);
    out += heading("What the fit listens to") + contributions_text(report.comparison->contributions);
  } else {
    out += "no predictions of this potential are stored\n";
  }
  if (!report.dimers.empty()) {
    out += heading("Two atoms alone, without their one-body energies") + dimers_text(report.dimers);
  }
  out += heading("Fit");
  for (const auto& [name, value] : report.solver) {
    out += fmt::format("{:<8} {}\n", printable(name), printable(value));
  }
  out += report.basis;
  return out + data_text(report) + heading("Fit file, with every default") + report.fit_file;
}

}  // namespace ipfit
