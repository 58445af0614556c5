// Random histories of a small cluster: whatever happens, in whatever order, the invariants of the scheduler hold after
// every event, and once the remaining workers behave every fit completes.

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "manager/run/scheduler.h"

using namespace ipfit;

namespace {

/// Numbers that decide what happens next; they run out, then all are zero.
class Choices {
 public:
  explicit Choices(const std::vector<std::uint32_t>& numbers) : numbers_(numbers) {}
  bool empty() const { return at_ >= numbers_.size(); }
  std::uint32_t below(std::size_t limit) {
    return limit == 0 ? 0 : static_cast<std::uint32_t>(next() % static_cast<std::uint32_t>(limit));
  }

 private:
  std::uint32_t next() { return empty() ? 0 : numbers_[at_++]; }
  const std::vector<std::uint32_t>& numbers_;
  std::size_t at_ = 0;
};

constexpr std::uint32_t kStructuresPerTask = 3;

/// What is true outside the scheduler: what workers hold, what is on the disk, which fits were finished.
class World {
 public:
  World(SchedulerOptions options, const std::vector<std::uint32_t>& numbers) : scheduler_(options), choices_(numbers) {}

  std::size_t events() const { return events_; }

  void live() {
    add_job();
    while (!choices_.empty()) {
      something_happens();
    }
  }

  /// All who are here work and speak, nothing is lost any more: then everything must be finished soon.
  void end_fairly() {
    calm_ = true;
    join("m0", {}, std::nullopt);
    join("m1", {}, std::nullopt);
    for (int round = 0; round < 200 && !jobs_.empty(); ++round) {
      now_ += 1.0;
      while (!store_queue_.empty()) {
        store_first();
      }
      std::vector<WorkerId> here;
      for (const auto& [id, worker] : workers_) {
        here.push_back(id);
      }
      for (const WorkerId id : here) {
        while (workers_.contains(id) && !workers_[id].queue.empty()) {
          deliver(id, 0);
        }
        if (workers_.contains(id)) {
          heartbeat(id);
        }
      }
    }
    RC_ASSERT(jobs_.empty());
  }

 private:
  struct PeerState {
    std::string machine;
    std::uint32_t credit = 2;
    std::vector<TaskId> queue;     ///< to evaluate
    std::vector<TaskId> finished;  ///< evaluated, not acknowledged
    std::vector<TaskId> holding() const {
      std::vector<TaskId> all = finished;
      all.insert(all.end(), queue.begin(), queue.end());
      return all;
    }
  };
  struct JobTruth {
    std::uint32_t tasks = 0;
    bool skip = false;
    std::set<std::uint32_t> stored;
    std::set<std::uint32_t> quarantined;
  };

  void something_happens() {
    switch (choices_.below(24)) {
      case 0:
        return add_job();
      case 1:
        return cancel();
      case 2:
      case 3:
        return join(machine(), {}, std::nullopt);
      case 4:
        return leave();
      case 5:
        return vanish();
      case 6:
        return come_back();
      case 7:
        return crash();
      case 8:
        return fail();
      case 9:
        return hand_back();
      case 10:
        return refuse_first();
      case 11:
        return with_worker([&](WorkerId id) { resend(id); });
      case 12:
        return with_worker([&](WorkerId id) { strange_block(id); });
      case 13:
        return pass(choices_.below(40) == 0 ? 3600.0 : 0.1 * choices_.below(60));
      case 14:
        return back_in_time();
      case 15:
      case 16:
        return with_worker([&](WorkerId id) { heartbeat(id); });
      case 17:
      case 18:
      case 19:
        if (!store_queue_.empty()) {
          store_first();
        }
        return;
      default:
        return with_worker([&](WorkerId id) { deliver(id, choices_.below(workers_[id].queue.size())); });
    }
  }

