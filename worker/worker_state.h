#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proto/message.h"
#include "proto/transport.h"
#include "worker/assignment.h"

namespace ipfit {

/// Time since an arbitrary start; the loop passes it in, the machine has no clock.
using Instant = std::chrono::duration<double>;

struct WorkerOptions {
  std::string endpoint;  ///< for what is said to the user
  Hello hello;  ///< first word; `holding` is filled in by the machine, `credit` bounds the tasks that it takes;
                ///< only with a `key` are rows written in place: a stranger must not choose our files
  double heartbeat_seconds = kHeartbeatSeconds;
  double lost_seconds = kLostSeconds;  ///< a manager silent for so long is greeted anew over a new connection
  double orphan_seconds = 900.0;       ///< and left after so long, but never before lost_seconds
  std::uint64_t block_limit_bytes = std::uint64_t{256} << 20;  ///< blocks held; one larger block is allowed alone
  double grace_seconds = 10.0;                                 ///< asked to stop: for the task being evaluated
  double ack_seconds = 5.0;  ///< asked to stop: for the blocks that are not yet acknowledged
};

namespace worker_event {
struct Received {
  Message message;
  Payload payload;
};
/// The task being evaluated is finished. `rows` is its block, checksummed in pieces of kChunkBytes.
struct Finished {
  TaskId task;
  Payload rows;  ///< in place: no bytes, and an owner that keeps the rows in the store's file locked
  std::vector<std::uint64_t> chunk_checksums;
  double seconds = 0.0;
  bool in_place = false;
  std::string problem{};  ///< why the rows could not be written in place; empty where they need not or must not be
};
/// A structure (index in the data set) of the task being evaluated cannot be evaluated.
struct Failed {
  TaskId task;
  std::uint32_t structure = 0;
  std::string reason;
};
/// The evaluation ended because of CancelEvaluation.
struct Cancelled {
  TaskId task;
};
/// A signal asked the worker to stop. Asking again changes nothing: whoever is in a hurry kills the process.
struct StopAsked {};
/// Time has passed; the structure (index in the data set) that is being evaluated now, if any.
struct Tick {
  std::uint32_t structure = 0;
};
}  // namespace worker_event

using WorkerEvent = std::variant<worker_event::Received, worker_event::Finished, worker_event::Failed,
                                 worker_event::Cancelled, worker_event::StopAsked, worker_event::Tick>;

namespace worker_action {
/// Exactly one of Finished, Failed and Cancelled follows, and no other Evaluate before it.
struct Evaluate {
  std::shared_ptr<const Assignment> assignment;
};
/// Stop evaluating at the next structure. An evaluation that is finished by then may still say Finished.
struct CancelEvaluation {};
/// Drop the connection with everything in it and make a new one.
struct Reconnect {};
/// The manager has heard of Hello.crash.
struct CrashReported {};
/// For the user, one line.
struct Say {
  std::string text;
};
/// The last action. Without an error the worker leaves because it was asked to.
struct Leave {
  std::optional<Error> error;
};
}  // namespace worker_action

using WorkerAction = std::variant<worker_action::Evaluate, worker_action::CancelEvaluation, worker_action::Reconnect,
                                  worker_action::CrashReported, worker_action::Say, worker_action::Leave>;

struct Outgoing {
  Message message;
  Payload payload;
};

/// For tests and messages.
struct WorkerStateView {
  bool joined = false;
  bool draining = false;
  bool left = false;
  std::optional<TaskId> running;  ///< wanted and being evaluated
  std::vector<TaskId> queued;
  std::vector<TaskId> finished;  ///< evaluated and not yet acknowledged
  std::uint64_t held_bytes = 0;  ///< of the finished blocks and the one being filled
};

/// The evaluator's side of the conversation with the manager: decides what is said, what is evaluated, what is kept and
/// when to leave. Never performs anything: same state, event and time, same actions. It holds blocks and structures by
/// handle and does not look into blocks.
///
/// What is to be sent is pulled: the loop sends next_message() and says sent(), for as long as the connection takes
/// it. What could not be sent is made anew later, so nothing stale is ever waiting in line.
///
/// A finished block is kept until the manager acknowledges or forgets its task, and sent again after every new Hello.
/// Of a block that was written in place only the lock is kept, and the Commit is what is sent again.
class WorkerState {
 public:
  WorkerState(WorkerOptions options, Instant now);

