#include "manager/run/manager.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <random>
#include <utility>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/fit/fit_file.h"
#include "common/model/probe.h"
#include "common/overloaded.h"
#include "manager/plan/tasks.h"
#include "manager/run/status.h"

namespace ipfit {
namespace {

constexpr int kMostBadFrames = 3;
constexpr std::size_t kMostStrangers = 10000;  // peers remembered that are no workers
constexpr double kTickSeconds = 0.2;
constexpr std::uint32_t kMostCredit = 64;  // of one evaluator, whatever it offers
constexpr std::size_t kMostTasksInMessage = 1000;
constexpr double kAskAgainSeconds = 1.0;
constexpr int kMostRepairs = 3;  // of one step: a disk that damages again what was just mended will not stop

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Why this peer cannot work for us, in words; empty where it can.
std::optional<Reject> objection(const Hello& hello) {
  if (hello.protocol != kProtocolVersion) {
    return Reject{
        fmt::format("the worker speaks protocol version {}, this manager {}", hello.protocol, kProtocolVersion),
        "install the same version of ipfit on both machines"};
  }
  if (hello.build != build_id()) {
    return Reject{fmt::format("the worker is build {}, this manager {}; other builds may round differently",
                              hello.build, build_id()),
                  "install the same build of ipfit on both machines"};
  }
  if (const Status good = check_self_test(hello.self_test); !good) {
    return Reject{good.error().what, "this machine or build computes wrong numbers; do not use it"};
  }
  return std::nullopt;
}

}  // namespace

std::string random_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 4; ++i) {
    id += fmt::format("{:08x}", device());
  }
  return id;
}

std::vector<Step> fit_steps(const FitDirectory& directory) {
  const std::string ipfit = program_beside("ipfit");
  std::vector<Step> steps{
      PhaseStep{Phase::kAssembly, [directory] { return prepare_assembly(directory); }},
      ProgramStep{FitState::kSolving, {ipfit, "solve", directory.path, "--quiet", "--no-errors"}},
      PhaseStep{Phase::kDimers, [directory] { return prepare_dimers(directory, "default"); }},
      ProgramStep{FitState::kErrors, {ipfit, "errors", directory.path, "--quiet"}},
  };
  // A fit file that cannot be read is reported by the first step.
  if (const auto spec = load_fit_file(directory.fit_file()); spec && spec->assembly.keep == Keep::kReduced) {
    steps.insert(steps.begin() + 2,
                 PhaseStep{Phase::kErrors, [directory] { return prepare_errors(directory, "default"); }});
  }
  return steps;
}

Manager::Manager(Transport& transport, Log log, std::string key)
    : transport_(transport), log_(std::move(log)), outbox_(transport), id_(random_id()), key_(std::move(key)) {}

Manager::~Manager() = default;

Instant Manager::now() const {
  return std::chrono::steady_clock::now().time_since_epoch();
}

// ---- fits ---------------------------------------------------------------------------------------------------------

// Workers send what was not acknowledged to the next manager too, so the number must name the same fit for ever.
std::uint64_t Manager::number_for(std::string_view id) const {
  std::uint64_t number = checksum(id);
  while (fits_.contains(number)) {
    ++number;
  }
  return number;
}

std::uint64_t Manager::start(std::string id, std::string name, std::vector<Step> steps, bool skip_bad_structures) {
  const std::uint64_t number = number_for(id);
  arrival_order_.push_back(number);
  FitRun& run = fits_[number];
  run.number = number;
  run.status.id = std::move(id);
  run.status.name = std::move(name);
  run.steps = std::move(steps);
  run.skip_bad_structures = skip_bad_structures;
  begin_step(run);
  return number;
}

std::uint64_t Manager::add_ended(FitStatus status) {
  const std::uint64_t number = number_for(status.id);
  arrival_order_.push_back(number);
  FitRun& run = fits_[number];
  run.number = number;
  run.status = std::move(status);
  return number;
}

void Manager::cancel(std::uint64_t number) {
  FitRun* run = fit(number);
  if (run == nullptr || run->status.state >= FitState::kDone) {
    return;
  }
  log_.info(fmt::format("{}: cancelled", run->status.id));
  run->child.reset();
  decide(event::JobRemoved{number});
  end_phase(*run);
  run->status.state = FitState::kCancelled;
}

