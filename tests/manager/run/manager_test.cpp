// The event loop with a worker and clients that do just what a test says, over a network in memory.
#include "manager/run/manager.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <deque>
#include <random>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/model/probe.h"
#include "manager/plan/tasks.h"
#include "manager/store/store_reader.h"
#include "tests/support/memory_transport.h"
#include "tests/support/small_fit.h"
#include "tests/support/temporary_directory.h"

namespace ipfit {
namespace {

constexpr int kStructures = 4;
constexpr std::int64_t kRows = 13 * kStructures;

std::shared_ptr<test::TemporaryDirectory> somewhere() {
  return std::make_shared<test::TemporaryDirectory>(test::memory_folder());
}

/// One phase of dimers with a manager around it.
struct Bench {
  std::shared_ptr<test::TemporaryDirectory> place;
  const test::TemporaryDirectory& directory = *place;
  test::MemoryNetwork network;
  std::unique_ptr<Transport> transport = network.manager();
  Manager manager;
  std::uint64_t fit = 0;

  explicit Bench(bool skip = false, const std::string& key = "", Phase phase = Phase::kAssembly,
                 std::shared_ptr<test::TemporaryDirectory> in = somewhere(), PhaseRows rows = PhaseRows::kLabels)
      : place(std::move(in)), manager(*transport, Log::nowhere(), key) {
    test::write_dataset(directory.file("d.bin"), test::dimers(kStructures));
    const auto prepare = [this, rows] {
      return prepare_phase(directory.file("d.bin"), test::small_model(), directory.file("system"), rows);
    };
    fit = manager.start("dimers", "dimers", {PhaseStep{phase, prepare}}, skip);
  }

  FitState state() const { return manager.fits().at(fit).status.state; }

  /// Turns the loop until something is so.
  template <class Condition>
  void until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    bool met = false;
    manager.run([&] { return !(met = condition()) && std::chrono::steady_clock::now() < end; }, {});
    REQUIRE(met);
  }
};

Hello good_hello() {
  Hello hello;
  hello.build = build_id();
  hello.worker = std::string(32, 'a');
  hello.host = "host";
  hello.pid = 1;
  hello.incarnation = 1;
  hello.credit = 2;
  for (const ProbeEntry& entry : probe_entries()) {
    hello.self_test.push_back(entry.value);
  }
  return hello;
}

/// A worker at the other end of the network.
struct Scripted {
  Bench& bench;
  std::unique_ptr<Transport> transport = bench.network.join();
  std::deque<Incoming> inbox{};

  void say(const Message& message, Payload payload = {}) {
    REQUIRE(transport->send({}, message, std::move(payload)) == SendOutcome::kSent);
  }

  template <class T>
  std::optional<T> find() {
    while (auto arrived = transport->receive()) {
      inbox.push_back(std::get<Incoming>(std::move(*arrived)));
    }
    for (auto incoming = inbox.begin(); incoming != inbox.end(); ++incoming) {
      if (auto* found = std::get_if<T>(&incoming->message)) {
        T result = std::move(*found);
        inbox.erase(incoming);
        return result;
      }
    }
    return std::nullopt;
  }

  template <class T>
  T expect() {
    std::optional<T> found;
    bench.until([&] { return (found = find<T>()).has_value(); });
    return *found;
  }

