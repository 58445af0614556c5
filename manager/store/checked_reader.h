#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

#include "common/checksum.h"
#include "common/result.h"
#include "manager/store/store_reader.h"

namespace ipfit {

/// Reads rows of a store and compares checksums on the way, so that the matrix is read once: where the rows of a stored
/// range are read in order, by one thread or several, their checksum is taken of what was read; a range of which rows
/// are left out, or read out of order, is checked as a whole when that is noticed. While a range is read the system
/// fetches the next one. The store must outlive it. May be used by several threads.
class CheckedReader {
 public:
  explicit CheckedReader(const StoreReader& store);

  /// As StoreReader::read. kStorage where rows do not have their checksum.
  Status read(RowRange rows, std::span<double> out);

  /// To be called when all is read: checks what was begun and not read to its end. Only then are all rows that were
  /// read known to be good.
  Status finish();

 private:
  struct Range {
    explicit Range(const RowsStored& claim) : stored(claim), next(claim.rows.first) {}
    std::int64_t end() const { return stored.rows.first + stored.rows.count; }

    const RowsStored stored;
    std::mutex mutex;   ///< of what follows
    std::int64_t next;  ///< the first row that is not in `sum`
    std::optional<BlockChecksum> sum;
    bool good = false;
  };
  Status note(Range& range, RowRange rows, std::span<const double> numbers);
  Status check(Range& range);

  const StoreReader& store_;
  std::deque<Range> ranges_;  ///< in row order
};

}  // namespace ipfit
