#pragma once

#include <string>

#include "manager/cli/signals.h"

namespace ipfit {

/// Shows the progress of a fit until it has ended, or a signal comes: then the fit goes on without an onlooker. Returns
/// the exit code.
int watch(const std::string& manager, const std::string& id, StopSignals& signals);

}  // namespace ipfit
