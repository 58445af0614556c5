#include "proto/structure_codec.h"

#include <catch2/catch.hpp>
#include <cstring>

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
         a.source.file == b.source.file && a.source.frame == b.source.frame && a.source.line == b.source.line;
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
