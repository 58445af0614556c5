// What the manager pays for a byte that comes in: checksum, copy into the page cache, journal, sync.

#include <benchmark/benchmark.h>

#include <filesystem>
#include <random>

#include "common/checksum.h"
#include "manager/store/block_store.h"

using namespace ipfit;

namespace {

constexpr std::int64_t kColumns = 1024;
constexpr std::int64_t kRowsPerBlock = 1024;  // 8 MiB, eight chunks
constexpr std::int64_t kBlocks = 64;

std::vector<double> random_rows() {
  std::mt19937_64 random(1);
  std::vector<double> values(static_cast<std::size_t>(kRowsPerBlock * kColumns));
  for (double& value : values) {
    value = static_cast<double>(random());
  }
  return values;
}

/// Blocks written and committed in groups of `range(0)`.
void store_blocks(benchmark::State& state) {
  const std::vector<double> values = random_rows();
  StoredBlock block;
  for (auto rest = std::as_bytes(std::span(values)); !rest.empty(); rest = rest.subspan(kChunkBytes)) {
    block.chunks.push_back(rest.first(kChunkBytes));
    block.chunk_checksums.push_back(checksum(block.chunks.back()));
  }
  const auto directory = std::filesystem::temp_directory_path() / "ipfit_store_bench";
  for (auto _ : state) {
    state.PauseTiming();
    std::filesystem::remove_all(directory);
    auto store = BlockStore::open(directory.string(), {kBlocks * kRowsPerBlock, kColumns, "", "", ""});
    state.ResumeTiming();
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      block.rows = {i * kRowsPerBlock, kRowsPerBlock};
      const bool good = store->write(block) && ((i + 1) % state.range(0) != 0 || store->commit());
      if (!good) {
        state.SkipWithError("the store failed");
        return;
      }
    }
  }
  std::filesystem::remove_all(directory);
  state.SetBytesProcessed(state.iterations() * kBlocks * kRowsPerBlock * kColumns * 8);
}

BENCHMARK(store_blocks)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime()->Iterations(2);

}  // namespace

BENCHMARK_MAIN();
