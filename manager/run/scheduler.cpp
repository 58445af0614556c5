#include "manager/run/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <set>
#include <type_traits>

#include "manager/run/job_state.h"

namespace ipfit {
namespace {

/// A worker that comes back may name this many tasks as still its own even where its credit is smaller: finished blocks
/// that were not acknowledged are among them. A bound, since peers are not trusted.
constexpr std::size_t kMaxAdopted = 64;

struct Lease {
  TaskId task;
  Instant given{0};
  std::optional<Instant> started;  ///< empty: it waits behind another lease of the worker
  bool adopted = false;            ///< named by the worker when it joined, not given by us
};

struct Worker {
  WorkerId id = 0;
  std::string machine;
  std::uint32_t credit = 0;
  std::vector<Lease> leases;  ///< in the order in which they were given, which is that of the worker's queue
  Instant heard{0};
  double busy_seconds = 0.0;
  int refusals = 0;
  bool paused = false;                    ///< handed tasks back and was not heard since
  std::optional<std::size_t> free_index;  ///< its place among the workers with free credit

  bool idle() const { return leases.empty(); }
  bool free() const { return !paused && leases.size() < credit; }
};

auto find_lease(Worker& worker, const TaskId& id) {
  return std::find_if(worker.leases.begin(), worker.leases.end(), [&](const Lease& lease) { return lease.task == id; });
}

template <class T>
bool contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// The worker that an event comes from.
std::optional<WorkerId> speaker(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<WorkerId> {
        using E = std::decay_t<decltype(e)>;
        // The store refuses a block, not its worker, so that event is no sign of life.
        if constexpr (requires { e.worker; } && !std::is_same_v<E, event::BlockRefused>) {
          return e.worker;
        } else {
          return std::nullopt;
        }
      },
      event);
}

}  // namespace

struct Scheduler::State {
  explicit State(SchedulerOptions given) : options(given) {}

  SchedulerOptions options;
  Instant now{0};
  std::list<JobState> jobs;  ///< in order of arrival
  std::map<std::pair<std::uint64_t, Phase>, std::list<JobState>::iterator> job_index;
  std::map<WorkerId, Worker> workers;
  std::set<std::pair<Instant, WorkerId>> by_heard;
  std::set<std::pair<std::size_t, WorkerId>> free_workers;  ///< by number of leases
  std::map<std::string, std::size_t> machines;              ///< workers that may evaluate, by machine
  std::uint64_t storing_bytes = 0;
  std::vector<Action> actions;
  std::map<WorkerId, std::vector<TaskId>> to_forget;

  // ---- looking things up
  JobState* find_job(std::uint64_t fit, Phase phase);
  JobState* find_job(const TaskId& id);
  Worker* find_worker(WorkerId id);
  bool other_machine() const { return machines.size() > 1; }
  bool store_full() const { return storing_bytes >= options.store_limit_bytes; }

  // ---- leases
  void lease(Worker& worker, JobState& job, std::uint32_t task, bool adopted);
  void release(Worker& worker, const TaskId& id);
  void start_first(Worker& worker);
  void note_late(JobState& job, std::uint32_t task);
  void refile(Worker& worker);
  void forget(WorkerId worker, const TaskId& id) { to_forget[worker].push_back(id); }
  void flush_forgets();

  // ---- workers
  void hear(Worker& worker);
  void remove_worker(WorkerId id);
  void drop_worker(WorkerId id, std::string reason);
  void drop_silent_workers();
  void adopt(Worker& worker, const TaskId& id);
  void compare_holding(Worker& worker, std::vector<TaskId> holding);

  // ---- jobs
  void finish_if_complete(JobState& job);
  void remove_job(JobState& job);
  void crashed(const Worker& reporter, const CrashReport& crash);
  void bad_structure(JobState& job, std::uint32_t task, std::uint32_t structure, const std::string& reason);
  void measure(Worker& worker, JobState& job, std::uint32_t task, double seconds);
  void leave_store(JobState& job, std::uint32_t task);

