#pragma once

#include <vector>

namespace ipfit {

/// The numbers of the built-in probe (common/model/probe.h) as this process evaluates them; empty where the evaluation
/// itself fails. What they should be is for check_self_test to say.
std::vector<double> self_test();

}  // namespace ipfit
