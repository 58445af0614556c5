#pragma once

#include <string>
#include <string_view>

#include "proto/message.h"

namespace ipfit {

/// The file `ended` in the directory of a fit: what there is to say of a fit that is done or cancelled, for the
/// managers that come later. JSON; docs/reference/results.md.
std::string ended_note(const FitStatus& status);

/// The status of the fit `id` as its note has it. A note that an earlier version wrote, or that is damaged, says at
/// most whether the fit was cancelled: its sizes are then unknown (0).
FitStatus read_ended_note(std::string_view note, std::string id);

}  // namespace ipfit