  // ---- handing out
  struct Choice {
    JobState* job;
    std::uint32_t task;
  };
  std::optional<std::uint32_t> late_task(const JobState& job, const Worker& worker) const;
  std::optional<Choice> choose(const Worker& worker);
  bool anything_pending() const;
  bool anything_late() const;
  void hand_out();

  void on(const event::JobAdded& e);
  void on(const event::JobRemoved& e);
  void on(const event::WorkerJoined& e);
  void on(const event::WorkerHeard& e);
  void on(const event::WorkerLeft& e) { remove_worker(e.worker); }
  void on(const event::HandedBack& e);
  void on(const event::BlockArrived& e);
  void on(const event::BlockStored& e);
  void on(const event::BlockRefused& e);
  void on(const event::StructureFailed& e);
  void on(const event::Tick&) {}

  std::string broken_invariant();
  std::string broken_worker(Worker& worker);
};

// ---- looking things up ---------------------------------------------------------------------------------------------

JobState* Scheduler::State::find_job(std::uint64_t fit, Phase phase) {
  const auto found = job_index.find({fit, phase});
  return found == job_index.end() ? nullptr : &*found->second;
}

JobState* Scheduler::State::find_job(const TaskId& id) {
  JobState* job = find_job(id.fit, id.phase);
  return job != nullptr && job->has(id.task) ? job : nullptr;
}

Worker* Scheduler::State::find_worker(WorkerId id) {
  const auto found = workers.find(id);
  return found == workers.end() ? nullptr : &found->second;
}

// ---- leases --------------------------------------------------------------------------------------------------------

void Scheduler::State::refile(Worker& worker) {
  if (worker.free_index) {
    free_workers.erase({*worker.free_index, worker.id});
    worker.free_index.reset();
  }
  if (worker.free()) {
    worker.free_index = worker.leases.size();
    free_workers.insert({*worker.free_index, worker.id});
  }
}

void Scheduler::State::note_late(JobState& job, std::uint32_t task) {
  const JobState::Task& noted = job.at(task);
  std::optional<Instant> waiting_until;
  std::optional<Instant> running_until;
  if (noted.state == TaskState::kLeased && noted.holders.size() == 1) {
    const Lease& only = *find_lease(workers.at(noted.holders.front()), job.id(task));
    const double expected = job.info(task).cost * job.seconds_per_cost();
    if (!only.started) {
      waiting_until = only.given + Instant(options.slow_floor_seconds);
    } else if (expected > 0.0) {
      running_until = *only.started + Instant(options.slow_floor_seconds + options.slow_factor * expected);
    }
  }
  job.note_late(task, waiting_until, running_until);
}

/// The first lease of a worker is the one that it evaluates.
void Scheduler::State::start_first(Worker& worker) {
  if (worker.leases.empty() || worker.leases.front().started) {
    return;
  }
  Lease& first = worker.leases.front();
  first.started = now;
  note_late(*find_job(first.task), first.task.task);
}

void Scheduler::State::lease(Worker& worker, JobState& job, std::uint32_t task, bool adopted) {
  worker.leases.push_back({job.id(task), now, std::nullopt, adopted});
  job.at(task).holders.push_back(worker.id);
  job.move(task, TaskState::kLeased);
  note_late(job, task);
  start_first(worker);
  refile(worker);
}

/// Takes the lease from the worker; the task is pending again where nobody else holds it. Nothing where there is none.
void Scheduler::State::release(Worker& worker, const TaskId& id) {
  const auto lease = find_lease(worker, id);
  if (lease == worker.leases.end()) {
    return;
  }
  worker.leases.erase(lease);
  JobState& job = *find_job(id);
  JobState::Task& task = job.at(id.task);
  std::erase(task.holders, worker.id);
  if (task.state == TaskState::kLeased && task.holders.empty()) {
    job.move(id.task, TaskState::kPending);
  }
  note_late(job, id.task);
  start_first(worker);
  refile(worker);
}

