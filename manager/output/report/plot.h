#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "manager/output/report/axis.h"
#include "manager/output/report/density.h"

namespace ipfit {

/// Colours that are told apart by people with every kind of colour vision, and in grey: after Okabe and Ito, "Color
/// universal design" (2008).
inline constexpr std::string_view kTrainColour = "#0072B2";
inline constexpr std::string_view kValidationColour = "#CC79A7";
inline constexpr std::string_view kTestColour = "#D55E00";
inline constexpr std::string_view kMarkColour = "#007A5A";
inline constexpr std::string_view kGuideColour = "#999999";

/// The same colours from few points to many. Without transparency, since two sets that shine through each other are
/// grey.
using Tints = std::array<std::string_view, 5>;
inline constexpr Tints kTrainTints{"#A6CFEA", "#6FB1DC", "#3390C8", "#0072B2", "#00497A"};
inline constexpr Tints kValidationTints{"#EBC9DC", "#DDA2C3", "#CC79A7", "#A85583", "#7A3A5E"};
inline constexpr Tints kTestTints{"#F7B98E", "#F0945A", "#E57324", "#D55E00", "#8F3F00"};

using Points = std::vector<std::pair<double, double>>;

/// A plot as an inline SVG element: well-formed XML, no scripts, no outside files, no ids. Whatever the data, its
/// numbers are finite; points that are not are left out, and nothing is drawn outside the frame.
class Plot {
 public:
  /// The title stands above the frame.
  Plot(std::string title, Axis x, Axis y);

  void add_density(const Density& density, const Tints& tints);
  void add_line(const Points& points, std::string_view colour);
  void add_guide(const Points& points);  ///< thin and grey, below what is added later
  void add_dots(const Points& points, std::string_view colour);
  /// A dashed line through the whole frame, with a word at its upper end.
  void add_mark(double x, const std::string& word);

  std::string svg() const;

 private:
  double across(double x) const;
  double up(double y) const;
  /// The line as pieces inside the frame.
  std::string path_of(const Points& points) const;
  std::string axes() const;

  std::string title_;
  Axis x_;
  Axis y_;
  std::string drawn_;
};

}  // namespace ipfit
