#pragma once

#include <vector>

#include "common/fit/key_mistake.h"
#include "common/model/ace/ace_rule.h"

namespace ipfit {

/// What the keys of [basis] with kind = "ace" mean together.

/// Keys that do not go together, whatever their values: more than one way to choose the functions, or half of one.
std::vector<KeyMistake> check_ace_keys(const GivenKeys& given);

/// Completes a rule whose values are right by themselves and whose keys go together: which choice it is, and its order.
/// `degree_for_all`: `degree` has one number, which is meant for every rank.
void complete_ace_rule(AceRule& rule, const GivenKeys& given, bool degree_for_all);

/// Values of a completed rule that contradict each other, and keys that say nothing beside the others.
std::vector<KeyMistake> check_ace_values(const AceRule& rule, const GivenKeys& given);

}  // namespace ipfit
