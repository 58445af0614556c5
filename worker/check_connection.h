#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// Tries one after the other what a worker needs of the way to its manager (the name, the port, the conversation), and
/// says in words what it found; the last thing tried is the error. Joins the manager without taking tasks, and leaves.
/// Errors: kUsage for a malformed endpoint, kNetwork, kRefused (the manager's reason).
Status check_connection(const std::string& endpoint, const Hello& hello,
                        const std::function<void(std::string_view)>& say);

}  // namespace ipfit
