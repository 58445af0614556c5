#pragma once

#include <string>

#include "manager/output/report/report_data.h"

namespace ipfit {

/// The report for a terminal: all of it that is no picture.
std::string report_text(const ReportData& report);

}  // namespace ipfit
