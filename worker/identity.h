#pragma once

#include <cstdint>
#include <string>

#include "proto/message.h"

namespace ipfit {

/// 32 random hexadecimal digits: the id of a supervisor. Unique without anybody's help.
std::string random_worker_id();

/// What this process says of itself in its first word: protocol, build, host, pid, memory of the machine, self-test.
Hello introduce(const std::string& worker_id, std::uint32_t slot, std::uint32_t incarnation, std::uint32_t credit);

}  // namespace ipfit
