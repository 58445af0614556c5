#include "common/atoms/element.h"

#include <array>
#include <cassert>

namespace ipfit {
namespace {

constexpr std::array<std::string_view, kLargestAtomicNumber> kSymbols = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

// One lookup per atom of every file: a table by the two letters (the second may be absent).
constexpr std::size_t kLetters = 26;
constexpr std::size_t kEntries = kLetters * (kLetters + 1);

constexpr std::size_t table_index(std::string_view symbol) {
  if (symbol.empty() || symbol.size() > 2 || symbol[0] < 'A' || symbol[0] > 'Z') {
    return kEntries;
  }
  if (symbol.size() == 2 && (symbol[1] < 'a' || symbol[1] > 'z')) {
    return kEntries;
  }
  const std::size_t second = symbol.size() == 1 ? 0 : static_cast<std::size_t>(symbol[1] - 'a') + 1;
  return static_cast<std::size_t>(symbol[0] - 'A') * (kLetters + 1) + second;
}

constexpr std::array<std::uint8_t, kEntries> make_table() {
  std::array<std::uint8_t, kEntries> table{};
  for (std::size_t i = 0; i < kSymbols.size(); ++i) {
    table[table_index(kSymbols[i])] = static_cast<std::uint8_t>(i + 1);
  }
  return table;
}

constexpr std::array<std::uint8_t, kEntries> kTable = make_table();

}  // namespace

std::string_view element_symbol(std::uint8_t Z) {
  assert(Z >= 1 && Z <= kLargestAtomicNumber);
  return kSymbols[static_cast<std::size_t>(Z) - 1];
}

std::optional<std::uint8_t> atomic_number(std::string_view symbol) {
  const std::size_t index = table_index(symbol);
  if (index == kEntries || kTable[index] == 0) {
    return std::nullopt;
  }
  return kTable[index];
}

}  // namespace ipfit
