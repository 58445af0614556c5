#include "manager/output/stored_predictions.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/lsq/targets.h"
#include "manager/store/block_store.h"
#include "manager/store/checked_reader.h"
#include "proto/message.h"

namespace ipfit {
namespace {

constexpr std::int64_t kPanelRows = 2048;

/// The factors of the stored columns: the coefficients, and 1 for the reference potential, which is stored last.
Eigen::VectorXd factors_of(const Model& potential) {
  const auto functions = static_cast<Eigen::Index>(potential.coefficients.size());
  Eigen::VectorXd factors = Eigen::VectorXd::Ones(functions + (potential.zbl ? 1 : 0));
  factors.head(functions) = Eigen::Map<const Eigen::VectorXd>(potential.coefficients.data(), functions);
  return factors;
}

Status check_belongs(const StoreReader& system, const Model& potential) {
  const Model assembled{potential.basis, {}, {}, potential.zbl};
  if (system.identity().model != fingerprint(write_model(assembled))) {
    return Error{ErrorKind::kRefused, "system", "holds rows of another basis, or another ZBL repulsion",
                 "take the potential of this fit directory"};
  }
  return system.check_complete();
}

}  // namespace

Result<std::vector<double>> predict_rows(const StoreReader& system, const std::vector<Structure>& structures,
                                         const Model& potential) {
  if (Status good = check_belongs(system, potential); !good) {
    return good.errors();
  }
  const StoreIdentity& identity = system.identity();
  const Eigen::VectorXd factors = factors_of(potential);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMajor panel(std::min(kPanelRows, identity.rows), identity.columns);
  std::vector<double> out(static_cast<std::size_t>(identity.rows));
  Eigen::Map<Eigen::VectorXd> predicted(out.data(), identity.rows);
  CheckedReader reader(system);
  for (std::int64_t first = 0; first < identity.rows; first += kPanelRows) {
    const std::int64_t count = std::min(kPanelRows, identity.rows - first);
    const std::span<double> numbers(panel.data(), static_cast<std::size_t>(count * identity.columns));
    if (Status read = reader.read({first, count}, numbers); !read) {
      return read.errors();
    }
    predicted.segment(first, count).noalias() = panel.topRows(count) * factors;
  }
  if (Status whole = reader.finish(); !whole) {
    return whole.errors();
  }
  std::int64_t row = 0;
  for (const Structure& structure : structures) {
    const RowMask mask = mask_of(structure);
    if (mask.energy && row < identity.rows) {
      out[static_cast<std::size_t>(row)] += one_body_energy(structure, potential.one_body);
    }
    row += row_count(structure.size(), mask);
  }
  if (row != identity.rows) {
    return Error{ErrorKind::kRefused, "system", "its rows are not those of dataset.bin",
                 "start again with another --out"};
  }
  return out;
}

Status keep_predictions(const FitDirectory& directory, const std::string& name, const StoreIdentity& system,
                        const Model& potential, const std::vector<double>& predictions) {
  std::error_code ignored;
  std::filesystem::remove_all(directory.predictions(name), ignored);
  auto store =
      BlockStore::open(directory.predictions(name),
                       {system.rows, 1, system.dataset, fingerprint(write_model(potential)), std::string(build_id())});
  if (!store) {
    return store.errors();
  }
  StoredBlock block{{0, system.rows}, {}, {}, "stored rows", 0.0};
  for (auto rest = std::as_bytes(std::span(predictions)); !rest.empty();) {
    const auto chunk = rest.first(std::min<std::size_t>(rest.size(), kChunkBytes));
    block.chunks.push_back(chunk);
    block.chunk_checksums.push_back(checksum(chunk));
    rest = rest.subspan(chunk.size());
  }
  if (system.rows > 0) {
    if (const auto written = store->write(block); !written) {  // never busy: nobody else knows of it
      return written.errors();
    }
  }
  return store->finish();
}

}  // namespace ipfit
