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

constexpr std::array<double, kLargestAtomicNumber> kMasses = {
    1.008,  4.0026, 6.94,   9.0122, 10.81,  12.011, 14.007, 15.999, 18.998, 20.180, 22.990, 24.305, 26.982, 28.085,
    30.974, 32.06,  35.45,  39.95,  39.098, 40.078, 44.956, 47.867, 50.942, 51.996, 54.938, 55.845, 58.933, 58.693,
    63.546, 65.38,  69.723, 72.630, 74.922, 78.971, 79.904, 83.798, 85.468, 87.62,  88.906, 91.224, 92.906, 95.95,
    97,     101.07, 102.91, 106.42, 107.87, 112.41, 114.82, 118.71, 121.76, 127.60, 126.90, 131.29, 132.91, 137.33,
    138.91, 140.12, 140.91, 144.24, 145,    150.36, 151.96, 157.25, 158.93, 162.50, 164.93, 167.26, 168.93, 173.05,
    174.97, 178.49, 180.95, 183.84, 186.21, 190.23, 192.22, 195.08, 196.97, 200.59, 204.38, 207.2,  208.98, 209,
    210,    222,    223,    226,    227,    232.04, 231.04, 238.03, 237,    244,    243,    247,    247,    251,
    252,    257,    258,    259,    262,    267,    268,    269,    270,    269,    278,    281,    282,    285,
    286,    289,    290,    293,    294,    294};

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

std::string pair_text(std::uint8_t a, std::uint8_t b) {
  return std::string(element_symbol(a)).append("-").append(element_symbol(b));
}

double atomic_mass(std::uint8_t Z) {
  assert(Z >= 1 && Z <= kLargestAtomicNumber);
  return kMasses[static_cast<std::size_t>(Z) - 1];
}

std::optional<std::uint8_t> atomic_number(std::string_view symbol) {
  const std::size_t index = table_index(symbol);
  if (index == kEntries || kTable[index] == 0) {
    return std::nullopt;
  }
  return kTable[index];
}

}  // namespace ipfit
