#pragma once

#include <string>

#include "manager/output/report/report_data.h"

namespace ipfit {

/// The report as one page: plots inside, no scripts, nothing fetched from elsewhere; dark on white, on a screen and on
/// paper. Well-formed XML whatever the names in the data are.
std::string report_html(const ReportData& report);

}  // namespace ipfit
