#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/atoms/text_line.h"
#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

enum class HowChosen {
  kNamed,   ///< the user named it
  kListed,  ///< the first name of the documented list that occurs
  kUsual,   ///< the one usual name, named or not: what a group is called
  kAbsent,  ///< nothing was found or looked for
};

/// Which key is one kind of label.
struct KeyChoice {
  std::string kind;  ///< "energy", "forces", "virial", "stress", "group"
  std::string name;  ///< empty where there is none
  HowChosen how = HowChosen::kAbsent;
  std::int64_t structures = 0;  ///< that have it
};

/// A key or column whose name speaks of energy, force, virial or stress.
struct FoundKey {
  std::string name;
  bool column = false;  ///< per atom
  std::int64_t structures = 0;
};

/// What the labels of a data set are.
struct KeyUse {
  LabelKeys keys;  ///< for ExtxyzReader: every kind that was found has its name; those that are nowhere stay empty
  std::vector<KeyChoice> choices;
  std::vector<FoundKey> weights;  ///< weigh single structures (own_weights.h)
  std::vector<FoundKey> unused;
  std::int64_t structures = 0;

  /// Lines for people: "energy: 'dft_energy' in 214 of 214 structures (found by the list of usual names)".
  std::string text() const;
};

/// Counts which keys and columns occur, from the first two lines of every frame.
class KeySurvey {
 public:
  /// Reads to the end of the source.
  Status add(LineSource source);

  /// One choice for all that was added. Errors: a named key that occurs nowhere, with the keys that could be meant.
  Result<KeyUse> choose(const LabelKeys& asked) const;

 private:
  std::vector<std::string> files_;
  std::map<std::string, std::int64_t, std::less<>> keys_;     ///< structures that have the key
  std::map<std::string, std::int64_t, std::less<>> columns_;  ///< structures that have the column
  std::int64_t structures_ = 0;
};

/// One quick pass over all files (second lines only, atom lines are skipped), then the choice. All files are looked at
/// before the errors are given.
Result<KeyUse> discover_keys(const std::vector<std::string>& files, const LabelKeys& asked);

}  // namespace ipfit
