#pragma once

#include <cstddef>
#include <cstdint>

namespace ipfit {

// Limits of what a worker is asked to do, far beyond any sensible fit: a file or a message cannot make it ask for
// memory or time without end.
inline constexpr std::size_t kMostModelBytes = std::size_t{64} << 20;
inline constexpr std::int64_t kMostColumns = 1'000'000;
inline constexpr double kSmallestCutoff = 0.1;  // Å
inline constexpr double kLargestCutoff = 100.0;
inline constexpr double kSmallestRepulsion = 0.01;  // Å, ends of the ZBL switch
inline constexpr double kLargestRepulsion = 20.0;   // Å

}  // namespace ipfit
