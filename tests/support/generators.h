#pragma once

// Random messages and structures for property tests: everything that proto/ipfit.capnp allows.

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "common/atoms/structure.h"
#include "common/checksum.h"
#include "proto/message.h"

namespace ipfit::test {

/// Any finite double, by its bits: subnormal, negative zero and huge ones as often as others.
inline double any_double() {
  const auto bits = *rc::gen::suchThat(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t candidate) {
    return std::isfinite(std::bit_cast<double>(candidate));
  });
  return std::bit_cast<double>(bits);
}

template <class T>
T any() {
  return *rc::gen::arbitrary<T>();
}

/// Any bytes, zeros included, up to the limit of most texts.
inline std::string any_text() {
  return any<std::string>().substr(0, 256);
}

/// From `least` to `most` values that `make` makes.
template <class Make>
auto several(Make make, int least = 0, int most = 8) {
  std::vector<decltype(make())> values(static_cast<std::size_t>(*rc::gen::inRange(least, most + 1)));
  for (auto& value : values) {
    value = make();
  }
  return values;
}

inline TaskId any_task() {
  return {any<std::uint64_t>(), static_cast<Phase>(*rc::gen::inRange(0, 3)), any<std::uint32_t>()};
}

inline std::vector<TaskId> any_tasks() {
  return several(any_task);
}

inline Error any_error() {
  return {static_cast<ErrorKind>(*rc::gen::inRange(1, 8)), any_text(), any_text(), any_text()};
}

inline FitStatus any_fit() {
  FitStatus fit;
  fit.id = any_text();
  fit.name = any_text();
  fit.state = static_cast<FitState>(*rc::gen::inRange(0, 7));
  fit.structures = any<std::uint64_t>();
  fit.rows = any<std::uint64_t>();
  fit.columns = any<std::uint64_t>();
  fit.tasks_done = any<std::uint64_t>();
  fit.tasks_total = any<std::uint64_t>();
  fit.cost_done = any_double();
  fit.seconds_left = any_double();
  fit.structures_per_second = any_double();
  fit.quarantined = several(any_text);
  fit.errors = several(any_error);
  return fit;
}

/// In a list a fit has no quarantined structures and one error at most.
inline FitStatus any_listed_fit() {
  FitStatus fit = any_fit();
  fit.quarantined.clear();
  fit.errors.resize(std::min<std::size_t>(fit.errors.size(), 1));
  return fit;
}

inline WorkerStatus any_worker() {
  return {any_text(),           any<std::uint64_t>(), any<std::uint32_t>(), any<std::uint32_t>(),
          any<std::uint64_t>(), any_double(),         any_double()};
}

inline TaskStructure any_task_structure() {
  return {{any<bool>(), any<bool>(), any<bool>()}, any<bool>()};
}

