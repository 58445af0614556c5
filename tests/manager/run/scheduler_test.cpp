#include "manager/run/scheduler.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

using namespace ipfit;

namespace {

using Tasks = std::vector<std::uint32_t>;

TaskId task(std::uint32_t number, std::uint64_t fit = 1) {
  return {fit, Phase::kAssembly, number};
}

/// A job of tasks of ten structures and 100 bytes each, with these costs.
Job job(const std::vector<double>& costs, std::uint64_t fit = 1) {
  Job made;
  made.fit = fit;
  for (std::uint32_t i = 0; i < costs.size(); ++i) {
    made.tasks.push_back({10 * i, 10, 100, costs[i]});
  }
  return made;
}

Job skipping(Job made) {
  made.skip_bad_structures = true;
  return made;
}

/// The scheduler with a clock that is turned by hand; every event is followed by a check of the invariants.
class Desk {
 public:
  explicit Desk(SchedulerOptions options = {}) : scheduler(options) {}

  Desk& give(const Event& event) {
    actions = scheduler.handle(event, Instant(now));
    const std::string broken = scheduler.broken_invariant();
    INFO(broken);
    REQUIRE(broken.empty());
    return *this;
  }
  Desk& add(const Job& added) { return give(event::JobAdded{added}); }
  Desk& join(WorkerId worker, const std::string& machine, std::uint32_t credit = 2,
             const std::vector<TaskId>& holding = {}) {
    return give(event::WorkerJoined{worker, machine, credit, holding, std::nullopt});
  }
  /// The evaluator of `worker` died at the structure; the next one says so.
  Desk& crash(WorkerId dead, WorkerId successor, const std::string& machine, TaskId at, std::uint32_t structure) {
    give(event::WorkerLeft{dead});
    return give(event::WorkerJoined{successor, machine, 2, {}, CrashReport{at, structure}});
  }
  Desk& arrive(WorkerId worker, TaskId id, double seconds = 1.0) {
    return give(event::BlockArrived{worker, id, seconds});
  }
  Desk& store(TaskId id) { return give(event::BlockStored{id}); }
  Desk& finish(WorkerId worker, TaskId id, double seconds = 1.0) {
    arrive(worker, id, seconds);
    return store(id);
  }
  Desk& heartbeat(WorkerId worker, const std::vector<TaskId>& holding) {
    return give(event::WorkerHeard{worker, holding});
  }
  /// Time passes, in which these workers are heard.
  Desk& wait(double seconds, const std::vector<WorkerId>& heard = {}) {
    for (double left = seconds; left > 0.0; left -= 1.0) {
      now += std::min(left, 1.0);
      for (const WorkerId worker : heard) {
        give(event::WorkerHeard{worker, std::nullopt});
      }
    }
    return *this;
  }

  /// The numbers of the tasks that the last event made go to the worker.
  Tasks sent(WorkerId worker) const {
    Tasks numbers;
    for (const auto& send : all<action::SendTask>()) {
      if (send.worker == worker) {
        numbers.push_back(send.task.task);
      }
    }
    return numbers;
  }
  template <class A>
  std::vector<A> all() const {
    std::vector<A> found;
    for (const Action& action : actions) {
      if (const A* one = std::get_if<A>(&action)) {
        found.push_back(*one);
      }
    }
    return found;
  }
  template <class A>
  bool has() const {
    return !all<A>().empty();
  }
  bool forgets(WorkerId worker, TaskId id) const {
    for (const auto& forget : all<action::ForgetTasks>()) {
      if (forget.worker == worker && std::count(forget.tasks.begin(), forget.tasks.end(), id) == 1) {
        return true;
      }
    }
    return false;
  }
  bool acknowledges(WorkerId worker, TaskId id) const {
    const auto acks = all<action::AckBlock>();
    return std::any_of(acks.begin(), acks.end(),
                       [&](const action::AckBlock& ack) { return ack.worker == worker && ack.task == id; });
  }
  JobProgress progress(std::uint64_t fit = 1) const { return scheduler.progress(fit, Phase::kAssembly).value(); }

  Scheduler scheduler;
  double now = 0.0;
  std::vector<Action> actions;
};

}  // namespace

