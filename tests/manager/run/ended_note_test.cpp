#include "manager/run/ended_note.h"

#include <catch2/catch.hpp>
#include <string>

namespace ipfit {
namespace {

FitStatus ended(FitState state) {
  FitStatus status;
  status.id = "si-0123abcd";
  status.name = "si";
  status.state = state;
  status.structures = 196;
  status.rows = 8647;
  status.columns = 30;
  status.quarantined = {"si.xyz frame 3 (line 12): two atoms\nat one place"};
  return status;
}

TEST_CASE("a later manager says of a fit that is over what the earlier one said") {
  for (const FitState state : {FitState::kDone, FitState::kCancelled}) {
    CHECK(read_ended_note(ended_note(ended(state)), "si-0123abcd") == ended(state));
  }
}

TEST_CASE("names that are no text come back as text") {
  FitStatus status = ended(FitState::kDone);
  status.quarantined = {"\xff\xfe.xyz frame 3"};
  CHECK(read_ended_note(ended_note(status), status.id).quarantined.at(0).ends_with(".xyz frame 3"));
}

TEST_CASE("a note of an earlier version, or a damaged one, still says how the fit ended") {
  CHECK(read_ended_note("done\n", "si").state == FitState::kDone);
  CHECK(read_ended_note("cancelled\n", "si").state == FitState::kCancelled);
  const std::string whole = ended_note(ended(FitState::kDone));
  for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
    const FitStatus status = read_ended_note(whole.substr(0, length), "si");
    CHECK(status.id == "si");
    CHECK(status.state == FitState::kDone);
    CHECK((status.rows == 0 || status.rows == 8647));
  }
  CHECK(read_ended_note(R"({"state": "cancelled", "rows": -1})", "si").state == FitState::kCancelled);
  CHECK(read_ended_note("[1]", "si").rows == 0);
}

}  // namespace
}  // namespace ipfit
