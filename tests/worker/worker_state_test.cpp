#include "worker/worker_state.h"

#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "tests/worker/tasks.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

constexpr int kBigAtoms = 3000;  // more than one chunk, less than two

TaskId id_of(std::uint32_t task) {
  return {1, Phase::kAssembly, task};
}

worker_event::Finished finished(const Assignment& assignment) {
  const std::size_t bytes = assignment.bytes;
  const Payload rows(std::vector<std::byte>(bytes, std::byte{1}));
  std::vector<std::uint64_t> checksums;
  for (std::size_t at = 0; at < bytes; at += kChunkBytes) {
    checksums.push_back(checksum(rows.bytes().subspan(at, std::min(kChunkBytes, bytes - at))));
  }
  return {assignment.task(), rows, checksums, 0.25};
}

/// The same, written in place; `lock` is what keeps others off the rows.
worker_event::Finished finished_in_place(const Assignment& assignment, std::shared_ptr<const void> lock) {
  worker_event::Finished block = finished(assignment);
  block.rows = Payload({}, std::move(lock));
  block.in_place = true;
  return block;
}

/// A task whose rows may be written in place.
Sent placed_task(std::uint32_t task, int atoms) {
  Sent sent = task_message(task, {chain(atoms)});
  std::get<TaskMessage>(sent.message).place = Place{"/fit/blocks.f64", {1, 2}, 4096};
  return sent;
}

/// The machine with a hand-wound clock, a connection that takes everything (or nothing), and a note of all it did.
class Evaluator {
 public:
  explicit Evaluator(WorkerOptions options = default_options()) : state_(std::move(options), Instant{0}) { pump(); }

  static WorkerOptions default_options() {
    WorkerOptions options;
    options.endpoint = "tcp://lab:7777";
    options.hello.build = "abc";
    options.hello.credit = 3;
    return options;
  }

  void event(const WorkerEvent& event) {
    for (WorkerAction& action : state_.handle(event, Instant{now_})) {
      if (auto* evaluate = std::get_if<worker_action::Evaluate>(&action)) {
        REQUIRE_FALSE(busy_);
        busy_ = evaluate->assignment;
        started_.push_back(busy_->task());
      } else if (auto* leave = std::get_if<worker_action::Leave>(&action)) {
        left_ = *leave;
      } else if (const auto* line = std::get_if<worker_action::Say>(&action)) {
        lines_.push_back(line->text);
      } else if (std::holds_alternative<worker_action::CancelEvaluation>(action)) {
        ++cancels_;
      } else if (std::holds_alternative<worker_action::Reconnect>(action)) {
        ++reconnects_;
      } else if (std::holds_alternative<worker_action::CrashReported>(action)) {
        ++crash_reports_;
      }
    }
    REQUIRE(state_.broken_invariant() == "");
    pump();
  }
  void hear(const Message& message, const Payload& payload = {}) { event(worker_event::Received{message, payload}); }
  void hear(const Sent& sent) { hear(sent.message, sent.payload); }
  void finish() { event(finished(*std::exchange(busy_, nullptr))); }
  void finish_with(const worker_event::Finished& block) {
    busy_ = nullptr;
    event(block);
  }
  void finish_in_place(std::shared_ptr<const void> lock) {
    event(finished_in_place(*std::exchange(busy_, nullptr), std::move(lock)));
  }
  void cancelled() { event(worker_event::Cancelled{std::exchange(busy_, nullptr)->task()}); }
  void pass(double seconds, std::uint32_t structure = 0) {
    now_ += seconds;
    event(worker_event::Tick{structure});
  }
  void join() {
    hear(Welcome{});
    hear(model_message(silicon_model()));
  }
  void connection_takes(bool all) {
    taking_ = all;
    pump();
  }
  /// A connection that takes so many more messages.
  void take(int count) {
    for (int i = 0; i < count && state_.next_message(); ++i) {
      said_.push_back(state_.next_message()->message);
      state_.sent(Instant{now_});
    }
  }

  /// What was said since the last call; Heartbeats left out unless asked for.
  std::vector<Message> said(bool heartbeats = false) {
    std::vector<Message> messages = std::exchange(said_, {});
    if (!heartbeats) {
      std::erase_if(messages, [](const Message& m) { return std::holds_alternative<Heartbeat>(m); });
    }
    return messages;
  }

  WorkerState& state() { return state_; }
  WorkerStateView view() const { return state_.view(); }
  const std::vector<TaskId>& started() const { return started_; }
  const std::shared_ptr<const Assignment>& busy() const { return busy_; }
  const std::optional<worker_action::Leave>& left() const { return left_; }
  int cancels() const { return cancels_; }
  int reconnects() const { return reconnects_; }
  int crash_reports() const { return crash_reports_; }
  const std::vector<std::string>& lines() const { return lines_; }
  double now() const { return now_; }