TEST_CASE("the largest tasks go out first, two to a worker, and a third when a block has come in") {
  Desk desk;
  desk.add(job({1, 5, 3, 4}));
  CHECK(desk.join(1, "a").sent(1) == Tasks{1, 3});
  CHECK(desk.arrive(1, task(1)).sent(1) == Tasks{2});
}

TEST_CASE("every worker gets one task before any gets a second") {
  Desk desk;
  desk.join(1, "a").join(2, "b").join(3, "c");
  desk.add(job({5, 4, 3, 2}));
  CHECK(desk.sent(1) == Tasks{0, 3});
  CHECK(desk.sent(2) == Tasks{1});
  CHECK(desk.sent(3) == Tasks{2});
}

TEST_CASE("a block is stored first and acknowledged only when it is durable") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").arrive(1, task(0));
  CHECK(desk.has<action::StoreBlock>());
  CHECK_FALSE(desk.has<action::AckBlock>());
  CHECK(desk.progress().storing == 1);
  CHECK(desk.store(task(0)).acknowledges(1, task(0)));
  CHECK(desk.progress().done == 1);
}

TEST_CASE("a job is done exactly once, when the last block is durable") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").finish(1, task(0)).arrive(1, task(1));
  CHECK_FALSE(desk.has<action::JobDone>());
  CHECK(desk.store(task(1)).all<action::JobDone>().size() == 1);
  CHECK_FALSE(desk.store(task(1)).has<action::JobDone>());
  CHECK_FALSE(desk.scheduler.progress(1, Phase::kAssembly).has_value());
}

TEST_CASE("a job without tasks, or with all of them stored already, is done at once") {
  Desk desk;
  CHECK(desk.add(job({})).has<action::JobDone>());
  Job stored = job({1, 1}, 2);
  stored.done = {true, true};
  CHECK(desk.add(stored).has<action::JobDone>());
}

TEST_CASE("tasks that the store already has are not given out again") {
  Desk desk;
  Job half = job({3, 2, 1});
  half.done = {true, false, true};
  CHECK(desk.add(half).join(1, "a").sent(1) == Tasks{1});
  CHECK(desk.progress().cost_done == 4.0);
}

TEST_CASE("a silent worker is dropped and its task goes to another one at once") {
  Desk desk;
  desk.add(job({2})).join(1, "a").wait(5).join(2, "b");
  CHECK(desk.sent(2).empty());
  desk.wait(4.9, {2});
  CHECK_FALSE(desk.give(event::Tick{}).has<action::DropWorker>());
  desk.now = 10.0;
  CHECK(desk.scheduler.next_deadline() == Instant(10.0));
  desk.give(event::Tick{});
  REQUIRE(desk.all<action::DropWorker>().size() == 1);
  CHECK(desk.all<action::DropWorker>()[0].reason == "silent for 10.0 s");
  CHECK(desk.sent(2) == Tasks{0});
}

TEST_CASE("a worker that speaks is not lost, whatever it says") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").wait(60, {1});
  CHECK_FALSE(desk.give(event::Tick{}).has<action::DropWorker>());
}

TEST_CASE("what a worker that leaves or hands back held is free again") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").join(2, "b");
  CHECK(desk.give(event::HandedBack{1, {task(1)}}).sent(2) == Tasks{1});
  CHECK(desk.give(event::WorkerLeft{1}).sent(2) == Tasks{0});
}

TEST_CASE("a worker that hands tasks back gets nothing before its next heartbeat") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a");
  CHECK(desk.give(event::HandedBack{1, {task(0), task(1)}}).sent(1).empty());
  CHECK(desk.give(event::WorkerHeard{1, std::nullopt}).sent(1).empty());
  CHECK(desk.heartbeat(1, {}).sent(1) == Tasks{0, 1});
}

TEST_CASE("a task that was lost on the way to the worker is given out again") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").wait(4, {1});
  CHECK(desk.heartbeat(1, {task(0)}).sent(1).empty());  // the other one may still be on the way
  desk.wait(1, {1});
  CHECK(desk.heartbeat(1, {task(0)}).sent(1) == Tasks{1});
}

TEST_CASE("a heartbeat that names a task which is done or unknown is told to forget it") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").join(2, "b").finish(1, task(0));
  CHECK(desk.heartbeat(2, {task(0)}).forgets(2, task(0)));
  CHECK(desk.heartbeat(2, {task(7)}).forgets(2, task(7)));
  CHECK(desk.heartbeat(2, {task(0, 99)}).forgets(2, task(0, 99)));
  CHECK_FALSE(desk.heartbeat(1, {task(1)}).has<action::ForgetTasks>());
}