FitRun* Manager::fit(std::uint64_t number) {
  const auto run = fits_.find(number);
  return run == fits_.end() ? nullptr : &run->second;
}

void Manager::begin_step(FitRun& run) {
  if (run.step == run.steps.size()) {
    run.status.state = FitState::kDone;
    log_.info(fmt::format("{}: done", run.status.id));
    return;
  }
  std::visit(Overloaded{
                 [&](const PhaseStep& step) {
                   run.status.state = step.phase == Phase::kAssembly ? FitState::kAssembling : FitState::kErrors;
                   run.status.tasks_total = 0;
                   run.preparing = std::make_unique<Background>();
                   run.preparing->post([this, number = run.number, prepare = step.prepare]() -> Background::Finish {
                     auto ready = std::make_shared<Result<ReadyPhase>>(prepare());
                     return [this, number, ready] {
                       FitRun* waiting = fit(number);
                       if (waiting == nullptr || waiting->status.state >= FitState::kDone) {
                         return;
                       }
                       if (*ready) {
                         begin_phase(*waiting, std::move(**ready));
                       } else {
                         fail(*waiting, ready->errors());
                       }
                     };
                   });
                 },
                 [&](const ProgramStep& step) {
                   run.status.state = step.state;
                   auto child = ChildProcess::start(step.arguments, true);
                   if (child) {
                     run.child.emplace(std::move(*child));
                   } else {
                     fail(run, child.errors());
                   }
                 },
             },
             run.steps[run.step]);
}

void Manager::begin_phase(FitRun& run, ReadyPhase ready) {
  for (const std::string& finding : ready.findings) {
    log_.warn(fmt::format("{}: {}", run.status.id, finding));
  }
  const Phase phase = std::get<PhaseStep>(run.steps[run.step]).phase;
  run.phase.emplace(std::move(ready));
  std::vector<std::uint32_t> aside;
  for (const QuarantineRecord& record : run.phase->quarantined) {
    aside.push_back(record.structure);
    note_aside(run, record.structure, record.reason);
  }
  run.phase_started = now();
  run.cpu_at_start = own_cpu_seconds();
  run.busy_seconds = 0.0;
  run.most_slots = 0;
  run.structures_done = 0;
  for (std::size_t i = 0; i < run.phase->tasks.size(); ++i) {
    run.structures_done += run.phase->done[i] ? run.phase->tasks[i].structures : 0;
  }
  run.structures_at_start = run.structures_done;
  if (phase == Phase::kAssembly || run.status.rows == 0) {  // what a person calls the size of the fit
    run.status.structures = run.phase->structures.size();
    run.status.rows = static_cast<std::uint64_t>(run.phase->row_count());
    run.status.columns = static_cast<std::uint64_t>(run.phase->columns);
  }
  if (!key_.empty()) {
    auto shared = run.phase->store->share();
    if (!shared) {
      fail(run, shared.errors());
      return;
    }
    run.phase->shared = std::move(*shared);
  }
  store_.open({run.number, phase}, std::move(*run.phase->store));
  run.phase->store.reset();
  log_.info(fmt::format("{}: {}: {} rows x {} columns in {} tasks, {} of {} structures already stored", run.status.id,
                        state_name(run.status.state), run.phase->row_count(), run.phase->columns,
                        run.phase->tasks.size(), run.structures_done, run.phase->structures.size()));
  // Dimers are an extra: where the potential has no finite energy for two atoms, the fit is as good as without them.
  const bool skip = run.skip_bad_structures || phase == Phase::kDimers;
  decide(event::JobAdded{Job{run.number, phase, run.phase->tasks, run.phase->done, std::move(aside), skip}});
}

std::string Manager::phase_summary(const FitRun& run) const {
  const double seconds = (now() - run.phase_started).count();
  const std::uint64_t fresh = run.structures_done - run.structures_at_start;
  if (fresh == 0) {
    return fmt::format("{} rows x {} columns, all were stored already", run.phase->row_count(), run.phase->columns);
  }
  const double slot_seconds = seconds * static_cast<double>(run.most_slots);
  return fmt::format(
      "{} rows x {} columns, {} structures evaluated in {:.2f} s by {} slot(s), busy {:.0f} %; manager {:.2f} s CPU{}",
      run.phase->row_count(), run.phase->columns, fresh, seconds, run.most_slots,
      slot_seconds > 0.0 ? std::min(100.0, 100.0 * run.busy_seconds / slot_seconds) : 0.0,
      own_cpu_seconds() - run.cpu_at_start,
      run.structures_at_start > 0 ? fmt::format("; {} structures were stored already", run.structures_at_start) : "");
}

