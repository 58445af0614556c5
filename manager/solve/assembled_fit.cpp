#include "manager/solve/assembled_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <utility>

#include "common/checksum.h"
#include "common/fit/assembly_model.h"
#include "common/lsq/reduced_row.h"
#include "common/lsq/targets.h"
#include "common/lsq/weights.h"
#include "manager/plan/dataset_index.h"
#include "manager/solve/solve_resources.h"
#include "manager/store/checked_reader.h"

namespace ipfit {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMajorMap = Eigen::Map<RowMajor>;

/// Numbers of atoms of each element.
Eigen::VectorXd atoms_of(const Structure& structure, const std::vector<std::uint8_t>& elements) {
  Eigen::VectorXd atoms(static_cast<Eigen::Index>(elements.size()));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    atoms[static_cast<Eigen::Index>(i)] = static_cast<double>(std::ranges::count(structure.species, elements[i]));
  }
  return atoms;
}

/// Reads rows into `a`, which has the columns of the one-body energies before those of the functions, and what is to be
/// subtracted from their targets: the reference potential that was evaluated with them, zero where there is none.
/// Reduced rows have no other targets than they bring along, and fill the first columns too.
Status read_rows(const AssembledFit& fit, const OneBodyColumns& one_body, const Eigen::VectorXd& factors,
                 CheckedReader& store, RowRange rows, std::span<double> a, std::span<double> subtracted) {
  const Eigen::Index functions = fit.columns();
  const Eigen::Index stored_columns = fit.store.identity().columns;
  if (stored_columns == functions && one_body.count() == 0) {
    std::ranges::fill(subtracted, 0.0);
    return store.read(rows, a);
  }
  RowMajor stored(rows.count, stored_columns);
  if (Status read = store.read(rows, {stored.data(), static_cast<std::size_t>(stored.size())}); !read) {
    return read;
  }
  RowMajorMap matrix(a.data(), rows.count, one_body.count() + functions);
  matrix.rightCols(functions) = stored.leftCols(functions);
  const auto others = stored.rightCols(stored_columns - functions);
  Eigen::Map<Eigen::VectorXd> into(subtracted.data(), rows.count);
  if (fit.reduced) {
    into.noalias() = others * -factors;
    if (one_body.count() > 0) {
      const auto elements = static_cast<Eigen::Index>(one_body.elements.size());
      matrix.leftCols(one_body.count()).noalias() =
          others.middleCols(fit.model.zbl ? 1 : 0, elements) * one_body.directions;
    }
  } else if (others.cols() > 0) {
    into = others.col(0);
  } else {
    into.setZero();
  }
  return Done{};
}

/// The rows of a set, as a range of the store.
RowRange rows_of_set(const AssembledFit& fit, DataSet set) {
  RowRange rows;
  const auto count_in = [&](DataSet of, std::int64_t count) {
    rows.first += of < set ? count : 0;
    rows.count += of == set ? count : 0;
  };
  if (fit.reduced) {
    for (const StoredSet& stored : *fit.reduced) {
      count_in(stored.set, stored.kept.count);
    }
  } else {
    for (const Structure& structure : fit.structures) {
      count_in(structure.set, row_count(structure.size(), mask_of(structure)));
    }
  }
  return rows;
}

/// What the rows of energies have in the columns of the one-body energies; other rows have zeros there.
struct EnergyRows {
  std::vector<std::int64_t> rows;  ///< of the store, ascending
  Eigen::MatrixXd entries;         ///< columns x rows
};
EnergyRows energy_rows(const AssembledFit& fit, const OneBodyColumns& one_body) {
  EnergyRows out;
  std::vector<const Structure*> structures;
  std::int64_t row = 0;
  for (const Structure& structure : fit.structures) {
    const RowMask mask = mask_of(structure);
    if (mask.energy && one_body.count() > 0 && !fit.reduced) {
      out.rows.push_back(row);
      structures.push_back(&structure);
    }
    row += row_count(structure.size(), mask);
  }
  out.entries.resize(one_body.count(), static_cast<Eigen::Index>(structures.size()));
  for (std::size_t i = 0; i < structures.size(); ++i) {
    out.entries.col(static_cast<Eigen::Index>(i)) =
        one_body.directions.transpose() * atoms_of(*structures[i], one_body.elements);
  }
  return out;
}

