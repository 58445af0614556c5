#include "manager/run/ended_note.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/json.h"
#include "common/model/json_reader.h"

namespace ipfit {
namespace {

constexpr std::string_view kCancelled = "cancelled";

}  // namespace

std::string ended_note(const FitStatus& status) {
  Json json;
  json["state"] = status.state == FitState::kCancelled ? kCancelled : "done";
  json["name"] = status.name;
  json["structures"] = status.structures;
  json["rows"] = status.rows;
  json["columns"] = status.columns;
  json["set_aside"] = status.quarantined;
  // Names of files and groups may be no UTF-8.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

FitStatus read_ended_note(std::string_view note, std::string id) {
  FitStatus status;
  status.name = id;
  status.id = std::move(id);
  status.state = note.starts_with(kCancelled) ? FitState::kCancelled : FitState::kDone;
  const auto json = parse_json(note, "ended");
  if (!json) {
    return status;
  }
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::vector<Error> errors;
  JsonReader reader(*json, "ended", errors);
  const auto count = [&](const char* key) { return static_cast<std::uint64_t>(reader.integer(key, 0, kMost)); };
  if (reader.text("state") == kCancelled) {
    status.state = FitState::kCancelled;
  }
  FitStatus whole = status;
  whole.name = reader.text("name");
  whole.structures = count("structures");
  whole.rows = count("rows");
  whole.columns = count("columns");
  if (const Json* aside = reader.array("set_aside", kMost)) {
    for (const Json& entry : *aside) {
      whole.quarantined.push_back(entry.is_string() ? entry.get<std::string>() : entry.dump());
    }
  }
  return errors.empty() ? whole : status;
}

}  // namespace ipfit
