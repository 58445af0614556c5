#include "manager/store/row_check.h"

#include <utility>

namespace ipfit {

RowCheck::RowCheck(MatrixFile matrix, std::vector<RowsStored> claims)
    : matrix_(std::move(matrix)),
      claims_(std::move(claims)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void RowCheck::run(const std::stop_token& stop) {
  // After a failed sync the system's memory may show what the disk does not have.
  matrix_.forget_cache();
  for (const RowsStored& claim : claims_) {
    if (stop.stop_requested()) {
      return;
    }
    if (const Status good = matrix_.check(claim); !good) {
      damaged_.push_back({claim, good.error().where + ": " + good.error().what});
    }
  }
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
    call = std::exchange(call_, {});
  }
  changed_.notify_all();
  if (call) {
    call();
  }
}

const std::vector<DamagedRows>& RowCheck::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return done_.load(); });
  return damaged_;
}

void RowCheck::when_done(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    if (!done_) {
      call_ = std::move(call);
      return;
    }
  }
  call();
}

}  // namespace ipfit
