#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "common/log.h"
#include "common/result.h"
#include "manager/plan/fit_directory.h"
#include "manager/run/background.h"
#include "manager/run/child_process.h"
#include "manager/run/phase.h"
#include "manager/run/scheduler.h"
#include "manager/run/sessions.h"
#include "manager/run/store_thread.h"
#include "proto/message.h"
#include "proto/transport.h"

namespace ipfit {

/// What a fit does, step by step. Every step finds out by itself what of it was done before, and does only the rest.
struct PhaseStep {
  Phase phase = Phase::kAssembly;
  std::function<Result<ReadyPhase>()> prepare;  ///< runs on a background thread
};
struct ProgramStep {
  FitState state = FitState::kSolving;
  std::vector<std::string> arguments;  ///< of a child process: a crash or a long factorisation cannot hurt the manager
};
using Step = std::variant<PhaseStep, ProgramStep>;

/// 32 hexadecimal digits that nobody can guess.
std::string random_id();

/// The steps of a fit directory: assemble, solve, predict dimers (and where rows are reduced all labels), compare.
std::vector<Step> fit_steps(const FitDirectory& directory);

/// What the manager does for a fit at the moment.
struct FitRun {
  std::uint64_t number = 0;
  FitStatus status;
  std::vector<Step> steps;
  std::size_t step = 0;
  bool skip_bad_structures = false;
  std::optional<ReadyPhase> phase;    ///< of a phase step that workers are busy with
  std::optional<ChildProcess> child;  ///< of a program step
  std::unique_ptr<Background> preparing;
  std::uint64_t structures_done = 0;
  std::uint64_t structures_at_start = 0;
  double busy_seconds = 0.0;  ///< that workers spent evaluating blocks of the phase
  std::size_t most_slots = 0;
  Instant phase_started{0};
  double cpu_at_start = 0.0;     ///< of this process, s
  int repairs = 0;               ///< times that stored rows of the step turned out damaged
  std::string assembly_summary;  ///< once the assembly is over: rows, seconds, how busy the workers were
};

/// The event loop: owns the socket and the scheduler, runs fits step by step. Never evaluates a basis, never waits for
/// a disk or for LAPACK: the store has a thread, opening a fit has one, solving is a child process.
class Manager {
 public:
  /// `key`: what the worker that is started beside this manager finds in kKeyVariable and nobody else knows. Whoever
  /// says it writes rows in place instead of sending them. Empty: nobody does.
  Manager(Transport& transport, Log log, std::string key = {});
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Begins a fit; it runs inside run(). Returns its number.
  std::uint64_t start(std::string id, std::string name, std::vector<Step> steps, bool skip_bad_structures);
  /// Lists a fit of an earlier run of the manager that has nothing left to do.
  std::uint64_t add_ended(FitStatus status);
  /// Stops a fit; what is stored stays stored.
  void cancel(std::uint64_t number);

  const std::map<std::uint64_t, FitRun>& fits() const { return fits_; }
  const std::vector<std::uint64_t>& arrival_order() const { return arrival_order_; }
  /// Progress as of now, counts of the scheduler included.
  FitStatus status(std::uint64_t number) const;
  std::vector<WorkerStatus> workers() const;
  std::size_t slots() const { return sessions_.all().size(); }

  /// Messages that are no worker's go here.
  using ClientHandler = std::function<void(const Peer&, Message, Payload)>;
  void serve_clients(ClientHandler handler) { clients_ = std::move(handler); }
  void reply(const Peer& peer, Message message, Payload payload = {});

  /// Turns the loop until `keep_going` (called at least every 0.2 s, and after every change of a fit's state) says no.
  /// `extra` descriptors wake it up too.
  void run(const std::function<bool()>& keep_going, const std::vector<int>& extra);

  /// Asks all workers to leave, waits at most `seconds` for the blocks they still deliver, and makes durable what has
  /// arrived.
  void drain(double seconds);

 private:
  Instant now() const;
  bool turn();  ///< everything that can be done without waiting; false when nothing was there
  void wait(const std::vector<int>& extra) const;

  void receive(Incoming incoming);
  void receive_bad(const BadFrame& bad);
  /// A peer of another protocol version can read one thing: that it is refused, and why.
  void refuse_version(const BadFrame& bad);
  void hello(const Peer& peer, Hello message);
  void chunk(Session& session, const BlockChunk& message, Payload payload);
  void commit(Session& session, const Commit& message);
  bool arrived(Session& session, const Commit& message);
  void who(const Peer& peer);
  void lose(WorkerId worker, const std::string& why);
  void end_session(Session& session);
  void end_lost();
  void send(const Peer& peer, Message message, Payload payload = {});

  void decide(const Event& event);
  void act(const Action& action);
  void send_task(const action::SendTask& action);
  void forget_tasks(const action::ForgetTasks& action);
  void store_block(const action::StoreBlock& action);
  void quarantine(const action::Quarantine& bad);
  bool is_outdated(const Commit& message);
  void note_aside(FitRun& run, std::uint32_t structure, const std::string& reason);
  void stored(const StoreEvent& event);

  void begin_step(FitRun& run);
  void begin_phase(FitRun& run, ReadyPhase ready);
  void end_step(std::uint64_t number);
  void repeat_step(std::uint64_t number, const std::vector<std::string>& damaged);
  void end_phase(FitRun& run);
  std::string phase_summary(const FitRun& run) const;
  void fail(FitRun& run, std::vector<Error> errors);
  void poll_children();
  FitRun* fit(std::uint64_t number);
  std::uint64_t number_for(std::string_view id) const;
  std::optional<RowRange> rows_wanted(const TaskId& task);
  std::optional<Place> place_of(const Session& session, const TaskId& task);
  std::string describe_structure(const FitRun& run, std::uint32_t structure) const;

  Transport& transport_;
  Log log_;
  Outbox outbox_;
  Scheduler scheduler_;
  Sessions sessions_;
  StoreThread store_;
  ClientHandler clients_;
  std::map<std::uint64_t, FitRun> fits_;
  std::vector<std::uint64_t> arrival_order_;
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t>> crashes_;  ///< reported: worker, slot, incarnation
  std::string id_;
  std::string key_;
  std::map<Peer, int> bad_frames_;
  std::map<Peer, double> asked_;     ///< when a peer was last asked who it is
  std::vector<ProcessHandle> lost_;  ///< workers of ours that left without a word, dead or not
  Instant last_tick_{0};
};

}  // namespace ipfit