  void join(const Hello& hello = good_hello()) {
    say(hello);
    expect<Welcome>();
  }
};

/// The block that the scripted worker "evaluates": any numbers do, as long as they are the same each time.
Payload block_of(const TaskMessage& task) {
  std::vector<double> rows(13 * 3 * task.structures.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<double>(task.first_structure) + 0.001 * static_cast<double>(i);
  }
  const auto bytes = std::as_bytes(std::span(rows));
  return Payload(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

BlockChunk chunk_of(const TaskMessage& task, const Payload& block) {
  return {task.task, 0, block.size(), checksum(block.bytes())};
}

Commit commit_of(const TaskMessage& task, const Payload& block) {
  const std::vector<std::uint64_t> sums{checksum(block.bytes())};
  return {task.task, block.size(), checksum_of_chunks(sums), 0.01};
}

void deliver(Scripted& worker, const TaskMessage& task) {
  const Payload block = block_of(task);
  worker.say(chunk_of(task, block), block);
  worker.say(commit_of(task, block));
}

/// Evaluates whatever comes until the fit has ended.
void work(Scripted& worker) {
  worker.bench.until([&] {
    while (const auto task = worker.find<TaskMessage>()) {
      deliver(worker, *task);
    }
    return worker.bench.state() >= FitState::kDone;
  });
}

TEST_CASE("a worker gets the model once and then tasks, and the fit is done when all blocks are durable") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto first = worker.expect<TaskMessage>();
  const auto model = worker.expect<ModelMessage>();
  CHECK(model.hash == first.model);
  deliver(worker, first);
  CHECK(worker.expect<Ack>().task == first.task);
  work(worker);
  CHECK(bench.state() == FitState::kDone);
  CHECK_FALSE(worker.find<ModelMessage>().has_value());
  const auto store = StoreReader::open(bench.directory.file("system"));
  REQUIRE(store.ok());
  CHECK(store->check_complete().ok());
  CHECK(store->verify().ok());
}

TEST_CASE("peers that cannot give the same numbers are refused in words") {
  Bench bench;
  Hello hello = good_hello();
  SECTION("another build") {
    hello.build = "elsewhere";
    Scripted worker{bench};
    worker.say(hello);
    CHECK(worker.expect<Reject>().reason.find("elsewhere") != std::string::npos);
  }
  SECTION("another protocol") {
    hello.protocol = kProtocolVersion + 1;
    Scripted worker{bench};
    worker.say(hello);
    CHECK(worker.expect<Reject>().reason.find("protocol") != std::string::npos);
  }
  SECTION("a processor that computes something else") {
    hello.self_test[2] *= 1.0 + 1e-9;
    Scripted worker{bench};
    worker.say(hello);
    CHECK_FALSE(worker.expect<Reject>().remedy.empty());
  }
  CHECK(bench.manager.slots() == 0);
}

TEST_CASE("a worker that is not known is asked who it is, and its block is taken after its Hello") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  Scripted again{bench};
  again.say(Heartbeat{{task.task}, 0});
  again.expect<Who>();
  Hello hello = good_hello();
  hello.holding = {task.task};
  again.say(hello);
  again.expect<Welcome>();
  CHECK(bench.manager.slots() == 1);  // the same slot came back; its earlier session is gone
  deliver(again, task);
  CHECK(again.expect<Ack>().task == task.task);
}

TEST_CASE("a block that was damaged on the way is dropped, and its task is given out again") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  const Payload block = block_of(task);
  BlockChunk wrong = chunk_of(task, block);
  ++wrong.checksum;
  const std::vector<std::uint64_t> sums{wrong.checksum};
  worker.say(wrong, block);
  worker.say(Commit{task.task, block.size(), checksum_of_chunks(sums), 0.01});
  CHECK(worker.expect<Forget>().tasks == std::vector<TaskId>{task.task});
  work(worker);
  CHECK(bench.state() == FitState::kDone);
  CHECK(StoreReader::open(bench.directory.file("system"))->verify().ok());
}

TEST_CASE("a commit whose chunks were lost is answered with a question, not believed") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  worker.say(commit_of(task, block_of(task)));
  worker.expect<Who>();
  CHECK(bench.state() == FitState::kAssembling);
}

TEST_CASE("a block that comes twice is acknowledged twice and stored once") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  deliver(worker, task);
  worker.expect<Ack>();
  deliver(worker, task);
  CHECK(worker.expect<Ack>().task == task.task);
  work(worker);
  CHECK(StoreReader::open(bench.directory.file("system"))->findings().empty());
}

