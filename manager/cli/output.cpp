#include "manager/cli/output.h"

#include <cstdio>

namespace ipfit {

int report(const std::vector<Error>& errors) {
  for (const Error& error : errors) {
    std::fprintf(stderr, "ipfit: %s\n", error.text().c_str());
  }
  return static_cast<int>(errors.front().kind);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace ipfit
