#include "worker/worker_state.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <string>
#include <utility>

#include "common/checksum.h"

namespace ipfit {
namespace {

/// Models are small next to blocks; a fit has two, and fits are served one after the other.
constexpr std::size_t kModelsKept = 8;

/// At most about this many chunks are on their way at a time: a Heartbeat after every second one asks for a sign of
/// life. With more, on a slow line the manager's answers would stand behind so many MiB that it seemed lost, and all
/// would be sent again, for ever: 4 MiB pass in less than kLostSeconds from 3.5 Mbit/s upwards.
constexpr int kChunksInFlight = 4;
constexpr int kChunksPerHeartbeat = 2;

/// For Bye to be taken by a connection that is stuck.
constexpr double kByeSeconds = 1.0;

Instant seconds(double count) {
  return Instant{count};
}

std::string count_of(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string whole_seconds(double count) {
  return std::to_string(static_cast<long>(count)) + " s";
}

}  // namespace

WorkerState::WorkerState(WorkerOptions options, Instant now)
    : options_(std::move(options)), last_heard_(now), last_hello_(now), last_spoken_(now), last_reconnect_(now) {}

std::vector<WorkerAction> WorkerState::handle(const WorkerEvent& event, Instant now) {
  actions_.clear();
  if (left_) {
    return {};
  }
  if (const auto* message = std::get_if<worker_event::Received>(&event)) {
    received(message->message, message->payload, now);
  } else if (const auto* done = std::get_if<worker_event::Finished>(&event)) {
    finished(*done);
  } else if (const auto* bad = std::get_if<worker_event::Failed>(&event)) {
    failed(*bad);
  } else if (const auto* cancelled = std::get_if<worker_event::Cancelled>(&event)) {
    end_running(cancelled->task);
  } else if (std::holds_alternative<worker_event::StopAsked>(event)) {
    stop(now, "a signal");
  } else if (const auto* tick = std::get_if<worker_event::Tick>(&event)) {
    now_at(tick->structure);
  }
  settle(now);
  return std::exchange(actions_, {});
}

// ---- what comes in ------------------------------------------------------------------------------------------------

void WorkerState::received(const Message& message, const Payload& payload, Instant now) {
  last_heard_ = now;
  if (std::holds_alternative<Welcome>(message)) {
    welcomed();
  } else if (const auto* reject = std::get_if<Reject>(&message)) {
    leave(Error{ErrorKind::kRefused, options_.endpoint, "refused by the manager: " + reject->reason, reject->remedy});
  } else if (const auto* model = std::get_if<ModelMessage>(&message)) {
    learn_model(*model, payload);
  } else if (const auto* task = std::get_if<TaskMessage>(&message)) {
    take_task(*task, payload);
  } else if (const auto* ack = std::get_if<Ack>(&message)) {
    forget(ack->task);
  } else if (const auto* unwanted = std::get_if<Forget>(&message)) {
    std::for_each(unwanted->tasks.begin(), unwanted->tasks.end(), [this](const TaskId& id) { forget(id); });
  } else if (std::holds_alternative<Alive>(message)) {
    chunks_unconfirmed_ = chunks_since_heartbeat_;
  } else if (std::holds_alternative<Drain>(message)) {
    stop(now, "the manager");
  } else if (std::holds_alternative<Who>(message)) {
    // Several messages may have gone out before the first Who came back: one Hello answers them all.
    if (joined_ || now >= last_hello_ + seconds(options_.heartbeat_seconds)) {
      say_hello();
    }
  }
  // Anything else is not for a worker and changes nothing.
}

void WorkerState::welcomed() {
  if (joined_) {
    return;
  }
  joined_ = true;
  told_silence_ = false;
  act(worker_action::Say{"connected to " + options_.endpoint});
  if (options_.hello.crash) {
    options_.hello.crash.reset();
    act(worker_action::CrashReported{});
  }
}

void WorkerState::learn_model(const ModelMessage& message, const Payload& payload) {
  const auto same = [&](const KnownModel& known) { return known.hash == message.hash; };
  if (std::any_of(models_.begin(), models_.end(), same)) {
    return;
  }
  if (fingerprint(payload.bytes()) != message.hash) {
    act(worker_action::Say{"a model was damaged on the way; it will be asked for again"});
    return;
  }
  Result<Model> model = read_model(payload.text(), "model " + message.hash);
  if (model) {
    models_.push_back({message.hash, std::make_shared<const Model>(std::move(*model)), ""});
  } else {
    models_.push_back({message.hash, nullptr, model.error().text()});
  }
  if (models_.size() > kModelsKept) {
    models_.pop_front();
  }
}

void WorkerState::take_task(const TaskMessage& message, const Payload& payload) {
  if (have_already(message)) {
    return;
  }
  const bool running = running_ && running_->wanted;
  const auto model =
      std::find_if(models_.begin(), models_.end(), [&](const KnownModel& m) { return m.hash == message.model; });
  model_missing_ = model_missing_ || model == models_.end();
  if (stop_asked_ || queue_.size() + (running ? 1 : 0) >= options_.hello.credit || model == models_.end()) {
    answers_.emplace_back(HandBack{{message.task}});
    return;
  }
  if (!model->model) {
    answers_.emplace_back(TaskFailed{message.task, message.first_structure, model->fault});
    return;
  }
  ReadTask task = read_task(message, payload, model->model);
  if (auto* assignment = std::get_if<Assignment>(&task)) {
    assignment->in_place = message.place && !options_.hello.key.empty();
    queue_.push_back(std::make_shared<const Assignment>(std::move(*assignment)));
  } else if (const auto* damaged = std::get_if<HandBack>(&task)) {
    answers_.emplace_back(*damaged);
  } else {
    answers_.emplace_back(std::get<TaskFailed>(task));
  }
}

/// A task that is held in the same form is not taken twice; its block, if finished, is sent once more. A task of the
/// same name but other contents (a structure is now excluded) replaces what is held.
bool WorkerState::have_already(const TaskMessage& message) {
  if (running_ && running_->wanted && running_->assignment->message == message) {
    return true;
  }
  if (std::any_of(queue_.begin(), queue_.end(), [&](const auto& queued) { return queued->message == message; })) {
    return true;
  }
  for (Block& block : blocks_) {
    if (block.assignment->message == message) {
      block.next_chunk = 0;
      block.committed = false;
      return true;
    }
  }
  forget(message.task);
  return false;
}

void WorkerState::finished(const worker_event::Finished& event) {
  if (!running_ || running_->assignment->task() != event.task) {
    return;
  }
  assert(event.rows.size() == (event.in_place ? 0 : running_->assignment->bytes));
  if (running_->wanted) {
    blocks_.push_back({running_->assignment, event.rows, event.chunk_checksums, event.seconds, event.in_place});
  }
  if (!event.problem.empty() && !std::exchange(told_problem_, true)) {
    act(worker_action::Say{"sending rows instead of writing them in place: " + event.problem});
  }
  running_.reset();
}

void WorkerState::failed(const worker_event::Failed& event) {
  if (end_running(event.task)) {
    answers_.emplace_back(TaskFailed{event.task, event.structure, event.reason});
  }
}

/// True if its outcome is wanted.
bool WorkerState::end_running(const TaskId& task) {
  if (!running_ || running_->assignment->task() != task) {
    return false;
  }
  const bool wanted = running_->wanted;
  running_.reset();
  return wanted;
}

/// Between the start of a task and its first structure, what is told still belongs to the task before.
void WorkerState::now_at(std::uint32_t structure) {
  if (running_) {
    const TaskMessage& message = running_->assignment->message;
    const bool inside =
        structure >= message.first_structure && structure - message.first_structure < message.structures.size();
    structure_ = inside ? structure : structure_;
  }
}

void WorkerState::forget(const TaskId& task) {
  std::erase_if(queue_, [&](const auto& queued) { return queued->task() == task; });
  std::erase_if(blocks_, [&](const Block& block) { return block.assignment->task() == task; });
  if (running_ && running_->wanted && running_->assignment->task() == task) {
    running_->wanted = false;
    act(worker_action::CancelEvaluation{});
  }
}

void WorkerState::stop(Instant now, const std::string& who) {
  if (stop_asked_) {
    return;
  }
  stop_asked_ = now;
  act(worker_action::Say{"draining: asked by " + who});
  if (!queue_.empty()) {
    HandBack back;
    for (const auto& queued : queue_) {
      back.tasks.push_back(queued->task());
    }
    queue_.clear();
    answers_.emplace_back(std::move(back));
  }
}

// ---- what follows, after every event -------------------------------------------------------------------------------

void WorkerState::settle(Instant now) {
  go_on_leaving(now);
  watch_silence(now);
  if (left_) {
    return;
  }
  if (now >= last_spoken_ + seconds(options_.heartbeat_seconds)) {
    heartbeat_due_ = true;
    if (model_missing_) {
      say_hello();
    }
  }
  start_next(now);
}

double WorkerState::patience() const {
  return std::max(options_.orphan_seconds, options_.lost_seconds);
}

void WorkerState::watch_silence(Instant now) {
  if (left_) {
    return;
  }
  if (now >= last_heard_ + seconds(patience())) {
    leave(Error{ErrorKind::kNetwork, options_.endpoint, "nobody has answered for " + whole_seconds(patience()),
                "start the manager, or see what is wrong with: ipfit-worker --check " + options_.endpoint});
    return;
  }
  if (now < std::max(last_heard_, last_reconnect_) + seconds(options_.lost_seconds)) {
    return;
  }
  if (!std::exchange(told_silence_, true)) {
    act(worker_action::Say{"no word from " + options_.endpoint + " for " + whole_seconds(options_.lost_seconds) +
                           "; trying again" +
                           (blocks_.empty() ? "" : ", " + count_of(blocks_.size(), "finished block") + " kept")});
  }
  last_reconnect_ = now;
  act(worker_action::Reconnect{});
  say_hello();
}

void WorkerState::start_next(Instant now) {
  if (running_ || queue_.empty()) {
    return;
  }
  const std::uint64_t held = held_bytes();
  if (held > 0 && held + queue_.front()->bytes > options_.block_limit_bytes) {
    return;
  }
  running_ = Running{queue_.front(), now};
  structure_ = queue_.front()->message.first_structure;
  queue_.pop_front();
  act(worker_action::Evaluate{running_->assignment});
}

void WorkerState::go_on_leaving(Instant now) {
  if (!stop_asked_ || left_) {
    return;
  }
  if (running_ && running_->wanted) {
    if (worth_waiting(now)) {
      return;
    }
    abandon_running();
  }
  if (!evaluated_all_) {
    evaluated_all_ = now;
  }
  const Instant give_up = *evaluated_all_ + seconds(options_.ack_seconds);
  if (!blocks_.empty() && now < give_up) {
    return;
  }
  bye_due_ = !hello_due_ && !bye_sent_;
  if (!bye_due_ || now >= give_up + seconds(kByeSeconds)) {
    if (!blocks_.empty()) {
      act(worker_action::Say{"leaving " + count_of(blocks_.size(), "finished block") +
                             " behind that the manager did not take in time; others will evaluate them again"});
    }
    leave(std::nullopt);
  }
}

/// Whether the task being evaluated will be finished within the grace, judged by the share of rows that are there.
bool WorkerState::worth_waiting(Instant now) const {
  const Instant end = *stop_asked_ + seconds(options_.grace_seconds);
  const Assignment& assignment = *running_->assignment;
  std::int64_t done = 0;
  for (std::size_t s = 0; s < assignment.structures.size() && assignment.message.first_structure + s < structure_;
       ++s) {
    done += row_count(assignment.structures[s].size(), assignment.message.structures[s].mask);
  }
  if (now >= end || done == 0) {
    return now < end;
  }
  const double left = static_cast<double>(assignment.rows - done) / static_cast<double>(done);
  return now + (now - running_->since) * left <= end;
}

void WorkerState::abandon_running() {
  running_->wanted = false;
  answers_.emplace_back(HandBack{{running_->assignment->task()}});
  act(worker_action::CancelEvaluation{});
}

/// A new session: the manager learns from Hello what is held, everything else that was handed back is free anyway, and
/// every block is sent from its start.
void WorkerState::say_hello() {
  joined_ = false;
  hello_due_ = true;
  model_missing_ = false;
  bye_sent_ = false;
  std::erase_if(answers_, [](const Message& answer) { return std::holds_alternative<HandBack>(answer); });
  for (Block& block : blocks_) {
    block.next_chunk = 0;
    block.committed = false;
  }
  chunks_unconfirmed_ = 0;
  chunks_since_heartbeat_ = 0;
}

void WorkerState::leave(std::optional<Error> error) {
  if (!left_) {
    left_ = true;
    act(worker_action::Leave{std::move(error)});
  }
}

// ---- what goes out ------------------------------------------------------------------------------------------------

WorkerState::Next WorkerState::next() const {
  if (left_) {
    return Next::kNothing;
  }
  if (hello_due_) {
    return Next::kHello;
  }
  if (joined_ && !answers_.empty()) {
    return Next::kAnswer;
  }
  if (bye_due_) {
    return Next::kBye;
  }
  if (heartbeat_due_) {
    return Next::kHeartbeat;
  }
  const std::size_t at = block_to_send();
  if (!joined_ || at == blocks_.size()) {
    return Next::kNothing;
  }
  if (blocks_[at].in_place || blocks_[at].next_chunk == blocks_[at].chunk_checksums.size()) {
    return Next::kCommit;
  }
  return chunks_unconfirmed_ < kChunksInFlight ? Next::kChunk : Next::kNothing;
}

/// Index of the first block that is not wholly sent, or the number of blocks.
std::size_t WorkerState::block_to_send() const {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return !b.committed; });
  return static_cast<std::size_t>(block - blocks_.begin());
}

