#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "common/atoms/extxyz.h"
#include "common/atoms/key_use.h"

// How fast extended XYZ is read, in bytes of the file per second on one core. $IPFIT_DATA is the folder with
// si_train.xyz and inp_train.xyz; else ../shared/data beside the sources.

namespace {

std::filesystem::path data_file(const std::string& name) {
  const char* given = std::getenv("IPFIT_DATA");
  const std::filesystem::path folder = given != nullptr
                                           ? std::filesystem::path(given)
                                           : std::filesystem::path(__FILE__).parent_path() / "../../../shared/data";
  return folder / name;
}

void read_file(benchmark::State& state, const std::string& name) {
  const std::filesystem::path path = data_file(name);
  if (!std::filesystem::exists(path)) {
    state.SkipWithError("no such file; set IPFIT_DATA");
    return;
  }
  std::int64_t atoms = 0;
  for (auto _ : state) {
    ipfit::Result<ipfit::ExtxyzReader> reader = ipfit::ExtxyzReader::open(path.string(), {});
    for (auto structure = reader->next(); structure && *structure; structure = reader->next()) {
      atoms += (*structure)->size();
    }
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  state.counters["atoms"] = benchmark::Counter(static_cast<double>(atoms), benchmark::Counter::kIsRate);
}

void survey_keys(benchmark::State& state, const std::string& name) {
  const std::filesystem::path path = data_file(name);
  if (!std::filesystem::exists(path)) {
    state.SkipWithError("no such file; set IPFIT_DATA");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(ipfit::discover_keys({path.string()}, {}));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

}  // namespace

BENCHMARK_CAPTURE(read_file, si_train, "si_train.xyz")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, inp_train, "inp_train.xyz")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(survey_keys, inp_train, "inp_train.xyz")->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
