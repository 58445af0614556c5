#pragma once

#include <string>
#include <vector>

#include "common/model/ace/ace_rule.h"
#include "common/model/ace/enumerate_multisets.h"

namespace ipfit {

/// A mistake in the key of [basis] (kInput).
Error rule_mistake(const std::string& key, std::string what, std::string remedy);

/// The largest rank that a rule speaks of.
int highest_rank(const AceRule& rule);

/// What a rule allows at one rank around one element. With kSize that is everything, and sum_n is left to the caller.
MultisetRange range_of(const AceRule& rule, int centre, int rank);

/// All that is wrong with the numbers of a rule's choice (kInput; where = the key of [basis] at fault); empty: nothing.
std::vector<Error> check_choice(const AceRule& rule);

/// The same for the radial functions of a bond that the rule gives.
std::vector<Error> check_bond(const AceBond& bond);

}  // namespace ipfit
