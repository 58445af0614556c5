#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proto/message.h"

namespace ipfit {

/// "assembling", "solving", ...
std::string_view state_name(FitState state);

/// "1:05", "2:03:10", "3 days"; "-" for a negative number of seconds.
std::string duration_text(double seconds);

/// One line: what is being done (by default the name of the state), share done, rate, slots, time left.
std::string progress_line(const FitStatus& status, std::size_t slots, std::string_view doing = "");

/// A table of fits, a line each, with a heading.
std::string list_text(const std::vector<FitStatus>& fits);

/// Everything about one fit, with its workers.
std::string status_text(const StatusReply& reply);

}  // namespace ipfit