void Scheduler::State::flush_forgets() {
  for (auto& [worker, tasks] : to_forget) {
    if (workers.contains(worker)) {
      actions.push_back(action::ForgetTasks{worker, std::move(tasks)});
    }
  }
  to_forget.clear();
}

// ---- workers -------------------------------------------------------------------------------------------------------

void Scheduler::State::hear(Worker& worker) {
  by_heard.erase({worker.heard, worker.id});
  worker.heard = now;
  by_heard.insert({worker.heard, worker.id});
}

void Scheduler::State::remove_worker(WorkerId id) {
  Worker* worker = find_worker(id);
  if (worker == nullptr) {
    return;
  }
  worker->paused = true;  // not among the free ones while its leases go
  refile(*worker);
  while (!worker->leases.empty()) {
    release(*worker, TaskId(worker->leases.back().task));
  }
  by_heard.erase({worker->heard, id});
  if (worker->credit > 0 && --machines[worker->machine] == 0) {
    machines.erase(worker->machine);
  }
  workers.erase(id);
}

void Scheduler::State::drop_worker(WorkerId id, std::string reason) {
  remove_worker(id);
  actions.push_back(action::DropWorker{id, std::move(reason)});
}

void Scheduler::State::drop_silent_workers() {
  while (!by_heard.empty() && by_heard.begin()->first + Instant(options.lost_seconds) <= now) {
    const auto [heard, id] = *by_heard.begin();
    drop_worker(id, fmt::format("silent for {:.1f} s", (now - heard).count()));
  }
}

/// Makes a task that the worker names its own again, where that task is still wanted.
void Scheduler::State::adopt(Worker& worker, const TaskId& id) {
  JobState* job = find_job(id);
  if (job == nullptr || job->at(id.task).state == TaskState::kDone) {
    forget(worker.id, id);
    return;
  }
  const JobState::Task& task = job->at(id.task);
  const bool wanted =
      task.state == TaskState::kPending || (task.state == TaskState::kLeased && task.holders.size() < 2);
  const std::size_t most = std::max<std::size_t>(worker.credit, kMaxAdopted);
  if (wanted && !contains(task.holders, worker.id) && worker.leases.size() < most) {
    lease(worker, *job, id.task, true);
  }
}

/// A heartbeat: what the worker names and we do not want, and what we gave it and it does not name.
void Scheduler::State::compare_holding(Worker& worker, std::vector<TaskId> holding) {
  std::sort(holding.begin(), holding.end());
  for (const TaskId& id : holding) {
    const JobState* job = find_job(id);
    if (job == nullptr || job->tasks()[id.task].state == TaskState::kDone) {
      forget(worker.id, id);
    }
  }
  std::vector<TaskId> lost;
  for (const Lease& lease : worker.leases) {
    if (lease.given + Instant(options.transit_seconds) <= now &&
        !std::binary_search(holding.begin(), holding.end(), lease.task)) {
      lost.push_back(lease.task);
    }
  }
  for (const TaskId& id : lost) {
    release(worker, id);
  }
}

void Scheduler::State::on(const event::WorkerJoined& e) {
  remove_worker(e.worker);
  Worker& worker = workers[e.worker];
  worker.id = e.worker;
  worker.machine = e.machine;
  worker.credit = e.credit;
  worker.heard = now;
  by_heard.insert({now, e.worker});
  if (e.credit > 0) {
    ++machines[e.machine];
  }
  refile(worker);
  for (const TaskId& id : e.holding) {
    adopt(worker, id);
  }
  if (e.crash) {
    crashed(worker, *e.crash);
  }
}

void Scheduler::State::on(const event::WorkerHeard& e) {
  Worker* worker = find_worker(e.worker);
  if (worker == nullptr || !e.holding) {
    return;
  }
  worker->paused = false;
  refile(*worker);
  compare_holding(*worker, *e.holding);
}

void Scheduler::State::on(const event::HandedBack& e) {
  Worker* worker = find_worker(e.worker);
  if (worker == nullptr) {
    return;
  }
  worker->paused = true;
  refile(*worker);
  for (const TaskId& id : e.tasks) {
    release(*worker, id);
  }
}

