#pragma once

#include <initializer_list>

namespace ipfit {

/// From now on these signals arrive as bytes, their numbers, on the pipe whose non-blocking reading end is returned.
/// At most once per process, since a handler can only know a global. By handlers and not by signalfd: that needs the
/// signals to be blocked in every thread, and libraries start threads before main (OpenBLAS does).
/// Throws std::system_error.
int signal_pipe(std::initializer_list<int> signals);

}  // namespace ipfit
