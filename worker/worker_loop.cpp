#include "worker/worker_loop.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "worker/evaluation_thread.h"

namespace ipfit {
namespace {

/// A connection that takes nothing now, or was not made, is tried again after this long at the latest.
constexpr double kRetrySeconds = 0.1;

/// Bad frames are told up to this many; a manager that goes on sending them is not worth a full disk of log.
constexpr int kBadFramesTold = 5;

Instant now() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

class Loop {
 public:
  explicit Loop(const WorkerLoopOptions& options)
      : options_(options), state_(options.worker, now()), evaluation_(options.note) {}

  std::optional<Error> run() {
    Result<std::unique_ptr<Transport>> connection = options_.connect();
    if (!connection) {
      return connection.error();
    }
    transport_ = std::move(*connection);
    while (true) {
      const bool received = receive_all();
      take_outcome();
      perform(state_.handle(worker_event::Tick{options_.note->structure()}, now()));
      if (left_) {
        return error_;
      }
      // Sending takes notice of what arrives, for which the descriptor then does not wake us: look again first.
      if (!send_all() && !received) {
        wait();
      }
    }
  }

 private:
  bool receive_all() {
    bool any = false;
    while (transport_ && !left_) {
      auto incoming = transport_->receive();
      if (!incoming) {
        break;
      }
      any = true;
      if (auto* message = std::get_if<Incoming>(&*incoming)) {
        perform(state_.handle(worker_event::Received{std::move(message->message), std::move(message->payload)}, now()));
      } else if (++bad_frames_ <= kBadFramesTold) {
        options_.say("dropped a bad frame: " + std::get<BadFrame>(*incoming).error.text());
      }
    }
    return any;
  }

  void take_outcome() {
    if (auto outcome = evaluation_.outcome()) {
      perform(std::visit([this](auto& event) { return state_.handle(std::move(event), now()); }, *outcome));
    }
  }

  /// True if anything was sent.
  bool send_all() {
    bool any = false;
    blocked_ = !transport_;
    while (transport_) {
      auto outgoing = state_.next_message();
      if (!outgoing) {
        return any;
      }
      if (transport_->send({}, outgoing->message, std::move(outgoing->payload)) != SendOutcome::kSent) {
        blocked_ = true;
        return any;
      }
      state_.sent(now());
      any = true;
    }
    return any;
  }

  void perform(std::vector<WorkerAction> actions) {
    for (WorkerAction& action : actions) {
      if (auto* evaluate = std::get_if<worker_action::Evaluate>(&action)) {
        evaluation_.start(std::move(evaluate->assignment));
      } else if (std::holds_alternative<worker_action::CancelEvaluation>(action)) {
        evaluation_.cancel();
      } else if (std::holds_alternative<worker_action::Reconnect>(action)) {
        reconnect();
      } else if (std::holds_alternative<worker_action::CrashReported>(action)) {
        options_.note->crash_reported();
      } else if (auto* line = std::get_if<worker_action::Say>(&action)) {
        options_.say(line->text);
      } else if (auto* leave = std::get_if<worker_action::Leave>(&action)) {
        left_ = true;
        error_ = std::move(leave->error);
      }
    }
  }

  void reconnect() {
    transport_.reset();
    if (auto connection = options_.connect()) {
      transport_ = std::move(*connection);
    }
  }

  void wait() {
    const double until = std::max(0.0, (state_.next_deadline() - now()).count());
    const double patience = blocked_ ? std::min(until, kRetrySeconds) : until;
    pollfd waited[] = {{transport_ ? transport_->descriptor() : -1, POLLIN, 0},
                       {evaluation_.descriptor(), POLLIN, 0},
                       {stop_asked_ ? -1 : options_.stop_descriptor, POLLIN, 0}};
    poll(waited, std::size(waited), static_cast<int>(std::ceil(1000.0 * std::min(patience, 3600.0))));
    if ((waited[2].revents & POLLIN) != 0) {
      stop_asked_ = true;  // the descriptor stays readable and is not looked at again
      perform(state_.handle(worker_event::StopAsked{}, now()));
    }
  }

  const WorkerLoopOptions& options_;
  WorkerState state_;
  EvaluationThread evaluation_;
  std::unique_ptr<Transport> transport_;
  bool blocked_ = false;  ///< there is something to send that the connection did not take
  bool stop_asked_ = false;
  bool left_ = false;
  int bad_frames_ = 0;
  std::optional<Error> error_;
};

}  // namespace

std::optional<Error> run_worker(const WorkerLoopOptions& options) {
  return Loop(options).run();
}

}  // namespace ipfit
