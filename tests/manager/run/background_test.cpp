#include "manager/run/background.h"

#include <poll.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>

namespace ipfit {
namespace {

TEST_CASE("jobs run elsewhere, in order, and their results are taken on the thread of the loop") {
  Background background;
  const auto here = std::this_thread::get_id();
  std::vector<int> order;
  std::vector<std::thread::id> ran;
  for (int i = 0; i < 10; ++i) {
    background.post([&, i]() -> Background::Finish {
      ran.push_back(std::this_thread::get_id());
      return [&, i] {
        CHECK(std::this_thread::get_id() == here);
        order.push_back(i);
      };
    });
  }
  while (order.size() < 10) {
    pollfd fd{background.descriptor(), POLLIN, 0};
    REQUIRE(::poll(&fd, 1, 20000) == 1);
    background.finish();
  }
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(std::ranges::count(ran, here) == 0);
}

TEST_CASE("a background that is given up waits for the job that runs and drops the others") {
  int ran = 0;
  {
    Background background;
    for (int i = 0; i < 100; ++i) {
      background.post([&]() -> Background::Finish {
        ++ran;
        return [] { FAIL("nobody takes this result"); };
      });
    }
  }
  CHECK(ran <= 100);
}

}  // namespace
}  // namespace ipfit
