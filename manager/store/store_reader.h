#pragma once

#include <span>
#include <string>
#include <vector>

#include "common/result.h"
#include "manager/store/claims.h"
#include "manager/store/matrix_file.h"

namespace ipfit {

/// An existing store, for reading only (solve, predict, reports). Takes no lock and changes nothing, so it may look at
/// a store that is being written: it sees what was committed when it was opened. All functions may be called from
/// several threads.
class StoreReader {
 public:
  /// Errors: kInput where there is no store; kRefused for another format version; kStorage where the identity record is
  /// damaged.
  static Result<StoreReader> open(const std::string& directory);

  const StoreIdentity& identity() const { return identity_; }
  const std::vector<QuarantineRecord>& quarantined() const { return claims_.quarantined; }
  const std::vector<std::string>& findings() const { return claims_.findings; }
  bool finished() const { return claims_.finished; }
  const Claims& claims() const { return claims_; }
  const MatrixFile& matrix() const { return matrix_; }
  /// As claimed by the journal, in row order; not verified.
  std::vector<RowRange> stored() const;

  /// kFailed where rows are missing: says how many and the first.
  Status check_complete() const;
  /// Reads all stored rows and compares their checksums; one error for each range that differs.
  Status verify() const;
  /// Reads rows into `out` (count * columns doubles). kInternal for rows outside the matrix. Does not check that they
  /// were stored.
  Status read(RowRange rows, std::span<double> out) const;

 private:
  StoreReader(StoreIdentity identity, Claims claims, MatrixFile matrix)
      : identity_(std::move(identity)), claims_(std::move(claims)), matrix_(std::move(matrix)) {}
  StoreIdentity identity_;
  Claims claims_;
  MatrixFile matrix_;
};

/// The identity alone.
Result<StoreIdentity> read_store_identity(const std::string& directory);

}  // namespace ipfit
