#include "common/atoms/extxyz_write.h"

#include <rapidcheck.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "common/atoms/cell.h"
#include "common/atoms/extxyz.h"

using namespace ipfit;

namespace {

double any_finite() {
  return *rc::gen::suchThat(
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
      [](double value) { return std::isfinite(value); });
}

/// Ordinary lengths with all their digits, so that the cell has a volume and the virial a size that its volume does not
/// hide.
double ordinary(double low, double high) {
  return low + (high - low) *
                   *rc::gen::map(rc::gen::arbitrary<std::uint32_t>(), [](std::uint32_t n) { return n / 4294967295.0; });
}

Vec3 any_vector() {
  return {any_finite(), any_finite(), any_finite()};
}

std::string any_group() {
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(' ', '~' + 1)));
}

Structure any_structure() {
  Structure s;
  const auto atoms = *rc::gen::inRange<std::size_t>(1, 6);
  for (std::size_t i = 0; i < atoms; ++i) {
    s.species.push_back(*rc::gen::inRange<std::uint8_t>(1, 119));
    s.positions.push_back(any_vector());
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (std::size_t i = 0; i < atoms; ++i) {
      s.labels.forces.push_back(any_vector());
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    s.labels.energy = any_finite();
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (int i = 0; i < 9; ++i) {
      s.cell(i / 3, i % 3) = i % 4 == 0 ? ordinary(3.0, 9.0) : ordinary(-0.5, 0.5);
    }
    s.pbc = *rc::gen::arbitrary<std::array<bool, 3>>();
  }
  if (*rc::gen::arbitrary<bool>()) {
    (s.fully_periodic() ? s.labels.virial : s.labels.ignored_virial) =
        Voigt{any_finite(), any_finite(), any_finite(), any_finite(), any_finite(), any_finite()};
  }
  s.config_type = any_group();
  return s;
}

template <class T>
std::uint64_t bits(T value) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(value));
}

bool same_bits(const Vec3& a, const Vec3& b) {
  return bits(a[0]) == bits(b[0]) && bits(a[1]) == bits(b[1]) && bits(a[2]) == bits(b[2]);
}

void assert_same_virial(const std::optional<Voigt>& a, const std::optional<Voigt>& b) {
  RC_ASSERT(a.has_value() == b.has_value());
  for (std::size_t i = 0; i < 6; ++i) {
    RC_ASSERT(bits(a.value_or(Voigt{})[i]) == bits(b.value_or(Voigt{})[i]));
  }
}

void assert_same(const Structure& a, const Structure& b) {
  RC_ASSERT(a.species == b.species);
  RC_ASSERT(a.pbc == b.pbc);
  RC_ASSERT(a.config_type == b.config_type);
  RC_ASSERT(a.labels.energy.has_value() == b.labels.energy.has_value());
  RC_ASSERT(bits(a.labels.energy.value_or(0)) == bits(b.labels.energy.value_or(0)));
  assert_same_virial(a.labels.virial, b.labels.virial);
  assert_same_virial(a.labels.ignored_virial, b.labels.ignored_virial);
  RC_ASSERT(a.labels.forces.size() == b.labels.forces.size());
  for (std::size_t i = 0; i < a.labels.forces.size(); ++i) {
    RC_ASSERT(same_bits(a.labels.forces[i], b.labels.forces[i]));
  }
  RC_ASSERT(a.positions.size() == b.positions.size());
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    RC_ASSERT(same_bits(a.positions[i], b.positions[i]));
  }
  for (int i = 0; i < 3; ++i) {
    RC_ASSERT(same_bits(a.cell.row(i), b.cell.row(i)));
  }
}

Structure dimer() {
  Structure s;
  s.species = {31, 33};
  s.positions = {Vec3(0, 0, 0), Vec3(0, 0, 2.5)};
  s.labels.energy = -3.25;
  s.labels.forces = {Vec3(0, 0, 0.5), Vec3(0, 0, -0.5)};
  return s;
}

std::string written(const Structure& s, const LabelKeys& keys = {}) {
  std::ostringstream out;
  write_extxyz(out, s, keys);
  return out.str();
}

}  // namespace

TEST_CASE("structures that were written are read back to the bit") {
  REQUIRE(rc::check("write and read", [] {
    const std::vector<Structure> structures{any_structure(), any_structure()};
    std::ostringstream out;
    for (const Structure& s : structures) {
      write_extxyz(out, s);
    }
    ExtxyzReader reader = ExtxyzReader::from_text(out.str(), {});
    for (const Structure& s : structures) {
      const Result<std::optional<Structure>> read = reader.next();
      RC_ASSERT(read.ok());
      RC_ASSERT(read->has_value());
      assert_same(s, **read);
    }
    const Result<std::optional<Structure>> end = reader.next();
    RC_ASSERT(end.ok());
    RC_ASSERT(!end->has_value());
  }));
}

TEST_CASE("a molecule is written without Lattice, with the labels it has") {
  CHECK(written(dimer()) ==
        "2\nProperties=species:S:1:pos:R:3:forces:R:3 config_type=\"default\" energy=-3.25 pbc=\"F F F\"\n"
        "Ga 0 0 0 0 0 0.5\nAs 0 0 2.5 0 0 -0.5\n");
}

TEST_CASE("labels are written under the names that are asked for") {
  LabelKeys keys;
  keys.energy = "ipfit_energy";
  keys.forces = "ipfit_forces";
  keys.group = "kind";
  const std::string text = written(dimer(), keys);
  CHECK_THAT(text, Catch::Contains(":ipfit_forces:R:3 kind=\"default\" ipfit_energy=-3.25"));
  ExtxyzReader reader = ExtxyzReader::from_text(text, keys);
  const Result<std::optional<Structure>> read = reader.next();
  REQUIRE(read);
  CHECK((*read)->labels.energy == -3.25);
  CHECK((*read)->labels.forces == dimer().labels.forces);
}
