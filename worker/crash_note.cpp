#include "worker/crash_note.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace ipfit {
namespace {

/// What one evaluator was at. Atomics, because another process and other threads read it; zeros mean "nothing".
struct Entry {
  std::atomic<std::uint64_t> fit;
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> task;
  std::atomic<std::uint32_t> structure;
  std::atomic<std::uint32_t> evaluating;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);

Error note_error(ErrorKind kind, const std::string& what) {
  return {kind, "crash note", what + ": " + std::strerror(errno), ""};
}

}  // namespace

struct CrashNote::Page {
  Entry now;
  Entry crash;
};

Result<CrashNote> CrashNote::create() {
  const int descriptor = memfd_create("ipfit-crash-note", MFD_CLOEXEC);
  if (descriptor < 0) {
    return note_error(ErrorKind::kInternal, "cannot create shared memory");
  }
  if (ftruncate(descriptor, sizeof(Page)) != 0) {
    const Error error = note_error(ErrorKind::kInternal, "cannot size shared memory");
    close(descriptor);
    return error;
  }
  return map(descriptor, ErrorKind::kInternal);
}

Result<CrashNote> CrashNote::open(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size != sizeof(Page)) {
    return Error{ErrorKind::kUsage, "crash note", "descriptor " + std::to_string(descriptor) + " is not a crash note",
                 "evaluators are started by ipfit-worker, not by hand"};
  }
  return map(descriptor, ErrorKind::kUsage);
}

Result<CrashNote> CrashNote::map(int descriptor, ErrorKind kind) {
  void* page = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (page == MAP_FAILED) {
    const Error error = note_error(kind, "cannot map shared memory");
    close(descriptor);
    return error;
  }
  return CrashNote(descriptor, static_cast<Page*>(page));
}

CrashNote::CrashNote(CrashNote&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), page_(std::exchange(other.page_, nullptr)) {}

CrashNote::~CrashNote() {
  if (page_ != nullptr) {
    munmap(page_, sizeof(Page));
    close(descriptor_);
  }
}

void CrashNote::begin(const TaskId& task) {
  page_->now.fit = task.fit;
  page_->now.phase = static_cast<std::uint32_t>(task.phase);
  page_->now.task = task.task;
}

void CrashNote::at(std::uint32_t structure) {
  page_->now.structure = structure;
  page_->now.evaluating = 1;
}

void CrashNote::end() {
  page_->now.evaluating = 0;
}

std::uint32_t CrashNote::structure() const {
  return page_->now.structure;
}

std::optional<CrashReport> CrashNote::evaluator_died() {
  if (page_->now.evaluating.exchange(0) == 0) {
    return std::nullopt;
  }
  page_->crash.fit = page_->now.fit.load();
  page_->crash.phase = page_->now.phase.load();
  page_->crash.task = page_->now.task.load();
  page_->crash.structure = page_->now.structure.load();
  page_->crash.evaluating = 1;
  return crash();
}

std::optional<CrashReport> CrashNote::crash() const {
  if (page_->crash.evaluating == 0) {
    return std::nullopt;
  }
  const TaskId task{page_->crash.fit, static_cast<Phase>(page_->crash.phase.load()), page_->crash.task};
  return CrashReport{task, page_->crash.structure};
}

void CrashNote::crash_reported() {
  page_->crash.evaluating = 0;
}

}  // namespace ipfit
