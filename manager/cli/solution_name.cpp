#include "manager/cli/solution_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ipfit {

Status check_solution_name(const std::string& option, const std::string& name) {
  constexpr std::size_t kLongest = 100;
  constexpr std::string_view kOthers = ".-_+";
  const bool plain = !name.empty() && name.size() <= kLongest && name.front() != '.' && name.front() != '-' &&
                     std::ranges::all_of(name, [&](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                              kOthers.find(c) != std::string_view::npos;
                     });
  if (!plain) {
    return Error{ErrorKind::kUsage, option, fmt::format("is \"{}\", expected letters, digits and . - _ +", name), ""};
  }
  return Done{};
}

}  // namespace ipfit