void Manager::end_phase(FitRun& run) {
  if (!run.phase) {
    return;
  }
  const Phase phase = std::get<PhaseStep>(run.steps[run.step]).phase;
  store_.close({run.number, phase});
  run.phase.reset();
  for (const auto& [id, session] : sessions_.all()) {
    std::erase_if(sessions_.find(id)->incoming,
                  [&](const auto& item) { return item.first.fit == run.number && item.first.phase == phase; });
  }
}

void Manager::end_step(std::uint64_t number) {
  FitRun* run = fit(number);
  if (run == nullptr || run->status.state >= FitState::kDone) {
    return;
  }
  ++run->step;
  run->repairs = 0;
  begin_step(*run);
}

/// Rows that were stored by an earlier run, and with which the step was thought to be complete, are damaged: the step
/// begins again with those that are left.
void Manager::repeat_step(std::uint64_t number, const std::vector<std::string>& damaged) {
  FitRun* run = fit(number);
  if (run == nullptr || run->status.state >= FitState::kDone) {
    return;
  }
  for (const std::string& rows : damaged) {
    log_.warn(fmt::format("{}: {}", run->status.id, rows));
  }
  if (++run->repairs > kMostRepairs) {
    fail(*run, {Error{ErrorKind::kStorage, "",
                      fmt::format("stored rows were damaged {} times in a row: {}", run->repairs, damaged[0]),
                      "the disk or its connection fails: see the system log (dmesg)"}});
    return;
  }
  begin_step(*run);
}

void Manager::fail(FitRun& run, std::vector<Error> errors) {
  for (const Error& error : errors) {
    log_.error(fmt::format("{}: {}", run.status.id, error.text()));
  }
  if (run.status.state < FitState::kDone) {
    decide(event::JobRemoved{run.number});
    end_phase(run);
    run.status.state = FitState::kFailed;
    run.status.errors = std::move(errors);
  }
}

void Manager::poll_children() {
  for (auto& [number, run] : fits_) {
    if (!run.child) {
      continue;
    }
    const auto ended = run.child->poll();
    if (!ended) {
      continue;
    }
    run.child.reset();
    if (ended->code == 0) {
      end_step(number);
      continue;
    }
    std::string what = ended->message;
    while (what.ends_with('\n')) {
      what.pop_back();
    }
    if (constexpr std::string_view kName = "ipfit: "; what.starts_with(kName)) {
      what.erase(0, kName.size());  // whoever shows the error says it again
    }
    if (ended->code > 128) {
      what = fmt::format("{} was ended by signal {}{}{}", std::get<ProgramStep>(run.steps[run.step]).arguments[1],
                         ended->code - 128, what.empty() ? "" : ": ", what);
    }
    const auto kind = ended->code >= 1 && ended->code <= 7 ? static_cast<ErrorKind>(ended->code) : ErrorKind::kFailed;
    const std::string remedy = ended->code == 128 + SIGKILL
                                   ? "the system does this when memory runs out: see what ipfit check says of it"
                                   : "";
    fail(run, {Error{kind, "", what, remedy}});
  }
}

FitStatus Manager::status(std::uint64_t number) const {
  const FitRun& run = fits_.at(number);
  FitStatus status = run.status;
  if (!run.phase) {
    return status;
  }
  const Phase phase = std::get<PhaseStep>(run.steps[run.step]).phase;
  const auto progress = scheduler_.progress(number, phase);
  if (!progress) {
    return status;
  }
  status.tasks_total = run.phase->tasks.size();
  status.tasks_done = progress->done;
  status.cost_done = progress->cost_total > 0.0 ? progress->cost_done / progress->cost_total : 1.0;
  const double seconds = (now() - run.phase_started).count();
  const auto fresh = static_cast<double>(run.structures_done - run.structures_at_start);
  status.structures_per_second = seconds > 0.0 ? fresh / seconds : 0.0;
  const double slots = static_cast<double>(sessions_.all().size());
  if (progress->seconds_per_cost > 0.0 && slots > 0.0) {
    status.seconds_left = (progress->cost_total - progress->cost_done) * progress->seconds_per_cost / slots;
  }
  return status;
}