 private:
  void pump() {
    while (taking_ && state_.next_message()) {
      take(1);
    }
  }

  WorkerState state_;
  double now_ = 0.0;
  bool taking_ = true;
  std::vector<Message> said_;
  std::vector<TaskId> started_;
  std::vector<std::string> lines_;
  std::shared_ptr<const Assignment> busy_;
  std::optional<worker_action::Leave> left_;
  int cancels_ = 0;
  int reconnects_ = 0;
  int crash_reports_ = 0;
};

template <class T>
int count(const std::vector<Message>& messages) {
  return static_cast<int>(
      std::count_if(messages.begin(), messages.end(), [](const Message& m) { return std::holds_alternative<T>(m); }));
}

template <class T>
const T& last(const std::vector<Message>& messages) {
  const T* found = nullptr;
  for (const Message& message : messages) {
    found = std::holds_alternative<T>(message) ? &std::get<T>(message) : found;
  }
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

// ---- rows written in place ------------------------------------------------------------------------------------------

namespace {

WorkerOptions with_key() {
  WorkerOptions options = Evaluator::default_options();
  options.hello.key = "secret";
  return options;
}

}  // namespace

TEST_CASE("only a worker that its manager started writes where a manager says") {
  Evaluator ours(with_key());
  CHECK(last<Hello>(ours.said()).key == "secret");
  ours.join();
  ours.hear(placed_task(1, 2));
  ours.hear(task_message(2, {chain(2)}));
  CHECK(ours.busy()->in_place);
  ours.finish();
  CHECK_FALSE(ours.busy()->in_place);

  Evaluator stranger;
  stranger.join();
  stranger.hear(placed_task(1, 2));
  CHECK_FALSE(stranger.busy()->in_place);
}

TEST_CASE("a block that is in place is committed without chunks, and locked until it is acknowledged or not wanted") {
  Evaluator evaluator(with_key());
  evaluator.join();
  evaluator.hear(placed_task(1, kBigAtoms));
  evaluator.hear(placed_task(2, 2));
  evaluator.said();
  const auto checksums = finished(*evaluator.busy()).chunk_checksums;
  const auto first = std::make_shared<const int>(1);
  const auto second = std::make_shared<const int>(2);
  evaluator.finish_in_place(first);
  const std::vector<Message> said = evaluator.said();
  REQUIRE(said.size() == 1);
  CHECK(std::get<Commit>(said[0]) ==
        Commit{id_of(1), block_bytes(kBigAtoms), checksum_of_chunks(checksums), 0.25, true});
  CHECK(evaluator.view().finished == std::vector<TaskId>{id_of(1)});
  evaluator.finish_in_place(second);
  CHECK(evaluator.view().held_bytes == 0);

  CHECK(first.use_count() > 1);
  evaluator.hear(Ack{id_of(1)});
  CHECK(first.use_count() == 1);
  CHECK(second.use_count() > 1);
  evaluator.hear(Forget{{id_of(2)}});
  CHECK(second.use_count() == 1);
}

TEST_CASE("a block in place that is no longer wanted when it is finished is let go of at once") {
  Evaluator evaluator(with_key());
  evaluator.join();
  evaluator.hear(placed_task(1, 2));
  evaluator.hear(Forget{{id_of(1)}});
  evaluator.said();
  const auto lock = std::make_shared<const int>(1);
  evaluator.finish_in_place(lock);
  CHECK(lock.use_count() == 1);
  CHECK(evaluator.said().empty());
}

TEST_CASE("after a new Hello the commit of a block in place is said again, and it is still locked") {
  Evaluator evaluator(with_key());
  evaluator.join();
  evaluator.hear(placed_task(1, 2));
  const auto lock = std::make_shared<const int>(1);
  evaluator.finish_in_place(lock);
  evaluator.said();
  evaluator.hear(Who{});
  CHECK(last<Hello>(evaluator.said()).holding == std::vector<TaskId>{id_of(1)});
  CHECK(lock.use_count() > 1);
  evaluator.hear(Welcome{});
  const std::vector<Message> said = evaluator.said();
  CHECK(count<BlockChunk>(said) == 0);
  CHECK(last<Commit>(said).in_place);
}

TEST_CASE("rows that cannot be written in place are sent, and the user is told why, once") {
  Evaluator evaluator(with_key());
  evaluator.join();
  evaluator.said();
  const std::size_t lines = evaluator.lines().size();
  for (const std::uint32_t task : {1U, 2U}) {
    evaluator.hear(placed_task(task, 2));
    worker_event::Finished block = finished(*evaluator.busy());
    block.problem = "blocks.f64: no space";
    evaluator.finish_with(block);
    const std::vector<Message> said = evaluator.said();
    CHECK(count<BlockChunk>(said) == 1);
    CHECK_FALSE(last<Commit>(said).in_place);
  }
  REQUIRE(evaluator.lines().size() == lines + 1);
  CHECK(evaluator.lines().back() == "sending rows instead of writing them in place: blocks.f64: no space");
}

// ---- joining --------------------------------------------------------------------------------------------------------

TEST_CASE("an evaluator says Hello first, and nothing else before it went out") {
  Evaluator evaluator;
  const std::vector<Message> said = evaluator.said(true);
  REQUIRE(said.size() == 1);
  CHECK(std::get<Hello>(said[0]).build == "abc");
  CHECK(std::get<Hello>(said[0]).credit == 3);

  Evaluator waiting;
  waiting.connection_takes(false);
  waiting.hear(Who{});  // nothing: one Hello is already on its way
  waiting.pass(5.0);
  waiting.said();
  waiting.hear(Who{});
  waiting.take(1);
  CHECK(count<Hello>(waiting.said(true)) == 1);
}

TEST_CASE("a refused evaluator leaves with the words of the manager") {
  Evaluator evaluator;
  evaluator.hear(Reject{"build 111, the manager has 222", "install the same version on both"});
  REQUIRE(evaluator.left());
  REQUIRE(evaluator.left()->error);
  CHECK(evaluator.left()->error->kind == ErrorKind::kRefused);
  CHECK(evaluator.left()->error->text() ==
        "tcp://lab:7777: refused by the manager: build 111, the manager has 222; install the same version on both");
}

TEST_CASE("the crash of the one before is told until a manager has heard of it, and then no more") {
  WorkerOptions options = Evaluator::default_options();
  options.hello.crash = CrashReport{id_of(4), 17};
  Evaluator evaluator(options);
  CHECK(last<Hello>(evaluator.said()).crash == options.hello.crash);
  evaluator.pass(1.0);
  evaluator.hear(Who{});
  CHECK(last<Hello>(evaluator.said()).crash == options.hello.crash);
  CHECK(evaluator.crash_reports() == 0);
  evaluator.hear(Welcome{});
  CHECK(evaluator.crash_reports() == 1);
  evaluator.hear(Who{});
  CHECK_FALSE(last<Hello>(evaluator.said()).crash);
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

TEST_CASE("a task is evaluated, sent in chunks, committed, and kept until it is acknowledged") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(kBigAtoms)}));
  REQUIRE(evaluator.busy());
  CHECK(evaluator.busy()->bytes == block_bytes(kBigAtoms));
  CHECK(evaluator.busy()->structures.size() == 1);
  evaluator.said();
  const worker_event::Finished block = finished(*evaluator.busy());
  evaluator.finish();

  const std::vector<Message> said = evaluator.said();
  REQUIRE(said.size() == 3);
  CHECK(std::get<BlockChunk>(said[0]) == BlockChunk{id_of(1), 0, kChunkBytes, block.chunk_checksums[0]});
  CHECK(std::get<BlockChunk>(said[1]) ==
        BlockChunk{id_of(1), kChunkBytes, block_bytes(kBigAtoms) - kChunkBytes, block.chunk_checksums[1]});
  CHECK(std::get<Commit>(said[2]) ==
        Commit{id_of(1), block_bytes(kBigAtoms), checksum_of_chunks(block.chunk_checksums), 0.25});

  CHECK(evaluator.view().finished == std::vector<TaskId>{id_of(1)});
  evaluator.hear(Ack{id_of(1)});
  CHECK(evaluator.view().finished.empty());
  CHECK(evaluator.view().held_bytes == 0);
}

