#include "common/atoms/bond_length.h"

#include <array>

namespace ipfit {
namespace {

constexpr double kUnknown = 3.0;

// Å, by atomic number from H; 0: not known. From the lattice parameters in J. Donohue, The Structures of the Elements
// (Wiley, 1974) and C. Kittel, Introduction to Solid State Physics (Wiley, 2005), chapter 1; molecules: bond lengths in
// K. P. Huber and G. Herzberg, Constants of Diatomic Molecules (1979).
// clang-format off
constexpr std::array<double, 96> kDistances{
    0.74, 3.57, 3.04, 2.22, 1.75, 1.54, 1.10, 1.21,  // H to O
    1.42, 3.16, 3.72, 3.20, 2.86, 2.35, 2.22, 2.05,  // F to S
    1.99, 3.76, 4.62, 3.95, 3.26, 2.90, 2.62, 2.50,  // Cl to Cr
    2.70, 2.48, 2.50, 2.49, 2.56, 2.66, 2.70, 2.45,  // Mn to Ge
    2.52, 2.37, 2.28, 4.00, 4.84, 4.30, 3.55, 3.18,  // As to Zr
    2.86, 2.73, 2.71, 2.65, 2.69, 2.75, 2.89, 2.98,  // Nb to Cd
    3.25, 2.81, 2.91, 2.84, 2.67, 4.34, 5.24, 4.35,  // In to Ba
    3.73, 3.65, 3.63, 3.63, 3.62, 3.59, 3.97, 3.57,  // La to Gd
    3.53, 3.50, 3.49, 3.47, 3.45, 3.88, 3.43, 3.13,  // Tb to Hf
    2.86, 2.74, 2.74, 2.68, 2.71, 2.77, 2.88, 3.01,  // Ta to Hg
    3.41, 3.50, 3.07, 3.35, 0.0, 0.0, 0.0, 4.46,  // Tl to Ra
    3.76, 3.60, 3.21, 2.75, 2.60, 2.57, 3.45, 3.48,  // Ac to Cm
};
// clang-format on

}  // namespace

double bond_length(std::uint8_t atomic_number) {
  const std::size_t index = std::size_t{atomic_number} - 1;
  const double distance = index < kDistances.size() ? kDistances[index] : 0.0;
  return distance > 0.0 ? distance : kUnknown;
}

double bond_length(std::uint8_t a, std::uint8_t b) {
  return 0.5 * (bond_length(a) + bond_length(b));
}

}  // namespace ipfit
