#pragma once

#include <initializer_list>

namespace ipfit {

/// From now on these signals arrive as bytes, their numbers, on the pipe whose non-blocking reading end is returned.
/// At most once per process, since a handler can only know a global. By handlers and not by signalfd: that needs the
/// signals to be blocked in every thread, and libraries start threads before main (OpenBLAS does).
/// Throws std::system_error.
/// `exit_at_second` other than 0: the second of them ends the process at once with this code, wherever it is.
int signal_pipe(std::initializer_list<int> signals, int exit_at_second = 0);

}  // namespace ipfit