std::optional<Outgoing> WorkerState::next_message() const {
  switch (next()) {
    case Next::kHello:
      return Outgoing{hello(), {}};
    case Next::kHeartbeat:
      return Outgoing{Heartbeat{holding(), running_ && running_->wanted ? structure_ : 0}, {}};
    case Next::kAnswer:
      return Outgoing{answers_.front(), {}};
    case Next::kBye:
      return Outgoing{Bye{}, {}};
    case Next::kChunk:
      return chunk(blocks_[block_to_send()]);
    case Next::kCommit: {
      const Block& block = blocks_[block_to_send()];
      return Outgoing{
          Commit{block.assignment->task(), block.assignment->bytes, checksum_of_chunks(block.chunk_checksums),
                 block.seconds, block.in_place, block.assignment->left_out()},
          {}};
    }
    case Next::kNothing:
      break;
  }
  return std::nullopt;
}

void WorkerState::sent(Instant now) {
  switch (next()) {
    case Next::kHello:
      hello_due_ = false;
      heartbeat_due_ = false;
      last_hello_ = last_spoken_ = now;
      break;
    case Next::kHeartbeat:
      heartbeat_due_ = false;
      last_spoken_ = now;
      chunks_since_heartbeat_ = 0;
      break;
    case Next::kAnswer:
      answers_.pop_front();
      break;
    case Next::kBye:
      bye_due_ = false;
      bye_sent_ = true;
      break;
    case Next::kChunk:
      ++blocks_[block_to_send()].next_chunk;
      ++chunks_unconfirmed_;
      heartbeat_due_ = heartbeat_due_ || ++chunks_since_heartbeat_ >= kChunksPerHeartbeat;
      break;
    case Next::kCommit:
      blocks_[block_to_send()].committed = true;
      break;
    case Next::kNothing:
      break;
  }
}

