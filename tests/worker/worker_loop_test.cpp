#include "worker/worker_loop.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/file_system.h"
#include "common/lsq/observation.h"
#include "tests/worker/scripted_manager.h"
#include "worker/evaluate.h"

using namespace ipfit;
using namespace ipfit::test;

namespace {

/// run_worker in a thread, with a real socket and the real evaluation.
class RunningWorker {
 public:
  explicit RunningWorker(const std::string& endpoint, const std::string& key = "") {
    Result<CrashNote> note = CrashNote::create();
    REQUIRE(note.ok());
    options_.note = std::make_shared<CrashNote>(std::move(*note));
    options_.worker.endpoint = endpoint;
    options_.worker.hello.build = "test";
    options_.worker.hello.credit = 3;
    options_.worker.hello.key = key;
    options_.connect = [this, endpoint] { return connect(context_, endpoint); };
    options_.say = [this](std::string_view line) { lines_.emplace_back(line); };
    options_.stop_descriptor = eventfd(0, EFD_CLOEXEC);
    result_ = std::async(std::launch::async, [this] { return run_worker(options_); });
  }
  ~RunningWorker() {
    ask_to_stop();
    if (result_.valid()) {
      result_.wait();
    }
    close(options_.stop_descriptor);
  }

  void ask_to_stop() { eventfd_write(options_.stop_descriptor, 1); }
  std::optional<Error> ended() { return result_.get(); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  ZmqContext context_;
  WorkerLoopOptions options_;
  std::vector<std::string> lines_;  // of the worker's thread until it has ended
  std::future<std::optional<Error>> result_;
};

/// What the rows of a task must be, evaluated here, one structure after the other; excluded ones are zeros.
std::vector<double> expected_rows(const TaskMessage& message, const std::vector<Structure>& structures) {
  Evaluator evaluator(silicon_model());
  std::vector<double> rows;
  for (std::size_t s = 0; s < structures.size(); ++s) {
    const RowMask mask = message.structures[s].mask;
    std::vector<double> own(static_cast<std::size_t>(row_count(structures[s].size(), mask) * evaluator.columns()));
    if (!message.structures[s].excluded) {
      REQUIRE(evaluator.evaluate(structures[s], mask, own).ok());
    }
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return rows;
}

}  // namespace

TEST_CASE("a worker evaluates what a manager gives it and delivers the rows bit by bit") {
  const TemporaryDirectory directory;
  const std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  ScriptedManager manager(endpoint);
  RunningWorker worker(endpoint);
  CHECK(manager.expect<Hello>().build == "test");
  manager.say(Welcome{"m"});
  manager.say(model_message(silicon_model()));

  const std::vector<Structure> structures{chain(3), chain(1500), chain(2), chain(1500), chain(1)};
  Sent task = task_message(1, structures);
  auto& message = std::get<TaskMessage>(task.message);
  message.structures[0].mask = {true, true, true};
  message.structures[2].excluded = true;
  message.structures[4].mask = {true, false, false};
  manager.say(task);
  const Commit commit = manager.expect<Commit>();
  CHECK(commit.task == message.task);
  CHECK(commit.seconds > 0.0);
  CHECK(manager.chunks_received() == 2);  // 1.4 MB
  CHECK(manager.block(commit) == expected_rows(message, structures));
  manager.say(Ack{message.task});

  worker.ask_to_stop();
  manager.expect<Bye>();
  CHECK_FALSE(worker.ended());
  CHECK(worker.lines() == std::vector<std::string>{"connected to " + endpoint, "draining: asked by a signal"});
}

TEST_CASE("a structure that cannot be evaluated is named, and the worker goes on") {
  const TemporaryDirectory directory;
  const std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  ScriptedManager manager(endpoint);
  RunningWorker worker(endpoint);
  manager.expect<Hello>();
  manager.say(Welcome{"m"});
  manager.say(model_message(silicon_model()));
  Structure coincident = chain(2);
  coincident.positions[1] = coincident.positions[0];
  manager.say(task_message(1, {chain(2), coincident, chain(2)}));
  const TaskFailed failed = manager.expect<TaskFailed>();
  CHECK(failed.task == TaskId{1, Phase::kAssembly, 1});
  CHECK(failed.structure == 101);
  CHECK_FALSE(failed.reason.empty());
  manager.say(task_message(2, {chain(2)}));
  const TaskId second = manager.expect<Commit>().task;
  CHECK(second == TaskId{1, Phase::kAssembly, 2});
  manager.say(Ack{second});
}

TEST_CASE("a block that was not acknowledged is sent again, the same, to a manager that was started anew") {
  const TemporaryDirectory directory;
  const std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  auto manager = std::make_unique<ScriptedManager>(endpoint);
  RunningWorker worker(endpoint);
  manager->expect<Hello>();
  manager->say(Welcome{"m"});
  manager->say(model_message(silicon_model()));
  manager->say(task_message(1, {chain(1500), chain(1500)}));
  const Commit first = manager->expect<Commit>();
  const std::vector<double> rows = manager->block(first);

  manager.reset();
  manager = std::make_unique<ScriptedManager>(endpoint);
  manager->expect<Heartbeat>();
  manager->say(Who{});
  CHECK(manager->expect<Hello>().holding == std::vector<TaskId>{first.task});
  manager->say(Welcome{"n"});
  const Commit again = manager->expect<Commit>();
  CHECK(again == first);
  CHECK(manager->block(again) == rows);
  manager->say(Ack{again.task});
  manager->say(Drain{});
  manager->expect<Bye>();
  CHECK_FALSE(worker.ended());
}

TEST_CASE("a worker of the manager's own writes its rows in place, bit by bit, and sends them where it cannot") {
  const TemporaryDirectory directory;
  const std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  const std::string path = (directory.path() / "blocks.f64").string();
  const File store = File::open(path, File::Mode::kCreate).value();
  constexpr std::uint64_t kBefore = 4096;
  REQUIRE(store.preallocate(kBefore + block_bytes(1500)));
  ScriptedManager manager(endpoint);
  RunningWorker worker(endpoint, "secret");
  CHECK(manager.expect<Hello>().key == "secret");
  manager.say(Welcome{"m"});
  manager.say(model_message(silicon_model()));

  const std::vector<Structure> structures{chain(1500)};
  Sent task = task_message(1, structures);
  auto& message = std::get<TaskMessage>(task.message);
  message.place = Place{path, store.id().value(), kBefore};
  const std::vector<double> expected = expected_rows(message, structures);
  manager.say(task);
  const Commit commit = manager.expect<Commit>();
  CHECK(commit.in_place);
  CHECK(manager.chunks_received() == 0);
  std::vector<double> rows(expected.size());
  REQUIRE(store.read_at(kBefore, std::as_writable_bytes(std::span(rows))));
  CHECK(rows == expected);
  CHECK_FALSE(store.lock(kBefore, 8, File::Lock::kExclusive).value());
  manager.say(Ack{message.task});

  SECTION("somebody else has the rows") {
    const File other = File::open(path, File::Mode::kReadWrite).value();
    REQUIRE(other.lock(kBefore + 100, 8, File::Lock::kShared).value());
    message.task.task = 2;
    manager.say(task);
    const Commit sent = manager.expect<Commit>();
    CHECK_FALSE(sent.in_place);
    CHECK(manager.block(sent) == expected);
  }
  SECTION("the file is another one by now") {
    std::filesystem::rename(path, path + ".old");
    const File replaced = File::open(path, File::Mode::kCreate).value();
    REQUIRE(replaced.preallocate(kBefore + block_bytes(1500)));
    message.task.task = 2;
    manager.say(task);
    const Commit sent = manager.expect<Commit>();
    CHECK_FALSE(sent.in_place);
    CHECK(manager.block(sent) == expected);
    REQUIRE(replaced.read_at(kBefore, std::as_writable_bytes(std::span(rows))));
    CHECK(rows == std::vector<double>(rows.size(), 0.0));
  }
}

TEST_CASE("a worker that is refused ends with the manager's reason") {
  const TemporaryDirectory directory;
  const std::string endpoint = "ipc://" + (directory.path() / "manager").string();
  ScriptedManager manager(endpoint);
  RunningWorker worker(endpoint);
  manager.expect<Hello>();
  manager.say(Reject{"build", "install the same"});
  const std::optional<Error> error = worker.ended();
  REQUIRE(error);
  CHECK(error->kind == ErrorKind::kRefused);
}
