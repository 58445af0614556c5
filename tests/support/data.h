#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>

namespace ipfit::test {

/// The folder of reference data: $IPFIT_DATA, else ../shared/data beside the sources, in whose folder ctest runs the
/// tests; empty where there is none.
inline std::optional<std::filesystem::path> data_folder() {
  if (const char* given = std::getenv("IPFIT_DATA")) {
    return given;
  }
  const std::filesystem::path beside = "../shared/data";
  if (std::filesystem::exists(beside)) {
    return std::filesystem::canonical(beside);
  }
  return std::nullopt;
}

}  // namespace ipfit::test

/// Leaves the test, saying so, where the reference data are absent; otherwise defines `name`, a path.
#define IPFIT_DATA_OR_SKIP(name)                                                            \
  const auto name##_found = ::ipfit::test::data_folder();                                   \
  if (!name##_found) {                                                                      \
    WARN("skipped: no reference data; set IPFIT_DATA to the folder that has si_train.xyz"); \
    return;                                                                                 \
  }                                                                                         \
  const std::filesystem::path& name = *name##_found