TEST_CASE("one task is evaluated while others wait, and more than the credit are handed back") {
  Evaluator evaluator;
  evaluator.join();
  for (std::uint32_t task = 1; task <= 4; ++task) {
    evaluator.hear(task_message(task, {chain(2)}));
  }
  CHECK(evaluator.view().running == id_of(1));
  CHECK(evaluator.view().queued == std::vector<TaskId>{id_of(2), id_of(3)});
  CHECK(last<HandBack>(evaluator.said()).tasks == std::vector<TaskId>{id_of(4)});
  evaluator.finish();
  CHECK(evaluator.started() == std::vector<TaskId>{id_of(1), id_of(2)});
}

TEST_CASE("a Heartbeat names what is held, first the task that is being evaluated and its structure") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(2, {chain(2), chain(3)}));
  evaluator.finish();
  evaluator.said(true);
  evaluator.pass(0.5, 201);
  CHECK(evaluator.said(true).empty());
  evaluator.pass(0.5, 102);  // of another task: not yet, or no longer, told
  const std::vector<Message> said = evaluator.said(true);
  REQUIRE(said.size() == 1);
  CHECK(std::get<Heartbeat>(said[0]) == Heartbeat{{id_of(2), id_of(1)}, 201});
}

TEST_CASE("a structure that cannot be evaluated is reported with its reason, and the next task begins") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(2, {chain(2)}));
  evaluator.said();
  const TaskId task = evaluator.busy()->task();
  // The driver must not think it is busy when the machine starts the next one.
  auto actions = evaluator.state().handle(worker_event::Failed{task, 100, "atoms 1 and 2 coincide"}, Instant{0});
  REQUIRE(actions.size() == 1);
  CHECK(std::get<worker_action::Evaluate>(actions[0]).assignment->task() == id_of(2));
  evaluator.connection_takes(true);
  CHECK(last<TaskFailed>(evaluator.said()) == TaskFailed{id_of(1), 100, "atoms 1 and 2 coincide"});
}