Outgoing WorkerState::chunk(const Block& block) const {
  const std::size_t offset = block.next_chunk * kChunkBytes;
  const std::size_t bytes = std::min(kChunkBytes, block.rows.size() - offset);
  return {BlockChunk{block.assignment->task(), offset, bytes, block.chunk_checksums[block.next_chunk]},
          Payload(block.rows.bytes().subspan(offset, bytes), block.rows.owner())};
}

Message WorkerState::hello() const {
  Hello hello = options_.hello;
  hello.holding = holding();
  hello.credit = stop_asked_ ? 0 : options_.hello.credit;
  return hello;
}

/// The one being evaluated first, as Heartbeat.structure belongs to it.
std::vector<TaskId> WorkerState::holding() const {
  std::vector<TaskId> held;
  if (running_ && running_->wanted) {
    held.push_back(running_->assignment->task());
  }
  for (const auto& queued : queue_) {
    held.push_back(queued->task());
  }
  for (const Block& block : blocks_) {
    held.push_back(block.assignment->task());
  }
  return held;
}

std::uint64_t WorkerState::held_bytes() const {
  std::uint64_t bytes = running_ ? running_->assignment->bytes : 0;
  for (const Block& block : blocks_) {
    bytes += block.rows.size();
  }
  return bytes;
}