// ---- jobs ----------------------------------------------------------------------------------------------------------

void Scheduler::State::on(const event::JobAdded& e) {
  if (find_job(e.job.fit, e.job.phase) != nullptr) {
    return;
  }
  if (!e.job.quarantined.empty() && !e.job.skip_bad_structures) {
    actions.push_back(action::JobFailed{e.job.fit, e.job.phase, e.job.quarantined.front(),
                                        "it could not be evaluated in an earlier run of this fit"});
    return;
  }
  const auto added = jobs.emplace(jobs.end(), e.job);
  job_index.emplace(std::pair(e.job.fit, e.job.phase), added);
  finish_if_complete(*added);
}

void Scheduler::State::on(const event::JobRemoved& e) {
  for (const Phase phase : {Phase::kAssembly, Phase::kErrors}) {
    if (JobState* job = find_job(e.fit, phase)) {
      remove_job(*job);
    }
  }
}

/// Takes the job away with everything that workers hold of it.
void Scheduler::State::remove_job(JobState& job) {
  for (std::uint32_t i = 0; i < job.tasks().size(); ++i) {
    JobState::Task& task = job.at(i);
    for (const WorkerId id : task.delivered) {
      forget(id, job.id(i));
    }
    if (task.state == TaskState::kStoring) {
      leave_store(job, i);
      job.move(i, task.holders.empty() ? TaskState::kPending : TaskState::kLeased);
    }
    while (!task.holders.empty()) {
      const WorkerId holder = task.holders.front();
      forget(holder, job.id(i));
      release(workers.at(holder), job.id(i));
    }
  }
  const auto indexed = job_index.find({job.job().fit, job.job().phase});
  jobs.erase(indexed->second);
  job_index.erase(indexed);
}

void Scheduler::State::finish_if_complete(JobState& job) {
  if (job.complete()) {
    actions.push_back(action::JobDone{job.job().fit, job.job().phase});
    remove_job(job);
  }
}

/// The block of the task is with the store no longer.
void Scheduler::State::leave_store(JobState& job, std::uint32_t task) {
  storing_bytes -= job.info(task).bytes;
  job.at(task).delivered.clear();
}

void Scheduler::State::crashed(const Worker& reporter, const CrashReport& crash) {
  JobState* job = find_job(crash.task);
  if (job == nullptr || !job->contains(crash.task.task, crash.structure) || job->quarantined(crash.structure)) {
    return;
  }
  const std::uint32_t task = crash.task.task;
  const TaskState state = job->at(task).state;
  if (state == TaskState::kStoring || state == TaskState::kDone) {
    return;  // somebody evaluated it after all
  }
  // The evaluator that died held the task; its session may not have ended yet as far as we know.
  const std::vector<WorkerId> holders = job->at(task).holders;
  for (const WorkerId id : holders) {
    Worker& holder = workers.at(id);
    if (holder.id != reporter.id && holder.machine == reporter.machine) {
      release(holder, crash.task);
    }
  }
  const auto crashes = job->count_crash(crash.structure, reporter.machine);
  const int present = static_cast<int>(std::max<std::size_t>(1, machines.size()));
  if (crashes.total >= options.crashes_to_quarantine &&
      crashes.machines >= std::min(options.crashes_to_quarantine, present)) {
    bad_structure(*job, task, crash.structure,
                  fmt::format("the evaluator crashed {} times at it, on {} machine{}", crashes.total, crashes.machines,
                              crashes.machines == 1 ? "" : "s"));
  } else {
    job->suspect(task, reporter.machine);
  }
}

/// The job goes on without the structure, or fails.
void Scheduler::State::bad_structure(JobState& job, std::uint32_t task, std::uint32_t structure,
                                     const std::string& reason) {
  if (!job.job().skip_bad_structures) {
    actions.push_back(action::JobFailed{job.job().fit, job.job().phase, structure, reason});
    remove_job(job);
    return;
  }
  job.quarantine(structure);
  job.suspect(task, "");
  actions.push_back(action::Quarantine{job.job().fit, job.job().phase, structure, reason});
  // Whoever evaluates the task still does so with the bad structure in it.
  const std::vector<WorkerId> holders = job.at(task).holders;
  for (const WorkerId id : holders) {
    forget(id, job.id(task));
    release(workers.at(id), job.id(task));
  }
}

