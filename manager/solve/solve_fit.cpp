#include "manager/solve/solve_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/lsq/one_body.h"
#include "manager/output/example_structure.h"
#include "manager/output/lammps_files.h"
#include "manager/output/solution_files.h"
#include "manager/solve/assembled_fit.h"
#include "manager/solve/column_subset.h"
#include "manager/solve/joint_one_body.h"
#include "manager/solve/prior.h"
#include "manager/solve/solve_resources.h"
#include "manager/solve/solver.h"
#include "manager/solve/variables.h"

namespace ipfit {
namespace {

/// Everything that the solution depends on.
struct Inputs {
  const FitSpec& spec;
  AssembledFit fit;
  std::string fingerprint;
};

std::string fingerprint_of(const FitSpec& spec, const AssembledFit& fit) {
  const StoreIdentity& identity = fit.store.identity();
  return fingerprint(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", write_fit_file(spec), identity.dataset, identity.model,
                                 identity.build, build_id(), fmt::join(fit.aside, " ")));
}

/// Whether coefficients and potential of this very problem are there, whole, and belong together.
bool solved_before(const FitDirectory& directory, const std::string& name, const Inputs& inputs) {
  const auto text = read_file(directory.coefficients(name));
  const auto potential_text = read_file(directory.potential(name));
  if (!text || !potential_text) {
    return false;
  }
  const auto before = read_coefficients(*text, directory.coefficients(name));
  const auto potential = read_model(*potential_text, directory.potential(name));
  const auto fit_file = read_file(directory.fit_file_of(name));
  const bool as_solved = fit_file && *fit_file == write_fit_file(inputs.spec);
  // Each file is whole or not there, and this one was written with the others: somebody may have taken it since.
  const bool for_lammps = !check_exportable(inputs.fit.model.basis) || std::filesystem::exists(directory.yace(name));
  return for_lammps && as_solved && before && potential && before->inputs == inputs.fingerprint &&
         potential->basis == inputs.fit.model.basis && potential->zbl == inputs.fit.model.zbl &&
         potential->coefficients == before->values;
}

/// The files of a solution with their paths, in the order in which they are to be written; those for LAMMPS only where
/// it knows the basis.
std::vector<std::pair<std::string, std::string>> potential_files(const FitDirectory& directory, const std::string& name,
                                                                 const Model& potential, const Inputs& inputs) {
  std::vector<std::pair<std::string, std::string>> files{{directory.fit_file_of(name), write_fit_file(inputs.spec)},
                                                         {directory.potential(name), write_model(potential)}};
  const std::span<const Structure> training = inputs.fit.of(DataSet::kTrain);
  const auto chosen = choose_example(training, potential.one_body, inputs.fit.aside);
  auto lammps =
      lammps_files(potential, inputs.fingerprint, chosen ? std::optional(training[*chosen]) : std::nullopt, kYaceName);
  if (lammps) {
    files.emplace_back(directory.yace(name), std::move(lammps->potential));
    files.emplace_back(directory.lammps_input(name), std::move(lammps->input));
    files.emplace_back(directory.lammps_structure(name), std::move(lammps->structure));
  }
  return files;
}

struct Solved {
  Solution solution;
  std::map<std::uint8_t, double> one_body;
  std::vector<std::map<std::uint8_t, double>> committee_one_body;  ///< that fit best to each member
  std::int64_t rows = 0;                                           ///< that were fitted to
};

/// What was said of an earlier solution goes first, and coefficients.json comes last: its fingerprint says that
/// everything beside it belongs to this problem.
Status write_solution(const FitDirectory& directory, const std::string& name, const Inputs& inputs,
                      const Solved& solved) {
  if (Status made = make_directories(directory.solution(name)); !made) {
    return made;
  }
  for (const std::string& old : {directory.coefficients(name), directory.errors_json(name), directory.errors_text(name),
                                 directory.report_html(name), directory.report_text(name)}) {
    std::error_code ignored;
    std::filesystem::remove(old, ignored);
  }
  const Model potential{inputs.fit.model.basis,
                        {solved.solution.coefficients.begin(), solved.solution.coefficients.end()},
                        solved.one_body,
                        inputs.fit.model.zbl};
  auto files = potential_files(directory, name, potential, inputs);
  files.emplace_back(directory.coefficients(name),
                     coefficients_json(column_labels(inputs.fit.model.basis), solved.solution, inputs.spec.solver,
                                       solved.one_body, inputs.fingerprint, solved.committee_one_body));
  for (const auto& [path, text] : files) {
    if (Status written = write_file_durably(path, text); !written) {
      return written;
    }
  }
  return Done{};
}

/// The columns of the one-body energies that are to be fitted; none where there are no rows beside them.
OneBodyColumns fitted_one_body(const Inputs& inputs, const WeightedRows& rows) {
  if (inputs.spec.reference.one_body != OneBodyRule::kFit) {
    return {};
  }
  OneBodyColumns columns = one_body_columns_of(inputs.fit, rows);
  return rows.rows[static_cast<std::size_t>(DataSet::kTrain)] > columns.count() ? columns : OneBodyColumns{};
}

/// Solves for all coefficients, or for those of the functions that are to be used.
Result<Solution> solve_columns(const Inputs& inputs, const ReducedSystem& system, const DiagonalPrior& prior,
                               const std::optional<ReducedSystem>& validation) {
  const SolverSpec& options = inputs.spec.solver;
  if (options.functions == 0) {
    return solve(system, options, prior, validation ? &*validation : nullptr);
  }
  const auto columns = first_functions(inputs.spec.basis, inputs.fit.model.basis, options.functions);
  if (!columns) {
    return columns.errors();
  }
  const DiagonalPrior of_columns = prior.size() == 0 ? prior : DiagonalPrior(prior(*columns));
  const auto other = validation ? std::optional(with_columns(*validation, *columns)) : std::nullopt;
  auto solution = solve(with_columns(system, *columns), options, of_columns, other ? &*other : nullptr);
  return solution ? among_all(std::move(*solution), *columns, system.R.cols()) : solution;
}

/// Reduces the rows and solves. `one_body`: what the targets are without.
Result<Solved> solve_weighted(const Inputs& inputs, const WeightedRows& rows,
                              const std::map<std::uint8_t, double>& one_body) {
  const SolverSpec& options = inputs.spec.solver;
  try {
    const OneBodyColumns columns = fitted_one_body(inputs, rows);
    const auto system = reduce_set(inputs.fit, rows, DataSet::kTrain, columns);
    if (!system) {
      return system.errors();
    }
    const Eliminated eliminated = eliminate_first(*system, columns.count());
    const DiagonalPrior prior = prior_scales(options.prior, column_factors(inputs.fit.model.basis));
    std::optional<ReducedSystem> validation;
    if (options.strength == StrengthRule::kValidation) {
      const auto reduced = reduce_set(inputs.fit, rows, DataSet::kValidation, columns);
      if (!reduced) {
        return reduced.errors();
      }
      validation = with_minimiser(*reduced, eliminated);
    }
    auto solution = solve_columns(inputs, eliminated.others, prior, validation);
    if (!solution) {
      return solution.errors();
    }
    Solved out{std::move(*solution), {}, {}, system->rows};
    out.one_body = moved(one_body, columns, minimiser(eliminated, out.solution.coefficients));
    for (const auto& member : out.solution.committee.colwise()) {
      out.committee_one_body.push_back(moved(one_body, columns, minimiser(eliminated, member)));
    }
    return out;
  } catch (const std::bad_alloc&) {
    const double bytes = solve_bytes(inputs.fit.store.identity().rows, inputs.fit.columns(), solver_threads());
    return Error{ErrorKind::kFailed, "solve",
                 fmt::format("not enough memory: {} columns take about {:.3g} GB", inputs.fit.columns(), bytes / 1e9),
                 "choose a smaller basis, or run ipfit solve on the fit directory where there is more memory"};
  }
}

}  // namespace

Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name, const FitSpec& spec) {
  const auto start = std::chrono::steady_clock::now();
  auto fit = open_assembled(directory, spec);
  if (!fit) {
    return fit.errors();
  }
  std::string fingerprint = fingerprint_of(spec, *fit);
  const Inputs inputs{spec, std::move(*fit), std::move(fingerprint)};
  SolveSummary summary;
  summary.columns = inputs.fit.columns();
  if (solved_before(directory, name, inputs)) {
    summary.was_there = true;
    return summary;
  }

  const auto compositions = training_compositions(inputs.fit);
  if (!compositions) {
    return compositions.errors();
  }
  auto one_body =
      one_body_energies(spec.reference, elements_of(inputs.fit.model.basis), *compositions, inputs.fit.model.cutoff());
  if (!one_body) {
    return one_body.errors();
  }
  const auto rows = weigh(inputs.fit, spec.weights, one_body->energies);
  if (!rows) {
    return rows.errors();
  }
  const auto solved = solve_weighted(inputs, *rows, one_body->energies);
  if (!solved) {
    return solved.errors();
  }
  if (Status written = write_solution(directory, name, inputs, *solved); !written) {
    return written.errors();
  }
  summary.rows = solved->rows;
  summary.status = solved->solution.status;
  summary.one_body = one_body->note;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name) {
  const auto spec = load_fit_file(directory.fit_file());
  return spec ? solve_fit(directory, name, *spec) : Result<SolveSummary>(spec.errors());
}

}  // namespace ipfit
