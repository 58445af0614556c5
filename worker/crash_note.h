#pragma once

#include <cstdint>
#include <optional>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// A page of memory that a supervisor shares with the evaluators of one slot, one after the other: what the evaluator
/// is at, and what the one before it was at when it died. It outlives any death of the evaluator, so that the structure
/// that kills it is known exactly.
///
/// The evaluator writes with begin, at and end (one thread, a store each); the supervisor calls evaluator_died between
/// two evaluators, when nobody writes.
class CrashNote {
 public:
  /// A new, empty note. Its descriptor is closed on exec unless the caller says otherwise. Errors: kInternal.
  static Result<CrashNote> create();
  /// The note behind an inherited descriptor, which is taken over. Errors: kUsage where it is no note.
  static Result<CrashNote> open(int descriptor);

  ~CrashNote();
  CrashNote(CrashNote&& other) noexcept;
  CrashNote& operator=(CrashNote&&) = delete;

  int descriptor() const { return descriptor_; }

  void begin(const TaskId& task);
  void at(std::uint32_t structure);
  void end();
  /// The structure last given to at(); safe from any thread.
  std::uint32_t structure() const;

  /// What the dead evaluator was evaluating, if it was; remembered as the crash to report.
  std::optional<CrashReport> evaluator_died();
  std::optional<CrashReport> crash() const;
  void crash_reported();

 private:
  struct Page;
  CrashNote(int descriptor, Page* page) : descriptor_(descriptor), page_(page) {}
  static Result<CrashNote> map(int descriptor, ErrorKind kind);

  int descriptor_;
  Page* page_;
};

}  // namespace ipfit