TEST_CASE("a task that was damaged on the way is handed back") {
  Evaluator evaluator;
  evaluator.join();
  Sent task = task_message(1, {chain(2)});
  std::vector<std::byte> damaged(task.payload.bytes().begin(), task.payload.bytes().end());
  damaged[40] ^= std::byte{1};
  evaluator.hear(task.message, Payload(damaged));
  CHECK(last<HandBack>(evaluator.said()).tasks == std::vector<TaskId>{id_of(1)});
  CHECK_FALSE(evaluator.busy());
}

TEST_CASE("a task whose structures are not what it says fails, naming the structure") {
  Evaluator evaluator;
  evaluator.join();

  SECTION("fewer structures than named") {
    Sent task = task_message(1, {chain(2)});
    std::get<TaskMessage>(task.message).structures.resize(2);
    evaluator.hear(task);
    CHECK(last<TaskFailed>(evaluator.said()).structure == 101);
  }
  SECTION("more structures than named") {
    Sent task = task_message(1, {chain(2), chain(2)});
    std::get<TaskMessage>(task.message).structures.resize(1);
    evaluator.hear(task);
    CHECK(last<TaskFailed>(evaluator.said()).structure == 100);
  }
  SECTION("a structure that cannot be read") {
    Sent task = task_message(1, {chain(2), chain(2)});
    std::vector<std::byte> bytes(task.payload.bytes().begin(), task.payload.bytes().end());
    bytes.resize(bytes.size() - 8);
    std::get<TaskMessage>(task.message).payload_checksum = checksum(bytes);
    evaluator.hear(task.message, Payload(bytes));
    CHECK(last<TaskFailed>(evaluator.said()).structure == 101);
  }
  SECTION("no rows at all") {
    Sent task = task_message(1, {chain(2)});
    std::get<TaskMessage>(task.message).structures[0].mask = {};
    evaluator.hear(task);
    CHECK(last<TaskFailed>(evaluator.said()).reason.find("no rows") != std::string::npos);
  }
  CHECK_FALSE(evaluator.busy());
}

TEST_CASE("a task whose model is not here is handed back, and a new session asks for the model") {
  Evaluator evaluator;
  evaluator.hear(Welcome{});
  evaluator.said();
  evaluator.hear(task_message(1, {chain(2)}));
  CHECK(last<HandBack>(evaluator.said()).tasks == std::vector<TaskId>{id_of(1)});
  evaluator.pass(1.0);
  CHECK(count<Hello>(evaluator.said()) == 1);
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  CHECK(evaluator.busy());
}

TEST_CASE("a damaged model is not used") {
  Evaluator evaluator;
  evaluator.hear(Welcome{});
  Sent model = model_message(silicon_model());
  evaluator.hear(model.message, Payload(std::string(model.payload.text()) + " "));
  evaluator.hear(task_message(1, {chain(2)}));
  CHECK_FALSE(evaluator.busy());
  CHECK(count<HandBack>(evaluator.said()) == 1);
}

TEST_CASE("tasks of a model that cannot be read fail with the reason") {
  Evaluator evaluator;
  evaluator.hear(Welcome{});
  const std::string nonsense = "{}";
  evaluator.hear(ModelMessage{fingerprint(nonsense)}, Payload(nonsense));
  Sent task = task_message(1, {chain(2)});
  std::get<TaskMessage>(task.message).model = fingerprint(nonsense);
  evaluator.hear(task);
  const TaskFailed failed = last<TaskFailed>(evaluator.said());
  CHECK(failed.structure == 100);
  CHECK(failed.reason.find(fingerprint(nonsense)) != std::string::npos);
}

