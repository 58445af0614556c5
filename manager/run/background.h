#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "manager/run/wakeup.h"

namespace ipfit {

/// Runs jobs that may take long, one after the other, on a thread of its own, so that the event loop never waits for a
/// disk. A job returns what is to be done with its result; the loop does that in finish(), on its own thread.
class Background {
 public:
  using Finish = std::function<void()>;
  using Job = std::function<Finish()>;

  Background();
  ~Background();  ///< waits for the job that runs; those that have not started are dropped
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void post(Job job);
  int descriptor() const { return wakeup_.descriptor(); }
  /// Does what the finished jobs asked for; whether there were any.
  bool finish();

 private:
  void run(const std::stop_token& stop);

  Wakeup wakeup_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  std::vector<Finish> finished_;
  std::jthread thread_;  // last: starts when the rest is there, stops first
};

}  // namespace ipfit
