#include "common/model/probe.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace ipfit {
namespace {

constexpr double kTolerance = 1e-12;

// tests/golden/pair_probe.py holds the same problem and printed these numbers.
constexpr std::array<ProbeEntry, 8> kEntries{{{0, 1}, {0, 6}, {1, 0}, {5, 7}, {9, 6}, {10, 2}, {12, 5}, {13, 3}}};
constexpr std::array<double, 8> kExpected{
    1.65149984354571402009,     5.65212263494838808471, -1.83795506494536745031e-1, 9.38251855342714559516e-1,
    -1.25566291442185961289e-1, 3.40672217721489739608, 6.17011329170195126054,     3.98776447752782152925e-1};

}  // namespace

// All lengths are multiples of 1/8 Å, which doubles hold exactly.
Structure probe_structure() {
  Structure structure;
  structure.species = {14, 8, 14};
  structure.positions = {Vec3(0.125, 0.25, -0.5), Vec3(1.75, 0.5, 1.0), Vec3(0.75, 1.875, 2.25)};
  structure.cell << 3.5, 0.0, 0.0, 1.25, 3.25, 0.0, -0.75, 0.5, 3.75;
  structure.pbc = {true, true, true};
  return structure;
}

Model probe_model() {
  return {PairSpec{{14, 8}, 4.0, 4}, {}, {}};
}

std::span<const ProbeEntry> probe_entries() {
  return kEntries;
}

std::span<const double> expected_self_test() {
  return kExpected;
}

Status check_self_test(std::span<const double> found) {
  const std::string remedy =
      "this binary or this processor does not compute what others do: use the same ipfit-worker as elsewhere, or leave "
      "this machine out";
  if (found.size() != kExpected.size()) {
    return Error{ErrorKind::kRefused, "self-test",
                 fmt::format("{} numbers, expected {}", found.size(), kExpected.size()), remedy};
  }
  for (std::size_t i = 0; i < kExpected.size(); ++i) {
    if (!(std::abs(found[i] - kExpected[i]) <= kTolerance * std::abs(kExpected[i]))) {
      return Error{ErrorKind::kRefused, "self-test",
                   fmt::format("number {} is {:.17g}, expected {:.17g}", i + 1, found[i], kExpected[i]), remedy};
    }
  }
  return Done{};
}

}  // namespace ipfit
