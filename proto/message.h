#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/file_system.h"
#include "common/lsq/observation.h"
#include "common/result.h"

namespace ipfit {

/// Raised by every change that an older peer could misread. Peers of another version are refused in words.
inline constexpr std::uint32_t kProtocolVersion = 1;

/// One frame on the wire never exceeds this; the sockets refuse longer ones (libzmq holds memory even for peers that it
/// has not yet admitted).
inline constexpr std::size_t kMaxFrameBytes = std::size_t{2} << 20;

/// All payload frames of one message together (the structures of a task, a model).
inline constexpr std::size_t kMaxPayloadBytes = std::size_t{64} << 20;

/// Names one task of one phase of one fit. `fit` is the manager's number for the fit while it runs. A phase of a fit
/// has one model, so (fit, phase, task) also tells which.
enum class Phase : std::uint8_t { kAssembly = 0, kErrors = 1, kDimers = 2 };
struct TaskId {
  std::uint64_t fit = 0;
  Phase phase = Phase::kAssembly;
  std::uint32_t task = 0;
  auto operator<=>(const TaskId&) const = default;
};

// ---- worker -> manager -------------------------------------------------------------------------------------------

/// "The process before me in this slot died while it evaluated this structure."
struct CrashReport {
  TaskId task;
  std::uint32_t structure = 0;  ///< index in the data set of the fit
  bool operator==(const CrashReport&) const = default;
};

/// In the environment of the worker that a manager starts itself: what its evaluators say as Hello.key.
inline constexpr const char* kKeyVariable = "IPFIT_WORKER_KEY";

/// First word of an evaluator, repeated after Who.
struct Hello {
  std::uint32_t protocol = kProtocolVersion;
  std::string build;   ///< build id (common/build_id.h); must equal the manager's
  std::string worker;  ///< random id of the supervisor: 32 hex digits
  std::uint32_t slot = 0;
  std::uint32_t incarnation = 0;  ///< how often this slot was started
  std::string host;
  std::uint64_t pid = 0;
  std::uint64_t memory_bytes = 0;  ///< of the machine
  std::uint32_t credit = 0;        ///< tasks that it is willing to hold at a time
  std::vector<double> self_test;   ///< common/model/probe.h
  std::optional<CrashReport> crash;
  std::vector<TaskId> holding;  ///< blocks finished but not yet acknowledged, and tasks not yet finished
  std::string key;              ///< what the manager gave to the worker that it started itself; empty: nobody's child
  bool operator==(const Hello&) const = default;
};

/// Sent at least every kHeartbeatSeconds; names the tasks really held, so the manager can find the ones that got lost.
struct Heartbeat {
  std::vector<TaskId> holding;
  std::uint32_t structure = 0;  ///< index in the data set of the structure being evaluated (of the first in `holding`)
  bool operator==(const Heartbeat&) const = default;
};

/// A piece of a block; the payload frame holds `bytes` raw little-endian doubles' bytes from `offset` in the block.
struct BlockChunk {
  TaskId task;
  std::uint64_t offset = 0;    ///< multiple of kChunkBytes
  std::uint64_t bytes = 0;     ///< kChunkBytes, or less in the last chunk
  std::uint64_t checksum = 0;  ///< of the payload
  bool operator==(const BlockChunk&) const = default;
};

/// The block is with the manager: all chunks were sent, or it was written in place. Repeated, with the chunks, after a
/// reconnect until the Ack came.
struct Commit {
  TaskId task;
  std::uint64_t bytes = 0;     ///< of the whole block: rows * columns * 8
  std::uint64_t checksum = 0;  ///< checksum_of_chunks
  double seconds = 0.0;        ///< spent evaluating
  bool in_place = false;       ///< no chunks were sent: the rows are at the Place that came with the task, not synced
  std::uint32_t left_out = 0;  ///< structures that are not in it, as the task asked for (TaskStructure::excluded)
  bool operator==(const Commit&) const = default;
};

/// The structure cannot be evaluated (NaN, atoms on top of each other, ...); the rest of the task was not sent.
struct TaskFailed {
  TaskId task;
  std::uint32_t structure = 0;
  std::string reason;
  bool operator==(const TaskFailed&) const = default;
};

/// Tasks handed back unevaluated (the worker is asked to stop, or does not have the model).
struct HandBack {
  std::vector<TaskId> tasks;
  bool operator==(const HandBack&) const = default;
};

/// Leaves for good; everything it still held is free.
struct Bye {
  bool operator==(const Bye&) const = default;
};

// ---- manager -> worker -------------------------------------------------------------------------------------------

struct Welcome {
  std::string manager;  ///< random id of the manager process
  bool operator==(const Welcome&) const = default;
};

/// Not admitted; the worker prints both and exits with the code of kRefused.
struct Reject {
  std::string reason;
  std::string remedy;
  bool operator==(const Reject&) const = default;
};

/// Payload: the text of write_model. Sent before the first task that needs it, once per session.
struct ModelMessage {
  std::string hash;  ///< fingerprint of the payload
  bool operator==(const ModelMessage&) const = default;
};

/// What rows a structure of a task shall have.
struct TaskStructure {
  RowMask mask;
  bool excluded = false;  ///< quarantined: its rows are zeros and it is not evaluated
  bool operator==(const TaskStructure&) const = default;
};

/// Where the rows of a task stand in the store: only for the worker that the manager started itself, which may write
/// them there by the rules of worker/row_file.h instead of sending them.
struct Place {
  std::string file;          ///< absolute path of blocks.f64
  FileId id;                 ///< which it is, should there be another one at that path meanwhile
  std::uint64_t offset = 0;  ///< bytes from the start of the file
  bool operator==(const Place&) const = default;
};

/// Payload: the structures, as in dataset.bin (proto/structure_codec.h), in order.
struct TaskMessage {
  TaskId task;
  std::string model;                  ///< hash
  std::uint32_t first_structure = 0;  ///< index in the data set
  std::vector<TaskStructure> structures;
  std::uint64_t payload_checksum = 0;
  bool reduce = false;  ///< the block holds reduced rows (worker/task_reduction.h) instead of the rows themselves
  std::optional<Place> place = std::nullopt;
  bool operator==(const TaskMessage&) const = default;
};

/// The block of this task is durable; the worker forgets it.
struct Ack {
  TaskId task;
  bool operator==(const Ack&) const = default;
};

/// These tasks are no longer wanted (done elsewhere, fit cancelled); the worker forgets them, finished or not.
struct Forget {
  std::vector<TaskId> tasks;
  bool operator==(const Forget&) const = default;
};

/// "I do not know you": the worker says Hello again and sends again what was not acknowledged.
struct Who {
  bool operator==(const Who&) const = default;
};

/// The manager is alive. Also its answer to every Heartbeat.
struct Alive {
  bool operator==(const Alive&) const = default;
};

/// Asks the worker to finish and leave.
struct Drain {
  bool operator==(const Drain&) const = default;
};

// ---- client -> manager, each answered by exactly one message ------------------------------------------------------

/// Opens an upload; answered by Accepted (with the id) or Failure.
struct Submit {
  std::string build;
  std::string name;      ///< what the user calls it, for lists
  std::string fit_file;  ///< the resolved fit file, TOML
  std::uint64_t dataset_bytes = 0;
  std::string dataset_hash;  ///< fingerprint of dataset.bin
  bool operator==(const Submit&) const = default;
};

/// A piece of dataset.bin, in order; payload at most kChunkBytes. Answered by Accepted.
struct Upload {
  std::string id;
  std::uint64_t offset = 0;
  std::uint64_t checksum = 0;
  bool operator==(const Upload&) const = default;
};

struct List {
  bool operator==(const List&) const = default;
};

struct StatusRequest {
  std::string id;
  bool operator==(const StatusRequest&) const = default;
};

struct Cancel {
  std::string id;
  bool operator==(const Cancel&) const = default;
};

/// Asks for the files of a fit (answered by Files), or with a path for a piece of one (answered by FileChunk).
struct Fetch {
  std::string id;
  std::string path;  ///< relative to the fit directory, as in Files; empty: list them
  std::uint64_t offset = 0;
  bool operator==(const Fetch&) const = default;
};

// ---- manager -> client -------------------------------------------------------------------------------------------

struct Accepted {
  std::string id;
  std::uint64_t received = 0;  ///< bytes of dataset.bin so far; the upload is complete when it equals dataset_bytes
  bool operator==(const Accepted&) const = default;
};

struct Failure {
  std::vector<Error> errors;
  bool operator==(const Failure&) const = default;
};

enum class FitState : std::uint8_t {
  kUploading = 0,
  kAssembling = 1,
  kSolving = 2,
  kErrors = 3,  ///< predictions are compared with the labels, in a child process; or (predict, reduced rows) the
                ///< workers make them
  kDone = 4,
  kFailed = 5,
  kCancelled = 6,
};

struct WorkerStatus {
  std::string host;
  std::uint64_t pid = 0;
  std::uint32_t slot = 0;
  std::uint32_t tasks = 0;      ///< held now
  std::uint64_t rows = 0;       ///< delivered so far
  double busy_seconds = 0.0;    ///< spent evaluating so far
  double silent_seconds = 0.0;  ///< since it was last heard
  bool operator==(const WorkerStatus&) const = default;
};

struct FitStatus {
  std::string id;
  std::string name;
  FitState state = FitState::kUploading;
  std::uint64_t structures = 0;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t tasks_done = 0;  ///< of the current phase
  std::uint64_t tasks_total = 0;
  double cost_done = 0.0;      ///< share of the estimated cost of the phase, 0 to 1
  double seconds_left = -1.0;  ///< estimate; negative: not yet known
  double structures_per_second = 0.0;
  std::vector<std::string> quarantined;  ///< "file.xyz frame 12 (line 1482): reason"
  std::vector<Error> errors;             ///< why it failed
  bool operator==(const FitStatus&) const = default;
};

struct FitList {
  std::vector<FitStatus> fits;
  bool operator==(const FitList&) const = default;
};

struct StatusReply {
  FitStatus fit;
  std::vector<WorkerStatus> workers;
  bool operator==(const StatusReply&) const = default;
};

struct FileEntry {
  std::string path;
  std::uint64_t bytes = 0;
  bool operator==(const FileEntry&) const = default;
};

struct Files {
  std::vector<FileEntry> files;
  bool operator==(const Files&) const = default;
};

/// Payload: at most kChunkBytes of the file from `offset`; empty at its end.
struct FileChunk {
  std::uint64_t offset = 0;
  std::uint64_t checksum = 0;
  bool operator==(const FileChunk&) const = default;
};

using Message = std::variant<Hello, Heartbeat, BlockChunk, Commit, TaskFailed, HandBack, Bye, Welcome, Reject,
                             ModelMessage, TaskMessage, Ack, Forget, Who, Alive, Drain, Submit, Upload, List,
                             StatusRequest, Cancel, Fetch, Accepted, Failure, FitList, StatusReply, Files, FileChunk>;

inline constexpr double kHeartbeatSeconds = 1.0;  ///< a worker speaks at least this often
inline constexpr double kLostSeconds = 10.0;      ///< and is lost after this much silence

}  // namespace ipfit
