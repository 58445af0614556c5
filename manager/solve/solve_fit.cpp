#include "manager/solve/solve_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "common/blas.h"
#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/assembly_model.h"
#include "common/fit/fit_file.h"
#include "common/lsq/one_body.h"
#include "common/lsq/reduced.h"
#include "common/lsq/reference_column.h"
#include "common/lsq/targets.h"
#include "common/lsq/weights.h"
#include "common/model/model.h"
#include "manager/output/example_structure.h"
#include "manager/output/lammps_files.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/solver.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

/// Everything that the solution depends on.
struct Inputs {
  FitSpec spec;
  Model model;  ///< not fitted; a ZBL repulsion has the last column of the store
  StoreReader store;
  std::vector<Structure> training;
  std::set<std::size_t> aside;  ///< training structures that were set aside: they have no say
  std::string fingerprint;

  std::int64_t columns() const { return store.identity().columns - (model.zbl ? 1 : 0); }
};

Result<Inputs> read_inputs(const FitDirectory& directory) {
  auto spec = load_fit_file(directory.fit_file());
  if (!spec) {
    return spec.errors();
  }
  auto model = assembly_model(*spec);
  if (!model) {
    return model.errors();
  }
  auto store = StoreReader::open(directory.system());
  if (!store) {
    return store.errors();
  }
  if (store->identity().model != fingerprint(write_model(*model))) {
    return Error{ErrorKind::kRefused, directory.fit_file(),
                 "has another basis, or another ZBL repulsion, than what was assembled here",
                 "put the old one back, or fit into another --out"};
  }
  if (Status complete = store->check_complete(); !complete) {
    return complete.errors();
  }
  if (Status whole = store->verify(); !whole) {
    return whole.errors();
  }
  auto structures = read_dataset(directory.dataset(), store->identity().dataset);
  if (!structures) {
    return structures.errors();
  }
  std::erase_if(*structures, [](const Structure& structure) { return structure.set != DataSet::kTrain; });
  const StoreIdentity& identity = store->identity();
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n", write_fit_file(*spec), identity.dataset, identity.model,
                                identity.build, build_id());
  std::set<std::size_t> aside;
  for (const QuarantineRecord& record : store->quarantined()) {
    aside.insert(record.structure);
  }
  all += fmt::format("{}\n", fmt::join(aside, " "));
  return Inputs{std::move(*spec),       std::move(*model), std::move(*store),
                std::move(*structures), std::move(aside),  fingerprint(all)};
}

/// Targets and weights of all rows; both are zero where a structure was set aside.
struct Rows {
  std::vector<double> targets;
  std::vector<double> weights;
};

Rows weigh(const Inputs& inputs, const std::map<std::uint8_t, double>& one_body) {
  Rows rows;
  for (std::size_t i = 0; i < inputs.training.size(); ++i) {
    const Structure& structure = inputs.training[i];
    const RowMask mask = mask_of(structure);
    const auto count = static_cast<std::size_t>(row_count(structure.size(), mask));
    const std::size_t first = rows.targets.size();
    rows.targets.resize(first + count, 0.0);
    rows.weights.resize(first + count, 0.0);
    if (!inputs.aside.contains(i)) {
      fill_targets(structure, mask, one_body, std::span(rows.targets).subspan(first));
      fill_weights(weights_of(inputs.spec.weights, structure.config_type), structure.size(), mask,
                   std::span(rows.weights).subspan(first));
    }
  }
  return rows;
}

/// Reads rows of the design matrix into `a`, and the reference potential that was evaluated with them, zero where there
/// is none.
Status read_rows(const Inputs& inputs, RowRange rows, std::span<double> a, std::span<double> reference) {
  if (!inputs.model.zbl) {
    std::ranges::fill(reference, 0.0);
    return inputs.store.read(rows, a);
  }
  std::vector<double> stored(a.size() + reference.size());
  if (Status read = inputs.store.read(rows, stored); !read) {
    return read;
  }
  split_reference(stored, inputs.columns(), a, reference);
  return Done{};
}

/// The training structures that have a say, their energies without the reference potential.
Result<std::vector<Composition>> compositions_of(const Inputs& inputs) {
  std::vector<Composition> compositions;
  std::vector<double> a(static_cast<std::size_t>(inputs.columns()));
  double reference = 0.0;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < inputs.training.size(); ++i) {
    const Structure& structure = inputs.training[i];
    const RowMask mask = mask_of(structure);
    if (!inputs.aside.contains(i)) {
      Composition composition = composition_of(structure);
      if (inputs.model.zbl && composition.energy) {
        if (Status read = read_rows(inputs, {first, 1}, a, {&reference, 1}); !read) {
          return read.errors();
        }
        *composition.energy -= reference;
      }
      compositions.push_back(std::move(composition));
    }
    first += row_count(structure.size(), mask);
  }
  return compositions;
}

int solver_threads() {
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return std::max(1, blas_threads_with_memory(cores));
}