/// Puts those columns in front of rows [first, first + height) of the store, without their weights: `a` has height rows
/// of one_body columns + columns numbers, of which the first ones are set.
void set_one_body(const EnergyRows& energies, std::int64_t first, RowMajorMap a) {
  if (energies.rows.empty()) {
    return;
  }
  const Eigen::Index count = energies.entries.rows();
  a.leftCols(count).setZero();
  auto at = std::ranges::lower_bound(energies.rows, first) - energies.rows.begin();
  for (; at < std::ssize(energies.rows) && energies.rows[static_cast<std::size_t>(at)] < first + a.rows(); ++at) {
    a.row(energies.rows[static_cast<std::size_t>(at)] - first).head(count) = energies.entries.col(at);
  }
}

/// Rows that have a say, without those between them: numbered anew, one after the other.
class KeptRows {
 public:
  KeptRows(std::span<const double> weights, RowRange within) {
    for (std::int64_t row = within.first; row < within.first + within.count; ++row) {
      if (weights[static_cast<std::size_t>(row)] == 0.0) {
        continue;
      }
      if (runs_.empty() || runs_.back().first + runs_.back().count != row) {
        runs_.push_back({row, 0});
        starts_.push_back(count_);
      }
      ++runs_.back().count;
      ++count_;
    }
  }

  std::int64_t count() const { return count_; }

  /// Calls visit(rows of the store, number of the first of them among the kept) for each run within [first, first +
  /// count).
  template <class Visit>
  Status for_each_run(std::int64_t first, std::int64_t count, Visit visit) const {
    auto run = static_cast<std::size_t>(std::ranges::upper_bound(starts_, first) - starts_.begin()) - 1;
    for (std::int64_t at = first; at < first + count; ++run) {
      const std::int64_t skipped = at - starts_[run];
      const std::int64_t taken = std::min(runs_[run].count - skipped, first + count - at);
      if (Status visited = visit(RowRange{runs_[run].first + skipped, taken}, at); !visited) {
        return visited;
      }
      at += taken;
    }
    return Done{};
  }

 private:
  std::vector<RowRange> runs_;
  std::vector<std::int64_t> starts_;  ///< number of the first row of each run
  std::int64_t count_ = 0;
};

}  // namespace

std::span<const Structure> AssembledFit::of(DataSet set) const {
  return {std::ranges::lower_bound(structures, set, {}, &Structure::set),
          std::ranges::upper_bound(structures, set, {}, &Structure::set)};
}

Result<AssembledFit> open_assembled(const FitDirectory& directory, const FitSpec& spec) {
  auto model = assembly_model(spec);
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
  auto structures = read_dataset(directory.dataset(), store->identity().dataset);
  if (!structures) {
    return structures.errors();
  }
  if (!std::ranges::is_sorted(*structures, {}, &Structure::set)) {
    return Error{ErrorKind::kInput, directory.dataset(),
                 "structures must stand in this order: training, validation, test", ""};
  }
  std::set<std::size_t> aside;
  for (const QuarantineRecord& record : store->quarantined()) {
    aside.insert(record.structure);
  }
  AssembledFit fit{std::move(*model), std::move(*store), std::move(*structures), std::move(aside), std::nullopt};
  if (spec.assembly.keep == Keep::kReduced) {
    const auto dataset = open_dataset(directory.dataset());
    if (!dataset) {
      return dataset.errors();
    }
    auto sets = stored_sets(dataset->structures, fit.structures, fit.model, fit.store);
    if (!sets) {
      return sets.errors();
    }
    fit.reduced = std::move(*sets);
  }
  return fit;
}

Result<std::vector<Composition>> training_compositions(const AssembledFit& fit) {
  CheckedReader store(fit.store);
  std::vector<Composition> compositions;
  std::vector<double> a(static_cast<std::size_t>(fit.columns()));
  double reference = 0.0;
  std::int64_t first = 0;
  const std::span<const Structure> training = fit.of(DataSet::kTrain);
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (!fit.aside.contains(i)) {
      Composition composition = composition_of(training[i]);
      // Reduced rows say nothing of single energies. Nothing is near an isolated atom, and for "fit" this is but where
      // it starts.
      if (fit.model.zbl && !fit.reduced && composition.energy) {
        if (Status read = read_rows(fit, {}, {}, store, {first, 1}, a, {&reference, 1}); !read) {
          return read.errors();
        }
        *composition.energy -= reference;
      }
      compositions.push_back(std::move(composition));
    }
    first += row_count(training[i].size(), mask_of(training[i]));
  }
  if (Status whole = store.finish(); !whole) {
    return whole.errors();
  }
  return compositions;
}

