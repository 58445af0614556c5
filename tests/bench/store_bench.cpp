// What the manager pays for a byte that comes in: checksum, copy into the page cache, journal, sync. And what it takes
// to open a store with many tasks in it.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>

#include "common/checksum.h"
#include "common/file_system.h"
#include "manager/store/block_store.h"
#include "manager/store/matrix_file.h"

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

constexpr std::int64_t kTasks = 100'000;
constexpr std::int64_t kRowsPerTask = 10;
constexpr std::int64_t kTaskColumns = 100;
const StoreIdentity kManyTasks{kTasks * kRowsPerTask, kTaskColumns, "", "", ""};

/// A store of 800 MB, all zero, in which so many tasks are stored, chosen and noted at random, as tasks that are handed
/// out by their cost are.
void make_store(const std::string& directory, std::int64_t stored) {
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  MatrixFile::create(directory + "/blocks.f64", kManyTasks.rows, kManyTasks.columns).value();
  const std::vector<double> zeros(static_cast<std::size_t>(kRowsPerTask * kTaskColumns));
  const std::vector<std::uint64_t> chunk{checksum(std::as_bytes(std::span(zeros)))};
  std::vector<std::int64_t> tasks(static_cast<std::size_t>(kTasks));
  std::iota(tasks.begin(), tasks.end(), 0);
  std::shuffle(tasks.begin(), tasks.end(), std::mt19937_64(1));
  std::string journal;
  const auto add = [&](const JournalRecord& record) {
    const auto bytes = encode_record(record, identity_tag(kManyTasks), 0);
    journal.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  add(kManyTasks);
  for (const std::int64_t task : std::span(tasks).first(static_cast<std::size_t>(stored))) {
    add(RowsStored{{task * kRowsPerTask, kRowsPerTask}, checksum_of_chunks(chunk), "node7:4711", 1.0});
  }
  write_file_durably(directory + "/journal", journal).value();
}

/// From the command to the moment at which tasks can be handed out: open, and lock what is stored against the workers
/// of this machine. `range(0)` tasks are stored.
void restart(benchmark::State& state) {
  const std::string directory = std::filesystem::temp_directory_path() / "ipfit_restart_bench";
  make_store(directory, state.range(0));
  for (auto _ : state) {
    auto store = BlockStore::open(directory, kManyTasks);
    if (!store || store->recovery().stored.size() != static_cast<std::size_t>(state.range(0)) || !store->share()) {
      state.SkipWithError("the store cannot be opened");
      return;
    }
    state.PauseTiming();
    store = Error{};  // closes it
    state.ResumeTiming();
  }
  std::filesystem::remove_all(directory);
}

BENCHMARK(restart)->Arg(kTasks)->Arg(kTasks / 2)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(2);

}  // namespace

BENCHMARK_MAIN();
