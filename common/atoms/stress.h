#pragma once

#include <optional>

#include "common/atoms/comment_line.h"
#include "common/atoms/structure.h"
#include "common/fit/fit_spec.h"
#include "common/result.h"

namespace ipfit {

/// 1 eV/Å³ in other units of pressure, exact by the definitions of the eV and the bar.
inline constexpr double kGpaPerEvPerCubicAngstrom = 160.2176634;
inline constexpr double kKbarPerEvPerCubicAngstrom = 1602.176634;

/// One `unit` of stress in eV/Å³.
double in_ev_per_cubic_angstrom(StressUnit unit);

/// Two virials of a cell of `volume` (Å³) that differ by no more than this (eV) in every component are the same:
/// 1e-4 of the largest component (files have five digits or more, and constants of nature differ from the eighth digit
/// on) plus a pressure of 1e-6 eV/Å³ = 0.0016 kbar, below what electronic-structure calculations resolve.
double virial_tolerance(const Mat3& a, const Mat3& b, double volume);

/// The tensor of a virial or stress key as it stands in the file: nine numbers or a 3x3 matrix (not checked for
/// symmetry), or six numbers in `order`. Errors: another count, something that is no finite number.
Result<Mat3> tensor_value(const TextLine& line, const KeyValue& pair, StressOrder order);

/// What a stress in `unit` is multiplied by to give the virial in eV: virial = -volume * stress.
double virial_per_stress(StressUnit unit, double volume);

/// The six components, the mean of the two where they differ by rounding; nothing where the tensor is not symmetric
/// within virial_tolerance.
std::optional<Voigt> symmetric_components(const Mat3& virial, double volume);

/// The matrix of six components.
Mat3 matrix_of(const Voigt& virial);

/// Pressure tr(virial) / (3 volume), eV/Å³; positive where the cell is compressed.
double pressure(const Voigt& virial, double volume);

}  // namespace ipfit
