#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/atoms/structure.h"
#include "common/lsq/observation.h"
#include "common/lsq/row_sets.h"
#include "common/result.h"

namespace ipfit {

/// What the manager keeps of a structure; the structure itself stays in dataset.bin.
struct StructureInfo {
  std::uint64_t offset = 0;  ///< of its record in dataset.bin
  std::uint64_t bytes = 0;   ///< of the record
  std::int64_t atoms = 0;
  RowMask mask;  ///< the rows that its labels give
  DataSet set = DataSet::kTrain;
  double volume = 0.0;  ///< Å^3; zero where it is not periodic in all directions
  SetMember member;     ///< with what its rows may be mixed; groups are numbered as they first appear
  Source source;
};

/// dataset.bin, checked and mapped for reading. Training structures come first, then validation, then test.
struct Dataset {
  std::vector<StructureInfo> structures;
  std::size_t train_count = 0;
  std::string hash;  ///< fingerprint of the file
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> mapping;  ///< keeps `bytes` alive

  /// The records of structures [first, first + count).
  std::span<const std::byte> records(std::size_t first, std::size_t count) const;
};

/// Opens, checks and indexes the whole file. Errors: kStorage where it cannot be read, kInput where it is damaged.
Result<Dataset> open_dataset(const std::string& path);

/// Reads all structures of the file, in order.
Result<std::vector<Structure>> read_dataset(const std::string& path);

/// The same, of the file with this fingerprint. Errors: kStorage where it has another one, and so was damaged or
/// replaced since its structures were evaluated.
Result<std::vector<Structure>> read_dataset(const std::string& path, const std::string& hash);

/// What the manager keeps of the structures of a data set, as they come one after the other.
class StructureIndex {
 public:
  StructureInfo next(const Structure& structure, std::uint64_t record_bytes);

 private:
  std::map<std::pair<DataSet, std::string>, std::uint32_t> groups_;
  std::uint64_t offset_ = 0;
};

/// Where the rows of each structure start: `first_row[i]`, one entry more than structures; the last is the number of
/// rows.
using RowLayout = std::vector<std::int64_t>;
RowLayout row_layout(std::span<const StructureInfo> structures);

/// "si.xyz frame 12 (line 1482)"
std::string describe(const Source& source);

}  // namespace ipfit
