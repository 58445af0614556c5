#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/cli/progress.h"
#include "manager/output/verify_fit.h"

namespace ipfit {

int verify_command(const std::string& directory, bool quiet) {
  const auto start = std::chrono::steady_clock::now();
  const FitDirectory fit{directory};
  const double all = static_cast<double>(bytes_to_verify(fit));
  double done = 0.0;
  Progress progress(quiet);
  const auto found = verify_fit(fit, [&](std::uint64_t bytes) {
    done += static_cast<double>(bytes);
    progress.show(fmt::format("verifying {:.1f} of {:.1f} MB", std::min(done, all) / 1e6, all / 1e6));
  });
  progress.finish();
  if (!found) {
    return report(found.errors());
  }
  const int code = found->damage.empty() ? 0 : report(found->damage);
  if (!quiet) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    print(fmt::format("{}: {}; {:.3g} MB read in {:.1f} s\n", directory, summary_of(*found),
                      static_cast<double>(found->bytes) / 1e6, seconds.count()));
  }
  return code;
}

}  // namespace ipfit
