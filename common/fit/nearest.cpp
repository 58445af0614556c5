#include "common/fit/nearest.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace ipfit {
namespace {

constexpr std::size_t kShortestBeginning = 3;

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of the first i letters of a to each beginning of b
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const std::size_t limit = std::max<std::size_t>(1, (word.size() + 1) / 3);
  std::optional<std::string_view> best;
  std::size_t fewest = limit + 1;
  for (const std::string_view candidate : candidates) {
    if (word.size() > candidate.size() + limit) {
      continue;  // hopeless, and the word may be very long
    }
    const bool begins = word.size() >= kShortestBeginning && candidate.starts_with(word);
    const std::size_t changes = begins ? std::min(limit, distance(word, candidate)) : distance(word, candidate);
    if (changes < fewest) {
      fewest = changes;
      best = candidate;
    }
  }
  return best;
}

}  // namespace ipfit