void Scheduler::State::on(const event::StructureFailed& e) {
  JobState* job = find_job(e.task);
  Worker* worker = find_worker(e.worker);
  if (job == nullptr || worker == nullptr) {
    return;
  }
  if (!job->contains(e.task.task, e.structure)) {
    drop_worker(e.worker, fmt::format("says that structure {} failed, which is not in task {} of fit {}", e.structure,
                                      e.task.task, e.task.fit));
    return;
  }
  release(*worker, e.task);
  const TaskState state = job->at(e.task.task).state;
  const bool evaluated = state == TaskState::kStoring || state == TaskState::kDone;
  if (!evaluated && !job->quarantined(e.structure)) {
    bad_structure(*job, e.task.task, e.structure, e.reason);
  }
}

// ---- blocks --------------------------------------------------------------------------------------------------------

void Scheduler::State::measure(Worker& worker, JobState& job, std::uint32_t task, double seconds) {
  const auto lease = find_lease(worker, job.id(task));
  if (lease == worker.leases.end()) {
    return;
  }
  // A worker cannot have spent more time than it had.
  const double most = (now - lease->given).count();
  const double spent = std::isfinite(seconds) ? std::clamp(seconds, 0.0, most) : most;
  worker.busy_seconds += spent;
  if (lease->adopted || !job.measure(task, spent)) {
    return;
  }
  for (auto& [id, other] : workers) {
    for (const Lease& running : other.leases) {
      if (find_job(running.task) == &job) {
        note_late(job, running.task.task);
      }
    }
  }
}

void Scheduler::State::on(const event::BlockArrived& e) {
  JobState* job = find_job(e.task);
  if (job == nullptr) {
    actions.push_back(action::DropBlock{e.worker, e.task, false});
    forget(e.worker, e.task);
    return;
  }
  if (Worker* worker = find_worker(e.worker)) {
    measure(*worker, *job, e.task.task, e.seconds);
    release(*worker, e.task);
  }
  JobState::Task& task = job->at(e.task.task);
  switch (task.state) {
    case TaskState::kDone:
      actions.push_back(action::DropBlock{e.worker, e.task, true});
      return;
    case TaskState::kStoring:
      actions.push_back(action::DropBlock{e.worker, e.task, false});
      if (!contains(task.delivered, e.worker)) {
        task.delivered.push_back(e.worker);
      }
      return;
    case TaskState::kPending:
    case TaskState::kLeased:
      job->move(e.task.task, TaskState::kStoring);
      note_late(*job, e.task.task);
      task.delivered.push_back(e.worker);
      storing_bytes += job->info(e.task.task).bytes;
      actions.push_back(action::StoreBlock{e.worker, e.task});
      return;
  }
}

void Scheduler::State::on(const event::BlockStored& e) {
  JobState* job = find_job(e.task);
  if (job == nullptr || job->at(e.task.task).state != TaskState::kStoring) {
    return;
  }
  JobState::Task& task = job->at(e.task.task);
  for (const WorkerId id : task.delivered) {
    if (workers.contains(id)) {
      actions.push_back(action::AckBlock{id, e.task});
    }
  }
  leave_store(*job, e.task.task);
  job->move(e.task.task, TaskState::kDone);
  while (!task.holders.empty()) {
    const WorkerId holder = task.holders.front();
    forget(holder, e.task);
    release(workers.at(holder), e.task);
  }
  finish_if_complete(*job);
}