TEST_CASE("chunks for tasks that do not exist, or of the wrong size, do no harm") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  const Payload small(std::vector<std::byte>(8));
  for (const TaskId& id : {TaskId{99, Phase::kAssembly, 0}, TaskId{task.task.fit, Phase::kErrors, 0},
                           TaskId{task.task.fit, Phase::kAssembly, 4'000'000'000U}, task.task}) {
    worker.say(BlockChunk{id, 0, 8, checksum(small.bytes())}, small);
  }
  worker.say(Commit{TaskId{99, Phase::kAssembly, 0}, 8, 0, 0.0});
  CHECK(worker.expect<Forget>().tasks.front().fit == 99);
  deliver(worker, task);
  CHECK(worker.expect<Ack>().task == task.task);
}

TEST_CASE("a structure that cannot be evaluated ends the fit with its name") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  worker.say(TaskFailed{task.task, task.first_structure, "atoms 1 and 2 overlap"});
  bench.until([&] { return bench.state() == FitState::kFailed; });
  const auto& errors = bench.manager.fits().at(bench.fit).status.errors;
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].kind == ErrorKind::kFailed);
  CHECK(errors[0].text().find("dimers.xyz frame " + std::to_string(task.first_structure + 1)) != std::string::npos);
  CHECK(errors[0].text().find("overlap") != std::string::npos);
}

TEST_CASE("with skip the structure is set aside, excluded from its task, and the fit goes on") {
  Bench bench(true);
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  worker.say(TaskFailed{task.task, task.first_structure, "atoms 1 and 2 overlap"});
  bool excluded = false;
  bench.until([&] {
    while (const auto next = worker.find<TaskMessage>()) {
      excluded = excluded || (next->task == task.task && next->structures[0].excluded);
      deliver(worker, *next);
    }
    return bench.state() >= FitState::kDone;
  });
  CHECK(excluded);
  CHECK(bench.state() == FitState::kDone);
  const auto& aside = bench.manager.fits().at(bench.fit).status.quarantined;
  REQUIRE(aside.size() == 1);
  CHECK(aside[0].find("overlap") != std::string::npos);
  CHECK(StoreReader::open(bench.directory.file("system"))->quarantined().size() == 1);
}

TEST_CASE("reduced rows in which a structure is that was set aside meanwhile are forgotten and made again") {
  Bench bench(true, "", Phase::kAssembly, somewhere(), PhaseRows::kReduced);
  Scripted worker{bench};
  worker.join();
  const auto before = worker.expect<TaskMessage>();
  REQUIRE(before.reduce);
  // A copy: the last tasks may be delivered when the phase is over.
  const std::vector<TaskInfo> tasks = bench.manager.fits().at(bench.fit).phase->tasks;
  const auto deliver_reduced = [&](const TaskMessage& task) {
    const Payload block(std::vector<std::byte>(tasks[task.task.task].bytes));
    worker.say(chunk_of(task, block), block);
    Commit commit = commit_of(task, block);
    commit.left_out = static_cast<std::uint32_t>(std::ranges::count(task.structures, true, &TaskStructure::excluded));
    worker.say(commit);
  };
  worker.say(TaskFailed{before.task, before.first_structure, "atoms 1 and 2 overlap"});
  deliver_reduced(before);  // of one that has not heard of it
  CHECK(worker.expect<Forget>().tasks.front() == before.task);
  CHECK(bench.state() == FitState::kAssembling);
  worker.say(Heartbeat{});
  bench.until([&] {
    while (const auto next = worker.find<TaskMessage>()) {
      deliver_reduced(*next);
    }
    return bench.state() >= FitState::kDone;
  });
  CHECK(bench.state() == FitState::kDone);
  CHECK(StoreReader::open(bench.directory.file("system"))->quarantined().size() == 1);
}

TEST_CASE("a dimer that cannot be evaluated does not fail the fit") {
  Bench bench(false, "", Phase::kDimers);
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  worker.say(TaskFailed{task.task, task.first_structure, "the energy is not finite"});
  bench.until([&] {
    while (const auto next = worker.find<TaskMessage>()) {
      deliver(worker, *next);
    }
    return bench.state() >= FitState::kDone;
  });
  CHECK(bench.state() == FitState::kDone);
}