/// One overload per message that has contents.
inline void fill(Hello& m) {
  m.protocol = *rc::gen::inRange<std::uint32_t>(1, 5);
  m.build = any_text();
  m.worker = any_text();
  m.slot = any<std::uint32_t>();
  m.incarnation = any<std::uint32_t>();
  m.host = any_text();
  m.pid = any<std::uint64_t>();
  m.memory_bytes = any<std::uint64_t>();
  m.credit = any<std::uint32_t>();
  m.self_test = several(any_double);
  if (any<bool>()) {
    m.crash = CrashReport{any_task(), any<std::uint32_t>()};
  }
  m.holding = any_tasks();
  m.key = any_text();
}
inline void fill(Heartbeat& m) {
  m = {any_tasks(), any<std::uint32_t>()};
}
inline void fill(BlockChunk& m) {
  m.task = any_task();
  m.offset = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40) * kChunkBytes;
  m.bytes = *rc::gen::inRange<std::uint64_t>(1, kChunkBytes / 8 + 1) * 8;
  m.checksum = any<std::uint64_t>();
}
inline void fill(Commit& m) {
  m = {any_task(),           std::uint64_t{any<std::uint32_t>()} * 8,
       any<std::uint64_t>(), std::abs(any_double()),
       any<bool>(),          any<std::uint32_t>()};
}
inline void fill(TaskFailed& m) {
  m = {any_task(), any<std::uint32_t>(), any_text()};
}
inline void fill(HandBack& m) {
  m = {any_tasks()};
}
inline void fill(Bye&) {}
inline void fill(Welcome& m) {
  m = {any_text()};
}
inline void fill(Reject& m) {
  m = {any_text(), any_text()};
}
inline void fill(ModelMessage& m) {
  m = {any_text()};
}
inline void fill(TaskMessage& m) {
  m = {any_task(),  any_text(), any<std::uint32_t>(), several(any_task_structure, 1), any<std::uint64_t>(),
       any<bool>(), {}};
  if (any<bool>()) {
    m.place = Place{any_text(), {any<std::uint64_t>(), any<std::uint64_t>()}, any<std::uint64_t>()};
  }
}
inline void fill(Ack& m) {
  m = {any_task()};
}
inline void fill(Forget& m) {
  m = {any_tasks()};
}
inline void fill(Who&) {}
inline void fill(Alive&) {}
inline void fill(Drain&) {}
inline void fill(Submit& m) {
  m = {any_text(), any_text(), any<std::string>(), any<std::uint64_t>(), any_text()};
}
inline void fill(Upload& m) {
  m = {any_text(), any<std::uint64_t>(), any<std::uint64_t>()};
}
inline void fill(List&) {}
inline void fill(StatusRequest& m) {
  m = {any_text()};
}
inline void fill(Cancel& m) {
  m = {any_text()};
}
inline void fill(Fetch& m) {
  m = {any_text(), any_text(), any<std::uint64_t>()};
}
inline void fill(Accepted& m) {
  m = {any_text(), any<std::uint64_t>()};
}
inline void fill(Failure& m) {
  m = {several(any_error, 1)};
}
inline void fill(FitList& m) {
  m = {several(any_listed_fit)};
}
inline void fill(StatusReply& m) {
  m = {any_fit(), several(any_worker)};
}
inline void fill(Files& m) {
  m = {several([] { return FileEntry{any_text(), any<std::uint64_t>()}; })};
}
inline void fill(FileChunk& m) {
  m = {any<std::uint64_t>(), any<std::uint64_t>()};
}

inline Vec3 any_vector() {
  return {any_double(), any_double(), any_double()};
}

/// Some atoms, any labels. To be called inside a property, like all of the above.
inline Structure any_structure() {
  Structure s;
  s.species = several([] { return *rc::gen::inRange<std::uint8_t>(1, 119); }, 1);
  const int atoms = static_cast<int>(s.size());
  s.positions = several(any_vector, atoms, atoms);
  for (int i = 0; i < 9; ++i) {
    s.cell(i / 3, i % 3) = any_double();
  }
  s.pbc = {any<bool>(), any<bool>(), any<bool>()};
  if (any<bool>()) {
    s.labels.energy = any_double();
  }
  if (any<bool>()) {
    s.labels.forces = several(any_vector, atoms, atoms);
  }
  if (any<bool>()) {
    s.labels.virial = Voigt{any_double(), any_double(), any_double(), any_double(), any_double(), any_double()};
  }
  s.config_type = any_text();
  if (any<bool>()) {
    s.weights.energy = std::abs(any_double());
  }
  if (any<bool>()) {
    s.weights.virial = std::abs(any_double());
  }
  const int weights = *rc::gen::element(0, 1, atoms);
  s.weights.forces = several([] { return std::abs(any_double()); }, weights, weights);
  s.source = {any_text(), any<std::int64_t>(), any<std::int64_t>()};
  s.set = *rc::gen::element(DataSet::kTrain, DataSet::kValidation, DataSet::kTest);
  return s;
}

}  // namespace ipfit::test
