#include "manager/cli/fit_setup.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/fit/fit_file.h"
#include "common/lsq/reduced_row.h"
#include "common/model/model.h"
#include "manager/store/store_reader.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

Error differs(const std::string& out, const std::string& what) {
  return {ErrorKind::kRefused, out, fmt::format("holds a fit of {}", what),
          "choose another --out, or remove the directory to start again"};
}

// The new data and basis must be those of what is stored.
Status belongs(const FitDirectory& directory, const Imported& data) {
  const auto identity = read_store_identity(directory.system());
  if (!identity) {
    return Done{};  // nothing stored yet, or nothing that can be read: opening the store says which
  }
  if (identity->dataset != data.hash) {
    return differs(directory.path, "other training or test data (structures, labels, or the keys they are read by)");
  }
  if (identity->model != fingerprint(write_model(data.model))) {
    return differs(directory.path, "another basis (kind, elements, cutoffs or functions), or another ZBL repulsion");
  }
  const bool reduced = data.spec.assembly.keep == Keep::kReduced;
  if (identity->columns != (reduced ? reduced_columns(data.model) : data.model.columns())) {
    return differs(directory.path, "rows that are kept in another way (assembly.keep)");
  }
  if (identity->build != build_id()) {
    return differs(directory.path,
                   fmt::format("build {}; this is build {}, which may round differently", identity->build, build_id()));
  }
  return Done{};
}

}  // namespace

Result<FitFile> open_fit_file(const std::string& path) {
  auto spec = load_fit_file(path);
  if (!spec) {
    return spec.errors();
  }
  const fs::path parent = fs::path(path).parent_path();
  return FitFile{std::move(*spec), parent.empty() ? "." : parent.string()};
}

Result<FitSetup> set_up(const FitFile& file, const std::string& out) {
  const FitDirectory directory{out};
  std::error_code ignored;
  const bool foreign =
      fs::exists(out, ignored) && !fs::is_empty(out, ignored) && !fs::exists(directory.lock(), ignored);
  if (foreign) {
    return Error{ErrorKind::kUsage, out, "is there already and is no fit directory", "choose another --out"};
  }
  if (Status made = make_directories(out); !made) {
    return made.errors();
  }
  auto lock = lock_file(directory.lock());
  if (!lock) {
    return lock.errors();
  }
  auto data = import_to(directory, file.spec, file.base);
  Status good = data ? belongs(directory, *data) : Status(data.errors());
  if (!good) {
    fs::remove(directory.partial_dataset(), ignored);
    if (!fs::exists(directory.fit_file(), ignored)) {  // it was new: leave nothing behind
      fs::remove(directory.lock(), ignored);
      fs::remove(out, ignored);
    }
    return good.errors();
  }
  const bool goes_on = fs::exists(directory.system(), ignored);
  if (Status kept = keep_dataset(directory); !kept) {
    return kept.errors();
  }
  // So that the resolved file can be used from anywhere.
  for (auto* files : {&data->spec.data.train, &data->spec.data.validation, &data->spec.data.test}) {
    for (std::string& name : *files) {
      name = fs::absolute(fs::path(file.base) / name).lexically_normal();
    }
  }
  if (Status written = write_file_durably(directory.fit_file(), write_fit_file(data->spec)); !written) {
    return written.errors();
  }
  return FitSetup{directory, std::move(*lock), std::move(*data), goes_on};
}

}  // namespace ipfit