TEST_CASE("a late block of a done task is dropped and acknowledged") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").join(2, "b").finish(1, task(0)).arrive(2, task(0));
  REQUIRE(desk.all<action::DropBlock>().size() == 1);
  CHECK(desk.all<action::DropBlock>()[0].acknowledge);
  CHECK_FALSE(desk.has<action::StoreBlock>());
}

TEST_CASE("a block that nobody asked this worker for is welcome while the task is not done") {
  Desk desk;
  desk.add(job({3, 2, 1})).join(1, "a").join(2, "b", 0);
  SECTION("the task is leased to another") {
    CHECK(desk.arrive(2, task(0)).has<action::StoreBlock>());
    desk.store(task(0));
    CHECK(desk.acknowledges(2, task(0)));
    CHECK(desk.forgets(1, task(0)));
    CHECK(desk.sent(1) == Tasks{2});
  }
  SECTION("the task is pending") {
    CHECK(desk.arrive(2, task(2)).has<action::StoreBlock>());
    CHECK(desk.store(task(2)).acknowledges(2, task(2)));
  }
}

TEST_CASE("a second block of a task that is being stored is dropped, and acknowledged with the first") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").join(2, "b").arrive(1, task(0)).arrive(2, task(0));
  REQUIRE(desk.all<action::DropBlock>().size() == 1);
  CHECK_FALSE(desk.all<action::DropBlock>()[0].acknowledge);
  desk.store(task(0));
  CHECK(desk.acknowledges(1, task(0)));
  CHECK(desk.acknowledges(2, task(0)));
}

TEST_CASE("a block of a fit that is gone is dropped and forgotten") {
  Desk desk;
  desk.join(1, "a").arrive(1, task(0, 77));
  CHECK(desk.has<action::DropBlock>());
  CHECK(desk.forgets(1, task(0, 77)));
}

TEST_CASE("when nothing is pending an idle worker repeats a task that runs much longer than expected") {
  Desk desk;
  desk.join(1, "a").join(2, "b").add(job({1, 1}));
  desk.wait(3, {1, 2}).finish(2, task(1), 3.0);  // 3 s a task: late after 2 + 2 * 3 s
  CHECK(desk.sent(2).empty());
  CHECK(desk.scheduler.next_deadline() == Instant(8.0));
  desk.wait(4.5, {1, 2});
  CHECK(desk.give(event::Tick{}).sent(2).empty());
  desk.wait(0.5);
  CHECK(desk.give(event::Tick{}).sent(2) == Tasks{0});

  SECTION("the first block wins and the other worker is told to forget") {
    desk.finish(2, task(0));
    CHECK(desk.acknowledges(2, task(0)));
    CHECK(desk.forgets(1, task(0)));
    CHECK(desk.has<action::JobDone>());
  }
  SECTION("it is never leased to a third") {
    desk.join(3, "c").wait(30, {1, 2, 3});
    CHECK(desk.give(event::Tick{}).sent(3).empty());
  }
  SECTION("one of the two may vanish") {
    desk.give(event::WorkerLeft{1});
    CHECK(desk.progress().leased == 1);
    CHECK(desk.finish(2, task(0)).has<action::JobDone>());
  }
}

TEST_CASE("a task that waits behind another goes to an idle worker too") {
  Desk desk;
  desk.add(job({5, 5})).join(1, "a").join(2, "b");
  CHECK(desk.sent(2).empty());
  desk.wait(1, {1, 2}).wait(1);
  CHECK(desk.give(event::Tick{}).sent(2) == Tasks{1});
}

TEST_CASE("no task is repeated while others are pending") {
  Desk desk;
  desk.join(1, "a", 1).join(2, "b", 1).add(job({4, 3, 2, 1}));
  desk.wait(1, {1, 2}).arrive(2, task(1), 1.0).wait(60, {1, 2});
  CHECK(desk.arrive(2, task(2)).sent(2) == Tasks{3});
}

