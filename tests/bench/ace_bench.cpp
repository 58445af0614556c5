// What one site of the ACE basis costs, beside a matrix product measured in the same run: rows of the design matrix and
// fitted potentials, by number of functions, elements, ranks and neighbours; and where the time goes.
//
//     ace_bench [FILE.xyz]        structures of silicon; without: $IPFIT_DATA or ../shared/data/si_train.xyz, or 64
//     made-up atoms
#include <cblas.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>

#include "common/atoms/extxyz.h"
#include "common/blas.h"
#include "common/model/ace/ace_labels.h"
#include "common/model/ace/ace_rule.h"
#include "worker/basis/ace/ace_basis.h"
#include "worker/neighbours.h"

namespace {

using namespace ipfit;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Floating-point operations per second of a square matrix product, the measure of what this core can do.
double product_rate() {
  constexpr int kSize = 4000;
  static const std::vector<double> a(std::size_t{kSize} * kSize, 1.0);
  static std::vector<double> c(a.size());
  const double start = now();
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, kSize, kSize, kSize, 1.0, a.data(), kSize, a.data(), kSize,
              0.0, c.data(), kSize);
  return 2.0 * kSize * double{kSize} * kSize / (now() - start);
}

// ---- where the time goes: the site kernel with a clock around each stage ------------------------------------------

std::map<std::string, double> stage_seconds;
const SiteKernel* measured = nullptr;

template <class Call>
auto timed(const char* stage, Call call) {
  struct Clock {
    const char* stage;
    double start = now();
    ~Clock() { stage_seconds[stage] += now() - start; }
  } clock{stage};
  return call();
}

SiteKernel with_clocks() {
  SiteKernel kernel = *measured;
  kernel.harmonics = [](auto... a) { timed("harmonics", [&] { measured->harmonics(a...); }); };
  kernel.derivatives = [](auto... a) { timed("densities and derivatives", [&] { measured->derivatives(a...); }); };
  kernel.products = [](auto... a) { timed("products", [&] { measured->products(a...); }); };
  kernel.contract = [](auto... a) { timed("contraction and scatter", [&] { measured->contract(a...); }); };
  return kernel;
}

// ---- what is measured ---------------------------------------------------------------------------------------------

struct Case {
  const char* name;
  std::vector<std::uint8_t> elements;
  std::vector<int> functions;  ///< per rank and element
  double cutoff;
  std::vector<int> n_max{15, 7, 5, 4, 2};
  std::vector<int> l_max{0, 5, 4, 3, 2};
};

/// Within the box of n_max and l_max the first functions of each rank by sum of n + l.
AceSpec spec_of(const Case& c) {
  AceRule rule;
  rule.elements = c.elements;
  rule.cutoff = c.cutoff;
  rule.choice = AceChoice::kLists;
  rule.n_max.assign(c.n_max.begin(), c.n_max.begin() + static_cast<std::ptrdiff_t>(c.functions.size()));
  rule.l_max.assign(c.l_max.begin(), c.l_max.begin() + static_cast<std::ptrdiff_t>(c.functions.size()));
  AceSpec spec = make_ace_spec(rule).value();
  const auto level = [](const AceMultiset& m) {
    return std::accumulate(m.labels.begin(), m.labels.end(), 0,
                           [](int sum, const AceLabel& label) { return sum + label.n + label.l; });
  };
  std::vector<AceMultiset> all = std::move(spec.multisets);
  std::stable_sort(all.begin(), all.end(),
                   [&](const AceMultiset& a, const AceMultiset& b) { return level(a) < level(b); });
  spec.multisets.clear();
  std::map<std::pair<int, std::size_t>, int> taken;
  for (AceMultiset& multiset : all) {
    int& count = taken[{multiset.centre, multiset.labels.size()}];
    const int more = coupling_count(shape_of(multiset));
    if (count + more <= c.functions[multiset.labels.size() - 1]) {
      count += more;
      spec.multisets.push_back(std::move(multiset));
    }
  }
  std::sort(spec.multisets.begin(), spec.multisets.end(),
            [](const AceMultiset& a, const AceMultiset& b) { return column_order(a, b) < 0; });
  return spec;
}

