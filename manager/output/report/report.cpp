#include "manager/output/report/report.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/json.h"
#include "common/json_seal.h"
#include "common/lsq/targets.h"
#include "common/model/model.h"
#include "manager/output/compared.h"
#include "manager/output/report/compare_data.h"
#include "manager/output/report/report_data.h"
#include "manager/output/report/report_html.h"
#include "manager/output/report/report_text.h"
#include "manager/plan/basis_text.h"
#include "manager/plan/dataset_index.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

/// What is read before anything is made of it.
struct Sources {
  FitSpec spec;
  Model potential;
  Json coefficients;
  std::vector<Structure> structures;
};

Result<Sources> read_sources(const FitDirectory& directory, const std::string& name) {
  auto spec = load_fit_file(directory.fit_file_of(name));
  if (!spec) {
    return spec.errors();
  }
  const auto potential_text = read_file(directory.potential(name));
  const auto coefficients_text = read_file(directory.coefficients(name));
  for (const auto* text : {&potential_text, &coefficients_text}) {
    if (!*text) {
      return text->errors();
    }
  }
  auto potential = read_model(*potential_text, directory.potential(name));
  if (!potential) {
    return potential.errors();
  }
  auto coefficients = parse_json(*coefficients_text, directory.coefficients(name));
  if (!coefficients) {
    return coefficients.errors();
  }
  if (const Status sealed = check_seal(*coefficients, *coefficients_text, directory.coefficients(name)); !sealed) {
    return sealed.errors();
  }
  const auto system = read_store_identity(directory.system());
  auto structures = system ? read_dataset(directory.dataset(), system->dataset) : read_dataset(directory.dataset());
  if (!structures) {
    return structures.errors();
  }
  return Sources{std::move(*spec), std::move(*potential), std::move(*coefficients), std::move(*structures)};
}

std::string value_text(const Json& value) {
  return value.is_string()         ? value.get<std::string>()
         : value.is_number_float() ? fmt::format("{:.4g}", value.get<double>())
         : value.is_null()         ? "-"
                                   : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The solver with its settings, and what coefficients.json says of how it went, so far as it is there.
std::vector<std::pair<std::string, std::string>> solver_facts(const Json& coefficients) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (!coefficients.is_object()) {
    return facts;
  }
  if (coefficients.contains("solver") && coefficients["solver"].is_object()) {
    for (const auto& [name, value] : coefficients["solver"].items()) {
      facts.emplace_back(name, value_text(value));
    }
  }
  for (const char* name : {"status", "rank", "condition", "effective_parameters", "log_evidence", "noise_precision",
                           "prior_precision", "residual", "inputs"}) {
    if (coefficients.contains(name)) {
      facts.emplace_back(name, value_text(coefficients[name]));
    }
  }
  return facts;
}

std::vector<double> singular_values(const Json& coefficients) {
  std::vector<double> values;
  if (coefficients.is_object() && coefficients.contains("singular_values") &&
      coefficients["singular_values"].is_array()) {
    for (const Json& value : coefficients["singular_values"]) {
      if (value.is_number()) {
        values.push_back(value.get<double>());
      }
    }
  }
  return values;
}

void describe_data(const std::vector<Structure>& structures, double cutoff, ReportData& report) {
  for (const Structure& structure : structures) {
    report.data.at(static_cast<std::size_t>(structure.set)).add(structure);
    if (report.files.empty() || report.files.back().name != structure.source.file ||
        report.files.back().set != structure.set) {
      report.files.push_back({structure.source.file, structure.set, 0, 0});
    }
    ++report.files.back().structures;
    report.files.back().atoms += structure.size();
  }
  for (DatasetSummary& summary : report.data) {
    summary.count_isolated(cutoff);
  }
}

/// The shortest distances in the training data.
ShortestDistances shortest_distances(const std::vector<Structure>& structures, double cutoff) {
  ShortestDistances shortest;
  for (const Structure& structure : structures) {
    if (structure.set == DataSet::kTrain) {
      nearest_distances(structure, cutoff, shortest);
    }
  }
  return shortest;
}