TEST_CASE("no task goes out while the store is full") {
  SchedulerOptions options;
  options.store_limit_bytes = 150;
  Desk desk(options);
  desk.join(1, "a").add(job({5, 4, 3, 2})).arrive(1, task(0));
  CHECK(desk.sent(1) == Tasks{2});  // 100 bytes with the store
  CHECK(desk.arrive(1, task(1)).sent(1).empty());
  CHECK(desk.store(task(0)).sent(1) == Tasks{3});
}

TEST_CASE("a block that the store refuses is evaluated again") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").arrive(1, task(0));
  desk.give(event::BlockRefused{1, task(0), "checksum differs"});
  CHECK(desk.forgets(1, task(0)));
  CHECK(desk.sent(1) == Tasks{0});
  CHECK(desk.finish(1, task(0)).acknowledges(1, task(0)));
}

TEST_CASE("a worker whose blocks are damaged three times is dropped") {
  Desk desk;
  desk.add(job({1})).join(1, "a");
  for (int i = 0; i < 2; ++i) {
    desk.arrive(1, task(0)).give(event::BlockRefused{1, task(0), "checksum differs"});
    CHECK_FALSE(desk.has<action::DropWorker>());
  }
  desk.arrive(1, task(0)).give(event::BlockRefused{1, task(0), "checksum differs"});
  REQUIRE(desk.has<action::DropWorker>());
  CHECK(desk.all<action::DropWorker>()[0].reason == "sent 3 damaged blocks, the last: checksum differs");
  CHECK(desk.join(2, "b").sent(2) == Tasks{0});
}

TEST_CASE("a structure that killed evaluators on two machines is quarantined and the rest of its task goes on") {
  Desk desk;
  desk.add(skipping(job({2, 1}))).join(1, "a").join(2, "b");
  desk.crash(1, 11, "a", task(0), 4);
  CHECK_FALSE(desk.has<action::Quarantine>());
  desk.crash(2, 12, "b", task(0), 4);
  REQUIRE(desk.all<action::Quarantine>().size() == 1);
  CHECK(desk.all<action::Quarantine>()[0].structure == 4);
  CHECK(desk.all<action::Quarantine>()[0].reason == "the evaluator crashed 2 times at it, on 2 machines");
  REQUIRE(desk.all<action::SendTask>().size() == 1);
  CHECK(desk.all<action::SendTask>()[0].task == task(0));
  CHECK(desk.all<action::SendTask>()[0].excluded == Tasks{4});
}

TEST_CASE("on the only machine two crashes are enough") {
  Desk desk;
  desk.add(skipping(job({2}))).join(1, "a");
  CHECK(desk.crash(1, 2, "a", task(0), 4).sent(2) == Tasks{0});
  CHECK(desk.crash(2, 3, "a", task(0), 4).has<action::Quarantine>());
}

TEST_CASE("two crashes on one machine of several prove nothing, and the next try is elsewhere") {
  Desk desk;
  desk.add(skipping(job({2}))).join(1, "a", 1).join(2, "b", 1);
  desk.give(event::WorkerJoined{3, "a", 1, {}, CrashReport{task(0), 4}});
  CHECK(desk.sent(2) == Tasks{0});
  desk.give(event::WorkerJoined{4, "a", 1, {}, CrashReport{task(0), 4}});
  CHECK_FALSE(desk.has<action::Quarantine>());
  desk.give(event::WorkerJoined{5, "b", 1, {}, CrashReport{task(0), 4}});
  CHECK(desk.has<action::Quarantine>());
}

TEST_CASE("crashes at different structures do not add up") {
  Desk desk;
  desk.add(skipping(job({2}))).join(1, "a");
  desk.crash(1, 2, "a", task(0), 4).crash(2, 3, "a", task(0), 5);
  CHECK_FALSE(desk.has<action::Quarantine>());
  CHECK(desk.sent(3) == Tasks{0});
}

TEST_CASE("a crash that is reported before the old session ends frees the task at once") {
  Desk desk;
  desk.add(skipping(job({2}))).join(1, "a");
  desk.give(event::WorkerJoined{2, "a", 2, {}, CrashReport{task(0), 4}});
  CHECK(desk.sent(1).size() + desk.sent(2).size() == 1);
}