TEST_CASE("a cancelled fit takes back its tasks and keeps what is stored") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  deliver(worker, task);
  worker.expect<Ack>();
  bench.manager.cancel(bench.fit);
  CHECK(bench.state() == FitState::kCancelled);
  worker.expect<Forget>();
  bench.manager.drain(1.0);
  CHECK(StoreReader::open(bench.directory.file("system"))->stored().size() == 1);
}

TEST_CASE("a second run evaluates only what the first did not store") {
  test::TemporaryDirectory directory(test::memory_folder());
  test::write_dataset(directory.file("d.bin"), test::dimers(kStructures));
  const auto prepare = [&] {
    return prepare_phase(directory.file("d.bin"), test::small_model(), directory.file("system"), PhaseRows::kLabels);
  };
  auto first = prepare();
  REQUIRE(first.ok());
  const std::size_t tasks = first->tasks.size();
  CHECK(first->row_count() == kRows);
  REQUIRE(tasks >= 2);
  TaskMessage task;
  task.structures.resize(first->tasks[0].structures);
  const Payload block = block_of(task);
  REQUIRE(first->store->write({first->rows[0], {block.bytes()}, {checksum(block.bytes())}, "w", 0.0}).ok());
  REQUIRE(first->store->commit().ok());
  first->store.reset();
  const auto second = prepare();
  REQUIRE(second.ok());
  CHECK(second->done[0]);
  CHECK_FALSE(second->done[1]);
}

TEST_CASE("stored rows that turn out damaged are evaluated again by the same run, and no others") {
  const auto place = somewhere();
  const std::string matrix_path = place->file("system/blocks.f64");
  std::string whole;
  {
    Bench bench(false, "", Phase::kAssembly, place);
    Scripted worker{bench};
    worker.join();
    work(worker);
    REQUIRE(bench.state() == FitState::kDone);
    whole = read_file(matrix_path).value();
  }
  std::mt19937 random(20261201);
  for (int round = 0; round < 6; ++round) {
    std::string damaged = whole;
    const std::size_t at = random() % whole.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (random() % 8)));
    REQUIRE(write_file_durably(matrix_path, damaged));
    INFO("round " << round << ", byte " << at);
    Bench bench(false, "", Phase::kAssembly, place);
    Scripted worker{bench};
    worker.join();
    int evaluated = 0;
    bench.until([&] {
      while (const auto task = worker.find<TaskMessage>()) {
        ++evaluated;
        deliver(worker, *task);
      }
      return bench.state() >= FitState::kDone;
    });
    CHECK(bench.state() == FitState::kDone);
    CHECK(evaluated == 1);
    CHECK(read_file(matrix_path).value() == whole);
    const auto store = StoreReader::open(place->file("system"));
    REQUIRE(store);
    CHECK(store->finished());
    CHECK(store->verify().ok());
  }
}

TEST_CASE("a worker that is gone before its block is looked at has delivered it all the same") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  deliver(worker, task);
  worker.transport.reset();  // the next task finds nobody there
  bench.until([&] { return bench.manager.slots() == 0; });
  Scripted second{bench};
  second.join();
  std::uint32_t evaluated = 0;
  bench.until([&] {
    while (const auto other = second.find<TaskMessage>()) {
      CHECK(other->task != task.task);
      evaluated += static_cast<std::uint32_t>(other->structures.size());
      deliver(second, *other);
    }
    return bench.state() == FitState::kDone;
  });
  CHECK(evaluated + task.structures.size() == kStructures);
}

TEST_CASE("a peer that sends what cannot be read is told so and forgotten") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  for (int i = 0; i < 3; ++i) {
    bench.network.inject("peer 1", std::vector<std::byte>(16));
  }
  CHECK(worker.expect<Reject>().reason.find("could not be read") != std::string::npos);
  CHECK(bench.manager.slots() == 0);
}

