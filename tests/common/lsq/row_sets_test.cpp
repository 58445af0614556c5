#include "common/lsq/row_sets.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <tuple>

namespace ipfit {
namespace {

constexpr RowMask kAll{true, true, true};

std::vector<SetMember> any_members() {
  std::vector<SetMember> members(*rc::gen::inRange<std::size_t>(1, 30));
  for (SetMember& member : members) {
    const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
    member.group = *rc::gen::inRange(0U, 3U);
    member.atoms = *rc::gen::inRange(1, 40);
    member.mask = {flag(), flag(), flag()};
    member.own = {flag(), flag(), flag()};
  }
  return members;
}

TEST_CASE("sets come in the order of their first row, energies before forces before virials") {
  const std::vector<SetMember> members{{7, 2, {true, false, false}, {}}, {3, 1, kAll, {}}, {7, 4, kAll, {}}};
  const auto sets = row_sets(members, 10);
  REQUIRE(sets.size() == 6);
  CHECK(sets[0] == RowSet{7, Kind::kEnergy, false, 2, 2});
  CHECK(sets[1] == RowSet{3, Kind::kEnergy, false, 1, 1});
  CHECK(sets[2] == RowSet{3, Kind::kForces, false, 3, 3});
  CHECK(sets[3] == RowSet{3, Kind::kVirial, false, 6, 6});
  CHECK(sets[4] == RowSet{7, Kind::kForces, false, 12, 10});
  CHECK(sets[5] == RowSet{7, Kind::kVirial, false, 6, 6});
  CHECK(kept_rows(sets) == 28);
}

TEST_CASE("every row is in one set, by group, kind and whether the structure brings a weight") {
  REQUIRE(rc::check("partition", [] {
    const auto members = any_members();
    const std::int64_t columns = *rc::gen::inRange(1, 60);
    const auto sets = row_sets(members, columns);
    std::map<std::tuple<std::uint32_t, Kind, bool>, std::int64_t> rows;
    for (const SetMember& member : members) {
      for (const auto& [kind, count] : {std::pair{Kind::kEnergy, member.mask.energy ? 1 : 0},
                                        {Kind::kForces, member.mask.forces ? 3 * static_cast<int>(member.atoms) : 0},
                                        {Kind::kVirial, member.mask.virial ? 6 : 0}}) {
        if (count > 0) {
          const bool own = member.own[static_cast<std::size_t>(kind)];
          rows[{member.group, kind, own}] += count;
          const RowSet& set = sets.at(set_of(sets, member, kind));
          RC_ASSERT((set.group == member.group && set.kind == kind && set.own == own));
        } else {
          const std::size_t at = set_of(sets, member, kind);
          RC_ASSERT((at == sets.size() || sets[at].rows > 0));
        }
      }
    }
    RC_ASSERT(rows.size() == sets.size());
    for (const RowSet& set : sets) {
      RC_ASSERT(set.rows == (rows.at({set.group, set.kind, set.own})));
      RC_ASSERT(set.kept == std::min(set.rows, columns));
    }
  }));
}

}  // namespace
}  // namespace ipfit
