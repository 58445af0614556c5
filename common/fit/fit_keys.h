#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/fit/fit_spec.h"

namespace ipfit {

// A field is the place in a FitSpec that a key of the fit file fills, with the values that it may take.

struct PathsField {
  std::vector<std::string>* value;
};
/// Name of a key in an extended-XYZ file.
struct LabelKeyField {
  std::string* value;
  bool may_be_empty;
};
struct NumberField {
  double* value;
  double low, high;   ///< high included; infinity: no limit, but the value is finite
  bool low_excluded;  ///< low < value instead of low <= value
};
struct IntegerField {
  int* value;
  int low, high;  ///< both included
};
struct FlagField {
  bool* value;
};
/// A number for each rank; in the file also one number for all ranks.
struct RankNumbersField {
  std::vector<double>* value;
  double low, high;  ///< both included
};
/// An integer for each rank.
struct RankIntegersField {
  std::vector<int>* value;
  int low, high;  ///< both included
  bool may_be_empty;
};
/// Numbers by pairs of elements: { In-P = 5.0 }.
struct PairNumbersField {
  std::map<std::pair<std::uint8_t, std::uint8_t>, double>* value;
  double low, high;  ///< low < value <= high
};
struct ElementsField {
  std::vector<std::uint8_t>* value;
};
struct OneBodyField {
  ReferenceSpec* value;
};
struct BasisKindField {
  BasisChoice* value;
};
/// The strength of a solver: a number, or a word for the rule that finds it.
template <class N>
struct StrengthField {
  N* value;
  StrengthRule* rule;
  N low, high;  ///< both included; infinity: no limit, but the value is finite
  std::span<const std::pair<std::string_view, StrengthRule>> words;
};
/// { kind = "algebraic", power = 4, wl = 0.7, wn = 1 }
struct PriorField {
  PriorSpec* value;
};
/// One of a few words; the first word for a value is the one that is written.
template <class E>
struct ChoiceField {
  E* value;
  std::span<const std::pair<std::string_view, E>> choices;
};

using Field =
    std::variant<PathsField, LabelKeyField, NumberField, IntegerField, FlagField, RankNumbersField, RankIntegersField,
                 PairNumbersField, ElementsField, OneBodyField, BasisKindField, StrengthField<double>,
                 StrengthField<int>, PriorField, ChoiceField<RadialFamily>, ChoiceField<StressUnit>,
                 ChoiceField<StressOrder>, ChoiceField<SolverKind>, ChoiceField<Keep>, ChoiceField<BadStructure>>;

/// One key of the fit file: all that its check, its messages, the resolved file and docs/reference/fit-file.md say.
struct FitKey {
  std::string_view section;        ///< "basis"; kGroupSection stands for the section of any one group
  std::string_view name;           ///< "cutoff"
  std::string_view unit;           ///< "Å"; empty: none
  std::string_view meaning;        ///< one phrase
  std::string_view usual;          ///< values that are usual, for messages and documentation; may be empty
  std::string_view default_words;  ///< the default where it is not simply a value; empty: the value in a new FitSpec
  bool shapes_rows;                ///< changing it means that the rows must be evaluated anew
  Field (*field)(FitSpec& spec, const std::string& group);  ///< `group` matters in kGroupSection only
  std::string_view kind = {};                     ///< the kind of basis that has this key; empty: not bound to one
  bool (*matters)(const FitSpec&) = nullptr;      ///< whether the key says anything there; null: always
  bool (*counts)(const GroupWeights&) = nullptr;  ///< in a section of weights: whether the key counts; null: always
};

inline constexpr std::string_view kGroupSection = "weights.NAME";

/// The kinds of basis that this version has; the first is the default.
inline constexpr std::string_view kAceBasis = "ace";
inline constexpr std::string_view kPairBasis = "pair";

/// Every key of the fit file, in the order of the resolved file.
std::span<const FitKey> fit_keys();

/// A FitSpec with the default of every key: what an empty fit file would mean if it named training data, or one that
/// names the kind of basis only.
FitSpec default_fit_spec(std::string_view kind = kAceBasis);

std::string_view kind_of(const BasisChoice& choice);

/// Whether `spec` has the key and the key says anything there: a key of another kind of basis does not, nor does one
/// that the values of others leave without meaning. Only such keys are written.
bool matters(const FitKey& key, const FitSpec& spec);

/// "number > 0.5 and <= 20", "list of paths", "\"qr\" or \"ridge\"".
std::string type_in_words(const Field& field);

/// The value of a field as TOML: "6.0", "[\"si.xyz\"]". Numbers are the shortest text that reads back to the same bits.
std::string toml_value(const Field& field);

/// The default of a key as the documentation gives it: in words, or as TOML.
std::string default_in_words(const FitKey& key);

/// Text as a TOML basic string, a key (in quotes only where it must be), and a number as a TOML float.
std::string toml_quoted(std::string_view text);
std::string toml_key(std::string_view key);
std::string toml_number(double value);

}  // namespace ipfit