  // ---- what may happen
  void add_job() {
    Job job;
    job.fit = ++last_fit_;
    job.skip_bad_structures = choices_.below(3) != 0;
    JobTruth truth{choices_.below(12), job.skip_bad_structures, {}, {}};
    for (std::uint32_t task = 0; task < truth.tasks; ++task) {
      job.tasks.push_back({kStructuresPerTask * task, kStructuresPerTask, 50 + choices_.below(100),
                           static_cast<double>(choices_.below(5))});
      job.done.push_back(choices_.below(5) == 0);
      if (job.done.back()) {
        truth.stored.insert(task);
      }
    }
    jobs_[job.fit] = truth;
    give(event::JobAdded{job});
  }
  void cancel() {
    if (!jobs_.empty() && choices_.below(4) == 0) {
      const auto chosen = std::next(jobs_.begin(), choices_.below(jobs_.size()));
      const std::uint64_t fit = chosen->first;
      jobs_.erase(chosen);
      give(event::JobRemoved{fit});
    }
  }
  std::string machine() { return "m" + std::to_string(choices_.below(3)); }
  void join(const std::string& machine, const PeerState& before, std::optional<CrashReport> crash) {
    const WorkerId id = ++last_worker_;
    // Who comes back sends again what was not acknowledged.
    workers_[id].queue = before.holding();
    workers_[id].machine = machine;
    workers_[id].credit = calm_ ? 2 : 1 + choices_.below(3);
    give(event::WorkerJoined{id, machine, workers_[id].credit, workers_[id].holding(), crash});
  }
  void leave() {
    with_worker([&](WorkerId id) {
      limbo_.push_back(workers_[id]);
      workers_.erase(id);
      give(event::WorkerLeft{id});
    });
  }
  /// Gone without a word: the scheduler still counts on it.
  void vanish() {
    with_worker([&](WorkerId id) {
      limbo_.push_back(workers_[id]);
      workers_.erase(id);
    });
  }
  void come_back() {
    if (!limbo_.empty()) {
      const PeerState back = limbo_.back();
      limbo_.pop_back();
      join(back.machine, back, std::nullopt);
    }
  }
  void crash() {
    with_worker([&](WorkerId id) {
      PeerState dead = workers_[id];
      if (dead.queue.empty()) {
        return;
      }
      const TaskId task = dead.queue.front();
      dead.queue.clear();
      workers_.erase(id);
      if (choices_.below(2) == 0) {
        give(event::WorkerLeft{id});
      }
      join(dead.machine, dead, CrashReport{task, structure_of(task)});
    });
  }
  void fail() {
    with_worker([&](WorkerId id) {
      if (!workers_[id].queue.empty() && choices_.below(3) == 0) {
        const TaskId task = workers_[id].queue.front();
        workers_[id].queue.erase(workers_[id].queue.begin());
        give(event::StructureFailed{id, task, structure_of(task), "not a number"});
      }
    });
  }
  void hand_back() {
    with_worker([&](WorkerId id) {
      const std::vector<TaskId> tasks = std::exchange(workers_[id].queue, {});
      give(event::HandedBack{id, tasks});
    });
  }
  void deliver(WorkerId id, std::uint32_t which) {
    PeerState& worker = workers_[id];
    if (worker.queue.empty()) {
      return;
    }
    const TaskId task = worker.queue[which];
    worker.queue.erase(worker.queue.begin() + which);
    worker.finished.push_back(task);
    give(event::BlockArrived{id, task, 0.5 * choices_.below(8)});
  }
  void resend(WorkerId id) {
    const PeerState& worker = workers_[id];
    if (!worker.finished.empty()) {
      give(event::BlockArrived{id, worker.finished[choices_.below(worker.finished.size())], 1.0});
    }
  }
  /// A block of any task of any fit, there or not.
  void strange_block(WorkerId id) {
    const TaskId task{1 + choices_.below(last_fit_ + 1), Phase::kAssembly, choices_.below(12)};
    workers_[id].finished.push_back(task);
    give(event::BlockArrived{id, task, 1e9});
  }
  void heartbeat(WorkerId id) { give(event::WorkerHeard{id, workers_[id].holding()}); }
  void store_first() {
    const TaskId task = store_queue_.front();
    store_queue_.erase(store_queue_.begin());
    if (jobs_.contains(task.fit)) {
      const bool first_time = jobs_[task.fit].stored.insert(task.task).second;
      RC_ASSERT(first_time);
    }
    give(event::BlockStored{task});
  }
  void refuse_first() {
    if (!store_queue_.empty() && !workers_.empty() && choices_.below(3) == 0) {
      const TaskId task = store_queue_.front();
      store_queue_.erase(store_queue_.begin());
      give(event::BlockRefused{workers_.begin()->first, task, "checksum differs"});
    }
  }
  void pass(double seconds) {
    now_ += seconds;
    give(event::Tick{});
  }
  void back_in_time() {
    now_ -= 0.5;
    give(event::Tick{});
  }

  template <class Do>
  void with_worker(Do something) {
    if (!workers_.empty()) {
      something(std::next(workers_.begin(), choices_.below(workers_.size()))->first);
    }
  }
  std::uint32_t structure_of(const TaskId& task) {
    return kStructuresPerTask * task.task + choices_.below(kStructuresPerTask);
  }

