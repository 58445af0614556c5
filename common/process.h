#pragma once

namespace ipfit {

/// What every program of ours does first. Standard input, output and error that are closed are opened on /dev/null, so
/// that no file or pipe takes their numbers and gets what is printed. A file that grows beyond a limit is an error of
/// its write, not a signal.
void prepare_process();

}  // namespace ipfit
