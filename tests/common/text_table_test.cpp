#include "common/text_table.h"

#include <catch2/catch.hpp>

using namespace ipfit;

TEST_CASE("a table aligns names to the left and numbers to the right") {
  TextTable table({"group", "n"});
  table.add_row({"a", "10000"});
  table.add_row({"liquid", "2"});
  CHECK(table.text() ==
        "group       n\n"
        "-------------\n"
        "a       10000\n"
        "liquid      2\n");
}

TEST_CASE("columns stand below each other whatever letters their cells have") {
  TextTable table({"größe", "Å"});
  table.add_row({"a", "−1"});
  CHECK(table.text() ==
        "größe   Å\n"
        "---------\n"
        "a      −1\n");
}
