#pragma once

namespace ipfit {

/// Parses the command line of `ipfit`, runs the command and returns its exit code (docs/reference/exit-codes.md).
int run_command_line(int argc, char** argv);

}  // namespace ipfit