std::vector<WorkerStatus> Manager::workers() const {
  std::vector<WorkerStatus> all;
  const SchedulerView view = scheduler_.view();
  for (const WorkerView& worker : view.workers) {
    const auto session = sessions_.all().find(worker.worker);
    if (session == sessions_.all().end()) {
      continue;
    }
    const Session& known = session->second;
    all.push_back({known.hello.host, known.hello.pid, known.hello.slot,
                   static_cast<std::uint32_t>(worker.leases.size()), known.rows, known.busy_seconds,
                   (now() - known.last_heard).count()});
  }
  return all;
}

std::string Manager::describe_structure(const FitRun& run, std::uint32_t structure) const {
  return run.phase && structure < run.phase->structures.size() ? describe(run.phase->structures[structure].source)
                                                               : fmt::format("structure {}", structure);
}

// ---- messages -----------------------------------------------------------------------------------------------------

void Manager::send(const Peer& peer, Message message, Payload payload) {
  if (!outbox_.send(peer, std::move(message), std::move(payload))) {
    if (const Session* session = sessions_.find(peer)) {
      lose(session->id, "its connection is gone");
    }
  }
}

void Manager::reply(const Peer& peer, Message message, Payload payload) {
  static_cast<void>(outbox_.send(peer, std::move(message), std::move(payload)));  // a client that left asked in vain
}

void Manager::lose(WorkerId worker, const std::string& why) {
  Session* session = sessions_.find(worker);
  if (session == nullptr) {
    return;
  }
  log_.info(fmt::format("worker {} left: {}", session->name(), why));
  end_session(*session);
  decide(event::WorkerLeft{worker});
}

void Manager::end_session(Session& session) {
  if (session.ours) {
    std::erase_if(lost_, [](const ProcessHandle& process) { return !process.alive(); });
    lost_.push_back(std::move(*session.ours));
  }
  outbox_.forget(session.peer);
  sessions_.remove(session.id);
}

/// Somebody is writing rows that are wanted from somebody else by now. Whoever of ours is not heard of any more may
/// have been stopped in the middle of it, and would keep the rows locked for ever.
void Manager::end_lost() {
  for (const ProcessHandle& process : lost_) {
    log_.warn(
        fmt::format("process {}, a worker that fell silent while it may be writing rows, is ended", process.pid()));
    process.kill();
  }
  lost_.clear();
}

void Manager::receive_bad(const BadFrame& bad) {
  log_.warn(fmt::format("bad message: {}", bad.error.text()));
  if (bad_frames_.size() > kMostStrangers) {
    bad_frames_.clear();
  }
  if (++bad_frames_[bad.peer] < kMostBadFrames) {
    return;
  }
  bad_frames_.erase(bad.peer);
  reply(bad.peer, Reject{"too many messages that could not be read; the last one: " + bad.error.what,
                         "install the same build of ipfit on both machines"});
  if (const Session* session = sessions_.find(bad.peer)) {
    lose(session->id, "it sent messages that could not be read");
  }
}

void Manager::refuse_version(const BadFrame& bad) {
  log_.warn(fmt::format("refused: {}", bad.error.text()));
  reply(bad.peer, Reject{bad.error.what, bad.error.remedy});
  if (const Session* session = sessions_.find(bad.peer)) {
    lose(session->id, bad.error.what);
  }
}

void Manager::who(const Peer& peer) {
  if (asked_.size() > kMostStrangers) {
    asked_.clear();
  }
  const double time = now().count();
  double& last = asked_[peer];
  if (last == 0.0 || time - last > kAskAgainSeconds) {
    last = time;
    reply(peer, Who{});
  }
}

