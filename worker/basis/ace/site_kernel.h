#pragma once

#include <cstdint>

namespace ipfit {

// The arithmetic of one site, compiled for the baseline of the architecture and on x86-64 twice more: for AVX2 with
// FMA, and for AVX-512. Only plain structs of numbers and pointers meet here: an inline function of a library, compiled
// with the instructions of a newer processor, could be the copy that the linker keeps for the whole program.

/// So many neighbours, or products of the same shape, are worked on side by side; arrays are padded to it.
inline constexpr std::int32_t kSide = 8;

/// One factor A_nl of the products: a row of neighbours' contributions for each of its real components
/// A_0, Re A_1, Im A_1, ... Re A_l, Im A_l.
struct LabelView {
  std::int32_t n;  ///< from 0
  std::int32_t l;
  std::int32_t row;  ///< of its first component
};

/// The neighbours of one element around a site. `padded` is their number rounded up to kSide; padding has radial = 0.
struct NeighboursView {
  std::int32_t count;
  std::int32_t padded;
  const double* r;          ///< 3 x padded, Å
  const double* unit;       ///< 3 x padded
  const double* inverse;    ///< padded, 1/|r|
  const double* radial;     ///< n x padded
  const double* slopes;     ///< n x padded
  const double* harmonics;  ///< component (l² + q) x padded
  const double* gradients;  ///< component x 3 x padded: tangential, to be divided by |r|
  const std::int32_t*
      atom;             ///< per neighbour, the number of its atom among the atoms that forces act on; -1: the centre
  std::int32_t atoms;   ///< how many those are
  bool one_image_each;  ///< atom[j] == j for all, and atoms == count
};

/// Up to kSide multisets of one shape.
struct BatchView {
  std::int32_t rank;
  std::int32_t distinct;  ///< labels that differ
  std::int32_t count;     ///< functions per multiset
  std::int32_t orbits;
  std::int32_t lanes;         ///< multisets
  std::int32_t components;    ///< sum over the distinct labels of 2l + 1
  const std::int32_t* l;      ///< per distinct label
  const std::int16_t* entry;  ///< orbits x rank: the factor (label, m) as the place of m = -l ... l in the list of all
  const double* weights;      ///< count x orbits
  const std::int32_t* row;    ///< distinct x kSide: first row of the label, repeated in unused lanes
  std::int64_t first_column;  ///< of the first multiset; they follow one another
  std::int64_t first_gradient;  ///< where its dB/dA begin: count x components x kSide
};

/// One label in one function: gradients begin at `gradient`, kSide apart, for `components` rows from `row`.
struct TermView {
  std::int32_t row;
  std::int32_t gradient;
  std::int32_t components;
};

/// Functions whose columns follow one another, as seen by the neighbours of one element.
struct RunView {
  std::int64_t first_column;
  std::int64_t functions;
  const std::int32_t* first_term;  ///< functions + 1
};

/// One set of vector instructions. `scratch` begins at a multiple of 64 bytes, here as everywhere below.
struct SiteKernel {
  const char* name;

  /// Harmonics of degree 0 ... l_max and their gradients for padded unit vectors. `recursion`: a, b, d per (l, m) as
  /// harmonics.h lays them out.
  void (*harmonics)(std::int32_t l_max, std::int32_t padded, const double* unit, const double* recursion,
                    double* values, double* gradients);

  /// A of each label: sums of radial times harmonics.
  void (*densities)(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, double* densities);

  /// A, and the derivatives of each row, negative: columns x of all atoms, y, z, then the force on the centre
  /// (3) and the virial (6). Row i begins at derivatives + i * stride. `scratch`: 3 x padded.
  void (*derivatives)(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, double* densities,
                      double* derivatives, std::int64_t stride, double* scratch);

  /// Values and derivatives by A of all functions. `scratch`: CentrePlan::scratch doubles.
  void (*products)(const BatchView* batches, std::int32_t count, const double* densities, double* values,
                   double* gradients, double* scratch);

  /// rows[c][column] += sum over terms of gradient times derivative, for c = 0 ... columns - 1. `scratch`: kCollected x
  /// kTile.
  void (*contract)(const RunView* runs, std::int32_t count, const TermView* terms, const double* gradients,
                   const double* derivatives, std::int64_t stride, std::int32_t columns, double* const* rows,
                   double* scratch);

  /// With couplings summed beforehand (orbits x kSide per batch): the energy, and its derivative by each row of A,
  /// added. `scratch`: CentrePlan::scratch doubles.
  double (*potential)(const BatchView* batches, std::int32_t count, const double* const* coefficients,
                      const double* densities, double* gradients, double* scratch);

  /// Forces of a potential on each neighbour, negative: 3 x padded. `scratch`: 2 x kSide x (l_max + 1)².
  void (*forces)(const NeighboursView& neighbours, const LabelView* labels, std::int32_t count, const double* gradients,
                 std::int32_t l_max, double* forces, double* scratch);
};

/// Functions are collected before they are added to the rows, so that whole cache lines are written.
inline constexpr std::int64_t kCollected = 64;
/// Largest degree of the harmonics.
inline constexpr std::int32_t kLargestHarmonic = 10;
/// Columns of the derivatives that are worked on at a time.
inline constexpr std::int32_t kTile = 32;

// Which of them to use: worker/basis/ace/kernel_choice.h.
extern const SiteKernel kSiteKernelBaseline;
extern const SiteKernel kSiteKernelAvx2;    // on x86-64 only
extern const SiteKernel kSiteKernelAvx512;  // on x86-64 only

}  // namespace ipfit
