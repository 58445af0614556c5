#pragma once

#include <string>

#include "manager/output/report/report_data.h"

namespace ipfit {

/// The plots of a report, each one or more SVG elements.
std::string parity_plots(const Comparison& comparison);  ///< predictions in the first row, errors in the second
std::string force_error_plots(const Comparison& comparison);
std::string dimer_plot(const DimerCurve& curve);
std::string singular_value_plot(const std::vector<double>& values);

/// Where a dimer curve is lowest: distance in Å, energy in eV. Nothing where it has no minimum between its ends.
std::optional<std::pair<double, double>> minimum_of(const DimerCurve& curve);

/// The energy of a dimer (eV) at a distance between those of the curve, on the line between its neighbours.
std::optional<double> energy_at(const DimerCurve& curve, double distance);

/// "In-P"
std::string pair_name(std::uint8_t a, std::uint8_t b);

}  // namespace ipfit
