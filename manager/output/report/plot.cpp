#include "manager/output/report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "manager/output/report/xml_text.h"

namespace ipfit {
namespace {

// Pixels.
constexpr double kWidth = 300.0;
constexpr double kHeight = 284.0;
constexpr double kLeft = 62.0;
constexpr double kTop = 22.0;
constexpr double kFrame = 225.0;  // a multiple of Density::kCells, so that cells have sharp edges
constexpr double kBottom = kTop + kFrame;
constexpr double kCell = kFrame / Density::kCells;

constexpr int kTicks = 6;

std::string text_at(double x, double y, const char* anchor, const std::string& text, const std::string& more = "") {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}"{}>{}</text>)", x, y, anchor, more, xml_text(text));
}

/// The part of the segment that lies inside the unit square; false where none does (Liang and Barsky, ACM Trans.
/// Graphics 3, 1 (1984)).
bool clip(std::array<double, 2>& a, std::array<double, 2>& b) {
  double enter = 0.0;
  double leave = 1.0;
  for (std::size_t k = 0; k < 2; ++k) {
    const double change = b[k] - a[k];
    for (const auto& [slope, room] : {std::pair{-change, a[k]}, std::pair{change, 1.0 - a[k]}}) {
      if (slope == 0.0 && room < 0.0) {
        return false;
      }
      if (slope < 0.0) {
        enter = std::max(enter, room / slope);
      } else if (slope > 0.0) {
        leave = std::min(leave, room / slope);
      }
    }
  }
  if (enter > leave) {
    return false;
  }
  const std::array<double, 2> from = a;
  for (std::size_t k = 0; k < 2; ++k) {
    const double change = b[k] - from[k];
    a[k] = from[k] + enter * change;
    b[k] = from[k] + leave * change;
  }
  return true;
}

}  // namespace

Plot::Plot(std::string title, Axis x, Axis y) : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {}

double Plot::across(double x) const {
  return kLeft + kFrame * x_.place(x);
}

double Plot::up(double y) const {
  return kBottom - kFrame * y_.place(y);
}

std::string Plot::path_of(const Points& points) const {
  std::string path;
  std::array<double, 2> end{-1.0, -1.0};  // of what is drawn so far
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto& [x0, y0] = points[i - 1];
    const auto& [x1, y1] = points[i];
    if (!std::isfinite(x0) || !std::isfinite(y0) || !std::isfinite(x1) || !std::isfinite(y1)) {
      continue;
    }
    std::array<double, 2> a{x_.place(x0), y_.place(y0)};
    std::array<double, 2> b{x_.place(x1), y_.place(y1)};
    if (!clip(a, b)) {
      continue;
    }
    if (a != end) {
      path += fmt::format("M{:.1f} {:.1f}", kLeft + kFrame * a[0], kBottom - kFrame * a[1]);
    }
    path += fmt::format("L{:.1f} {:.1f}", kLeft + kFrame * b[0], kBottom - kFrame * b[1]);
    end = b;
  }
  return path;
}

void Plot::add_density(const Density& density, const Tints& tints) {
  // A cell of one point must be seen, and one of a thousand must look fuller: steps of the logarithm.
  std::array<std::string, std::tuple_size_v<Tints>> paths;
  const double full = std::log(1.0 + static_cast<double>(std::max<std::uint64_t>(density.largest(), 9)));
  for (int row = 0; row < Density::kCells; ++row) {
    for (int column = 0; column < Density::kCells; ++column) {
      const std::uint64_t count = density.at(column, row);
      if (count > 0) {
        const double part = std::log(1.0 + static_cast<double>(count)) / full * static_cast<double>(paths.size());
        paths[std::min(paths.size() - 1, static_cast<std::size_t>(part))] += fmt::format(
            "M{:g} {:g}h{:g}v{:g}h-{:g}z", kLeft + column * kCell, kBottom - (row + 1) * kCell, kCell, kCell, kCell);
      }
    }
  }
  for (std::size_t step = 0; step < paths.size(); ++step) {
    if (!paths[step].empty()) {
      drawn_ += fmt::format(R"(<path d="{}" fill="{}"/>)", paths[step], tints[step]);
    }
  }
}

void Plot::add_line(const Points& points, std::string_view colour) {
  drawn_ += fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.5" stroke-linejoin="round"/>)",
                        path_of(points), colour);
}

void Plot::add_guide(const Points& points) {
  drawn_ += fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="0.75"/>)", path_of(points), kGuideColour);
}

void Plot::add_dots(const Points& points, std::string_view colour) {
  for (const auto& [x, y] : points) {
    const bool inside = std::isfinite(x) && std::isfinite(y) && x_.place(x) >= 0.0 && x_.place(x) <= 1.0 &&
                        y_.place(y) >= 0.0 && y_.place(y) <= 1.0;
    if (inside) {
      drawn_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}"/>)", across(x), up(y), colour);
    }
  }
}

void Plot::add_mark(double x, const std::string& word) {
  if (!std::isfinite(x) || x_.place(x) < 0.0 || x_.place(x) > 1.0) {
    return;
  }
  drawn_ += fmt::format(
      R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}" fill="none" stroke="{3}" stroke-width="1" stroke-dasharray="4 3"/>)",
      across(x), kBottom, kTop, kMarkColour);
  const bool right = x_.place(x) < 0.6;
  drawn_ += text_at(across(x) + (right ? 4.0 : -4.0), kTop + 13.0, right ? "start" : "end", word,
                    fmt::format(R"( fill="{}")", kMarkColour));
}

std::string Plot::axes() const {
  std::string out =
      fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#444" stroke-width="1"/>)", kLeft,
                  kTop, kFrame, kFrame);
  std::string marks;
  for (const Tick& tick : ticks_of(x_, kTicks)) {
    marks += fmt::format("M{:.1f} {:.1f}v4", across(tick.value), kBottom);
    out += text_at(across(tick.value), kBottom + 16.0, "middle", tick.label);
  }
  for (const Tick& tick : ticks_of(y_, kTicks)) {
    marks += fmt::format("M{:.1f} {:.1f}h-4", kLeft, up(tick.value));
    out += text_at(kLeft - 7.0, up(tick.value) + 3.5, "end", tick.label);
  }
  out += fmt::format(R"(<path d="{}" stroke="#444" stroke-width="1"/>)", marks);
  out += text_at(kLeft + 0.5 * kFrame, kBottom + 32.0, "middle", x_.label);
  const double middle = kTop + 0.5 * kFrame;
  return out +
         text_at(11.0, middle, "middle", y_.label, fmt::format(R"~( transform="rotate(-90 11 {:.1f})")~", middle));
}

std::string Plot::svg() const {
  return fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">)",
             kWidth, kHeight, xml_text(title_)) +
         drawn_ + axes() + text_at(kLeft + 0.5 * kFrame, kTop - 8.0, "middle", title_, R"( font-weight="600")") +
         "</svg>\n";
}

}  // namespace ipfit