void Manager::hello(const Peer& peer, Hello message) {
  if (const auto reject = objection(message)) {
    log_.warn(fmt::format("worker {}:{} refused: {}", message.host, message.pid, reject->reason));
    reply(peer, *reject);
    return;
  }
  message.credit = std::min(message.credit, kMostCredit);
  asked_.erase(peer);
  if (const Session* earlier = sessions_.same_slot(message)) {
    lose(earlier->id, "it came back as a new connection");
  }
  if (const Session* earlier = sessions_.find(peer)) {
    lose(earlier->id, "it introduced itself again");
  }
  // The report comes with every Hello until one was welcomed: it counts once.
  if (message.crash && !crashes_.insert({message.worker, message.slot, message.incarnation}).second) {
    message.crash.reset();
  }
  if (message.crash) {
    log_.warn(fmt::format("worker {} slot {}: the evaluator died at structure {}", message.host, message.slot,
                          message.crash->structure));
  }
  Session& session = sessions_.add(peer, std::move(message), now());
  if (!key_.empty() && session.hello.key == key_) {
    session.ours.emplace(static_cast<int>(session.hello.pid));
    std::erase_if(lost_, [&](const ProcessHandle& lost) { return lost.pid() == session.ours->pid(); });
  }
  log_.info(fmt::format("worker {} slot {} joined", session.name(), session.hello.slot));
  const WorkerId id = session.id;
  send(peer, Welcome{id_});
  if (const Session* still = sessions_.find(id)) {
    decide(event::WorkerJoined{id, still->hello.worker, still->hello.credit, still->hello.holding, still->hello.crash});
  }
}

std::optional<RowRange> Manager::rows_wanted(const TaskId& task) {
  const FitRun* run = fit(task.fit);
  if (run == nullptr || !run->phase || task.task >= run->phase->tasks.size() ||
      std::get<PhaseStep>(run->steps[run->step]).phase != task.phase) {
    return std::nullopt;
  }
  return run->phase->rows[task.task];
}

void Manager::chunk(Session& session, const BlockChunk& message, Payload payload) {
  const auto rows = rows_wanted(message.task);
  if (!rows) {
    return;  // of a fit that is over; the commit is answered
  }
  // A worker holds no more blocks than tasks; more is a peer that wants our memory.
  if (session.incoming.size() > session.hello.credit && !session.incoming.contains(message.task)) {
    lose(session.id, "it sends more blocks than it was given tasks");
    return;
  }
  const auto bytes = fit(message.task.fit)->phase->tasks[message.task.task].bytes;
  const Status added = add_chunk(session.incoming[message.task], message, std::move(payload), bytes);
  if (!added) {
    receive_bad({session.peer, added.error()});
  }
}

/// Where the worker of the session may write the rows of the task itself; empty: nowhere.
std::optional<Place> Manager::place_of(const Session& session, const TaskId& task) {
  const auto rows = rows_wanted(task);
  if (!rows || !session.ours) {
    return std::nullopt;
  }
  const std::optional<SharedFile>& file = fit(task.fit)->phase->shared;
  if (!file) {
    return std::nullopt;
  }
  return Place{file->path, file->id, static_cast<std::uint64_t>(rows->first) * file->row_bytes};
}

/// Whether the whole block of a task that is wanted is here. If not, the worker is told what to do about it.
bool Manager::arrived(Session& session, const Commit& message) {
  IncomingBlock& block = session.incoming[message.task];
  const auto bytes = fit(message.task.fit)->phase->tasks[message.task.task].bytes;
  if (message.in_place && message.bytes == bytes && place_of(session, message.task)) {
    block.in_place = message.checksum;
    return true;
  }
  if (!message.in_place && complete(block, message, bytes)) {
    if (place_of(session, message.task) && !std::exchange(session.sends, true)) {
      log_.info(fmt::format("worker {}: sends rows that it might have written in place", session.name()));
    }
    return true;
  }
  session.incoming.erase(message.task);
  if (message.in_place) {
    // Written for another manager than this one: the rows are not in our store and not in the worker's memory.
    log_.warn(fmt::format("worker {}: wrote a block in place that was not given to it so", session.name()));
    const WorkerId id = session.id;
    send(Peer(session.peer), Forget{{message.task}});
    decide(event::HandedBack{id, {message.task}});
    return false;
  }
  // Chunks were lost on the way: the worker introduces itself and sends the block again.
  log_.warn(fmt::format("worker {}: incomplete block, asked for again", session.name()));
  who(session.peer);
  return false;
}

