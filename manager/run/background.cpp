#include "manager/run/background.h"

#include <utility>

namespace ipfit {

Background::Background() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

Background::~Background() {
  thread_.request_stop();
  thread_.join();
}

void Background::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
}

bool Background::finish() {
  wakeup_.clear();
  std::vector<Finish> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
  }
  for (const Finish& act : finished) {
    act();
  }
  return !finished.empty();
}

void Background::run(const std::stop_token& stop) {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); }) || stop.stop_requested()) {
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    Finish finish = job();
    {
      const std::lock_guard lock(mutex_);
      finished_.push_back(std::move(finish));
    }
    wakeup_.signal();
  }
}

}  // namespace ipfit