std::vector<Structure> made_up() {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> shake(0.0, 0.1);
  Structure s;
  constexpr double kCell = 5.43;
  for (int i = 0; i < 8; ++i) {
    for (const Vec3& site : {Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.5, 0.5), Vec3(0.5, 0.0, 0.5), Vec3(0.5, 0.5, 0.0)}) {
      for (const double shift : {0.0, 0.25}) {
        s.species.push_back(14);
        s.positions.push_back(kCell * (Vec3(i % 2, i / 2 % 2, i / 4) + site + Vec3::Constant(shift)) +
                              Vec3(shake(engine), shake(engine), shake(engine)));
      }
    }
  }
  s.cell = Mat3::Identity() * 2.0 * kCell;
  s.pbc = {true, true, true};
  return {s};
}

/// A structure with its neighbours, so that the search is not measured.
struct Prepared {
  Structure structure;
  std::vector<std::vector<Neighbour>> neighbours;
};

std::vector<Prepared> prepare(const std::vector<Structure>& structures, const Case& c) {
  std::vector<Prepared> all;
  NeighbourSearch search;
  for (const Structure& original : structures) {
    Prepared& p = all.emplace_back();
    p.structure = original;
    for (std::size_t i = 0; i < p.structure.species.size(); ++i) {
      p.structure.species[i] = c.elements[i * 7 % c.elements.size()];
    }
    if (!search.prepare(p.structure, c.cutoff)) {
      fmt::print(stderr, "a structure cannot be searched\n");
      std::exit(1);
    }
    for (std::int32_t i = 0; i < p.structure.size(); ++i) {
      const auto found = search.of(i).value();
      p.neighbours.emplace_back(found.begin(), found.end());
    }
  }
  return all;
}

/// Seconds per site of one pass over all structures; the best of some.
double seconds_per_site(Basis& basis, const std::vector<Prepared>& all, int passes) {
  double best = 1e9;
  std::vector<double> out;
  for (int pass = 0; pass < passes; ++pass) {
    double seconds = 0.0;
    std::size_t sites = 0;
    for (const Prepared& p : all) {
      const std::int64_t columns = basis.columns();
      out.assign(static_cast<std::size_t>((7 + 3 * p.structure.size()) * columns), 0.0);
      const Rows rows{out.data(), out.data() + columns, out.data() + (1 + 3 * p.structure.size()) * columns, columns};
      const double start = now();
      for (std::int32_t i = 0; i < p.structure.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        basis.add_site({i, p.structure.species[at], p.neighbours[at]}, rows);
      }
      seconds += now() - start;
      sites += p.neighbours.size();
    }
    best = std::min(best, seconds / static_cast<double>(sites));
  }
  return best;
}

/// Operations that the product of the two tables of derivatives needs, with all neighbours apart.
double operations_per_site(const AceSpec& spec, const std::vector<Prepared>& all) {
  const auto plan = make_ace_plan(spec);
  double operations = 0.0;
  double sites = 0.0;
  for (const Prepared& p : all) {
    for (std::size_t i = 0; i < p.neighbours.size(); ++i) {
      const auto element = [&](std::uint8_t species) {
        return static_cast<std::size_t>(std::find(spec.elements.begin(), spec.elements.end(), species) -
                                        spec.elements.begin());
      };
      const CentrePlan& centre = plan->centres[element(p.structure.species[i])];
      for (const Neighbour& neighbour : p.neighbours[i]) {
        for (const TermView& term : centre.neighbours[element(neighbour.species)].terms) {
          operations += 2.0 * 3.0 * term.components;
        }
      }
      sites += 1.0;
    }
  }
  return operations / sites;
}

