#include "manager/run/status.h"

#include <catch2/catch.hpp>
#include <set>

namespace ipfit {
namespace {

FitStatus half_way() {
  FitStatus status;
  status.id = "silicon-1a2b";
  status.state = FitState::kAssembling;
  status.tasks_total = 10;
  status.cost_done = 0.5;
  status.structures_per_second = 412.3;
  status.seconds_left = 64.2;
  return status;
}

TEST_CASE("durations read as a clock, and are unknown where they are negative") {
  CHECK(duration_text(-1.0) == "-");
  CHECK(duration_text(0.0) == "0:00");
  CHECK(duration_text(64.2) == "1:05");
  CHECK(duration_text(7390.0) == "2:03:10");
  CHECK(duration_text(3.0 * 86400.0) == "3 days");
}

TEST_CASE("the progress line says share, rate, slots and time left") {
  CHECK(progress_line(half_way(), 2) == "assembling         50 %   412 structures/s   2 slots   1:05 left");
  CHECK(progress_line(half_way(), 1).find("1 slot ") != std::string::npos);
}

TEST_CASE("a run that is no fit has a word of its own for what it does") {
  CHECK(progress_line(half_way(), 2, "predicting").starts_with("predicting         50 %"));
  CHECK(progress_line(half_way(), 0, "predicting").starts_with("predicting "));
  CHECK(progress_line(FitStatus{}, 2, "predicting") == "predicting");
}

TEST_CASE("without workers the progress line says so") {
  CHECK(progress_line(half_way(), 0).find("no workers") != std::string::npos);
}

TEST_CASE("a fit that is not counting tasks shows what it does") {
  FitStatus status;
  status.state = FitState::kSolving;
  CHECK(progress_line(status, 2) == "solving");
}

TEST_CASE("every state has a name of its own") {
  std::set<std::string_view> names;
  for (int state = 0; state <= static_cast<int>(FitState::kCancelled); ++state) {
    names.insert(state_name(static_cast<FitState>(state)));
  }
  CHECK(names.size() == static_cast<std::size_t>(FitState::kCancelled) + 1);
  CHECK_FALSE(names.contains("unknown"));
}

TEST_CASE("the status names structures set aside, errors and workers") {
  StatusReply reply{half_way(), {{"host7", 4711, 1, 2, 1000, 12.5, 0.3}}};
  reply.fit.quarantined = {"si.xyz frame 3 (line 12): overlap"};
  reply.fit.errors = {{ErrorKind::kFailed, "si.xyz", "broken", "mend it"}};
  const std::string text = status_text(reply);
  for (const char* part : {"silicon-1a2b", "50 %", "si.xyz frame 3", "si.xyz: broken; mend it", "host7", "4711"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

}  // namespace
}  // namespace ipfit
