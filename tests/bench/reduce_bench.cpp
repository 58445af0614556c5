#include <benchmark/benchmark.h>
#include <cblas.h>
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <future>
#include <random>
#include <vector>

#include "common/blas.h"
#include "common/checksum.h"
#include "common/lsq/reduced.h"
#include "manager/store/block_store.h"
#include "manager/store/checked_reader.h"
#include "manager/store/store_reader.h"

// What reduce_rows reaches, from memory and from a store, against dgemm on as many threads, measured before and after
// each run. `of_dgemm` compares times of the clock; `of_dgemm_cpu` compares CPU times, which other load on the machine
// disturbs less, but which do not see a thread that waits. Medians.
namespace ipfit {
namespace {

struct Seconds {
  double clock;
  double cpu;
};

template <class Work>
Seconds measure(Work&& work) {
  const auto cpu = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = cpu();
  work();
  const double used = cpu() - cpu_start;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), used};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> out(count);
  std::generate(out.begin(), out.end(), [&] { return uniform(generator); });
  return out;
}

/// `threads` products of n x n matrices at once, each on one thread.
class Products {
 public:
  Products(int n, int threads) : n_(n), a_(random_numbers(static_cast<std::size_t>(n * n))) {
    for (int k = 0; k < threads; ++k) {
      c_.emplace_back(a_.size());
    }
  }
  double flops() const { return 2.0 * n_ * n_ * n_ * static_cast<double>(c_.size()); }
  void operator()() {
    std::vector<std::future<void>> running;
    for (std::vector<double>& c : c_) {
      running.push_back(std::async(std::launch::async, [&] {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n_, n_, n_, 1.0, a_.data(), n_, a_.data(), n_, 0.0,
                    c.data(), n_);
      }));
    }
  }

 private:
  int n_;
  std::vector<double> a_;
  std::vector<std::vector<double>> c_;
};

void dgemm(benchmark::State& state) {
  Products products(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  std::vector<double> rates;
  std::vector<double> cpu_rates;
  for (auto _ : state) {
    const Seconds seconds = measure(products);
    state.SetIterationTime(seconds.clock);
    rates.push_back(products.flops() * 1e-9 / seconds.clock);
    cpu_rates.push_back(products.flops() * 1e-9 / seconds.cpu);
  }
  state.counters["GFlop/s"] = median(rates);
  state.counters["per_core"] = median(cpu_rates);
}

/// Weighted rows, as solving reads them: of a few thousand random ones in memory, or of a store.
class Source {
 public:
  Source(std::int64_t rows, std::int64_t columns, bool stored)
      : columns_(static_cast<std::size_t>(columns)),
        numbers_(random_numbers(4096 * columns_)),
        weights_(random_numbers(static_cast<std::size_t>(rows))) {
    if (stored) {
      write(rows);
      store_ = StoreReader::open(directory_.string());
    }
  }
  ~Source() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  Result<ReducedSystem> reduce(int threads) const {
    std::optional<CheckedReader> checked;
    if (store_) {
      checked.emplace(**store_);
    }
    const RowReader reader = [&](std::int64_t first, std::int64_t count, std::span<double> a,
                                 std::span<double> y) -> Status {
      if (checked) {
        if (Status read = checked->read({first, count}, a); !read) {
          return read;
        }
      } else {
        const auto place = static_cast<std::size_t>(first) % 3000 * columns_;
        std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(place), a.size(), a.begin());
      }
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double weight = weights_[static_cast<std::size_t>(first) + i];
        y[i] = weight;
        Eigen::Map<Eigen::ArrayXd>(a.data() + i * columns_, static_cast<Eigen::Index>(columns_)) *= weight;
      }
      return Done{};
    };
    auto system =
        reduce_rows(static_cast<std::int64_t>(weights_.size()), static_cast<std::int64_t>(columns_), reader, threads);
    if (checked && system) {
      if (Status whole = checked->finish(); !whole) {
        return whole.errors();
      }
    }
    return system;
  }

  void forget_cache() const { (*store_)->matrix().forget_cache(); }

 private:
  void write(std::int64_t rows) {
    const auto columns = static_cast<std::int64_t>(columns_);
    std::filesystem::remove_all(directory_);
    auto store = BlockStore::open(directory_.string(), {rows, columns, "", "", ""});
    // Blocks as plan_tasks() makes them.
    const std::int64_t bytes = std::clamp<std::int64_t>(rows * columns * 8 / 400, 128 << 10, 8 << 20);
    const std::int64_t height = std::clamp<std::int64_t>(bytes / (columns * 8), 1, 1000);
    for (std::int64_t first = 0; first < rows; first += height) {
      StoredBlock block;
      block.rows = {first, std::min(height, rows - first)};
      const auto numbers = std::span(numbers_).subspan(static_cast<std::size_t>(first) % 3000 * columns_,
                                                       static_cast<std::size_t>(block.rows.count) * columns_);
      for (auto rest = std::as_bytes(numbers); !rest.empty(); rest = rest.subspan(std::min(kChunkBytes, rest.size()))) {
        block.chunks.push_back(rest.first(std::min(kChunkBytes, rest.size())));
        block.chunk_checksums.push_back(checksum(block.chunks.back()));
      }
      if (!store->write(block)) {
        return;
      }
    }
    if (!store->commit()) {
      return;
    }
  }

  std::size_t columns_;
  std::vector<double> numbers_;
  std::vector<double> weights_;
  std::filesystem::path directory_ = std::filesystem::temp_directory_path() / "ipfit_reduce_bench";
  std::optional<Result<StoreReader>> store_;
};

