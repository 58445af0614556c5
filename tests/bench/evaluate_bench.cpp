// Milliseconds per atom of the pair basis on structures like those of a typical data set: disordered InP of 216 atoms
// (density of inp_train.xyz) and the 8-atom cell that is smaller than the cutoff.
#include <benchmark/benchmark.h>

#include <random>

#include "common/blas.h"
#include "worker/evaluate.h"

namespace {

using namespace ipfit;

constexpr RowMask kAll{true, true, true};

/// Zinc blende with thermal disorder, n x n x n cells of 5.83 Å.
Structure indium_phosphide(int n) {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> shake(0.0, 0.15);
  Structure s;
  for (int i = 0; i < n * n * n; ++i) {
    const Vec3 corner(i % n, i / n % n, i / n / n);
    for (const Vec3& site : {Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.5, 0.5), Vec3(0.5, 0.0, 0.5), Vec3(0.5, 0.5, 0.0)}) {
      for (const double shift : {0.0, 0.25}) {
        s.species.push_back(shift == 0.0 ? 49 : 15);
        s.positions.push_back(5.83 * (corner + site + Vec3::Constant(shift)) +
                              Vec3(shake(engine), shake(engine), shake(engine)));
      }
    }
  }
  s.cell = Mat3::Identity() * 5.83 * n;
  s.pbc = {true, true, true};
  return s;
}

void per_atom(benchmark::State& state, const Structure& s) {
  state.counters["seconds per atom"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(s.size()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// range(0): cells per side; range(1): cutoff in Å; range(2): functions per pair of elements.
void rows(benchmark::State& state) {
  const Structure s = indium_phosphide(static_cast<int>(state.range(0)));
  Evaluator evaluator(
      {PairSpec{{49, 15}, static_cast<double>(state.range(1)), static_cast<int>(state.range(2))}, {}, {}});
  std::vector<double> out(static_cast<std::size_t>(row_count(s.size(), kAll) * evaluator.columns()));
  for (auto _ : state) {
    if (!evaluator.evaluate(s, kAll, out)) {
      state.SkipWithError("cannot be evaluated");
    }
    benchmark::DoNotOptimize(out.data());
  }
  per_atom(state, s);
}
BENCHMARK(rows)->Args({3, 6, 20})->Args({3, 8, 20})->Args({1, 6, 20})->Args({1, 8, 20})->Args({3, 6, 50});

void prediction(benchmark::State& state) {
  const Structure s = indium_phosphide(static_cast<int>(state.range(0)));
  const PairSpec spec{{49, 15}, static_cast<double>(state.range(1)), static_cast<int>(state.range(2))};
  Evaluator evaluator({spec, std::vector<double>(static_cast<std::size_t>(column_count(spec)), 0.1), {}});
  std::vector<double> out(static_cast<std::size_t>(row_count(s.size(), kAll)));
  for (auto _ : state) {
    if (!evaluator.evaluate(s, kAll, out)) {
      state.SkipWithError("cannot be evaluated");
    }
    benchmark::DoNotOptimize(out.data());
  }
  per_atom(state, s);
}
BENCHMARK(prediction)->Args({3, 6, 20})->Args({3, 8, 20});

void neighbours(benchmark::State& state) {
  const Structure s = indium_phosphide(static_cast<int>(state.range(0)));
  NeighbourSearch search;
  std::size_t found = 0;
  for (auto _ : state) {
    if (!search.prepare(s, static_cast<double>(state.range(1)))) {
      state.SkipWithError("cannot be searched");
    }
    for (std::int32_t i = 0; i < s.size(); ++i) {
      found += search.of(i)->size();
    }
  }
  per_atom(state, s);
  state.counters["neighbours"] =
      static_cast<double>(found) / static_cast<double>(state.iterations()) / static_cast<double>(s.size());
}
BENCHMARK(neighbours)->Args({3, 6})->Args({3, 8})->Args({1, 6})->Args({1, 8})->Args({8, 6});

}  // namespace

int main(int argc, char** argv) {
  ipfit::use_single_threaded_blas();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
