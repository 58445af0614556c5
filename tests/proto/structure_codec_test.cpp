#include "proto/structure_codec.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "tests/support/generators.h"

using namespace ipfit;

namespace {

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

std::span<const double> flat(const std::vector<Vec3>& v) {
  return {v.empty() ? nullptr : v[0].data(), 3 * v.size()};
}

/// Equal in every bit, so that zero and minus zero differ.
bool identical(const Structure& a, const Structure& b) {
  const bool energies = a.labels.energy.has_value() == b.labels.energy.has_value() &&
                        (!a.labels.energy || same_bits({&*a.labels.energy, 1}, {&*b.labels.energy, 1}));
  const bool virials = a.labels.virial.has_value() == b.labels.virial.has_value() &&
                       (!a.labels.virial || same_bits(*a.labels.virial, *b.labels.virial));
  return a.species == b.species && same_bits(flat(a.positions), flat(b.positions)) &&
         same_bits({a.cell.data(), 9}, {b.cell.data(), 9}) && a.pbc == b.pbc && energies && virials &&
         same_bits(flat(a.labels.forces), flat(b.labels.forces)) && a.config_type == b.config_type &&
         a.source.file == b.source.file && a.source.frame == b.source.frame && a.source.line == b.source.line &&
         a.set == b.set && a.weights.energy == b.weights.energy && a.weights.virial == b.weights.virial &&
         a.weights.forces == b.weights.forces;
}

Structure silicon() {
  Structure s;
  s.species = {14, 14};
  s.positions = {{0.0, 0.0, 0.0}, {1.36, 1.36, 1.36}};
  s.cell << 0.0, 2.72, 2.72, 2.72, 0.0, 2.72, 2.72, 2.72, 0.0;
  s.pbc = {true, true, true};
  s.labels.energy = -10.8;
  s.labels.forces = {{0.1, 0.0, 0.0}, {-0.1, 0.0, 0.0}};
  s.labels.virial = Voigt{1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
  s.source = {"si.xyz", 12, 1482};
  return s;
}

std::string refusal(std::span<const std::byte> records) {
  const auto read = decode_structures(records);
  return read ? "" : read.error().text();
}

std::string refusal(const Structure& structure) {
  return refusal(encode_structure(structure));
}

}  // namespace

TEST_CASE("structures come out of their records with every bit") {
  CHECK(rc::check("round trip", [] {
    const auto structures = test::several(test::any_structure);
    std::vector<std::byte> records;
    for (const Structure& structure : structures) {
      const auto record = encode_structure(structure);
      RC_ASSERT(record.size() % 8 == 0);
      records.insert(records.end(), record.begin(), record.end());
    }
    const auto read = decode_structures(records);
    RC_ASSERT(read.ok());
    RC_ASSERT(read->size() == structures.size());
    for (std::size_t i = 0; i < structures.size(); ++i) {
      RC_ASSERT(identical((*read)[i], structures[i]));
    }
  }));
}

TEST_CASE("no bytes are no structures") {
  CHECK(decode_structures({})->empty());
}

TEST_CASE("a record says how long it is") {
  const auto record = encode_structure(silicon());
  CHECK(*record_size(record) == record.size());
  auto two = record;
  two.insert(two.end(), record.begin(), record.end());
  CHECK(*record_size(two) == record.size());
  for (std::size_t bytes = 0; bytes < record.size(); ++bytes) {
    CHECK_FALSE(record_size(std::span(record).first(bytes)).ok());
  }
}

TEST_CASE("records are read at any alignment") {
  const auto record = encode_structure(silicon());
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::byte> shifted(shift);
    shifted.insert(shifted.end(), record.begin(), record.end());
    const auto read = decode_structures(std::span(shifted).subspan(shift));
    REQUIRE(read.ok());
    CHECK(identical(read->at(0), silicon()));
  }
}

TEST_CASE("records cut anywhere are refused, and the error names the record") {
  auto records = encode_structure(silicon());
  const std::size_t first = records.size();
  records.insert(records.end(), records.begin(), records.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t bytes = first + 1; bytes < records.size(); ++bytes) {
    const std::string text = refusal(std::span(records).first(bytes));
    CAPTURE(bytes, text);
    CHECK(text.starts_with("structure record 2 at byte " + std::to_string(first) + ": "));
  }
}

TEST_CASE("structures that make no sense are refused") {
  const std::string where = "structure record 1 at byte 0: ";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal(Structure{}) == where + "there are no atoms");
  Structure s = silicon();
  s.species[1] = 0;
  CHECK(refusal(s) == where + "atom 2 has atomic number 0, expected 1 to 118");
  s.species[1] = 119;
  CHECK(refusal(s) == where + "atom 2 has atomic number 119, expected 1 to 118");
  s = silicon();
  s.positions.pop_back();
  CHECK(refusal(s) == where + "positions has 3 numbers, expected 6");
  s = silicon();
  s.labels.forces.emplace_back(0.0, 0.0, 0.0);
  CHECK(refusal(s) == where + "forces has 9 numbers, expected 6");
  s = silicon();
  s.positions[1].z() = nan;
  CHECK(refusal(s) == where + "number 6 of positions is not finite");
  s = silicon();
  s.labels.forces[0].y() = -std::numeric_limits<double>::infinity();
  CHECK(refusal(s) == where + "number 2 of forces is not finite");
  s = silicon();
  s.cell(0, 1) = nan;
  CHECK(refusal(s) == where + "number 2 of cell is not finite");
  s = silicon();
  s.labels.virial->at(5) = nan;
  CHECK(refusal(s) == where + "number 6 of virial is not finite");
  s = silicon();
  s.labels.energy = nan;
  CHECK(refusal(s) == where + "the energy is not finite");
}

TEST_CASE("a damaged record is refused or read, never more") {
  CHECK(rc::check("flipped bytes", [] {
    auto record = encode_structure(test::any_structure());
    for (int flips = *rc::gen::inRange(1, 4); flips > 0; --flips) {
      record[*rc::gen::inRange<std::size_t>(0, record.size())] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
    }
    const auto read = decode_structures(record);
    for (const Structure& structure : read ? *read : std::vector<Structure>{}) {
      RC_ASSERT(decode_structures(encode_structure(structure)).ok());
    }
  }));
}

TEST_CASE("what is said of a damaged record can be printed") {
  const auto good = encode_structure(silicon());
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int bits : {0x01, 0x80, 0xb3, 0xff}) {
      auto record = good;
      record[at] ^= static_cast<std::byte>(bits);
      if (const auto read = decode_structures(record); !read) {
        const std::string text = read.error().text();
        INFO(at);
        REQUIRE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7e; }));
      }
    }
  }
}

TEST_CASE("a big structure passes through its record") {
  Structure s = silicon();
  s.species.assign(100'000, 26);
  s.positions.assign(100'000, {1.0, 2.0, 3.0});
  s.labels.forces.assign(100'000, {0.5, 0.25, 0.125});
  const auto record = encode_structure(s);
  CHECK(record.size() < 100'000 * 49 + 1000);
  const auto read = decode_structures(record);
  REQUIRE(read.ok());
  CHECK(identical(read->at(0), s));
}