TEST_CASE("a task that comes again is not evaluated twice, its block is sent once more") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(1, {chain(2)}));
  CHECK(evaluator.view().queued.empty());
  evaluator.finish();
  CHECK(count<Commit>(evaluator.said()) == 1);
  evaluator.hear(task_message(1, {chain(2)}));
  CHECK(count<Commit>(evaluator.said()) == 1);
  CHECK(evaluator.started().size() == 1);
}

TEST_CASE("a task that comes again with a structure excluded replaces the earlier one") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2), chain(3)}));
  evaluator.finish();
  Sent again = task_message(1, {chain(2), chain(3)});
  std::get<TaskMessage>(again.message).structures[1].excluded = true;
  evaluator.hear(again);
  REQUIRE(evaluator.busy());
  CHECK(evaluator.busy()->message.structures[1].excluded);
  CHECK(evaluator.view().finished.empty());
}

// ---- forgetting -----------------------------------------------------------------------------------------------------

TEST_CASE("what the manager forgets is dropped, wherever it is") {
  Evaluator evaluator;
  evaluator.join();
  for (std::uint32_t task = 1; task <= 3; ++task) {
    evaluator.hear(task_message(task, {chain(2)}));
  }
  evaluator.finish();
  evaluator.said();
  evaluator.hear(Forget{{id_of(1), id_of(2), id_of(3)}});
  CHECK(evaluator.view().finished.empty());
  CHECK(evaluator.view().queued.empty());
  CHECK_FALSE(evaluator.view().running);
  CHECK(evaluator.cancels() == 1);

  SECTION("the cancelled one ends, and the next begins") {
    evaluator.hear(task_message(4, {chain(2)}));
    CHECK(evaluator.started().back() == id_of(2));
    evaluator.cancelled();
    CHECK(evaluator.started().back() == id_of(4));
  }
  SECTION("its block, if it was finished first, is not sent") {
    evaluator.finish();
    CHECK(count<BlockChunk>(evaluator.said()) == 0);
    CHECK(evaluator.view().held_bytes == 0);
  }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

TEST_CASE("a full buffer stops evaluation until blocks are acknowledged") {
  WorkerOptions options = Evaluator::default_options();
  options.block_limit_bytes = 2 * block_bytes(2);
  Evaluator evaluator(options);
  evaluator.join();
  for (std::uint32_t task = 1; task <= 3; ++task) {
    evaluator.hear(task_message(task, {chain(2)}));
  }
  evaluator.finish();
  evaluator.finish();
  CHECK_FALSE(evaluator.busy());
  evaluator.hear(Ack{id_of(1)});
  REQUIRE(evaluator.busy());
  CHECK(evaluator.busy()->task() == id_of(3));
}

TEST_CASE("a block larger than the buffer is evaluated when it is alone") {
  WorkerOptions options = Evaluator::default_options();
  options.block_limit_bytes = block_bytes(2);
  Evaluator evaluator(options);
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(2, {chain(50)}));
  evaluator.finish();
  CHECK_FALSE(evaluator.busy());
  evaluator.hear(Ack{id_of(1)});
  REQUIRE(evaluator.busy());
  CHECK(evaluator.busy()->task() == id_of(2));
}

TEST_CASE("a slow line never has more chunks on it than the manager answers for") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(kBigAtoms), chain(kBigAtoms), chain(kBigAtoms), chain(kBigAtoms)}));
  evaluator.said();
  evaluator.finish();  // six chunks
  std::vector<Message> said = evaluator.said(true);
  CHECK(count<BlockChunk>(said) == 4);
  CHECK(count<Heartbeat>(said) == 2);
  evaluator.pass(0.5);
  CHECK(count<BlockChunk>(evaluator.said()) == 0);
  evaluator.hear(Alive{});
  said = evaluator.said();
  CHECK(count<BlockChunk>(said) == 2);
  CHECK(count<Commit>(said) == 1);
}

// ---- reconnecting ---------------------------------------------------------------------------------------------------

TEST_CASE("a manager that does not know the evaluator is told all, and gets again what it did not acknowledge") {
  Evaluator evaluator;
  evaluator.join();
  for (std::uint32_t task = 1; task <= 3; ++task) {
    evaluator.hear(task_message(task, {chain(2)}));
  }
  evaluator.finish();
  evaluator.said();
  evaluator.hear(Who{});
  const std::vector<Message> said = evaluator.said();
  REQUIRE(said.size() == 1);  // no block before Welcome
  CHECK(std::get<Hello>(said[0]).holding == std::vector<TaskId>{id_of(2), id_of(3), id_of(1)});
  evaluator.hear(Welcome{"another manager"});
  const std::vector<Message> again = evaluator.said();
  CHECK(count<BlockChunk>(again) == 1);
  CHECK(last<Commit>(again).task == id_of(1));
}

