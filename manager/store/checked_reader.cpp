#include "manager/store/checked_reader.h"

#include <algorithm>

namespace ipfit {

CheckedReader::CheckedReader(const StoreReader& store) : store_(store) {
  for (const auto& [first, claim] : store.claims().rows) {
    ranges_.emplace_back(claim);
  }
}

Status CheckedReader::read(RowRange rows, std::span<double> out) {
  if (Status read = store_.read(rows, out); !read) {
    return read;
  }
  const std::int64_t end = rows.first + rows.count;
  auto range = std::ranges::upper_bound(ranges_, rows.first, {}, &Range::end);
  for (; range != ranges_.end() && range->stored.rows.first < end; ++range) {
    const std::int64_t first = std::max(rows.first, range->stored.rows.first);
    const std::int64_t count = std::min(end, range->end()) - first;
    const auto columns = static_cast<std::size_t>(store_.identity().columns);
    const auto numbers =
        out.subspan(static_cast<std::size_t>(first - rows.first) * columns, static_cast<std::size_t>(count) * columns);
    if (first == range->stored.rows.first && std::next(range) != ranges_.end()) {
      store_.matrix().expect_read(std::next(range)->stored.rows);
    }
    if (Status noted = note(*range, {first, count}, numbers); !noted) {
      return noted;
    }
  }
  return Done{};
}

Status CheckedReader::note(Range& range, RowRange rows, std::span<const double> numbers) {
  const std::lock_guard lock(range.mutex);
  if (range.good) {
    return Done{};
  }
  if (rows.first != range.next) {
    return check(range);
  }
  if (!range.sum) {
    range.sum.emplace();
  }
  range.sum->add(std::as_bytes(numbers));
  range.next += rows.count;
  if (range.next == range.end()) {
    range.good = range.sum->digest() == range.stored.checksum;
    range.sum.reset();
    return range.good ? Status(Done{}) : Status(store_.matrix().damaged(range.stored));
  }
  return Done{};
}

Status CheckedReader::check(Range& range) {
  Status good = store_.matrix().check(range.stored);
  range.good = good.ok();
  return good;
}

Status CheckedReader::finish() {
  for (Range& range : ranges_) {
    const std::lock_guard lock(range.mutex);
    if (range.next > range.stored.rows.first && !range.good) {
      if (Status good = check(range); !good) {
        return good;
      }
    }
  }
  return Done{};
}

}  // namespace ipfit