TEST_CASE("a peer of another protocol version is told at its first message, whatever that is") {
  const TaskId task;
  for (const Message& message :
       {Message(good_hello()), Message(Heartbeat{}), Message(Commit{task, 8, 0, 0.0}),
        Message(BlockChunk{task, 0, 8, 0}), Message(Bye{}), Message(Submit{}), Message(Upload{}), Message(List{}),
        Message(StatusRequest{"fit"}), Message(Cancel{"fit"}), Message(Fetch{"fit", "", 0})}) {
    Bench bench;
    Scripted peer{bench};
    auto frame = encode(message);
    constexpr std::size_t kProtocolAt = 20;
    frame[kProtocolAt] = std::byte{kProtocolVersion + 1};
    bench.network.inject("peer 1", std::move(frame));
    INFO(message.index());
    const auto reject = peer.expect<Reject>();
    CHECK(reject.reason.find("version " + std::to_string(kProtocolVersion + 1)) != std::string::npos);
    CHECK(reject.remedy == "install the same version of ipfit on both machines");
    CHECK(bench.manager.slots() == 0);
  }
}

TEST_CASE("a fit has the same number in every manager, since workers keep blocks over a restart") {
  Bench first;
  Bench second;
  CHECK(first.fit == second.fit);
}

TEST_CASE("a worker that only looks whether it would be admitted is welcome and gets no task") {
  Bench bench;
  Scripted worker{bench};
  Hello hello = good_hello();
  hello.credit = 0;
  worker.join(hello);
  worker.say(Heartbeat{{}, 0});
  worker.expect<Alive>();
  CHECK_FALSE(worker.find<TaskMessage>().has_value());
}

TEST_CASE("a crash that is reported twice by the same process counts once, and the second one ends the fit") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  const auto task = worker.expect<TaskMessage>();
  Hello hello = good_hello();
  hello.incarnation = 2;
  hello.crash = CrashReport{task.task, task.first_structure};
  Scripted second{bench};
  second.join(hello);
  second.join(hello);
  second.say(Heartbeat{{}, 0});
  second.expect<Alive>();
  CHECK(bench.state() == FitState::kAssembling);
  hello.incarnation = 3;
  Scripted third{bench};
  third.say(hello);
  bench.until([&] { return bench.state() == FitState::kFailed; });
  CHECK(bench.manager.fits().at(bench.fit).status.errors[0].text().find("frame") != std::string::npos);
}

TEST_CASE("workers that are told to leave and say good-bye end the draining at once") {
  Bench bench;
  Scripted worker{bench};
  worker.join();
  worker.say(Bye{});
  bench.manager.drain(60.0);
  CHECK(bench.manager.slots() == 0);
}

// ---- workers that this manager started ------------------------------------------------------------------------------

const std::string kKey = "5ec2e7";

Hello own_hello() {
  Hello hello = good_hello();
  hello.key = kKey;
  hello.pid = static_cast<std::uint64_t>(::getpid());
  return hello;
}

/// Does what a worker of ours does with a task: writes the rows, and says so.
void deliver_in_place(Scripted& worker, const TaskMessage& task) {
  const Payload block = block_of(task);
  const File file = File::open(task.place->file, File::Mode::kReadWrite).value();
  REQUIRE(file.id().value() == task.place->id);
  REQUIRE(file.write_at(task.place->offset, block.bytes()));
  Commit commit = commit_of(task, block);
  commit.in_place = true;
  worker.say(commit);
}