void measure(const Case& c, const std::vector<Structure>& structures) {
  const AceSpec spec = spec_of(c);
  const std::vector<Prepared> all = prepare(structures, c);
  std::size_t neighbours = 0;
  std::size_t sites = 0;
  for (const Prepared& p : all) {
    for (const auto& found : p.neighbours) {
      neighbours += found.size();
      ++sites;
    }
  }
  AceBasis basis(spec);
  AceBasis potential(spec, std::vector<double>(static_cast<std::size_t>(column_count(spec)), 0.01));
  const double rows = seconds_per_site(basis, all, 3);
  const double fitted = seconds_per_site(potential, all, 5);
  const double rate = product_rate();
  stage_seconds.clear();
  const SiteKernel clocks = with_clocks();
  AceBasis clocked(spec, {}, clocks);
  const double whole = seconds_per_site(clocked, all, 1) * static_cast<double>(sites);
  const double needed = operations_per_site(spec, all);
  const double contraction = stage_seconds["contraction and scatter"] / static_cast<double>(sites);
  fmt::print("{:28} {:6} columns {:5.1f} neighbours  rows {:7.1f} us  potential {:6.1f} us  product {:5.1f} GFLOP/s\n",
             c.name, column_count(spec), static_cast<double>(neighbours) / static_cast<double>(sites), rows * 1e6,
             fitted * 1e6, rate * 1e-9);
  fmt::print(
      "    needed {:.2f} Mflop/site; contraction and scatter at {:.0f} % of the product's rate, everything at {:.0f} "
      "%;",
      needed * 1e-6, 100.0 * needed / contraction / rate, 100.0 * needed / rows / rate);
  double other = whole;
  for (const auto& [stage, seconds] : stage_seconds) {
    fmt::print(" {} {:.0f} %,", stage, 100.0 * seconds / whole);
    other -= seconds;
  }
  fmt::print(" other {:.0f} %\n", 100.0 * other / whole);
}

void count(const Case& c) {
  const std::vector<Prepared> all = prepare(made_up(), c);
  const AceSpec spec = spec_of(c);
  AceBasis basis(spec);
  AceBasis potential(spec, std::vector<double>(static_cast<std::size_t>(column_count(spec)), 0.01));
  seconds_per_site(basis, all, 1);
  seconds_per_site(potential, all, 1);
}

std::string data_file(int argc, char** argv) {
  if (argc > 1) {
    return argv[1];
  }
  const char* folder = std::getenv("IPFIT_DATA");
  const std::string path = std::string(folder != nullptr ? folder : "../shared/data") + "/si_train.xyz";
  return std::filesystem::exists(path) ? path : "";
}

}  // namespace

int main(int argc, char** argv) {
  ipfit::use_fast_blas_kernels(argv);
  ipfit::use_single_threaded_blas();
  const std::map<std::string, Case> silicon{{"100", {"100 functions", {14}, {11, 42, 40, 7}, 5.5}},
                                            {"300", {"300 functions", {14}, {14, 76, 148, 62}, 5.5}},
                                            {"1000", {"1000 functions", {14}, {15, 129, 482, 374}, 5.5}}};
  if (argc == 3 && std::string_view(argv[1]) == "--count") {
    count(silicon.at(argv[2]));
    return 0;
  }
  const std::string path = data_file(argc, argv);
  const std::vector<Structure> structures = path.empty() ? made_up() : read_extxyz(path, {}).value();
  const std::size_t atoms = std::accumulate(structures.begin(), structures.end(), std::size_t{0},
                                            [](std::size_t n, const Structure& s) { return n + s.species.size(); });
  measured = &site_kernel();
  fmt::print("{}: {} structures, {} atoms; vectors: {}\n", path.empty() ? "made up" : path, structures.size(), atoms,
             measured->name);
  for (const char* size : {"100", "300", "1000"}) {
    measure(silicon.at(size), structures);
  }
  const std::vector<int>& three_hundred = silicon.at("300").functions;
  const std::vector<int>& thousand = silicon.at("1000").functions;
  measure({"300, 60 neighbours", {14}, three_hundred, 6.7}, structures);
  measure({"1000, 60 neighbours", {14}, thousand, 6.7}, structures);
  measure({"300, ranks to 5", {14}, {14, 76, 128, 62, 20}, 5.5}, structures);
  measure({"1000, ranks to 5", {14}, {15, 129, 382, 374, 100}, 5.5}, structures);
  measure({"2 elements, 300 each", {14, 6}, three_hundred, 5.5}, structures);
  measure({"2 elements, 1000 each", {14, 6}, thousand, 5.5}, structures);
  measure({"3 elements, 1000 each", {14, 6, 8}, thousand, 5.5, {15, 7, 4, 2}, {0, 5, 3, 2}}, structures);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {:.0f} MB, 256 MB of it for the matrix product\n",
             static_cast<double>(usage.ru_maxrss) / 1e3);
}
