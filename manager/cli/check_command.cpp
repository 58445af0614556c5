#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "manager/cli/fit_setup.h"
#include "manager/cli/output.h"
#include "manager/plan/sizes.h"

namespace ipfit {

int check_command(const std::string& file) {
  auto opened = open_fit_file(file);
  if (!opened) {
    return report(opened.errors());
  }
  auto data = import_data(opened->spec, opened->base, [](std::span<const std::byte>) -> Status { return Done{}; });
  if (!data) {
    return report(data.errors());
  }
  print(data->report + sizes_text(*data) + "no problems found\n");
  return 0;
}

}  // namespace ipfit
