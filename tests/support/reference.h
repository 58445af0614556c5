#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>

namespace ipfit::test {

/// The folder of reference values: $IPFIT_REFERENCE, else ../shared/reference beside the sources, in whose folder ctest
/// runs the tests; empty where there is none.
inline std::optional<std::filesystem::path> reference_folder() {
  if (const char* given = std::getenv("IPFIT_REFERENCE")) {
    return given;
  }
  const std::filesystem::path beside = "../shared/reference";
  if (std::filesystem::exists(beside)) {
    return std::filesystem::canonical(beside);
  }
  return std::nullopt;
}

}  // namespace ipfit::test

/// Leaves the test, saying so, where the reference values are absent; otherwise defines `name`, the path of `file`
/// among them.
#define IPFIT_REFERENCE_OR_SKIP(name, file)                                                    \
  const auto name##_folder = ::ipfit::test::reference_folder();                                \
  if (!name##_folder) {                                                                        \
    WARN("skipped: no reference values; set IPFIT_REFERENCE to the folder that has " << file); \
    return;                                                                                    \
  }                                                                                            \
  const std::filesystem::path name = *name##_folder / file