  // ---- the scheduler's answers
  void give(const Event& event) {
    ++events_;
    latest_ = std::max(latest_, now_);
    const auto actions = scheduler_.handle(event, Instant(now_));
    for (const Action& action : actions) {
      std::visit([&](const auto& one) { on(one); }, action);
    }
    const std::string broken = scheduler_.broken_invariant();
    if (!broken.empty()) {
      RC_FAIL(broken);
    }
    if (const auto deadline = scheduler_.next_deadline()) {
      RC_ASSERT(deadline->count() > latest_);
    }
    for (const auto& [fit, truth] : jobs_) {
      const auto progress = scheduler_.progress(fit, Phase::kAssembly);
      RC_ASSERT(progress.has_value());
      RC_ASSERT(progress->done == truth.stored.size());
      RC_ASSERT(progress->pending + progress->leased + progress->storing + progress->done == truth.tasks);
    }
  }
  void on(const action::SendTask& send) {
    RC_ASSERT(jobs_.contains(send.task.fit));
    const JobTruth& job = jobs_[send.task.fit];
    RC_ASSERT(!job.stored.contains(send.task.task));
    const auto first = job.quarantined.lower_bound(kStructuresPerTask * send.task.task);
    const auto last = job.quarantined.lower_bound(kStructuresPerTask * (send.task.task + 1));
    RC_ASSERT(send.excluded == std::vector<std::uint32_t>(first, last));
    const bool lost_on_the_way = !calm_ && choices_.below(8) == 1;
    // The scheduler may count on a worker that vanished; the message then goes nowhere.
    if (workers_.contains(send.worker) && !lost_on_the_way) {
      workers_[send.worker].queue.push_back(send.task);
    }
  }
  void on(const action::StoreBlock& store) {
    RC_ASSERT(jobs_.contains(store.task.fit));
    RC_ASSERT(!jobs_[store.task.fit].stored.contains(store.task.task));
    RC_ASSERT(std::count(store_queue_.begin(), store_queue_.end(), store.task) == 0);
    store_queue_.push_back(store.task);
  }
  void on(const action::DropBlock& drop) {
    if (drop.acknowledge) {
      RC_ASSERT(jobs_[drop.task.fit].stored.contains(drop.task.task));
      forget(drop.worker, drop.task);
    }
  }
  void on(const action::AckBlock& ack) {
    RC_ASSERT(jobs_[ack.task.fit].stored.contains(ack.task.task));
    forget(ack.worker, ack.task);
  }
  void on(const action::ForgetTasks& forget_tasks) {
    for (const TaskId& task : forget_tasks.tasks) {
      forget(forget_tasks.worker, task);
    }
  }
  void on(const action::DropWorker& drop) {
    if (workers_.contains(drop.worker)) {
      limbo_.push_back(workers_[drop.worker]);
      workers_.erase(drop.worker);
    }
  }
  void on(const action::Quarantine& quarantine) {
    RC_ASSERT(jobs_[quarantine.fit].skip);
    const bool first_time = jobs_[quarantine.fit].quarantined.insert(quarantine.structure).second;
    RC_ASSERT(first_time);
  }
  void on(const action::JobDone& done) {
    RC_ASSERT(jobs_.contains(done.fit));
    RC_ASSERT(jobs_[done.fit].stored.size() == jobs_[done.fit].tasks);
    jobs_.erase(done.fit);
  }
  void on(const action::JobFailed& failed) {
    RC_ASSERT(jobs_.contains(failed.fit));
    RC_ASSERT(!jobs_[failed.fit].skip);
    jobs_.erase(failed.fit);
    // The loop tells the store to let go of what it has of the fit.
    std::erase_if(store_queue_, [&](const TaskId& task) { return task.fit == failed.fit; });
  }
  void forget(WorkerId id, const TaskId& task) {
    if (workers_.contains(id)) {
      std::erase(workers_[id].queue, task);
      std::erase(workers_[id].finished, task);
    }
  }

  Scheduler scheduler_;
  Choices choices_;
  double now_ = 0.0;
  double latest_ = 0.0;
  bool calm_ = false;
  std::map<std::uint64_t, JobTruth> jobs_;  ///< those that the scheduler shall have
  std::map<WorkerId, PeerState> workers_;
  std::vector<PeerState> limbo_;  ///< went away and may come back with what they hold
  std::vector<TaskId> store_queue_;
  std::uint64_t last_fit_ = 0;
  WorkerId last_worker_ = 0;
  std::size_t events_ = 0;
};

}  // namespace

TEST_CASE("whatever happens the invariants hold, and with well-behaved workers every fit completes") {
  SchedulerOptions usual;
  SchedulerOptions small_store;
  small_store.store_limit_bytes = 120;
  SchedulerOptions patient;
  patient.crashes_to_quarantine = 3;
  patient.refusals_to_drop = 1;
  SchedulerOptions hasty;
  hasty.slow_factor = 0.0;
  hasty.slow_floor_seconds = 0.1;
  hasty.lost_seconds = 3.0;
  hasty.transit_seconds = 0.5;
  std::size_t events = 0;
  for (const SchedulerOptions& options : {usual, small_store, patient, hasty}) {
    const bool good = rc::check("random history", [&] {
      const auto numbers = *rc::gen::resize(
          6000, rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 1U << 30U)));
      World world(options, numbers);
      world.live();
      world.end_fairly();
      events += world.events();
    });
    REQUIRE(good);
  }
  // So many that rare coincidences are met; were this to shrink the test would lose its worth.
  CHECK(events > 200'000);
}