TEST_CASE("a structure that cannot be evaluated needs one report, with the reason of the evaluator") {
  Desk desk;
  SECTION("and is left out where the fit says skip") {
    desk.add(skipping(job({2, 1}))).join(1, "a").give(event::StructureFailed{1, task(1), 13, "atoms 0 and 1 coincide"});
    REQUIRE(desk.all<action::Quarantine>().size() == 1);
    CHECK(desk.all<action::Quarantine>()[0].reason == "atoms 0 and 1 coincide");
    CHECK(desk.all<action::SendTask>().at(0).excluded == Tasks{13});
  }
  SECTION("and else ends the fit") {
    desk.add(job({3, 2, 1})).join(1, "a").join(2, "b").arrive(2, task(2));
    desk.give(event::StructureFailed{1, task(1), 13, "atoms 0 and 1 coincide"});
    REQUIRE(desk.all<action::JobFailed>().size() == 1);
    CHECK(desk.all<action::JobFailed>()[0].structure == 13);
    CHECK(desk.all<action::JobFailed>()[0].reason == "atoms 0 and 1 coincide");
    CHECK(desk.forgets(1, task(0)));
    CHECK(desk.forgets(2, task(2)));
    CHECK_FALSE(desk.scheduler.progress(1, Phase::kAssembly).has_value());
    CHECK_FALSE(desk.store(task(2)).has<action::JobDone>());
  }
}

TEST_CASE("whoever still evaluates a task with the bad structure in it is told to forget it") {
  Desk desk;
  desk.join(1, "a").join(2, "b").add(skipping(job({5, 5})));
  desk.wait(3, {1, 2}).finish(2, task(1), 1.0);  // 1 s a task: late after 2 + 2 * 1 s
  REQUIRE(desk.wait(1).give(event::Tick{}).sent(2) == Tasks{0});
  desk.give(event::StructureFailed{2, task(0), 3, "not a number"});
  CHECK(desk.forgets(1, task(0)));
  CHECK(desk.all<action::SendTask>().at(0).excluded == Tasks{3});
}

TEST_CASE("structures known bad from an earlier run are left out, or end the fit at once") {
  Desk desk;
  Job known = job({2, 1});
  known.quarantined = {13, 19, 2};
  SECTION("left out") {
    desk.add(skipping(known)).join(1, "a");
    REQUIRE(desk.all<action::SendTask>().size() == 2);
    CHECK(desk.all<action::SendTask>()[0].excluded == Tasks{2});
    CHECK(desk.all<action::SendTask>()[1].excluded == Tasks{13, 19});
  }
  SECTION("never silently") {
    CHECK(desk.add(known).has<action::JobFailed>());
  }
}

TEST_CASE("a worker that blames a structure of another task is dropped") {
  Desk desk;
  desk.add(skipping(job({2, 1}))).join(1, "a").give(event::StructureFailed{1, task(0), 13, "nonsense"});
  CHECK(desk.has<action::DropWorker>());
  CHECK_FALSE(desk.has<action::Quarantine>());
}

TEST_CASE("jobs are served in order of arrival; when the first has nothing to give the next gets the workers") {
  Desk desk;
  desk.add(job({1}, 1)).add(job({9, 8}, 2)).join(1, "a");
  REQUIRE(desk.all<action::SendTask>().size() == 2);
  CHECK(desk.all<action::SendTask>()[0].task == task(0, 1));
  CHECK(desk.all<action::SendTask>()[1].task == task(0, 2));
}

TEST_CASE("what is late in an earlier job comes before what is new in a later one") {
  Desk desk;
  desk.join(1, "a", 1).join(2, "b", 1).add(job({1, 1}, 1)).add(job({9, 8, 7}, 2));
  desk.wait(1, {1, 2}).arrive(2, task(1, 1), 1.0);
  REQUIRE(desk.all<action::SendTask>().size() == 1);
  CHECK(desk.all<action::SendTask>()[0].task == task(0, 2));
  desk.wait(60, {1, 2}).arrive(2, task(0, 2));
  REQUIRE(desk.all<action::SendTask>().size() == 1);
  CHECK(desk.all<action::SendTask>()[0].task == task(0, 1));
}

TEST_CASE("a cancelled fit is forgotten by everybody and its workers go on with the next") {
  Desk desk;
  desk.add(job({2, 1}, 1)).add(job({9}, 2)).join(1, "a");
  desk.give(event::JobRemoved{1});
  CHECK(desk.forgets(1, task(0, 1)));
  CHECK(desk.forgets(1, task(1, 1)));
  REQUIRE(desk.all<action::SendTask>().size() == 1);
  CHECK(desk.all<action::SendTask>()[0].task == task(0, 2));
}

