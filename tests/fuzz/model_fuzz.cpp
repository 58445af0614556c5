#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/model/model.h"

using namespace ipfit;

/// Any bytes give a model or mistakes; a model survives writing and reading, and the same model gives the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<Model> model = read_model({reinterpret_cast<const char*>(data), size}, "model");
  if (!model) {
    for (const Error& error : model.errors()) {
      if (error.kind != ErrorKind::kInput || !error.where.starts_with("model") || error.what.empty()) {
        std::abort();
      }
    }
    return 0;
  }
  const std::string text = write_model(*model);
  const Result<Model> again = read_model(text, "model");
  if (!again || !(*again == *model) || write_model(*again) != text) {
    std::abort();
  }
  return 0;
}