/// Whether a structure of the task was set aside after this block of reduced rows was begun: its rows cannot be taken
/// out of them any more. (Other blocks are welcome, since whoever reads the rows leaves them out.)
bool Manager::is_outdated(const Commit& message) {
  const ReadyPhase& phase = *fit(message.task.fit)->phase;
  const TaskInfo& task = phase.tasks[message.task.task];
  const auto aside = std::ranges::count_if(phase.quarantined, [&](const QuarantineRecord& bad) {
    return bad.structure >= task.first_structure && bad.structure - task.first_structure < task.structures;
  });
  return phase.reduced && aside != message.left_out;
}

void Manager::commit(Session& session, const Commit& message) {
  if (!rows_wanted(message.task)) {
    send(session.peer, Forget{{message.task}});
    return;
  }
  if (!arrived(session, message)) {
    return;
  }
  if (is_outdated(message)) {
    session.incoming.erase(message.task);
    const WorkerId sender = session.id;
    send(Peer(session.peer), Forget{{message.task}});
    decide(event::HandedBack{sender, {message.task}});
    return;
  }
  session.incoming[message.task].seconds = message.seconds;
  session.busy_seconds += message.seconds;
  FitRun& run = *fit(message.task.fit);
  run.busy_seconds += message.seconds;
  run.most_slots = std::max(run.most_slots, sessions_.all().size());
  const WorkerId id = session.id;
  decide(event::BlockArrived{id, message.task, message.seconds});
  // The session may have ended in it, with a connection that is gone. Whatever was decided, the chunks have been moved
  // on or are not wanted.
  if (Session* still = sessions_.find(id)) {
    still->incoming.erase(message.task);
  }
}

void Manager::receive(Incoming incoming) {
  Session* session = sessions_.find(incoming.peer);
  if (std::holds_alternative<Hello>(incoming.message)) {
    hello(incoming.peer, std::move(std::get<Hello>(incoming.message)));
    return;
  }
  const bool from_worker =
      std::holds_alternative<Heartbeat>(incoming.message) || std::holds_alternative<BlockChunk>(incoming.message) ||
      std::holds_alternative<Commit>(incoming.message) || std::holds_alternative<TaskFailed>(incoming.message) ||
      std::holds_alternative<HandBack>(incoming.message) || std::holds_alternative<Bye>(incoming.message);
  if (!from_worker) {
    if (clients_) {
      clients_(incoming.peer, std::move(incoming.message), std::move(incoming.payload));
    }
    return;
  }
  if (session == nullptr) {
    if (!std::holds_alternative<Bye>(incoming.message)) {
      who(incoming.peer);
    }
    return;
  }
  session->last_heard = now();
  const WorkerId id = session->id;
  std::visit(Overloaded{
                 [&](Heartbeat& message) {
                   send(incoming.peer, Alive{});
                   decide(event::WorkerHeard{id, std::move(message.holding)});
                 },
                 [&](BlockChunk& message) {
                   chunk(*session, message, std::move(incoming.payload));
                   decide(event::WorkerHeard{id, std::nullopt});  // last: the session may end in it
                 },
                 [&](Commit& message) { commit(*session, message); },
                 [&](TaskFailed& message) {
                   decide(event::StructureFailed{id, message.task, message.structure, std::move(message.reason)});
                 },
                 [&](HandBack& message) {
                   decide(event::HandedBack{id, std::move(message.tasks)});
                 },
                 [&](Bye&) {
                   session->ours.reset();
                   lose(id, "it said good-bye");
                 },
                 [](auto&) {},
             },
             incoming.message);
}

// ---- decisions and deeds ------------------------------------------------------------------------------------------

void Manager::decide(const Event& event) {
  for (const Action& action : scheduler_.handle(event, now())) {
    act(action);
  }
}