TEST_CASE("several Who for one reason are answered by one Hello") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.said();
  evaluator.hear(Who{});
  evaluator.hear(Who{});
  CHECK(count<Hello>(evaluator.said()) == 1);
  evaluator.pass(1.0);
  evaluator.hear(Who{});  // a second later it is another reason
  CHECK(count<Hello>(evaluator.said()) == 1);
}

TEST_CASE("a silent manager is greeted over a new connection, and blocks are kept") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.finish();
  evaluator.said();
  evaluator.pass(kLostSeconds - 0.1);
  CHECK(evaluator.reconnects() == 0);
  evaluator.pass(0.1);
  CHECK(evaluator.reconnects() == 1);
  CHECK(last<Hello>(evaluator.said()).holding == std::vector<TaskId>{id_of(1)});
  evaluator.pass(kLostSeconds);
  CHECK(evaluator.reconnects() == 2);
  evaluator.said();
  evaluator.hear(Welcome{});
  CHECK(last<Commit>(evaluator.said()).task == id_of(1));
}

TEST_CASE("evaluation goes on while there is no manager") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(2, {chain(2)}));
  evaluator.pass(kLostSeconds);
  evaluator.finish();
  CHECK(evaluator.started().back() == id_of(2));
}

TEST_CASE("an evaluator without a manager leaves after the orphan time, with an error") {
  WorkerOptions options = Evaluator::default_options();
  options.orphan_seconds = 25.0;
  Evaluator evaluator(options);
  evaluator.join();
  evaluator.pass(24.9);
  CHECK_FALSE(evaluator.left());
  evaluator.pass(0.1);
  REQUIRE(evaluator.left());
  REQUIRE(evaluator.left()->error);
  CHECK(evaluator.left()->error->kind == ErrorKind::kNetwork);
}

TEST_CASE("with an orphan time of zero an evaluator leaves when the manager counts as lost") {
  WorkerOptions options = Evaluator::default_options();
  options.orphan_seconds = 0.0;
  Evaluator evaluator(options);
  evaluator.join();
  evaluator.pass(kLostSeconds - 0.1);
  CHECK_FALSE(evaluator.left());
  evaluator.pass(0.1);
  CHECK(evaluator.left());
  CHECK(evaluator.reconnects() == 0);
}

TEST_CASE("a manager that answers is never left") {
  Evaluator evaluator;
  evaluator.join();
  for (int second = 0; second < 2000; ++second) {
    evaluator.pass(1.0);
    REQUIRE(count<Heartbeat>(evaluator.said(true)) == 1);
    evaluator.hear(Alive{});
  }
  CHECK_FALSE(evaluator.left());
  CHECK(evaluator.reconnects() == 0);
}

// ---- leaving --------------------------------------------------------------------------------------------------------

TEST_CASE("an idle evaluator that is asked to stop says Bye and leaves") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.said();
  evaluator.event(worker_event::StopAsked{});
  CHECK(count<Bye>(evaluator.said()) == 1);
  evaluator.pass(0.0);
  REQUIRE(evaluator.left());
  CHECK_FALSE(evaluator.left()->error);
}

TEST_CASE("asked to stop, an evaluator hands back what waits, finishes what it is at, delivers it, and leaves") {
  const bool by_manager = GENERATE(true, false);
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.hear(task_message(2, {chain(2)}));
  evaluator.said();
  if (by_manager) {
    evaluator.hear(Drain{});
  } else {
    evaluator.event(worker_event::StopAsked{});
  }
  CHECK(last<HandBack>(evaluator.said()).tasks == std::vector<TaskId>{id_of(2)});
  evaluator.hear(task_message(3, {chain(2)}));
  CHECK(last<HandBack>(evaluator.said()).tasks == std::vector<TaskId>{id_of(3)});
  evaluator.pass(9.0);
  evaluator.finish();
  CHECK(last<Commit>(evaluator.said()).task == id_of(1));
  CHECK_FALSE(evaluator.left());
  evaluator.hear(Ack{id_of(1)});
  CHECK(count<Bye>(evaluator.said()) == 1);
  evaluator.pass(0.0);
  CHECK(evaluator.left());
}