enum From { kMemory, kStore, kDisk };

void reduce(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const std::int64_t columns = state.range(1);
  const auto threads = static_cast<int>(state.range(2));
  const auto from = static_cast<From>(state.range(3));
  const double flops =
      2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(columns) -
      2.0 / 3.0 * static_cast<double>(columns) * static_cast<double>(columns) * static_cast<double>(columns);
  const Source source(rows, columns, from != kMemory);
  Products products(2000, threads);
  std::vector<double> rates;
  std::vector<double> cpu_rates;
  std::vector<double> ratios;
  std::vector<double> cpu_ratios;
  for (auto _ : state) {
    if (from == kDisk) {
      source.forget_cache();
    }
    const Seconds before = measure(products);
    const Seconds own = measure([&] {
      if (!source.reduce(threads)) {
        state.SkipWithError("rows cannot be read");
      }
    });
    const Seconds after = measure(products);
    state.SetIterationTime(own.clock);
    rates.push_back(flops * 1e-9 / own.clock);
    cpu_rates.push_back(flops * 1e-9 / own.cpu);
    ratios.push_back(flops / own.clock / (2.0 * products.flops() / (before.clock + after.clock)));
    cpu_ratios.push_back(flops / own.cpu / (2.0 * products.flops() / (before.cpu + after.cpu)));
  }
  state.counters["GFlop/s"] = median(rates);
  state.counters["per_core"] = median(cpu_rates);
  state.counters["of_dgemm"] = median(ratios);
  state.counters["of_dgemm_cpu"] = median(cpu_ratios);
  state.SetLabel(from == kMemory ? "memory" : from == kStore ? "store" : "disk");
}

BENCHMARK(dgemm)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{2000, 4000}, {1, 2}})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(reduce)
    ->ArgNames({"rows", "columns", "threads", "from"})
    ->ArgsProduct({{40000}, {1000}, {1, 2}, {kMemory, kStore, kDisk}})
    ->ArgsProduct({{100000}, {2000}, {2}, {kMemory, kStore, kDisk}})
    ->ArgsProduct({{370000}, {60}, {1, 2}, {kMemory, kStore}})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace ipfit

int main(int argc, char** argv) {
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
