#include "manager/output/verify_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/model/model.h"
#include "manager/output/solution_files.h"
#include "manager/plan/dataset_index.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kImportAgain = "run the fit again: it reads the data again";
constexpr const char* kSolveAgain = "run the fit again, or ipfit solve: it is made again";

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::uint64_t size_of(const std::string& path) {
  std::error_code problem;
  const auto size = fs::file_size(path, problem);
  return problem ? 0 : size;
}

std::vector<std::string> solution_names(const FitDirectory& directory) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory.path + "/solutions", ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

/// Looks at one thing after the other and keeps what it finds.
class Inspection {
 public:
  Inspection(const FitDirectory& directory, const BytesRead& progress) : directory_(directory), progress_(progress) {}

  Status run() {
    if (exists(directory_.fit_file())) {
      read(directory_.fit_file());
      if (const auto spec = load_fit_file(directory_.fit_file()); !spec) {
        found_.damage.insert(found_.damage.end(), spec.errors().begin(), spec.errors().end());
      }
    }
    auto system = store(directory_.system());
    if (!system) {
      return system.errors();
    }
    look_at_dataset(*system);
    for (const std::string& name : solution_names(directory_)) {
      look_at_solution(name, *system);
      for (const std::string& rows : {directory_.predictions(name), directory_.dimers(name)}) {
        if (const auto looked = store(rows); !looked) {
          return looked.errors();
        }
      }
    }
    return Done{};
  }

  VerifiedFit take() { return std::move(found_); }

 private:
  /// Counts the bytes of a file that somebody else reads.
  void read(const std::string& path) {
    const std::uint64_t bytes = size_of(path);
    found_.bytes += bytes;
    progress_(bytes);
  }

  void damaged(const std::string& path, std::string what, const char* then) {
    found_.damage.push_back({ErrorKind::kStorage, path, std::move(what), then});
  }

  /// Keeps the errors, if there are any, with what becomes of it. False: there are.
  template <class T>
  bool note(const Result<T>& result, const char* then) {
    if (result) {
      return true;
    }
    for (Error error : result.errors()) {
      error.kind = ErrorKind::kStorage;  // files that ipfit wrote: whatever is wrong with them happened later
      error.remedy = then;
      found_.damage.push_back(std::move(error));
    }
    return false;
  }

  /// The identity of a store that is there and can be read.
  Result<std::optional<StoreIdentity>> store(const std::string& path) {
    if (!exists(path + "/journal")) {
      return std::optional<StoreIdentity>();
    }
    const auto looked = verify_store(path, progress_);
    if (!looked && looked.error().kind == ErrorKind::kRefused) {
      return looked.errors();
    }
    if (!note(looked, "run the fit again: it evaluates again what cannot be read")) {
      return std::optional<StoreIdentity>();
    }
    found_.records += looked->records;
    found_.blocks += looked->blocks;
    found_.rows += looked->rows;
    found_.bytes += looked->bytes;
    found_.damage.insert(found_.damage.end(), looked->damage.begin(), looked->damage.end());
    return looked->identity;
  }

  void look_at_dataset(const std::optional<StoreIdentity>& system) {
    if (!exists(directory_.dataset())) {
      return;
    }
    read(directory_.dataset());
    const auto dataset = open_dataset(directory_.dataset());
    if (!note(dataset, kImportAgain)) {
      return;
    }
    found_.structures = dataset->structures.size();
    if (system && system->dataset != dataset->hash) {
      damaged(
          directory_.dataset(),
          fmt::format("its {} bytes are not the data set whose structures were evaluated: fingerprint {}, expected {}",
                      dataset->bytes.size(), dataset->hash, system->dataset),
          kImportAgain);
    }
  }

  /// coefficients.json comes last: without it there is no solution yet.
  void look_at_solution(const std::string& name, const std::optional<StoreIdentity>& system) {
    const std::string coefficients_path = directory_.coefficients(name);
    const std::string potential_path = directory_.potential(name);
    if (!exists(coefficients_path)) {
      return;
    }
    ++found_.solutions;
    read(coefficients_path);
    read(potential_path);
    const std::string fit_file = directory_.fit_file_of(name);
    read(fit_file);
    note(load_fit_file(fit_file), kSolveAgain);
    const auto coefficients = parsed(coefficients_path, read_coefficients);
    const auto potential = parsed(potential_path, read_model);
    if (!coefficients || !potential) {
      return;
    }
    if (coefficients->values != potential->coefficients) {
      damaged(potential_path, "has other coefficients than the coefficients.json beside it", kSolveAgain);
    }
    const std::string rows = write_model({potential->basis, {}, {}, potential->zbl});
    if (system && system->model != fingerprint(rows)) {
      damaged(potential_path, "has another basis than the matrix", kSolveAgain);
    }
  }

  template <class Read>
  auto parsed(const std::string& path, Read parse) -> std::optional<std::decay_t<decltype(*parse("", path))>> {
    const auto text = read_file(path);
    if (!note(text, kSolveAgain)) {
      return std::nullopt;
    }
    auto value = parse(*text, path);
    if (!note(value, kSolveAgain)) {
      return std::nullopt;
    }
    return std::move(*value);
  }

  const FitDirectory& directory_;
  const BytesRead& progress_;
  VerifiedFit found_;
};

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::uint64_t bytes_to_verify(const FitDirectory& directory) {
  std::uint64_t bytes = size_of(directory.dataset());
  std::vector<std::string> stores{directory.system()};
  for (const std::string& name : solution_names(directory)) {
    stores.push_back(directory.predictions(name));
    stores.push_back(directory.dimers(name));
  }
  for (const std::string& store : stores) {
    bytes += size_of(store + "/journal") + size_of(store + "/blocks.f64");
  }
  return bytes;
}

Result<VerifiedFit> verify_fit(const FitDirectory& directory, const BytesRead& progress) {
  if (!exists(directory.dataset()) && !exists(directory.system()) && solution_names(directory).empty()) {
    return Error{ErrorKind::kUsage, directory.path, "is no fit directory: it has neither data nor matrix nor solutions",
                 "give the directory that ipfit fit made, such as silicon.fit"};
  }
  Inspection inspection(directory, progress);
  if (Status looked = inspection.run(); !looked) {
    return looked.errors();
  }
  return inspection.take();
}

std::string summary_of(const VerifiedFit& fit) {
  return fmt::format("{}: {} in {}, {}, {}, {}",
                     fit.damage.empty() ? "whole" : "damaged in " + counted(fit.damage.size(), "place", "places"),
                     counted(static_cast<std::uint64_t>(fit.rows), "row", "rows"),
                     counted(fit.blocks, "block", "blocks"), counted(fit.records, "journal record", "journal records"),
                     counted(fit.structures, "structure", "structures"),
                     counted(fit.solutions, "solution", "solutions"));
}

}  // namespace ipfit