  std::vector<WorkerAction> handle(const WorkerEvent& event, Instant now);

  std::optional<Outgoing> next_message() const;
  void sent(Instant now);  ///< the connection took next_message()

  Instant next_deadline() const;  ///< the loop need not send a Tick earlier
  WorkerStateView view() const;
  std::string broken_invariant() const;  ///< empty, or what is wrong

 private:
  struct KnownModel {
    std::string hash;
    std::shared_ptr<const Model> model;  ///< null: it could not be read, because of `fault`
    std::string fault;
  };
  struct Running {
    std::shared_ptr<const Assignment> assignment;
    Instant since;
    bool wanted = true;  ///< false: cancelled, its outcome is dropped
  };
  struct Block {
    std::shared_ptr<const Assignment> assignment;
    Payload rows;
    std::vector<std::uint64_t> chunk_checksums;
    double seconds = 0.0;
    bool in_place = false;
    std::size_t next_chunk = 0;  ///< chunks before it were sent in this session
    bool committed = false;      ///< all of it was sent in this session
  };
  enum class Next { kNothing, kHello, kHeartbeat, kAnswer, kBye, kChunk, kCommit };

  void received(const Message& message, const Payload& payload, Instant now);
  void welcomed();
  void learn_model(const ModelMessage& message, const Payload& payload);
  void take_task(const TaskMessage& message, const Payload& payload);
  bool have_already(const TaskMessage& message);
  void finished(const worker_event::Finished& event);
  void failed(const worker_event::Failed& event);
  bool end_running(const TaskId& task);
  void forget(const TaskId& task);
  void now_at(std::uint32_t structure);
  void stop(Instant now, const std::string& who);

  void settle(Instant now);
  void watch_silence(Instant now);
  void start_next(Instant now);
  void go_on_leaving(Instant now);
  bool worth_waiting(Instant now) const;
  void abandon_running();
  void say_hello();
  void leave(std::optional<Error> error);

  Next next() const;
  std::size_t block_to_send() const;
  std::vector<TaskId> holding() const;
  std::uint64_t held_bytes() const;
  Message hello() const;
  Outgoing chunk(const Block& block) const;
  double patience() const;
  void act(WorkerAction action) { actions_.push_back(std::move(action)); }

  WorkerOptions options_;
  std::vector<WorkerAction> actions_;

  bool joined_ = false;
  bool left_ = false;
  bool hello_due_ = true;
  bool heartbeat_due_ = false;
  bool model_missing_ = false;  ///< the next Heartbeat becomes a Hello, after which models are sent again
  bool told_silence_ = false;
  bool told_problem_ = false;  ///< of writing rows in place
  Instant last_heard_;
  Instant last_hello_;
  Instant last_spoken_;  ///< Hello or Heartbeat
  Instant last_reconnect_;

  std::deque<KnownModel> models_;  ///< oldest first
  std::deque<std::shared_ptr<const Assignment>> queue_;
  std::optional<Running> running_;
  std::uint32_t structure_ = 0;  ///< being evaluated
  std::deque<Block> blocks_;     ///< oldest first
  std::deque<Message> answers_;  ///< HandBack and TaskFailed
  int chunks_unconfirmed_ = 0;
  int chunks_since_heartbeat_ = 0;

  std::optional<Instant> stop_asked_;
  std::optional<Instant> evaluated_all_;  ///< since when nothing but acknowledgements is waited for
  bool bye_due_ = false;
  bool bye_sent_ = false;
};

}  // namespace ipfit