/// The dimer curves of this potential; empty where they are not stored, as after `ipfit solve`.
Result<std::vector<DimerCurve>> read_dimers(const FitDirectory& directory, const std::string& name,
                                            const Model& potential, const ShortestDistances& shortest) {
  const auto store = StoreReader::open(directory.dimers(name));
  const auto structures = read_dataset(directory.dimer_structures(name));
  std::vector<DimerCurve> curves;
  const bool complete = store && structures && store->identity().model == fingerprint(write_model(potential)) &&
                        store->identity().rows == static_cast<std::int64_t>(structures->size()) &&
                        store->check_complete() && store->verify();
  if (!complete) {
    return curves;
  }
  std::vector<double> energies(structures->size());
  if (Status read = store->read({0, store->identity().rows}, energies); !read) {
    return read.errors();
  }
  for (const QuarantineRecord& record : store->quarantined()) {
    energies.at(record.structure) = NAN;
  }
  for (std::size_t i = 0; i < energies.size(); ++i) {
    const Structure& dimer = (*structures)[i];
    if (curves.empty() || curves.back().a != dimer.species[0] || curves.back().b != dimer.species[1]) {
      const auto known = shortest.find(std::minmax(dimer.species[0], dimer.species[1]));
      curves.push_back({dimer.species[0],
                        dimer.species[1],
                        {},
                        known == shortest.end() ? std::nullopt : std::optional(known->second)});
    }
    if (std::isfinite(energies[i])) {
      curves.back().points.emplace_back((dimer.positions[1] - dimer.positions[0]).norm(),
                                        energies[i] - one_body_energy(dimer, potential.one_body));
    }
  }
  return curves;
}

/// Predictions against labels, where they are stored and of this potential.
Status add_comparison(const FitDirectory& directory, const std::string& name, const Sources& sources,
                      ReportData& report) {
  const auto predictions = open_predictions(directory, name);
  if (!predictions && predictions.error().kind == ErrorKind::kStorage) {
    return predictions.errors();
  }
  if (!predictions) {
    return Done{};
  }
  const std::set<std::size_t> aside = set_aside(directory, *predictions);
  for (const std::size_t structure : aside) {
    if (structure < sources.structures.size()) {
      report.aside.push_back(describe(sources.structures[structure].source));
    }
  }
  auto comparison =
      compare_data([&](const auto& visit) { return for_each_compared(sources.structures, *predictions, aside, visit); },
                   sources.potential, sources.spec.weights);
  if (!comparison) {
    return comparison.errors();
  }
  report.comparison = std::move(*comparison);
  return Done{};
}

Result<ReportData> gather(const FitDirectory& directory, const std::string& name, const Sources& sources) {
  ReportData report;
  std::error_code ignored;
  report.fit = std::filesystem::weakly_canonical(directory.path, ignored).filename().string();
  report.solution = name;
  report.program = fmt::format("Made by ipfit {}, build {}", version(), build_id());
  report.solver = solver_facts(sources.coefficients);
  report.singular_values = singular_values(sources.coefficients);
  report.basis = basis_text(sources.potential.basis);
  report.fit_file = write_fit_file(sources.spec);
  if (const auto system = read_store_identity(directory.system())) {
    report.dataset_hash = system->dataset;
  }
  const double cutoff = sources.potential.cutoff();
  describe_data(sources.structures, cutoff, report);
  if (Status added = add_comparison(directory, name, sources, report); !added) {
    return added.errors();
  }
  auto dimers = read_dimers(directory, name, sources.potential, shortest_distances(sources.structures, cutoff));
  if (!dimers) {
    return dimers.errors();
  }
  report.dimers = std::move(*dimers);
  return report;
}

}  // namespace

Status write_report(const FitDirectory& directory, const std::string& name) {
  const auto sources = read_sources(directory, name);
  if (!sources) {
    return sources.errors();
  }
  const auto report = gather(directory, name, *sources);
  if (!report) {
    return report.errors();
  }
  if (Status written = write_file_durably(directory.report_text(name), report_text(*report)); !written) {
    return written;
  }
  return write_file_durably(directory.report_html(name), report_html(*report));
}

}  // namespace ipfit