void Manager::act(const Action& action) {
  std::visit(
      Overloaded{
          [this](const action::SendTask& send_it) { send_task(send_it); },
          [this](const action::StoreBlock& store_it) { store_block(store_it); },
          [this](const action::DropBlock& drop) {
            Session* session = sessions_.find(drop.worker);
            if (session != nullptr && drop.acknowledge) {
              send(session->peer, Ack{drop.task});
            }
          },
          [this](const action::AckBlock& ack) {
            if (const Session* session = sessions_.find(ack.worker)) {
              send(session->peer, Ack{ack.task});
            }
          },
          [this](const action::ForgetTasks& forget) { forget_tasks(forget); },
          [this](const action::DropWorker& drop) {
            if (Session* session = sessions_.find(drop.worker)) {
              log_.warn(fmt::format("worker {} dropped: {}", session->name(), drop.reason));
              end_session(*session);
            }
          },
          [this](const action::Quarantine& bad) { quarantine(bad); },
          [this](const action::JobDone& done) {
            if (FitRun* run = fit(done.fit)) {
              const std::string summary = phase_summary(*run);
              log_.info(fmt::format("{}: {}", run->status.id, summary));
              if (done.phase == Phase::kAssembly) {
                run->assembly_summary = summary;
              }
              end_phase(*run);
              // Goes on when the store has closed: the solver reads what it wrote.
            }
          },
          [this](const action::JobFailed& failed) {
            if (FitRun* run = fit(failed.fit)) {
              fail(*run,
                   {Error{
                       ErrorKind::kFailed, describe_structure(*run, failed.structure), failed.reason,
                       "mend or remove this structure; a fit can also set on_bad_structure = \"skip\" in [assembly]"}});
            }
          },
      },
      action);
}

void Manager::forget_tasks(const action::ForgetTasks& action) {
  for (std::size_t first = 0; first < action.tasks.size(); first += kMostTasksInMessage) {
    Session* session = sessions_.find(action.worker);
    if (session == nullptr) {
      return;
    }
    const auto begin = action.tasks.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(kMostTasksInMessage, action.tasks.size() - first));
    std::for_each(begin, end, [&](const TaskId& task) { session->incoming.erase(task); });
    send(Peer(session->peer), Forget{{begin, end}});
  }
}

void Manager::send_task(const action::SendTask& action) {
  Session* session = sessions_.find(action.worker);
  const FitRun* run = fit(action.task.fit);
  if (session == nullptr || run == nullptr || !run->phase) {
    return;
  }
  const ReadyPhase& phase = *run->phase;
  const TaskInfo& task = phase.tasks[action.task.task];
  TaskMessage message;
  message.task = action.task;
  message.model = phase.model_hash;
  message.first_structure = task.first_structure;
  for (std::uint32_t i = task.first_structure; i < task.first_structure + task.structures; ++i) {
    message.structures.push_back({phase.structures[i].mask, std::ranges::count(action.excluded, i) > 0});
  }
  const auto records = phase.dataset.records(task.first_structure, task.structures);
  message.payload_checksum = checksum(records);
  message.reduce = phase.reduced;
  message.place = place_of(*session, action.task);
  const Peer peer = session->peer;
  if (session->models.insert(phase.model_hash).second) {
    send(peer, ModelMessage{phase.model_hash}, Payload(std::string_view(phase.model_text)));
  }
  if (sessions_.find(action.worker) != nullptr) {
    send(peer, std::move(message), Payload(records, phase.dataset.mapping));
  }
}

void Manager::store_block(const action::StoreBlock& action) {
  Session* session = sessions_.find(action.worker);
  const auto rows = rows_wanted(action.task);
  if (session == nullptr || !rows) {
    return;
  }
  const auto block = session->incoming.find(action.task);
  if (block == session->incoming.end()) {
    return;
  }
  IncomingBlock& arrived = block->second;
  if (arrived.in_place) {
    store_.adopt({action.task, {*rows, *arrived.in_place, session->name(), arrived.seconds}, session->id});
  } else {
    store_.write({action.task, *rows, std::move(arrived.chunks), std::move(arrived.checksums), session->id,
                  session->name(), arrived.seconds});
  }
  session->rows += static_cast<std::uint64_t>(rows->count);
  session->incoming.erase(block);
  const auto progress = scheduler_.progress(action.task.fit, action.task.phase);
  if (progress && progress->pending + progress->leased == 0) {
    store_.hurry();
  }
}

// Once for each structure, whatever phase it was bad in.
void Manager::note_aside(FitRun& run, std::uint32_t structure, const std::string& reason) {
  const std::string place = describe_structure(run, structure);
  const bool known = std::ranges::any_of(run.status.quarantined,
                                         [&](const std::string& text) { return text.starts_with(place + ":"); });
  if (!known) {
    run.status.quarantined.push_back(place + ": " + reason);
    log_.warn(fmt::format("{}: set aside: {}", run.status.id, run.status.quarantined.back()));
  }
}