void Scheduler::State::on(const event::BlockRefused& e) {
  JobState* job = find_job(e.task);
  if (job != nullptr && job->at(e.task.task).state == TaskState::kStoring) {
    JobState::Task& task = job->at(e.task.task);
    // All who delivered it start afresh: the blocks that were dropped here are not sent a second time.
    for (const WorkerId id : task.delivered) {
      forget(id, e.task);
    }
    leave_store(*job, e.task.task);
    job->move(e.task.task, task.holders.empty() ? TaskState::kPending : TaskState::kLeased);
    note_late(*job, e.task.task);
  }
  Worker* worker = find_worker(e.worker);
  if (worker != nullptr && ++worker->refusals >= options.refusals_to_drop) {
    drop_worker(e.worker, fmt::format("sent {} damaged blocks, the last: {}", worker->refusals, e.reason));
  }
}

// ---- handing out ---------------------------------------------------------------------------------------------------

std::optional<std::uint32_t> Scheduler::State::late_task(const JobState& job, const Worker& worker) const {
  const auto first = [&](const JobState::LateTasks& late) -> std::optional<std::uint32_t> {
    for (auto it = late.begin(); it != late.end() && it->first <= now; ++it) {
      const bool own = contains(job.tasks()[it->second].holders, worker.id);
      if (!own && job.allowed(it->second, worker.machine, other_machine())) {
        return it->second;
      }
    }
    return std::nullopt;
  };
  const auto running = first(job.running());
  // A task that merely waits is worth a second lease only to a worker that starts with it at once.
  return running || !worker.idle() ? running : first(job.waiting());
}

std::optional<Scheduler::State::Choice> Scheduler::State::choose(const Worker& worker) {
  std::optional<Choice> late;
  for (JobState& job : jobs) {
    if (const auto pending = job.next_pending(worker.machine, other_machine())) {
      // What is late in an earlier job comes before what is new in a later one.
      return late ? late : Choice{&job, *pending};
    }
    if (const auto task = late ? std::nullopt : late_task(job, worker)) {
      late = Choice{&job, *task};
    }
  }
  return worker.idle() ? late : std::nullopt;
}

bool Scheduler::State::anything_pending() const {
  return std::any_of(jobs.begin(), jobs.end(), [](const JobState& job) { return job.count(TaskState::kPending) > 0; });
}

bool Scheduler::State::anything_late() const {
  const auto due = [&](const JobState::LateTasks& late) { return !late.empty() && late.begin()->first <= now; };
  return std::any_of(jobs.begin(), jobs.end(),
                     [&](const JobState& job) { return due(job.running()) || due(job.waiting()); });
}

void Scheduler::State::hand_out() {
  while (!store_full()) {
    const bool pending = anything_pending();
    if (!pending && !anything_late()) {
      return;
    }
    // Those with the fewest tasks first: everybody gets one before anybody gets a second.
    std::optional<Choice> choice;
    WorkerId taker = 0;
    for (auto next = free_workers.begin(); next != free_workers.end() && !choice; ++next) {
      const auto [leases, id] = *next;
      if (leases > 0 && !pending) {
        break;  // only the idle take what is late
      }
      taker = id;
      choice = choose(workers.at(id));
    }
    if (!choice) {
      return;
    }
    lease(workers.at(taker), *choice->job, choice->task, false);
    actions.push_back(
        action::SendTask{taker, choice->job->id(choice->task), choice->job->quarantined_in(choice->task)});
  }
}

// ---- the machine ---------------------------------------------------------------------------------------------------

Scheduler::Scheduler(SchedulerOptions options) : state_(std::make_unique<State>(options)) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

std::vector<Action> Scheduler::handle(const Event& event, Instant now) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  if (const auto id = speaker(event)) {
    if (Worker* worker = state.find_worker(*id)) {
      state.hear(*worker);
    }
  }
  state.drop_silent_workers();
  std::visit([&](const auto& e) { state.on(e); }, event);
  state.flush_forgets();
  state.hand_out();
  return std::exchange(state.actions, {});
}

