#pragma once

#include <string>

#include "manager/output/report/report_data.h"

namespace ipfit {

/// The plots of a report, each one or more SVG elements.
std::string parity_plots(const Comparison& comparison);  ///< predictions in the first row, errors in the second
std::string force_error_plots(const Comparison& comparison);
std::string dimer_plot(const DimerCurve& curve);
std::string singular_value_plot(const std::vector<double>& values);

/// Where a dimer curve is lowest at distances that the data have: distance in Å, energy in eV. Nothing where it has no
/// minimum inside.
std::optional<std::pair<double, double>> minimum_of(const DimerCurve& curve);

/// The lowest energy (eV) at shorter distances than the data have: far below zero where atoms that come too close fall
/// into each other. Nothing where the data do not say.
std::optional<double> lowest_before_data(const DimerCurve& curve);

/// The energy of a dimer (eV) at a distance between those of the curve, on the line between its neighbours.
std::optional<double> energy_at(const DimerCurve& curve, double distance);

/// A table of dimer curves: what stands above its columns, and the row of a curve.
std::vector<std::string> dimer_columns();
std::vector<std::string> dimer_row(const DimerCurve& curve);

/// "In-P"
std::string pair_name(std::uint8_t a, std::uint8_t b);

}  // namespace ipfit
