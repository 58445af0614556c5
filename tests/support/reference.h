#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>

#include <catch2/catch.hpp>

namespace ipfit::test {

/// The folder of reference results of the atomic cluster expansion: $IPFIT_REFERENCE, else ../shared/reference beside
/// the sources, in whose folder ctest runs the tests; empty where there is none.
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

/// Leaves the test, saying so, where the reference results are absent; otherwise defines `name`, a path.
#define IPFIT_REFERENCE_OR_SKIP(name)                                                                   \
  const auto name##_found = ::ipfit::test::reference_folder();                                          \
  if (!name##_found) {                                                                                  \
    WARN("skipped: no reference results; set IPFIT_REFERENCE to the folder that has golden/README.md"); \
    return;                                                                                             \
  }                                                                                                     \
  const std::filesystem::path& name = *name##_found
