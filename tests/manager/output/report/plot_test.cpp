#include "manager/output/report/plot.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <regex>

using namespace ipfit;

namespace {

/// All numbers of the drawing lie on it or just beside it.
void check_drawing(const std::string& svg) {
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  static const std::regex coordinate(R"re((?:M|L| d="M| x="| y="|cx="|cy=")(-?[0-9.e+]+))re");
  for (auto at = std::sregex_iterator(svg.begin(), svg.end(), coordinate); at != std::sregex_iterator(); ++at) {
    const double number = std::stod((*at)[1]);
    CHECK(number >= 0.0);
    CHECK(number <= 300.0);
  }
}

std::string plot_of(const Points& points, Scale scale) {
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& [a, b] : points) {
    x.push_back(a);
    y.push_back(b);
  }
  Plot plot("<title> & \"more\"", axis_over("x, Å", x, scale), axis_over("y, eV", y, scale));
  Density density(axis_over("", x, scale), axis_over("", y, scale));
  for (const auto& [a, b] : points) {
    density.add(a, b);
  }
  plot.add_density(density, kTrainTints);
  plot.add_line(points, kTestColour);
  plot.add_dots(points, kTrainColour);
  plot.add_guide(points);
  plot.add_mark(points.empty() ? 0.0 : points.front().first, "<here>");
  return plot.svg();
}

}  // namespace

TEST_CASE("plots of the strangest data are drawings like any other") {
  const double largest = std::numeric_limits<double>::max();
  for (const Points& points : {
           Points{},
           Points{{1.0, 2.0}},
           Points{{1.0, 2.0}, {1.0, 2.0}, {1.0, 2.0}},
           Points{{1e-300, 1e-300}, {2e-300, 1e-305}},
           Points{{-largest, -largest}, {largest, largest}},
           Points{{NAN, 1.0}, {1.0, NAN}, {INFINITY, -INFINITY}, {1.0, 1.0}},
           Points{{0.0, 0.0}, {-1.0, -1.0}},
       }) {
    CAPTURE(points);
    for (const Scale scale : {Scale::kLinear, Scale::kLogarithmic}) {
      const std::string svg = plot_of(points, scale);
      check_drawing(svg);
      CHECK(svg.find("&lt;title&gt; &amp; &quot;more&quot;") != std::string::npos);
      CHECK(svg.find("<here>") == std::string::npos);
    }
  }
}

TEST_CASE("a line ends at the frame where its points lie beyond") {
  Plot plot("", {"", 0.0, 1.0}, {"", 0.0, 1.0});
  plot.add_line({{-1.0, 0.5}, {2.0, 0.5}, {2.0, 5.0}, {0.5, -0.5}, {0.5, 0.5}}, kTrainColour);
  const std::string svg = plot.svg();
  check_drawing(svg);
  // In through the left side, out through the right one; back in from below.
  CHECK(svg.find("M62.0 134.5L287.0 134.5") != std::string::npos);
  CHECK(svg.find("M174.5 247.0L174.5 134.5") != std::string::npos);
}

TEST_CASE("a picture of a million points is as small as one of a few thousand") {
  const Axis axis{"", 0.0, 1.0};
  Density density(axis, axis);
  for (int i = 0; i < 1000; ++i) {
    for (int j = 0; j < 1000; ++j) {
      density.add(i / 999.0, j / 999.0);
    }
  }
  Plot plot("", axis, axis);
  plot.add_density(density, kTestTints);
  CHECK(plot.svg().size() < 150000);
}
