#include "manager/plan/tasks.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

namespace ipfit {
namespace {

constexpr EvaluationCost kCost{6.0, 1e-6, 1e-7};
constexpr EvaluationCost kSlow{6.0, 1e-4, 1e-5};

StructureInfo info(std::int64_t atoms, double volume = 0.0) {
  StructureInfo structure;
  structure.atoms = atoms;
  structure.bytes = static_cast<std::uint64_t>(100 + 48 * atoms);
  structure.mask = {true, true, volume > 0.0};
  structure.volume = volume;
  return structure;
}

std::vector<StructureInfo> any_structures() {
  const auto atoms = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 3000));
  std::vector<StructureInfo> structures;
  for (const int count : atoms) {
    structures.push_back(info(count, *rc::gen::element(0.0, 20.0 * count, 2000.0 * count)));
  }
  return structures;
}

TEST_CASE("tasks cover all structures once, in order, and no task is empty") {
  REQUIRE(rc::check("coverage", [] {
    const auto structures = any_structures();
    const auto tasks = plan_tasks(structures, *rc::gen::inRange(1, 2000), kCost);
    std::uint32_t next = 0;
    for (const TaskInfo& task : tasks) {
      RC_ASSERT(task.first_structure == next);
      RC_ASSERT(task.structures > 0U);
      next += task.structures;
    }
    RC_ASSERT(next == structures.size());
  }));
}

TEST_CASE("the rows of consecutive tasks follow each other and are as long as their blocks") {
  REQUIRE(rc::check("rows", [] {
    const auto structures = any_structures();
    const std::int64_t columns = *rc::gen::inRange(1, 2000);
    const RowLayout layout = row_layout(structures);
    const auto tasks = plan_tasks(structures, columns, kCost);
    const auto rows = rows_of(tasks, columns);
    RC_ASSERT(rows.size() == tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      RC_ASSERT(rows[i].first == layout[tasks[i].first_structure]);
      RC_ASSERT(rows[i].first + rows[i].count == layout[tasks[i].first_structure + tasks[i].structures]);
    }
  }));
}

TEST_CASE("tasks whose rows are reduced cover all structures, keep data sets apart, and say what is left") {
  REQUIRE(rc::check("reduced", [] {
    auto structures = any_structures();
    const std::int64_t columns = *rc::gen::inRange(1, 2000);
    for (std::size_t i = 0; i < structures.size(); ++i) {
      structures[i].set = 3 * i < 2 * structures.size() ? DataSet::kTrain : DataSet::kValidation;
      structures[i].member = {
          static_cast<std::uint32_t>(structures[i].set), structures[i].atoms, structures[i].mask, {}};
    }
    const auto tasks = plan_reduced_tasks(structures, columns, kCost);
    const auto rows = rows_of(tasks, columns);
    std::uint32_t next = 0;
    std::int64_t row = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      RC_ASSERT(tasks[i].first_structure == next);
      std::vector<SetMember> members;
      for (; next < tasks[i].first_structure + tasks[i].structures; ++next) {
        RC_ASSERT(structures[next].set == structures[tasks[i].first_structure].set);
        members.push_back(structures[next].member);
      }
      RC_ASSERT(rows[i].first == row);
      RC_ASSERT(rows[i].count == kept_rows(row_sets(members, columns)));
      row += rows[i].count;
    }
    RC_ASSERT(next == structures.size());
  }));
}

TEST_CASE("of many rows for each column a tenth is left when they are reduced") {
  std::vector<StructureInfo> structures(5000, info(64, 1000.0));
  for (StructureInfo& structure : structures) {
    structure.member = {0, structure.atoms, structure.mask, {}};
  }
  std::int64_t left = 0;
  for (const RowRange& rows : rows_of(plan_reduced_tasks(structures, 500, kCost), 500)) {
    left += rows.count;
  }
  CHECK(10 * left < row_layout(structures).back());
}

TEST_CASE("a block stays below its limit unless one structure alone is larger") {
  REQUIRE(rc::check("limit", [] {
    for (const TaskInfo& task : plan_tasks(any_structures(), 1000, kCost)) {
      RC_ASSERT(task.structures == 1U || task.bytes <= kTargetBlockBytes);
    }
  }));
}

TEST_CASE("no task costs more than one in a hundred of the whole where structures are small") {
  const std::vector<StructureInfo> structures(5000, info(8, 160.0));
  const auto tasks = plan_tasks(structures, 100, kSlow);
  double total = 0.0;
  double largest = 0.0;
  for (const TaskInfo& task : tasks) {
    total += task.cost;
    largest = std::max(largest, task.cost);
  }
  CHECK(largest < 0.01 * total);
  CHECK(tasks.size() < structures.size());
}

TEST_CASE("a basis that is fast gets tasks that are long enough to be worth handing out") {
  const std::vector<StructureInfo> structures(5000, info(8, 160.0));
  const std::size_t slow = plan_tasks(structures, 10, kSlow).size();
  const std::size_t fast = plan_tasks(structures, 10, kCost).size();
  CHECK(slow >= 400U);
  CHECK(fast < slow / 2);
  CHECK(fast >= 64U);  // or one slow machine would hold up all others
}

TEST_CASE("sizes beyond 32 bits are counted right") {
  const std::vector<StructureInfo> structures(3, info(400'000'000, 8e9));
  const RowLayout layout = row_layout(structures);
  CHECK(layout.back() == 3 * (std::int64_t{1'200'000'000} + 7));
  const auto tasks = plan_tasks(structures, 10'000, kCost);
  CHECK(tasks.size() == 3);
  CHECK(tasks[0].bytes == 1'200'000'007ULL * 80'000ULL);
}

TEST_CASE("no task takes longer than half a minute where structures are small, however much there is to do") {
  const std::vector<StructureInfo> structures(100'000, info(64, 1000.0));
  EvaluationCost slow = kCost;
  slow.seconds_per_site = 0.01;
  for (const TaskInfo& task : plan_tasks(structures, 1, slow)) {
    REQUIRE(task.cost <= kLongestTask);
  }
}

TEST_CASE("a structure that alone takes longer is a task of its own") {
  EvaluationCost slow = kCost;
  slow.seconds_per_site = 10.0;
  CHECK(plan_tasks(std::vector<StructureInfo>(3, info(64, 1000.0)), 1, slow).size() == 3);
}

}  // namespace
}  // namespace ipfit
