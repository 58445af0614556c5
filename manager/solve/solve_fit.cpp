#include "manager/solve/solve_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <system_error>
#include <thread>

#include "common/blas.h"
#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/lsq/one_body.h"
#include "common/lsq/reduced.h"
#include "common/lsq/targets.h"
#include "common/lsq/weights.h"
#include "common/model/model.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/solver.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

/// Everything that the solution depends on.
struct Inputs {
  FitSpec spec;
  StoreReader store;
  std::vector<Structure> training;
  std::set<std::size_t> aside;  ///< training structures that were set aside: they have no say
  std::string fingerprint;
};

Result<Inputs> read_inputs(const FitDirectory& directory) {
  auto spec = load_fit_file(directory.fit_file());
  if (!spec) {
    return spec.errors();
  }
  auto store = StoreReader::open(directory.system());
  if (!store) {
    return store.errors();
  }
  if (store->identity().model != fingerprint(write_model(Model{spec->basis, {}, {}}))) {
    return Error{ErrorKind::kRefused, directory.fit_file(), "has another basis than the one that was assembled here",
                 "put the old one back, or fit into another --out"};
  }
  if (Status complete = store->check_complete(); !complete) {
    return complete.errors();
  }
  if (Status whole = store->verify(); !whole) {
    return whole.errors();
  }
  auto structures = read_dataset(directory.dataset());
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
  return Inputs{std::move(*spec), std::move(*store), std::move(*structures), std::move(aside), fingerprint(all)};
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

Result<ReducedSystem> reduce_weighted(const Inputs& inputs, const Rows& rows) {
  const StoreIdentity& identity = inputs.store.identity();
  if (identity.rows != static_cast<std::int64_t>(rows.targets.size())) {
    return Error{ErrorKind::kRefused, "system", "its rows are not those of dataset.bin",
                 "start again with another --out"};
  }
  const auto columns = static_cast<std::size_t>(identity.columns);
  const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a,
                               std::span<double> y) -> Status {
    if (Status read = inputs.store.read({first, count}, a); !read) {
      return read;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const double weight = rows.weights[static_cast<std::size_t>(first) + i];
      y[i] = weight * rows.targets[static_cast<std::size_t>(first) + i];
      for (double& value : a.subspan(i * columns, columns)) {
        value *= weight;
      }
    }
    return Done{};
  };
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int threads = std::max(1, blas_threads_with_memory(cores));
  return reduce_rows(identity.rows, identity.columns, reader, threads);
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
  return before && potential && before->inputs == inputs.fingerprint && potential->basis == inputs.spec.basis &&
         potential->coefficients == before->values;
}

}  // namespace

Result<SolveSummary> solve_fit(const FitDirectory& directory, const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  auto inputs = read_inputs(directory);
  if (!inputs) {
    return inputs.errors();
  }
  SolveSummary summary;
  summary.rows = inputs->store.identity().rows;
  summary.columns = inputs->store.identity().columns;
  if (solved_before(directory, name, *inputs)) {
    summary.was_there = true;
    return summary;
  }

  std::vector<Composition> compositions;
  const double cutoff = cutoff_of(inputs->spec.basis);
  for (std::size_t i = 0; i < inputs->training.size(); ++i) {
    if (!inputs->aside.contains(i)) {
      compositions.push_back(composition_of(inputs->training[i], cutoff));
    }
  }
  auto one_body = one_body_energies(inputs->spec.reference, elements_of(inputs->spec.basis), compositions);
  if (!one_body) {
    return one_body.errors();
  }
  auto system = reduce_weighted(*inputs, weigh(*inputs, one_body->energies));
  if (!system) {
    return system.errors();
  }
  auto solution = solve(*system, inputs->spec.solver, {});
  if (!solution) {
    return solution.errors();
  }
  Model potential{inputs->spec.basis,
                  {solution->coefficients.data(), solution->coefficients.data() + solution->coefficients.size()},
                  one_body->energies};

  if (Status made = make_directories(directory.solution(name)); !made) {
    return made.errors();
  }
  // What was said of an earlier solution goes first, and coefficients.json comes last: its fingerprint says that
  // everything beside it belongs to this problem.
  for (const std::string& old :
       {directory.coefficients(name), directory.errors_json(name), directory.errors_text(name)}) {
    std::error_code ignored;
    std::filesystem::remove(old, ignored);
  }
  for (const auto& [path, text] :
       {std::pair{directory.potential(name), write_model(potential)},
        std::pair{directory.coefficients(name),
                  coefficients_json(column_labels(inputs->spec.basis), *solution, inputs->spec.solver,
                                    one_body->energies, inputs->fingerprint)}}) {
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
