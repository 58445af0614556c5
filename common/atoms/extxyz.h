#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/atoms/columns.h"
#include "common/atoms/frame_head.h"
#include "common/atoms/label_keys.h"
#include "common/atoms/structure.h"
#include "common/atoms/text_line.h"
#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

/// Reads the structures of an extended-XYZ file one by one, checked: what comes out is finite, has known elements, one
/// position and (where there are forces) one force per atom, a cell that spans the periodic directions, and a virial
/// only where all directions are periodic. docs/reference/extended-xyz.md is the full account. Memory: one structure
/// and a few MB, whatever the file announces.
class ExtxyzReader {
 public:
  /// `keys`: which labels to read. A name that is empty is looked for by the documented list, for every structure anew;
  /// give the keys that discover_keys (common/atoms/key_use) found, so that all structures of a data set have one
  /// meaning.
  static Result<ExtxyzReader> open(const std::string& path, const LabelKeys& keys);
  /// The same for a text in memory; `name` stands for the file in messages.
  static ExtxyzReader from_text(std::string text, const LabelKeys& keys, std::string name = "text");

  ExtxyzReader(ExtxyzReader&&) noexcept = default;
  ExtxyzReader& operator=(ExtxyzReader&&) noexcept = default;

  /// The next structure, or nothing at the end of the file. Errors (kInput) say file:line:column; an error is the end:
  /// after it, the same error comes again.
  Result<std::optional<Structure>> next();

 private:
  ExtxyzReader(LineSource source, const LabelKeys& keys) : source_(std::move(source)), keys_(keys) {}
  Result<std::optional<Structure>> read_frame();

  LineSource source_;
  LabelKeys keys_;
  std::int64_t frames_ = 0;
  std::optional<Error> failure_;
};

/// All structures of a file.
Result<std::vector<Structure>> read_extxyz(const std::string& path, const LabelKeys& keys);

}  // namespace ipfit