std::optional<Instant> Scheduler::next_deadline() const {
  const State& state = *state_;
  std::optional<Instant> next;
  const auto consider = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  if (!state.by_heard.empty()) {
    consider(state.by_heard.begin()->first + Instant(state.options.lost_seconds));
  }
  if (state.free_workers.empty()) {
    return next;
  }
  // What is late already and was not handed out waits for an event, not for a time.
  for (const JobState& job : state.jobs) {
    for (const auto* late : {&job.waiting(), &job.running()}) {
      const auto first = late->upper_bound({state.now, UINT32_MAX});
      if (first != late->end()) {
        consider(first->first);
      }
    }
  }
  return next;
}

std::optional<JobProgress> Scheduler::progress(std::uint64_t fit, Phase phase) const {
  const JobState* job = state_->find_job(fit, phase);
  return job == nullptr ? std::nullopt : std::optional(job->progress());
}

SchedulerView Scheduler::view() const {
  SchedulerView view;
  for (const JobState& job : state_->jobs) {
    JobView shown{job.progress(), {}};
    for (const JobState::Task& task : job.tasks()) {
      shown.states.push_back(task.state);
    }
    view.jobs.push_back(std::move(shown));
  }
  for (const auto& [id, worker] : state_->workers) {
    WorkerView shown{id, worker.credit, {}, worker.heard, worker.busy_seconds};
    for (const Lease& lease : worker.leases) {
      shown.leases.push_back(lease.task);
    }
    view.workers.push_back(std::move(shown));
  }
  return view;
}

// ---- invariants ----------------------------------------------------------------------------------------------------

std::string Scheduler::State::broken_worker(Worker& worker) {
  const auto broken = [&](const char* what) { return fmt::format("worker {}: {}", worker.id, what); };
  std::size_t given = 0;
  for (const Lease& lease : worker.leases) {
    const JobState* job = find_job(lease.task);
    if (job == nullptr || !contains(job->tasks()[lease.task.task].holders, worker.id)) {
      return broken("holds a task that does not know it");
    }
    given += lease.adopted ? 0 : 1;
  }
  if (given > worker.credit) {
    return broken("was given more than its credit");
  }
  if (!worker.leases.empty() && !worker.leases.front().started) {
    return broken("its first task has not started");
  }
  if (worker.free() != free_workers.contains({worker.leases.size(), worker.id}) ||
      worker.free() != worker.free_index.has_value()) {
    return broken("has free credit and is not listed, or the other way round");
  }
  if (!by_heard.contains({worker.heard, worker.id})) {
    return broken("is not watched for silence");
  }
  if (!worker.free() || store_full()) {
    return "";
  }
  for (const JobState& job : jobs) {
    for (std::uint32_t task = 0; task < job.tasks().size(); ++task) {
      if (job.tasks()[task].state == TaskState::kPending && job.allowed(task, worker.machine, other_machine())) {
        return broken("has free credit while a task is pending");
      }
    }
  }
  return "";
}

std::string Scheduler::State::broken_invariant() {
  std::uint64_t storing = 0;
  std::size_t held = 0;
  for (const JobState& job : jobs) {
    if (const std::string broken = job.broken_invariant(); !broken.empty()) {
      return broken;
    }
    if (job.complete()) {
      return fmt::format("fit {} is complete and still here", job.job().fit);
    }
    for (std::uint32_t task = 0; task < job.tasks().size(); ++task) {
      held += job.tasks()[task].holders.size();
      storing += job.tasks()[task].state == TaskState::kStoring ? job.info(task).bytes : 0;
    }
  }
  std::size_t leases = 0;
  for (auto& [id, worker] : workers) {
    if (const std::string broken = broken_worker(worker); !broken.empty()) {
      return broken;
    }
    leases += worker.leases.size();
  }
  if (held != leases) {
    return "the leases of the workers and the holders of the tasks are not the same";
  }
  if (by_heard.size() != workers.size() || jobs.size() != job_index.size()) {
    return "an index holds something that is gone";
  }
  if (storing != storing_bytes) {
    return "the bytes with the store are counted wrongly";
  }
  return "";
}

std::string Scheduler::broken_invariant() const {
  return state_->broken_invariant();
}

}  // namespace ipfit