Result<ReducedSystem> reduce_weighted(const Inputs& inputs, const Rows& rows) {
  const StoreIdentity& identity = inputs.store.identity();
  if (identity.rows != static_cast<std::int64_t>(rows.targets.size())) {
    return Error{ErrorKind::kRefused, "system", "its rows are not those of dataset.bin",
                 "start again with another --out"};
  }
  const auto columns = static_cast<std::size_t>(inputs.columns());
  const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a,
                               std::span<double> y) -> Status {
    if (Status read = read_rows(inputs, {first, count}, a, y); !read) {
      return read;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double weight = rows.weights[static_cast<std::size_t>(first) + i];
      y[i] = weight * (rows.targets[static_cast<std::size_t>(first) + i] - y[i]);
      for (double& value : a.subspan(i * columns, columns)) {
        value *= weight;
      }
    }
    return Done{};
  };
  return reduce_rows(identity.rows, inputs.columns(), reader, solver_threads());
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
  // Each file is whole or not there, and this one was written with the others: somebody may have taken it since.
  const bool for_lammps = !check_exportable(inputs.model.basis) || std::filesystem::exists(directory.yace(name));
  return for_lammps && before && potential && before->inputs == inputs.fingerprint &&
         potential->basis == inputs.model.basis && potential->zbl == inputs.model.zbl &&
         potential->coefficients == before->values;
}

/// The files of a solution with their paths, in the order in which they are to be written; those for LAMMPS only where
/// it knows the basis.
std::vector<std::pair<std::string, std::string>> potential_files(const FitDirectory& directory, const std::string& name,
                                                                 const Model& potential, const Inputs& inputs) {
  std::vector<std::pair<std::string, std::string>> files{{directory.potential(name), write_model(potential)}};
  const auto chosen = choose_example(inputs.training, potential.one_body, inputs.aside);
  auto lammps = lammps_files(potential, inputs.fingerprint,
                             chosen ? std::optional(inputs.training[*chosen]) : std::nullopt, kYaceName);
  if (lammps) {
    files.emplace_back(directory.yace(name), std::move(lammps->potential));
    files.emplace_back(directory.lammps_input(name), std::move(lammps->input));
    files.emplace_back(directory.lammps_structure(name), std::move(lammps->structure));
  }
  return files;
}

/// Reduces the rows and solves.
Result<Solution> solve_weighted(const Inputs& inputs, const Rows& rows) {
  try {
    const auto system = reduce_weighted(inputs, rows);
    if (!system) {
      return system.errors();
    }
    return solve(*system, inputs.spec.solver, {});
  } catch (const std::bad_alloc&) {
    const double bytes = solve_bytes(inputs.store.identity().rows, inputs.columns(), solver_threads());
    return Error{ErrorKind::kFailed, "solve",
                 fmt::format("not enough memory: {} columns take about {:.3g} GB", inputs.columns(), bytes / 1e9),
                 "choose a smaller basis, or run ipfit solve on the fit directory where there is more memory"};
  }
}

}  // namespace

double solve_bytes(std::int64_t rows, std::int64_t columns, int threads) {
  // R, R with the prior, scaled and factorised again, and the factors of its independent rows.
  constexpr double kTriangles = 7.0;
  const auto n = static_cast<double>(columns);
  const double weights = 16.0 * static_cast<double>(rows);
  return weights + std::max(reduction_bytes(rows, columns, threads), kTriangles * n * n * 8.0);
}

Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  auto inputs = read_inputs(directory);
  if (!inputs) {
    return inputs.errors();
  }
  SolveSummary summary;
  summary.rows = inputs->store.identity().rows;
  summary.columns = inputs->columns();
  if (solved_before(directory, name, *inputs)) {
    summary.was_there = true;
    return summary;
  }

  const auto compositions = compositions_of(*inputs);
  if (!compositions) {
    return compositions.errors();
  }
  auto one_body = one_body_energies(inputs->spec.reference, elements_of(inputs->model.basis), *compositions,
                                    inputs->model.cutoff());
  if (!one_body) {
    return one_body.errors();
  }
  auto solution = solve_weighted(*inputs, weigh(*inputs, one_body->energies));
  if (!solution) {
    return solution.errors();
  }
  Model potential{inputs->model.basis,
                  {solution->coefficients.data(), solution->coefficients.data() + solution->coefficients.size()},
                  one_body->energies,
                  inputs->model.zbl};

  if (Status made = make_directories(directory.solution(name)); !made) {
    return made.errors();
  }
  // What was said of an earlier solution goes first, and coefficients.json comes last: its fingerprint says that
  // everything beside it belongs to this problem.
  for (const std::string& old : {directory.coefficients(name), directory.errors_json(name), directory.errors_text(name),
                                 directory.report_html(name), directory.report_text(name)}) {
    std::error_code ignored;
    std::filesystem::remove(old, ignored);
  }
  auto files = potential_files(directory, name, potential, *inputs);
  files.emplace_back(directory.coefficients(name),
                     coefficients_json(column_labels(inputs->model.basis), *solution, inputs->spec.solver,
                                       one_body->energies, inputs->fingerprint));
  for (const auto& [path, text] : files) {
    if (Status written = write_file_durably(path, text); !written) {
      return written.errors();
    }
  }
  summary.status = solution->status;
  summary.one_body = one_body->note;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return summary;
}

}  // namespace ipfit