TEST_CASE("a worker of the manager's own writes rows in place, others send theirs, and all of them are right") {
  Bench bench(false, kKey);
  Scripted own{bench};
  Scripted other{bench};
  own.join(own_hello());
  Hello stranger = good_hello();
  stranger.worker = std::string(32, 'b');
  stranger.key = GENERATE("", "a guess");
  other.join(stranger);
  int in_place = 0;
  int sent = 0;
  bench.until([&] {
    while (const auto task = own.find<TaskMessage>()) {
      REQUIRE(task->place);
      deliver_in_place(own, *task);
      ++in_place;
    }
    while (const auto task = other.find<TaskMessage>()) {
      CHECK_FALSE(task->place);
      deliver(other, *task);
      ++sent;
    }
    return bench.state() >= FitState::kDone;
  });
  CHECK(bench.state() == FitState::kDone);
  CHECK(in_place > 0);
  CHECK(sent > 0);
  const auto store = StoreReader::open(bench.directory.file("system"));
  CHECK(store->check_complete().ok());
  CHECK(store->verify().ok());
  // The first number of a row says which structure, and so whether the rows stand where they belong.
  std::vector<double> rows(static_cast<std::size_t>(kRows * 3));
  REQUIRE(store->read({0, kRows}, rows));
  for (std::size_t structure = 0; structure < kStructures; ++structure) {
    CHECK(std::floor(rows[structure * 13 * 3]) == static_cast<double>(structure));
  }
}

TEST_CASE("without a key of its own a manager gives no place to anybody") {
  Bench bench;
  Scripted worker{bench};
  worker.join(own_hello());
  CHECK_FALSE(worker.expect<TaskMessage>().place);
}

TEST_CASE("a block that a stranger says is in place, or one of another size, is not believed, and its task goes on") {
  Bench bench(false, kKey);
  Scripted worker{bench};
  const bool own = GENERATE(true, false);
  worker.join(own ? own_hello() : good_hello());
  const auto task = worker.expect<TaskMessage>();
  Commit commit = commit_of(task, block_of(task));
  commit.in_place = true;
  commit.bytes -= own ? 8 : 0;
  worker.say(commit);
  CHECK(worker.expect<Forget>().tasks == std::vector<TaskId>{task.task});
  worker.say(Heartbeat{{}, 0});
  work(worker);
  CHECK(bench.state() == FitState::kDone);
  CHECK(StoreReader::open(bench.directory.file("system"))->verify().ok());
}

TEST_CASE("a block in place that comes twice is acknowledged twice and stored once") {
  Bench bench(false, kKey);
  Scripted worker{bench};
  worker.join(own_hello());
  const auto task = worker.expect<TaskMessage>();
  deliver_in_place(worker, task);
  worker.expect<Ack>();
  deliver_in_place(worker, task);
  CHECK(worker.expect<Ack>().task == task.task);
}

TEST_CASE("a worker of ours that was stopped while it wrote rows is ended once somebody else has them") {
  Bench bench(false, kKey);
  Scripted first{bench};
  first.join(good_hello());  // has tasks, as a remote one
  const auto task = first.expect<TaskMessage>();
  const std::string path = bench.directory.file("system/blocks.f64");

  std::array<int, 2> ready{};
  REQUIRE(::pipe(ready.data()) == 0);
  const pid_t stopped = ::fork();
  if (stopped == 0) {
    const auto file = File::open(path, File::Mode::kReadWrite);
    const char locked = file && file->lock(0, 0, File::Lock::kExclusive).value() ? 'y' : 'n';
    [[maybe_unused]] const auto said = ::write(ready[1], &locked, 1);
    ::pause();
    ::_exit(0);
  }
  char locked = '?';
  REQUIRE(::read(ready[0], &locked, 1) == 1);
  REQUIRE(locked == 'y');
  Scripted own{bench};
  Hello hello = own_hello();
  hello.worker = std::string(32, 'b');
  hello.pid = static_cast<std::uint64_t>(stopped);
  own.join(hello);
  deliver(first, task);
  own.say(Heartbeat{{}, 0});
  own.expect<Alive>();
  CHECK(::kill(stopped, 0) == 0);  // it may be slow, but it is there
  hello.pid = static_cast<std::uint64_t>(::getpid());
  hello.incarnation = 2;
  Scripted successor{bench};
  successor.join(hello);
  CHECK(first.expect<Ack>().task == task.task);
  int status = 0;
  REQUIRE(::waitpid(stopped, &status, 0) == stopped);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace ipfit
