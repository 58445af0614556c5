#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/atoms/structure.h"

namespace ipfit {

/// Chooses structures to be kept from a fit. Of each group the given share is taken, rounded to the nearest number, but
/// never all: those with the smallest keys, where a key is made of the seed and of what the structure is (not where it
/// stands or what its file is called). So the choice is the same for any order of structures and files, new data move
/// few structures from one side to the other, and equal structures are never on both sides. A single atom without
/// neighbours is never taken: the energy of an atom may be needed.
class Split {
 public:
  Split(double fraction, int seed) : fraction_(fraction), seed_(seed) {}

  /// First every structure is added, then every one is asked for.
  void add(const Structure& structure);
  void settle();
  bool kept_apart(const Structure& structure) const;

 private:
  double fraction_;
  int seed_;
  std::map<std::string, std::vector<std::uint64_t>> keys_;  ///< by group, sorted once settled
};

}  // namespace ipfit