TEST_CASE("a task that will not be finished within the grace is handed back") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(10), chain(10), chain(10), chain(10)}));

  SECTION("at once, when a quarter took a minute") {
    for (int second = 0; second < 60; ++second) {
      evaluator.hear(Alive{});
      evaluator.pass(1.0, 101);
    }
    evaluator.said();
    evaluator.event(worker_event::StopAsked{});
    evaluator.pass(0.0, 101);
  }
  SECTION("after the grace, when nothing could be foreseen") {
    evaluator.said();
    evaluator.event(worker_event::StopAsked{});
    evaluator.hear(Alive{});
    evaluator.pass(9.9, 100);
    evaluator.hear(Alive{});
    CHECK(evaluator.cancels() == 0);
    evaluator.pass(0.1, 100);
  }
  CHECK(evaluator.cancels() == 1);
  const std::vector<Message> said = evaluator.said();
  CHECK(last<HandBack>(said).tasks == std::vector<TaskId>{id_of(1)});
  CHECK(count<Bye>(said) == 1);
  evaluator.pass(0.0);
  CHECK(evaluator.left());
}

TEST_CASE("a task that is nearly finished is waited for") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(10), chain(10), chain(10), chain(10)}));
  for (int second = 0; second < 9; ++second) {
    evaluator.hear(Alive{});
    evaluator.pass(1.0, 103);
  }
  evaluator.event(worker_event::StopAsked{});
  evaluator.pass(3.0, 103);
  CHECK(evaluator.cancels() == 0);
}

TEST_CASE("a manager that does not acknowledge does not keep an evaluator from leaving") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.finish();
  evaluator.event(worker_event::StopAsked{});
  evaluator.pass(4.9);
  CHECK_FALSE(evaluator.left());
  evaluator.pass(0.1);
  CHECK(count<Bye>(evaluator.said()) == 1);
  evaluator.pass(0.0);
  CHECK(evaluator.left());
}

TEST_CASE("a connection that takes nothing does not keep an evaluator from leaving") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.finish();
  evaluator.connection_takes(false);
  evaluator.event(worker_event::StopAsked{});
  evaluator.pass(5.0);
  CHECK_FALSE(evaluator.left());
  evaluator.pass(1.0);
  CHECK(evaluator.left());
}

TEST_CASE("an evaluator that never reached a manager leaves at once when asked") {
  Evaluator evaluator;
  WorkerState unheard(Evaluator::default_options(), Instant{0});  // its Hello was never taken
  const auto actions = unheard.handle(worker_event::StopAsked{}, Instant{1.0});
  CHECK(std::holds_alternative<worker_action::Leave>(actions.back()));
}

TEST_CASE("a manager that comes back while an evaluator is leaving still gets the blocks, and no promise of work") {
  Evaluator evaluator;
  evaluator.join();
  evaluator.hear(task_message(1, {chain(2)}));
  evaluator.finish();
  evaluator.event(worker_event::StopAsked{});
  evaluator.said();
  evaluator.hear(Who{});
  CHECK(last<Hello>(evaluator.said()).credit == 0);
  evaluator.hear(Welcome{});
  CHECK(last<Commit>(evaluator.said()).task == id_of(1));
}

// ---- any history ----------------------------------------------------------------------------------------------------

namespace {

/// A manager and an evaluation thread that do anything they may, in any order, and what must be true whatever they do.
class RandomHistory {
 public:
  RandomHistory() : state_(options(), Instant{0}) {}

  void step() {
    switch (*rc::gen::inRange(0, 13)) {
      case 0:
        return hear(Welcome{});
      case 1:
        return hear(model_message(silicon_model()));
      case 2:
      case 3:
      case 4:
        return hear(task_message(any_task(), std::vector<Structure>(*rc::gen::inRange<std::size_t>(1, 4), chain(2))));
      case 5:
        return released(any_task(), true);
      case 6:
        return released(any_task(), false);
      case 7:
        return hear(Who{});
      case 8:
        return hear(Alive{});
      case 9:
        return evaluation_ends();
      case 10:
        return pass(*rc::gen::element(0.0, 0.3, 1.0, 4.0, 11.0));
      case 11:
        return take(*rc::gen::inRange(0, 20));
      default:
        if (*rc::gen::inRange(0, 30) == 0) {
          handle(worker_event::StopAsked{});
        }
    }
  }

  /// From here on everything works: then all must be delivered.
  void recover() {
    for (int round = 0; round < 40 && !state_.view().left; ++round) {
      take(1000);
      hear(Welcome{});
      hear(Alive{});
      take(1000);
      evaluation_ends();
      for (const TaskId& task : state_.view().finished) {
        if (committed_.count(task) != 0) {
          released(task.task, true);
        }
      }
      pass(1.0);
    }
    const WorkerStateView view = state_.view();
    RC_ASSERT(view.left || (!view.running && view.queued.empty() && view.finished.empty()));
  }

