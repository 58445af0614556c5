#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "manager/store/matrix_file.h"

namespace ipfit {

/// Rows that do not have the checksum which the journal has for them.
struct DamagedRows {
  RowsStored claim;
  std::string what;  ///< file, rows, bytes
};

/// Reads rows from the disk and compares their checksums, on a thread of its own, from the construction on. Nobody may
/// write these rows meanwhile. Ends early where the object does. All functions may be called from any thread.
class RowCheck {
 public:
  RowCheck(MatrixFile matrix, std::vector<RowsStored> claims);

  bool done() const { return done_; }
  /// Waits until all rows were read, and says which are damaged, in the order of the claims.
  const std::vector<DamagedRows>& wait() const;
  /// Calls `call` once, when all rows were read: on the thread of the check, or at once. One at a time.
  void when_done(std::function<void()> call);

 private:
  void run(const std::stop_token& stop);

  const MatrixFile matrix_;
  const std::vector<RowsStored> claims_;
  std::vector<DamagedRows> damaged_;  ///< of the thread alone until done_
  std::atomic<bool> done_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::function<void()> call_;
  std::jthread thread_;  // last: starts when the rest is there, stops first
};

}  // namespace ipfit