void Manager::quarantine(const action::Quarantine& bad) {
  FitRun* run = fit(bad.fit);
  if (run == nullptr || !run->phase) {
    return;
  }
  note_aside(*run, bad.structure, bad.reason);
  run->phase->quarantined.push_back({bad.structure, bad.reason});
  store_.quarantine({bad.fit, bad.phase}, {bad.structure, bad.reason});
}

void Manager::stored(const StoreEvent& event) {
  std::visit(Overloaded{
                 [this](const stored::Durable& durable) {
                   if (FitRun* run = fit(durable.task.fit); run != nullptr && run->phase) {
                     run->structures_done += run->phase->tasks[durable.task.task].structures;
                   }
                   decide(event::BlockStored{durable.task});
                 },
                 [this](const stored::Damaged& damaged) {
                   log_.warn(fmt::format("a block was not taken: {}", damaged.reason));
                   decide(event::BlockRefused{damaged.worker, damaged.task, damaged.reason});
                 },
                 [this](const stored::Busy&) { end_lost(); },
                 [this](const stored::Failed& failed) {
                   if (FitRun* run = fit(failed.key.fit)) {
                     fail(*run, {failed.error});
                   }
                 },
                 [this](const stored::Closed& closed) {
                   if (closed.damaged.empty()) {
                     end_step(closed.key.fit);
                   } else {
                     repeat_step(closed.key.fit, closed.damaged);
                   }
                 },
             },
             event);
}

// ---- the loop -----------------------------------------------------------------------------------------------------

bool Manager::turn() {
  bool busy = false;
  // Bounded, so that a flood of messages cannot keep the loop from the store and the clock.
  for (int i = 0; i < 256; ++i) {
    auto arrived = transport_.receive();
    if (!arrived) {
      break;
    }
    busy = true;
    if (auto* incoming = std::get_if<Incoming>(&*arrived)) {
      receive(std::move(*incoming));
    } else {
      const auto& bad = std::get<BadFrame>(*arrived);
      if (bad.error.kind == ErrorKind::kRefused) {
        refuse_version(bad);
      } else {
        receive_bad(bad);
      }
    }
  }
  for (const StoreEvent& event : store_.take_events()) {
    busy = true;
    stored(event);
  }
  for (auto& [number, run] : fits_) {
    if (run.preparing && run.preparing->finish()) {
      run.preparing.reset();
    }
  }
  poll_children();
  for (const Peer& peer : outbox_.flush()) {
    if (const Session* session = sessions_.find(peer)) {
      lose(session->id, "its connection is gone");
    }
  }
  if ((now() - last_tick_).count() >= kTickSeconds) {
    last_tick_ = now();
    decide(event::Tick{});
  }
  return busy;
}

void Manager::wait(const std::vector<int>& extra) const {
  std::vector<pollfd> fds{{transport_.descriptor(), POLLIN, 0}, {store_.descriptor(), POLLIN, 0}};
  for (const int fd : extra) {
    fds.push_back({fd, POLLIN, 0});
  }
  for (const auto& [number, run] : fits_) {
    if (run.preparing) {
      fds.push_back({run.preparing->descriptor(), POLLIN, 0});
    }
    if (run.child) {
      fds.push_back({run.child->descriptor(), POLLIN, 0});
    }
  }
  const int timeout_ms = outbox_.empty() ? static_cast<int>(kTickSeconds * 1000) : 5;
  ::poll(fds.data(), fds.size(), timeout_ms);
}

void Manager::run(const std::function<bool()>& keep_going, const std::vector<int>& extra) {
  while (keep_going()) {
    if (!turn()) {
      wait(extra);
    }
  }
}

void Manager::drain(double seconds) {
  std::vector<Peer> peers;
  for (const auto& [id, session] : sessions_.all()) {
    peers.push_back(session.peer);
  }
  for (const Peer& peer : peers) {
    send(peer, Drain{});
  }
  const Instant deadline = now() + Instant(seconds);
  run([&] { return !sessions_.all().empty() && now() < deadline; }, {});
}

}  // namespace ipfit
