#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <random>
#include <vector>

#include "common/blas.h"
#include "common/lsq/reduced.h"

// What reduce_rows reaches, against dgemm on one thread, which is the ceiling for each of its threads.
namespace ipfit {
namespace {

std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> out(count);
  std::generate(out.begin(), out.end(), [&] { return uniform(generator); });
  return out;
}

void report_gflops(benchmark::State& state, double flops) {
  state.counters["GFlop/s"] =
      benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

void dgemm(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  const std::vector<double> a = random_numbers(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  std::vector<double> c(a.size());
  for (auto _ : state) {
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, a.data(), n, 0.0, c.data(), n);
  }
  report_gflops(state, 2.0 * n * n * n);
}

// The rows are copies of a few thousand random ones: a real reader copies from the file cache, too.
void reduce_rows_of(benchmark::State& state) {
  const std::int64_t rows = state.range(0);
  const std::int64_t columns = state.range(1);
  const auto cells = static_cast<std::size_t>(4096 * columns);
  const std::vector<double> source = random_numbers(cells + 4096);
  const RowReader reader = [&](std::int64_t, std::int64_t, std::span<double> a, std::span<double> y) -> Status {
    std::copy_n(source.begin(), a.size(), a.begin());
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(cells), y.size(), y.begin());
    return Done{};
  };
  for (auto _ : state) {
    benchmark::DoNotOptimize(reduce_rows(rows, columns, reader, static_cast<int>(state.range(2))));
  }
  report_gflops(state, 2.0 * static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(columns));
}

BENCHMARK(dgemm)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(reduce_rows_of)
    ->ArgNames({"rows", "columns", "threads"})
    ->ArgsProduct({{40000}, {1000}, {1, 2}})
    ->ArgsProduct({{370000}, {60}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace ipfit

int main(int argc, char** argv) {
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