// ---- for the loop and for tests ------------------------------------------------------------------------------------

Instant WorkerState::next_deadline() const {
  if (bye_sent_) {
    return Instant{0};  // nothing is left but to leave
  }
  Instant first = last_heard_ + seconds(patience());
  first = std::min(first, std::max(last_heard_, last_reconnect_) + seconds(options_.lost_seconds));
  if (!heartbeat_due_ && !hello_due_) {
    first = std::min(first, last_spoken_ + seconds(options_.heartbeat_seconds));
  }
  if (evaluated_all_) {
    const Instant give_up = *evaluated_all_ + seconds(options_.ack_seconds);
    first = std::min(first, bye_due_ ? give_up + seconds(kByeSeconds) : give_up);
  } else if (stop_asked_) {
    first = std::min(first, *stop_asked_ + seconds(options_.grace_seconds));
  }
  return first;
}

WorkerStateView WorkerState::view() const {
  WorkerStateView view{joined_, stop_asked_.has_value(), left_, std::nullopt, {}, {}, held_bytes()};
  if (running_ && running_->wanted) {
    view.running = running_->assignment->task();
  }
  for (const auto& queued : queue_) {
    view.queued.push_back(queued->task());
  }
  for (const Block& block : blocks_) {
    view.finished.push_back(block.assignment->task());
  }
  return view;
}

std::string WorkerState::broken_invariant() const {
  const std::vector<TaskId> held = holding();
  if (std::set<TaskId>(held.begin(), held.end()).size() != held.size()) {
    return "a task is held twice";
  }
  if (queue_.size() + (running_ && running_->wanted ? 1 : 0) > options_.hello.credit) {
    return "more tasks are held than the credit";
  }
  const std::size_t blocks = blocks_.size() + (running_ ? 1 : 0);
  if (blocks > 1 && held_bytes() > options_.block_limit_bytes) {
    return "blocks hold more memory than the limit";
  }
  if (stop_asked_ && !queue_.empty()) {
    return "tasks wait although the worker was asked to stop";
  }
  if (!left_ && !running_ && !queue_.empty() && blocks_.empty()) {
    return "a task waits although nothing is being evaluated";
  }
  return "";
}

}  // namespace ipfit
