#include "proto/convert.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/array.h>
#include <kj/exception.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "common/checksum.h"
#include "proto/ipfit.capnp.h"
#include "proto/printable.h"

namespace ipfit {
namespace {

// The limits of proto/ipfit.capnp. Together they keep every header below kMaxFrameBytes.
constexpr std::uint32_t kMagic = 0x74696670;
constexpr std::size_t kMaxText = 256;
constexpr std::size_t kMaxPath = 4096;
constexpr std::size_t kMaxReason = 4096;
constexpr std::size_t kMaxErrorText = 1024;
constexpr std::size_t kMaxQuarantineText = 512;
constexpr std::size_t kMaxFitFile = std::size_t{1} << 20;
constexpr std::size_t kMaxTasks = 4096;
constexpr std::size_t kMaxSelfTest = 4096;
constexpr std::size_t kMaxTaskStructures = 65536;
constexpr std::size_t kMaxErrors = 100;
constexpr std::size_t kMaxErrorsInList = 1;
constexpr std::size_t kMaxQuarantined = 1000;
constexpr std::size_t kMaxFits = 500;
constexpr std::size_t kMaxWorkers = 2000;
constexpr std::size_t kMaxFiles = 4096;

// ---- writing ----------------------------------------------------------------------------------------------------

unsigned at_most(std::size_t size, std::size_t limit, const char* field) {
  if (size > limit) {
    throw std::length_error(std::string(field) + " has " + std::to_string(size) + " bytes or entries, at most " +
                            std::to_string(limit) + " can be sent");
  }
  return static_cast<unsigned>(size);
}

unsigned cut_count(std::size_t size, std::size_t limit) {
  return static_cast<unsigned>(std::min(size, limit));
}

capnp::Text::Reader whole(const std::string& text, const char* field, std::size_t limit = kMaxText) {
  at_most(text.size(), limit, field);
  return {text.c_str(), text.size()};
}

/// At most `limit` bytes of the text, ending between two UTF-8 characters.
std::string cut(const std::string& text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
  std::size_t end = limit;
  while (end > limit - 4 && continues(end)) {
    --end;
  }
  return text.substr(0, end);
}

// Enumerations of the wire count from 1 in the order of ours; 0 is invalid.
template <class Wire, class Ours>
constexpr Wire to_wire(Ours value) {
  return static_cast<Wire>(static_cast<std::uint16_t>(value) + 1);
}
static_assert(to_wire<wire::Phase>(Phase::kAssembly) == wire::Phase::ASSEMBLY);
static_assert(to_wire<wire::Phase>(Phase::kErrors) == wire::Phase::ERRORS);
static_assert(to_wire<wire::Phase>(Phase::kDimers) == wire::Phase::DIMERS);
static_assert(to_wire<wire::FitState>(FitState::kUploading) == wire::FitState::UPLOADING);
static_assert(to_wire<wire::FitState>(FitState::kCancelled) == wire::FitState::CANCELLED);
static_assert(static_cast<wire::ErrorKind>(ErrorKind::kInternal) == wire::ErrorKind::INTERNAL);
static_assert(static_cast<wire::ErrorKind>(ErrorKind::kFailed) == wire::ErrorKind::FAILED);

void put(const TaskId& id, wire::TaskId::Builder out) {
  out.setFit(id.fit);
  out.setPhase(to_wire<wire::Phase>(id.phase));
  out.setTask(id.task);
}

template <class InitList>
void put_tasks(const std::vector<TaskId>& tasks, InitList init) {
  auto out = init(at_most(tasks.size(), kMaxTasks, "a list of tasks"));
  for (unsigned i = 0; i < out.size(); ++i) {
    put(tasks[i], out[i]);
  }
}

void put(const Error& error, wire::Error::Builder out) {
  out.setKind(static_cast<wire::ErrorKind>(error.kind));
  out.setWhere(cut(error.where, kMaxErrorText));
  out.setWhat(cut(error.what, kMaxErrorText));
  out.setRemedy(cut(error.remedy, kMaxErrorText));
}

template <class InitList>
void put_errors(const std::vector<Error>& errors, std::size_t limit, InitList init) {
  auto out = init(cut_count(errors.size(), limit));
  for (unsigned i = 0; i < out.size(); ++i) {
    put(errors[i], out[i]);
  }
}

void put(const FitStatus& fit, std::size_t max_quarantined, std::size_t max_errors, wire::FitStatus::Builder out) {
  out.setId(whole(fit.id, "the id of a fit"));
  out.setName(cut(fit.name, kMaxText));
  out.setState(to_wire<wire::FitState>(fit.state));
  out.setStructures(fit.structures);
  out.setRows(fit.rows);
  out.setColumns(fit.columns);
  out.setTasksDone(fit.tasks_done);
  out.setTasksTotal(fit.tasks_total);
  out.setCostDone(fit.cost_done);
  out.setSecondsLeft(fit.seconds_left);
  out.setStructuresPerSecond(fit.structures_per_second);
  auto quarantined = out.initQuarantined(cut_count(fit.quarantined.size(), max_quarantined));
  for (unsigned i = 0; i < quarantined.size(); ++i) {
    quarantined.set(i, cut(fit.quarantined[i], kMaxQuarantineText));
  }
  put_errors(fit.errors, max_errors, [&](unsigned n) { return out.initErrors(n); });
}

// One overload per message.

void put(const Hello& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initHello();
  out.setBuild(whole(m.build, "hello.build"));
  out.setWorker(whole(m.worker, "hello.worker"));
  out.setSlot(m.slot);
  out.setIncarnation(m.incarnation);
  out.setHost(whole(m.host, "hello.host"));
  out.setPid(m.pid);
  out.setMemoryBytes(m.memory_bytes);
  out.setCredit(m.credit);
  auto values = out.initSelfTest(at_most(m.self_test.size(), kMaxSelfTest, "hello.selfTest"));
  for (unsigned i = 0; i < values.size(); ++i) {
    values.set(i, m.self_test[i]);
  }
  if (m.crash) {
    auto crash = out.initCrash();
    put(m.crash->task, crash.initTask());
    crash.setStructure(m.crash->structure);
  }
  put_tasks(m.holding, [&](unsigned n) { return out.initHolding(n); });
  out.setKey(whole(m.key, "hello.key"));
}

void put(const Heartbeat& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initHeartbeat();
  put_tasks(m.holding, [&](unsigned n) { return out.initHolding(n); });
  out.setStructure(m.structure);
}

void put(const BlockChunk& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initBlockChunk();
  put(m.task, out.initTask());
  out.setOffset(m.offset);
  out.setBytes(m.bytes);
  out.setChecksum(m.checksum);
}

void put(const Commit& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initCommit();
  put(m.task, out.initTask());
  out.setBytes(m.bytes);
  out.setChecksum(m.checksum);
  out.setSeconds(m.seconds);
  out.setInPlace(m.in_place);
  out.setLeftOut(m.left_out);
}

void put(const TaskFailed& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initTaskFailed();
  put(m.task, out.initTask());
  out.setStructure(m.structure);
  out.setReason(cut(m.reason, kMaxReason));
}

void put(const HandBack& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initHandBack();
  put_tasks(m.tasks, [&](unsigned n) { return out.initTasks(n); });
}

void put(const Bye&, wire::Envelope::Builder envelope) {
  envelope.setBye();
}

void put(const Welcome& m, wire::Envelope::Builder envelope) {
  envelope.initWelcome().setManager(whole(m.manager, "welcome.manager"));
}

void put(const Reject& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initReject();
  out.setReason(cut(m.reason, kMaxReason));
  out.setRemedy(cut(m.remedy, kMaxReason));
}

void put(const ModelMessage& m, wire::Envelope::Builder envelope) {
  envelope.initModel().setHash(whole(m.hash, "model.hash"));
}

void put(const TaskMessage& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initTask();
  put(m.task, out.initTask());
  out.setModel(whole(m.model, "task.model"));
  out.setFirstStructure(m.first_structure);
  auto structures = out.initStructures(at_most(m.structures.size(), kMaxTaskStructures, "task.structures"));
  for (unsigned i = 0; i < structures.size(); ++i) {
    structures[i].setEnergy(m.structures[i].mask.energy);
    structures[i].setForces(m.structures[i].mask.forces);
    structures[i].setVirial(m.structures[i].mask.virial);
    structures[i].setExcluded(m.structures[i].excluded);
  }
  out.setPayloadChecksum(m.payload_checksum);
  out.setReduce(m.reduce);
  if (m.place) {
    auto place = out.initPlace();
    place.setFile(whole(m.place->file, "task.place.file", kMaxPath));
    place.setDevice(m.place->id.device);
    place.setInode(m.place->id.inode);
    place.setOffset(m.place->offset);
  }
}

void put(const Ack& m, wire::Envelope::Builder envelope) {
  put(m.task, envelope.initAck());
}

void put(const Forget& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initForget();
  put_tasks(m.tasks, [&](unsigned n) { return out.initTasks(n); });
}

void put(const Who&, wire::Envelope::Builder envelope) {
  envelope.setWho();
}
void put(const Alive&, wire::Envelope::Builder envelope) {
  envelope.setAlive();
}
void put(const Drain&, wire::Envelope::Builder envelope) {
  envelope.setDrain();
}

void put(const Submit& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initSubmit();
  out.setBuild(whole(m.build, "submit.build"));
  out.setName(cut(m.name, kMaxText));
  out.setFitFile(whole(m.fit_file, "the fit file", kMaxFitFile));
  out.setDatasetBytes(m.dataset_bytes);
  out.setDatasetHash(whole(m.dataset_hash, "submit.datasetHash"));
}

void put(const Upload& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initUpload();
  out.setId(whole(m.id, "the id of a fit"));
  out.setOffset(m.offset);
  out.setChecksum(m.checksum);
}

void put(const List&, wire::Envelope::Builder envelope) {
  envelope.setList();
}

void put(const StatusRequest& m, wire::Envelope::Builder envelope) {
  envelope.initStatusRequest().setId(whole(m.id, "the id of a fit"));
}

void put(const Cancel& m, wire::Envelope::Builder envelope) {
  envelope.initCancel().setId(whole(m.id, "the id of a fit"));
}

void put(const Fetch& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initFetch();
  out.setId(whole(m.id, "the id of a fit"));
  out.setPath(whole(m.path, "the path of a file"));
  out.setOffset(m.offset);
}

void put(const Accepted& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initAccepted();
  out.setId(whole(m.id, "the id of a fit"));
  out.setReceived(m.received);
}

void put(const Failure& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initFailure();
  put_errors(m.errors, kMaxErrors, [&](unsigned n) { return out.initErrors(n); });
}

void put(const FitList& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initFitList().initFits(cut_count(m.fits.size(), kMaxFits));
  for (unsigned i = 0; i < out.size(); ++i) {
    put(m.fits[i], 0, kMaxErrorsInList, out[i]);
  }
}

void put(const StatusReply& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initStatusReply();
  put(m.fit, kMaxQuarantined, kMaxErrors, out.initFit());
  auto workers = out.initWorkers(cut_count(m.workers.size(), kMaxWorkers));
  for (unsigned i = 0; i < workers.size(); ++i) {
    const WorkerStatus& worker = m.workers[i];
    workers[i].setHost(cut(worker.host, kMaxText));
    workers[i].setPid(worker.pid);
    workers[i].setSlot(worker.slot);
    workers[i].setTasks(worker.tasks);
    workers[i].setRows(worker.rows);
    workers[i].setBusySeconds(worker.busy_seconds);
    workers[i].setSilentSeconds(worker.silent_seconds);
  }
}

void put(const Files& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initFiles().initFiles(cut_count(m.files.size(), kMaxFiles));
  for (unsigned i = 0; i < out.size(); ++i) {
    out[i].setPath(whole(m.files[i].path, "the path of a file"));
    out[i].setBytes(m.files[i].bytes);
  }
}

void put(const FileChunk& m, wire::Envelope::Builder envelope) {
  auto out = envelope.initFileChunk();
  out.setOffset(m.offset);
  out.setChecksum(m.checksum);
}

std::uint32_t protocol_of(const Message& message) {
  const Hello* hello = std::get_if<Hello>(&message);
  return hello != nullptr ? hello->protocol : kProtocolVersion;
}

// ---- reading ----------------------------------------------------------------------------------------------------
//
// Every field is read once: the traversal limit, which is the length of the message, counts each access. That limit is
// what keeps pointers that share one big text from costing more than the bytes that were sent.

/// Leaves decode(); becomes its error.
struct Malformed {
  std::string what;
};

std::size_t checked_count(std::size_t size, std::size_t limit, const char* field) {
  if (size > limit) {
    throw Malformed{std::string(field) + " has " + std::to_string(size) + " bytes or entries, at most " +
                    std::to_string(limit) + " are allowed"};
  }
  return size;
}

std::string text(capnp::Text::Reader value, const char* field, std::size_t limit = kMaxText) {
  checked_count(value.size(), limit, field);
  return {value.begin(), value.size()};
}

double finite(double value, const char* field) {
  if (!std::isfinite(value)) {
    throw Malformed{std::string(field) + " is not a finite number"};
  }
  return value;
}

template <class Ours, class Wire>
Ours from_wire(Wire value, Ours last, const char* field) {
  const auto number = static_cast<std::uint16_t>(value);
  if (number == 0 || number > static_cast<std::uint16_t>(last) + 1) {
    throw Malformed{std::string(field) + " has the unknown value " + std::to_string(number)};
  }
  return static_cast<Ours>(number - 1);
}

ErrorKind read(wire::ErrorKind kind) {
  const auto number = static_cast<std::uint16_t>(kind);
  if (number == 0 || number > static_cast<std::uint16_t>(ErrorKind::kFailed)) {
    throw Malformed{"error.kind has the unknown value " + std::to_string(number)};
  }
  return static_cast<ErrorKind>(number);
}

TaskId read(wire::TaskId::Reader in) {
  return {in.getFit(), from_wire(in.getPhase(), Phase::kDimers, "task.phase"), in.getTask()};
}

std::vector<TaskId> read(capnp::List<wire::TaskId>::Reader in) {
  std::vector<TaskId> tasks;
  tasks.reserve(checked_count(in.size(), kMaxTasks, "a list of tasks"));
  for (const auto task : in) {
    tasks.push_back(read(task));
  }
  return tasks;
}

Error read(wire::Error::Reader in) {
  return {read(in.getKind()), text(in.getWhere(), "error.where", kMaxErrorText),
          text(in.getWhat(), "error.what", kMaxErrorText), text(in.getRemedy(), "error.remedy", kMaxErrorText)};
}

std::vector<Error> read(capnp::List<wire::Error>::Reader in) {
  std::vector<Error> errors;
  errors.reserve(checked_count(in.size(), kMaxErrors, "a list of errors"));
  for (const auto error : in) {
    errors.push_back(read(error));
  }
  return errors;
}

FitStatus read(wire::FitStatus::Reader in) {
  FitStatus fit;
  fit.id = text(in.getId(), "fit.id");
  fit.name = text(in.getName(), "fit.name");
  fit.state = from_wire(in.getState(), FitState::kCancelled, "fit.state");
  fit.structures = in.getStructures();
  fit.rows = in.getRows();
  fit.columns = in.getColumns();
  fit.tasks_done = in.getTasksDone();
  fit.tasks_total = in.getTasksTotal();
  fit.cost_done = finite(in.getCostDone(), "fit.costDone");
  fit.seconds_left = finite(in.getSecondsLeft(), "fit.secondsLeft");
  fit.structures_per_second = finite(in.getStructuresPerSecond(), "fit.structuresPerSecond");
  const auto quarantined = in.getQuarantined();
  fit.quarantined.reserve(checked_count(quarantined.size(), kMaxQuarantined, "fit.quarantined"));
  for (const auto structure : quarantined) {
    fit.quarantined.push_back(text(structure, "fit.quarantined", kMaxQuarantineText));
  }
  fit.errors = read(in.getErrors());
  return fit;
}

Hello read(wire::Hello::Reader in, std::uint32_t protocol) {
  Hello hello;
  hello.protocol = protocol;
  hello.build = text(in.getBuild(), "hello.build");
  hello.worker = text(in.getWorker(), "hello.worker");
  hello.slot = in.getSlot();
  hello.incarnation = in.getIncarnation();
  hello.host = text(in.getHost(), "hello.host");
  hello.pid = in.getPid();
  hello.memory_bytes = in.getMemoryBytes();
  hello.credit = in.getCredit();
  const auto values = in.getSelfTest();
  hello.self_test.reserve(checked_count(values.size(), kMaxSelfTest, "hello.selfTest"));
  for (const double value : values) {
    hello.self_test.push_back(value);
  }
  if (in.hasCrash()) {
    const auto crash = in.getCrash();
    hello.crash = CrashReport{read(crash.getTask()), crash.getStructure()};
  }
  hello.holding = read(in.getHolding());
  hello.key = text(in.getKey(), "hello.key");
  return hello;
}

BlockChunk read(wire::BlockChunk::Reader in) {
  const BlockChunk chunk{read(in.getTask()), in.getOffset(), in.getBytes(), in.getChecksum()};
  if (chunk.offset % kChunkBytes != 0) {
    throw Malformed{"blockChunk.offset is " + std::to_string(chunk.offset) + ", must be a multiple of 1 MiB"};
  }
  if (chunk.bytes == 0 || chunk.bytes > kChunkBytes || chunk.bytes % sizeof(double) != 0) {
    throw Malformed{"blockChunk.bytes is " + std::to_string(chunk.bytes) +
                    ", must be a multiple of 8 between 8 and 1 MiB"};
  }
  return chunk;
}

Commit read(wire::Commit::Reader in) {
  const Commit commit{read(in.getTask()), in.getBytes(),  in.getChecksum(), finite(in.getSeconds(), "commit.seconds"),
                      in.getInPlace(),    in.getLeftOut()};
  if (commit.bytes % sizeof(double) != 0) {
    throw Malformed{"commit.bytes is " + std::to_string(commit.bytes) + ", must be a multiple of 8"};
  }
  if (commit.seconds < 0.0) {
    throw Malformed{"commit.seconds is negative"};
  }
  return commit;
}

TaskMessage read(wire::Task::Reader in) {
  TaskMessage task;
  task.task = read(in.getTask());
  task.model = text(in.getModel(), "task.model");
  task.first_structure = in.getFirstStructure();
  const auto structures = in.getStructures();
  if (structures.size() == 0) {
    throw Malformed{"task.structures is empty"};
  }
  task.structures.reserve(checked_count(structures.size(), kMaxTaskStructures, "task.structures"));
  for (const auto structure : structures) {
    task.structures.push_back(
        {{structure.getEnergy(), structure.getForces(), structure.getVirial()}, structure.getExcluded()});
  }
  task.payload_checksum = in.getPayloadChecksum();
  task.reduce = in.getReduce();
  if (in.hasPlace()) {
    const auto place = in.getPlace();
    task.place = Place{
        text(place.getFile(), "task.place.file", kMaxPath), {place.getDevice(), place.getInode()}, place.getOffset()};
  }
  return task;
}

Submit read(wire::Submit::Reader in) {
  return {text(in.getBuild(), "submit.build"), text(in.getName(), "submit.name"),
          text(in.getFitFile(), "submit.fitFile", kMaxFitFile), in.getDatasetBytes(),
          text(in.getDatasetHash(), "submit.datasetHash")};
}

Failure read(wire::Failure::Reader in) {
  Failure failure{read(in.getErrors())};
  if (failure.errors.empty()) {
    throw Malformed{"failure.errors is empty"};
  }
  return failure;
}

FitList read(wire::FitList::Reader in) {
  FitList list;
  const auto fits = in.getFits();
  list.fits.reserve(checked_count(fits.size(), kMaxFits, "fitList.fits"));
  for (const auto fit : fits) {
    list.fits.push_back(read(fit));
  }
  return list;
}

StatusReply read(wire::StatusReply::Reader in) {
  StatusReply reply;
  reply.fit = read(in.getFit());
  const auto workers = in.getWorkers();
  reply.workers.reserve(checked_count(workers.size(), kMaxWorkers, "statusReply.workers"));
  for (const auto worker : workers) {
    reply.workers.push_back({text(worker.getHost(), "worker.host"), worker.getPid(), worker.getSlot(),
                             worker.getTasks(), worker.getRows(), finite(worker.getBusySeconds(), "worker.busySeconds"),
                             finite(worker.getSilentSeconds(), "worker.silentSeconds")});
  }
  return reply;
}

Files read(wire::Files::Reader in) {
  Files list;
  const auto files = in.getFiles();
  list.files.reserve(checked_count(files.size(), kMaxFiles, "files.files"));
  for (const auto file : files) {
    list.files.push_back({text(file.getPath(), "file.path"), file.getBytes()});
  }
  return list;
}

Message read(wire::Envelope::Reader in, std::uint32_t protocol) {
  switch (in.which()) {
    case wire::Envelope::INVALID:
      break;
    case wire::Envelope::HELLO:
      return read(in.getHello(), protocol);
    case wire::Envelope::HEARTBEAT: {
      const auto heartbeat = in.getHeartbeat();
      return Heartbeat{read(heartbeat.getHolding()), heartbeat.getStructure()};
    }
    case wire::Envelope::BLOCK_CHUNK:
      return read(in.getBlockChunk());
    case wire::Envelope::COMMIT:
      return read(in.getCommit());
    case wire::Envelope::TASK_FAILED: {
      const auto failed = in.getTaskFailed();
      return TaskFailed{read(failed.getTask()), failed.getStructure(),
                        text(failed.getReason(), "taskFailed.reason", kMaxReason)};
    }
    case wire::Envelope::HAND_BACK:
      return HandBack{read(in.getHandBack().getTasks())};
    case wire::Envelope::BYE:
      return Bye{};
    case wire::Envelope::WELCOME:
      return Welcome{text(in.getWelcome().getManager(), "welcome.manager")};
    case wire::Envelope::REJECT: {
      const auto reject = in.getReject();
      return Reject{text(reject.getReason(), "reject.reason", kMaxReason),
                    text(reject.getRemedy(), "reject.remedy", kMaxReason)};
    }
    case wire::Envelope::MODEL:
      return ModelMessage{text(in.getModel().getHash(), "model.hash")};
    case wire::Envelope::TASK:
      return read(in.getTask());
    case wire::Envelope::ACK:
      return Ack{read(in.getAck())};
    case wire::Envelope::FORGET:
      return Forget{read(in.getForget().getTasks())};
    case wire::Envelope::WHO:
      return Who{};
    case wire::Envelope::ALIVE:
      return Alive{};
    case wire::Envelope::DRAIN:
      return Drain{};
    case wire::Envelope::SUBMIT:
      return read(in.getSubmit());
    case wire::Envelope::UPLOAD: {
      const auto upload = in.getUpload();
      return Upload{text(upload.getId(), "upload.id"), upload.getOffset(), upload.getChecksum()};
    }
    case wire::Envelope::LIST:
      return List{};
    case wire::Envelope::STATUS_REQUEST:
      return StatusRequest{text(in.getStatusRequest().getId(), "statusRequest.id")};
    case wire::Envelope::CANCEL:
      return Cancel{text(in.getCancel().getId(), "cancel.id")};
    case wire::Envelope::FETCH: {
      const auto fetch = in.getFetch();
      return Fetch{text(fetch.getId(), "fetch.id"), text(fetch.getPath(), "fetch.path"), fetch.getOffset()};
    }
    case wire::Envelope::ACCEPTED: {
      const auto accepted = in.getAccepted();
      return Accepted{text(accepted.getId(), "accepted.id"), accepted.getReceived()};
    }
    case wire::Envelope::FAILURE:
      return read(in.getFailure());
    case wire::Envelope::FIT_LIST:
      return read(in.getFitList());
    case wire::Envelope::STATUS_REPLY:
      return read(in.getStatusReply());
    case wire::Envelope::FILES:
      return read(in.getFiles());
    case wire::Envelope::FILE_CHUNK: {
      const auto chunk = in.getFileChunk();
      return FileChunk{chunk.getOffset(), chunk.getChecksum()};
    }
  }
  throw Malformed{"unknown kind of message " + std::to_string(static_cast<unsigned>(in.which()))};
}

Error malformed(std::string what) {
  return {ErrorKind::kNetwork, "", "not a message of ipfit: " + std::move(what), ""};
}

Error other_version(std::uint32_t protocol) {
  return {ErrorKind::kRefused, "",
          // Both sides read this.
          "a message of protocol version " + std::to_string(protocol) + " came to a program of version " +
              std::to_string(kProtocolVersion),
          "install the same version of ipfit on both machines"};
}

bool readable_in_any_version(wire::Envelope::Which kind) {
  return kind == wire::Envelope::HELLO || kind == wire::Envelope::REJECT;
}

Result<Message> decode_words(kj::ArrayPtr<const capnp::word> words) {
  std::uint32_t protocol = kProtocolVersion;
  try {
    capnp::FlatArrayMessageReader reader(words, {words.size(), 8});
    const auto envelope = reader.getRoot<wire::Envelope>();
    if (envelope.getMagic() != kMagic || envelope.getProtocol() == 0) {
      return malformed("it does not begin with the magic number and a version");
    }
    protocol = envelope.getProtocol();
    if (protocol != kProtocolVersion && !readable_in_any_version(envelope.which())) {
      return other_version(protocol);
    }
    return read(envelope, protocol);
  } catch (const Malformed& problem) {
    return protocol == kProtocolVersion ? malformed(problem.what) : other_version(protocol);
  } catch (const kj::Exception& problem) {
    return protocol == kProtocolVersion ? malformed(printable(problem.getDescription().cStr()))
                                        : other_version(protocol);
  }
}

}  // namespace

std::vector<std::byte> encode(const Message& message) {
  // Nearly every message fits the first segment; the few that do not are built again, since one segment is the rule.
  for (unsigned first_words = 1024;; first_words *= 8) {
    capnp::MallocMessageBuilder builder(first_words);
    auto envelope = builder.initRoot<wire::Envelope>();
    envelope.setMagic(kMagic);
    envelope.setProtocol(protocol_of(message));
    std::visit([&](const auto& m) { put(m, envelope); }, message);
    const auto segments = builder.getSegmentsForOutput();
    if (segments.size() == 1) {
      const auto words = capnp::messageToFlatArray(segments);
      const auto bytes = words.asBytes();
      std::vector<std::byte> frame(bytes.size());
      std::memcpy(frame.data(), bytes.begin(), bytes.size());
      return frame;
    }
  }
}

Result<Message> decode(std::span<const std::byte> header) {
  if (header.size() < 2 * sizeof(capnp::word) || header.size() > kMaxFrameBytes ||
      header.size() % sizeof(capnp::word) != 0) {
    return malformed("the header frame has " + std::to_string(header.size()) +
                     " bytes, must be a multiple of 8 between 16 and 2 MiB");
  }
  // The segment table of one segment: UInt32 zero (segments - 1), UInt32 words.
  std::uint32_t table[2];
  std::memcpy(table, header.data(), sizeof(table));
  if (table[0] != 0 || table[1] != header.size() / sizeof(capnp::word) - 1) {
    return malformed("the header frame is not exactly one segment");
  }
  // Frames of 34 to 8191 bytes arrive at any alignment, and Cap'n Proto refuses what is not 8-aligned.
  auto words = kj::heapArray<capnp::word>(header.size() / sizeof(capnp::word));
  std::memcpy(static_cast<void*>(words.begin()), header.data(), header.size());
  return decode_words(words);
}

}  // namespace ipfit
