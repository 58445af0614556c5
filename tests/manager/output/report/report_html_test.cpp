#include "manager/output/report/report_html.h"

#include <catch2/catch.hpp>

#include "manager/output/report/report_plots.h"
#include "manager/output/report/report_text.h"

using namespace ipfit;

namespace {

DimerCurve well() {
  return {14, 14, {{1.0, 9.0}, {2.0, -3.0}, {3.0, -1.0}, {4.0, 0.0}}, 1.5};
}

}  // namespace

TEST_CASE("a report of nothing but a name is a page all the same") {
  ReportData report;
  report.fit = "<b>&";
  report.solution = "default";
  const std::string html = report_html(report);
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(html.ends_with("</html>\n"));
  CHECK(html.find("&lt;b&gt;&amp;: solution default") != std::string::npos);
  CHECK(html.find("<svg") == std::string::npos);
  CHECK(html.find("Two atoms") == std::string::npos);
  CHECK(report_text(report).find("Two atoms") == std::string::npos);
}

TEST_CASE("what a solution has is in its report") {
  ReportData report;
  report.dimers = {well()};
  report.singular_values = {10.0, 1.0, 1e-12, 0.0};
  const std::string html = report_html(report);
  CHECK(html.find("Si-Si") != std::string::npos);
  CHECK(html.find("Singular values") != std::string::npos);
  CHECK(report_text(report).find("Si-Si") != std::string::npos);
}

TEST_CASE("the lowest point of a dimer curve counts where the curve has a well") {
  CHECK(minimum_of(well()) == std::pair{2.0, -3.0});
  CHECK(minimum_of({14, 14, {{1.0, -9.0}, {2.0, -3.0}, {3.0, 0.0}}, {}}) == std::nullopt);
  CHECK(minimum_of({14, 14, {{1.0, 9.0}, {2.0, 3.0}, {3.0, 0.0}}, {}}) == std::nullopt);
  CHECK(minimum_of({14, 14, {}, {}}) == std::nullopt);
  DimerCurve falling{14, 14, {{1.0, -50.0}, {2.0, 4.0}, {3.0, -1.0}, {4.0, 0.0}}, 1.5};
  CHECK(minimum_of(falling) == std::pair{3.0, -1.0});  // what data do not reach is told apart
  CHECK(lowest_before_data(falling) == -50.0);
  falling.shortest.reset();
  CHECK(lowest_before_data(falling) == std::nullopt);
  CHECK(energy_at(well(), 1.5) == Approx(3.0));
  CHECK(energy_at(well(), 0.5) == std::nullopt);
}

TEST_CASE("flat, empty and exploding dimer curves can be drawn") {
  for (const DimerCurve& curve : {DimerCurve{14, 14, {}, {}}, DimerCurve{14, 14, {{1.0, 0.0}, {2.0, 0.0}}, {}},
                                  DimerCurve{14, 14, {{1.0, -1e300}, {2.0, 1e300}, {3.0, 0.0}}, 2.5}}) {
    const std::string svg = dimer_plot(curve);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
  }
}
