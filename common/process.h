#pragma once

#include <exception>

#include "common/result.h"

namespace ipfit {

/// What every program of ours does first. Standard input, output and error that are closed are opened on /dev/null, so
/// that no file or pipe takes their numbers and gets what is printed. A file that grows beyond a limit is an error of
/// its write, not a signal.
void prepare_process();

/// What a program says of an exception that came as far as its main. Where memory or open files were lacking (kFailed)
/// a person can help; anything else is a bug (kInternal).
Error last_words(const std::exception& problem);

}  // namespace ipfit