 private:
  static WorkerOptions options() {
    WorkerOptions options = ::Evaluator::default_options();
    options.block_limit_bytes = 5 * block_bytes(2);
    options.orphan_seconds = 40.0;
    return options;
  }

  std::uint32_t any_task() { return *rc::gen::inRange<std::uint32_t>(1, 7); }

  void hear(const Message& message, const Payload& payload = {}) { handle(worker_event::Received{message, payload}); }
  void hear(const Sent& sent) {
    const auto* task = std::get_if<TaskMessage>(&sent.message);
    const bool before = task != nullptr && owed_.count(task->task) != 0;
    if (before && !(messages_.at(task->task) == *task)) {
      owed_.erase(task->task);  // replaced by another form of the task
    }
    hear(sent.message, sent.payload);
  }
  void released(std::uint32_t task, bool ack) {
    owed_.erase(id_of(task));
    hear(ack ? Message(Ack{id_of(task)}) : Message(Forget{{id_of(task)}}));
  }
  void evaluation_ends() {
    if (!busy_) {
      return;
    }
    const auto ended = std::exchange(busy_, nullptr);
    const bool wanted = state_.view().running == ended->task();
    switch (cancelled_ ? 2 : *rc::gen::inRange(0, 6)) {
      case 0:
        return handle(worker_event::Failed{ended->task(), ended->message.first_structure, "NaN"});
      case 2:
        if (std::exchange(cancelled_, false)) {
          return handle(worker_event::Cancelled{ended->task()});
        }
        [[fallthrough]];
      default:
        if (wanted) {
          owed_.insert(ended->task());
          messages_[ended->task()] = ended->message;
        }
        return handle(finished(*ended));
    }
  }
  void pass(double seconds) {
    now_ += seconds;
    handle(worker_event::Tick{});
    const WorkerStateView view = state_.view();
    RC_ASSERT(view.left || bye_ || state_.next_deadline() > Instant{now_});
  }
  void take(int messages) {
    for (int i = 0; i < messages; ++i) {
      const auto outgoing = state_.next_message();
      if (!outgoing) {
        return;
      }
      check_sent(outgoing->message);
      state_.sent(Instant{now_});
      bye_ = bye_ || std::holds_alternative<Bye>(outgoing->message);
    }
  }
  void check_sent(const Message& message) {
    if (const auto* chunk = std::get_if<BlockChunk>(&message)) {
      RC_ASSERT(owed_.count(chunk->task) == 1U);
    } else if (const auto* commit = std::get_if<Commit>(&message)) {
      RC_ASSERT(owed_.count(commit->task) == 1U);
      committed_.insert(commit->task);
    } else if (const auto* hello = std::get_if<Hello>(&message)) {
      const std::set<TaskId> named(hello->holding.begin(), hello->holding.end());
      RC_ASSERT(std::includes(named.begin(), named.end(), owed_.begin(), owed_.end()));
      committed_.clear();  // of the new session
      bye_ = false;
    }
  }
  void handle(const WorkerEvent& event) {
    for (WorkerAction& action : state_.handle(event, Instant{now_})) {
      RC_ASSERT_FALSE(left_);
      if (auto* evaluate = std::get_if<worker_action::Evaluate>(&action)) {
        RC_ASSERT(busy_ == nullptr);
        busy_ = evaluate->assignment;
        cancelled_ = false;
      } else if (std::holds_alternative<worker_action::CancelEvaluation>(action)) {
        RC_ASSERT(busy_ != nullptr);
        cancelled_ = true;
      } else if (std::holds_alternative<worker_action::Leave>(action)) {
        left_ = true;
      }
    }
    RC_ASSERT(state_.broken_invariant() == "");
    const WorkerStateView view = state_.view();
    const std::set<TaskId> kept(view.finished.begin(), view.finished.end());
    RC_ASSERT(left_ || kept == owed_);
  }

  WorkerState state_;
  double now_ = 0.0;
  std::shared_ptr<const Assignment> busy_;
  bool cancelled_ = false;
  bool left_ = false;
  bool bye_ = false;
  std::set<TaskId> owed_;  ///< finished, neither acknowledged nor forgotten
  std::map<TaskId, TaskMessage> messages_;
  std::set<TaskId> committed_;
};

}  // namespace

TEST_CASE("whatever happens, a finished block is kept and offered until it is acknowledged or forgotten") {
  REQUIRE(rc::check("any history", [] {
    RandomHistory history;
    const int steps = *rc::gen::inRange(1, 120);
    for (int i = 0; i < steps; ++i) {
      history.step();
    }
    history.recover();
  }));
}