TEST_CASE("the bytes of a cancelled fit no longer fill the store") {
  SchedulerOptions options;
  options.store_limit_bytes = 100;
  Desk desk(options);
  desk.add(job({2, 1}, 1)).add(job({9}, 2)).join(1, "a", 1).arrive(1, task(0, 1));
  CHECK(desk.sent(1).empty());
  CHECK(desk.give(event::JobRemoved{1}).sent(1) == Tasks{0});
}

TEST_CASE("a worker that comes back keeps what is still wanted and forgets the rest") {
  Desk desk;
  desk.add(job({4, 3, 2, 1})).join(1, "a").finish(1, task(0)).give(event::WorkerLeft{1});
  desk.join(2, "a", 2, {task(0), task(3), task(0, 50)});
  CHECK(desk.forgets(2, task(0)));
  CHECK(desk.forgets(2, task(0, 50)));
  CHECK(desk.sent(2) == Tasks{1});  // task 3 counts for its credit
  CHECK(desk.scheduler.view().workers[0].leases == std::vector<TaskId>{task(3), task(1)});
}

TEST_CASE("the same worker number joining again starts afresh") {
  Desk desk;
  desk.add(job({2, 1})).join(1, "a").join(1, "a");
  CHECK(desk.sent(1) == Tasks{0, 1});
}

TEST_CASE("the progress of a job counts tasks and cost, and measures the speed") {
  Desk desk;
  desk.add(job({4, 3, 2, 1})).join(1, "a");
  desk.wait(8, {1}).finish(1, task(0), 8.0);
  const JobProgress progress = desk.progress();
  CHECK(progress.pending == 1);
  CHECK(progress.leased == 2);
  CHECK(progress.done == 1);
  CHECK(progress.cost_total == 10.0);
  CHECK(progress.cost_done == 4.0);
  CHECK(progress.seconds_per_cost == 2.0);
  CHECK(desk.scheduler.view().workers[0].busy_seconds == 8.0);
}

TEST_CASE("a worker cannot claim more time than it had") {
  Desk desk;
  desk.add(job({4, 3, 2, 1})).join(1, "a").wait(2, {1}).finish(1, task(0), 1e300);
  CHECK(desk.progress().seconds_per_cost == 0.5);
}

TEST_CASE("a hundred thousand tasks and a thousand workers are scheduled in seconds") {
  constexpr std::uint32_t kTasks = 100'000;
  constexpr WorkerId kWorkers = 1000;
  Scheduler scheduler;
  Job large;
  for (std::uint32_t i = 0; i < kTasks; ++i) {
    large.tasks.push_back({i, 1, 1000, 1.0 + (i * 7919U) % 1000U});
  }
  const auto start = std::chrono::steady_clock::now();
  scheduler.handle(event::JobAdded{large}, Instant(0));
  double now = 0.0;
  std::vector<action::SendTask> flying;
  std::uint64_t events = 0;
  bool done = false;
  const auto collect = [&](const std::vector<Action>& actions) {
    ++events;
    for (const Action& action : actions) {
      if (const auto* send = std::get_if<action::SendTask>(&action)) {
        flying.push_back(*send);
      }
      done = done || std::holds_alternative<action::JobDone>(action);
    }
  };
  for (WorkerId worker = 1; worker <= kWorkers; ++worker) {
    collect(scheduler.handle(event::WorkerJoined{worker, std::to_string(worker / 8), 2, {}, {}}, Instant(now)));
  }
  for (std::size_t next = 0; next < flying.size(); ++next) {
    now += 0.001;
    const auto send = flying[next];
    collect(scheduler.handle(event::BlockArrived{send.worker, send.task, 1.0}, Instant(now)));
    collect(scheduler.handle(event::WorkerHeard{send.worker, std::vector<TaskId>{send.task}}, Instant(now)));
    collect(scheduler.handle(event::BlockStored{send.task}, Instant(now)));
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  INFO(events << " events in " << spent.count() << " s");
  CHECK(done);
  // 300,000 events; anything proportional to the number of tasks in each would take minutes.
#ifdef __OPTIMIZE__  // an unoptimised build under a sanitizer says nothing about speed
  CHECK(spent.count() < 30.0);
#endif
}
