#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/fit/fit_file.h"

using namespace ipfit;

/// Any bytes give a FitSpec or mistakes with their place; a FitSpec survives writing and reading.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<FitSpec> spec = read_fit_file({reinterpret_cast<const char*>(data), size}, "fit.toml");
  if (!spec) {
    for (const Error& error : spec.errors()) {
      if (error.kind != ErrorKind::kInput || !error.where.starts_with("fit.toml") || error.what.empty()) {
        std::abort();
      }
    }
    return 0;
  }
  const Result<FitSpec> again = read_fit_file(write_fit_file(*spec), "resolved.toml");
  if (!again || !(*again == *spec)) {
    std::abort();
  }
  return 0;
}
