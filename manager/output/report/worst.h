#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit {

struct StructureError {
  Source source;
  std::string group;
  DataSet set = DataSet::kTrain;
  std::int64_t atoms = 0;
  double error = 0.0;
};

/// The structures with the largest errors of those added.
class Worst {
 public:
  void add(const Structure& structure, double error);

  /// By falling magnitude of the error; of equal ones the first added comes first.
  const std::vector<StructureError>& list() const { return list_; }

  static constexpr std::size_t kMost = 10;

 private:
  std::vector<StructureError> list_;
};

}  // namespace ipfit