OneBodyColumns one_body_columns_of(const AssembledFit& fit, const WeightedRows& rows) {
  const std::vector<std::uint8_t>& elements = elements_of(fit.model.basis);
  std::vector<double> compositions;
  const std::span<const Structure> training = fit.of(DataSet::kTrain);
  for (std::size_t i = 0; i < training.size(); ++i) {
    if (rows.energy_weights[i] > 0.0) {
      const Eigen::VectorXd atoms = rows.energy_weights[i] * atoms_of(training[i], elements);
      compositions.insert(compositions.end(), atoms.begin(), atoms.end());
    }
  }
  return one_body_columns(elements, compositions);
}

Result<WeightedRows> weigh(const AssembledFit& fit, const WeightsSpec& weights,
                           const std::map<std::uint8_t, double>& one_body) {
  WeightedRows rows;
  std::vector<double> of_structure;
  for (std::size_t i = 0; i < fit.structures.size(); ++i) {
    const Structure& structure = fit.structures[i];
    const RowMask mask = mask_of(structure);
    of_structure.assign(static_cast<std::size_t>(row_count(structure.size(), mask)), 0.0);
    if (!fit.aside.contains(i)) {
      fill_weights(weights_of(weights, structure.config_type), structure, mask, of_structure);
    }
    rows.rows.at(static_cast<std::size_t>(structure.set)) +=
        std::ranges::count_if(of_structure, [](double weight) { return weight > 0.0; });
    rows.energy_weights.push_back(mask.energy ? of_structure.front() : 0.0);
    if (!fit.reduced) {
      rows.weights.insert(rows.weights.end(), of_structure.begin(), of_structure.end());
      std::ranges::fill(of_structure, 0.0);
      if (!fit.aside.contains(i)) {
        fill_targets(structure, mask, one_body, of_structure);
      }
      rows.targets.insert(rows.targets.end(), of_structure.begin(), of_structure.end());
    }
  }
  if (fit.reduced) {
    for (const StoredSet& set : *fit.reduced) {
      rows.weights.insert(rows.weights.end(), static_cast<std::size_t>(set.kept.count), weight_of(set, weights));
    }
    rows.targets.assign(rows.weights.size(), 0.0);
    rows.factors = target_factors(fit.model, one_body);
  }
  if (fit.store.identity().rows != static_cast<std::int64_t>(rows.weights.size())) {
    return Error{ErrorKind::kRefused, "system", "its rows are not those of dataset.bin",
                 "start again with another --out"};
  }
  return rows;
}

Result<ReducedSystem> reduce_set(const AssembledFit& fit, const WeightedRows& rows, DataSet set,
                                 const OneBodyColumns& one_body) {
  const KeptRows kept(rows.weights, rows_of_set(fit, set));
  const EnergyRows energies = energy_rows(fit, one_body);
  const std::int64_t all_columns = one_body.count() + fit.columns();
  const auto columns = static_cast<std::size_t>(all_columns);
  CheckedReader store(fit.store);
  const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a, std::span<double> y) {
    return kept.for_each_run(first, count, [&](RowRange run, std::int64_t number) -> Status {
      const auto offset = static_cast<std::size_t>(number - first);
      const auto height = static_cast<std::size_t>(run.count);
      const auto a_run = a.subspan(offset * columns, height * columns);
      const auto y_run = y.subspan(offset, height);
      if (Status read = read_rows(fit, one_body, rows.factors, store, run, a_run, y_run); !read) {
        return read;
      }
      set_one_body(energies, run.first, {a_run.data(), run.count, all_columns});
      for (std::size_t i = 0; i < height; ++i) {
        const double weight = rows.weights[static_cast<std::size_t>(run.first) + i];
        y_run[i] = weight * (rows.targets[static_cast<std::size_t>(run.first) + i] - y_run[i]);
        Eigen::Map<Eigen::ArrayXd>(a_run.data() + i * columns, all_columns) *= weight;
      }
      return Done{};
    });
  };
  auto system = reduce_rows(kept.count(), all_columns, reader, solver_threads());
  if (Status whole = store.finish(); system && !whole) {
    return whole.errors();
  }
  if (system) {
    system->rows = rows.rows.at(static_cast<std::size_t>(set));  // reduced rows stand for more
  }
  return system;
}

}  // namespace ipfit
