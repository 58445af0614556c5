#include "manager/run/status.h"

#include <fmt/format.h>

#include <cmath>

namespace ipfit {

std::string_view state_name(FitState state) {
  switch (state) {
    case FitState::kUploading:
      return "uploading";
    case FitState::kAssembling:
      return "assembling";
    case FitState::kSolving:
      return "solving";
    case FitState::kErrors:
      return "evaluating errors";
    case FitState::kDone:
      return "done";
    case FitState::kFailed:
      return "failed";
    case FitState::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0.0)) {
    return "-";
  }
  if (seconds >= 48.0 * 3600.0) {
    return fmt::format("{:.0f} days", std::round(seconds / 86400.0));
  }
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string progress_line(const FitStatus& status, std::size_t slots, std::string_view doing) {
  const std::string name(doing.empty() ? state_name(status.state) : doing);
  const bool counting =
      status.tasks_total > 0 && (status.state == FitState::kAssembling || status.state == FitState::kErrors);
  if (!counting) {
    return name;
  }
  if (slots == 0) {
    return fmt::format("{:<17} {:3.0f} %   no workers yet", name, 100.0 * status.cost_done);
  }
  return fmt::format("{:<17} {:3.0f} %   {:.0f} structures/s   {} slot{}   {} left", name, 100.0 * status.cost_done,
                     status.structures_per_second, slots, slots == 1 ? "" : "s", duration_text(status.seconds_left));
}

std::string list_text(const std::vector<FitStatus>& fits) {
  if (fits.empty()) {
    return "no fits\n";
  }
  std::string text = fmt::format("{:<32} {:<18} {:>6} {:>12} {:>10} {:>8} {:>10}\n", "fit", "state", "done",
                                 "structures", "rows", "columns", "time left");
  for (const FitStatus& fit : fits) {
    const bool counting = fit.tasks_total > 0;
    const auto size = [](std::uint64_t count) { return count > 0 ? std::to_string(count) : "-"; };
    text += fmt::format("{:<32} {:<18} {:>6} {:>12} {:>10} {:>8} {:>10}\n", fit.id, state_name(fit.state),
                        counting ? fmt::format("{:.0f} %", 100.0 * fit.cost_done) : "", size(fit.structures),
                        size(fit.rows), size(fit.columns), counting ? duration_text(fit.seconds_left) : "");
  }
  return text;
}

std::string status_text(const StatusReply& reply) {
  std::string text = list_text({reply.fit});
  for (const std::string& bad : reply.fit.quarantined) {
    text += "set aside: " + bad + "\n";
  }
  for (const Error& error : reply.fit.errors) {
    text += error.text() + "\n";
  }
  if (reply.workers.empty()) {
    return text + "no workers\n";
  }
  text += fmt::format("\n{:<24} {:>8} {:>5} {:>6} {:>12} {:>9} {:>11}\n", "worker", "pid", "slot", "tasks", "rows",
                      "busy s", "last heard");
  for (const WorkerStatus& worker : reply.workers) {
    text += fmt::format("{:<24} {:>8} {:>5} {:>6} {:>12} {:>9.1f} {:>9.1f} s\n", worker.host, worker.pid, worker.slot,
                        worker.tasks, worker.rows, worker.busy_seconds, worker.silent_seconds);
  }
  return text;
}

}  // namespace ipfit
