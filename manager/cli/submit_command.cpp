#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "manager/cli/client.h"
#include "manager/cli/commands.h"
#include "manager/cli/fit_setup.h"
#include "manager/cli/output.h"
#include "manager/cli/progress.h"
#include "manager/cli/scratch.h"
#include "manager/cli/watch.h"
#include "manager/plan/sizes.h"

namespace ipfit {
namespace {

/// The id of the fit; nothing where a signal came in between.
Result<std::optional<std::string>> upload(Client& client, const Imported& data, const std::string& name,
                                          const std::string& dataset, StopSignals& signals) {
  auto opened = open_dataset(dataset);
  if (!opened) {
    return opened.errors();
  }
  const std::span<const std::byte> bytes = opened->bytes;
  auto accepted = client.ask<Accepted>(
      Submit{std::string(build_id()), name, write_fit_file(data.spec), bytes.size(), opened->hash});
  if (!accepted) {
    return accepted.errors();
  }
  std::string id = accepted->id;
  Progress progress(false);
  for (std::size_t offset = 0; offset < bytes.size();) {
    const auto piece = bytes.subspan(offset, std::min(kChunkBytes, bytes.size() - offset));
    progress.show(fmt::format("sending {} of {}", bytes_text(static_cast<double>(offset)),
                              bytes_text(static_cast<double>(bytes.size()))));
    accepted = client.ask<Accepted>(Upload{id, offset, checksum(piece)}, Payload(piece, opened->mapping), 120.0);
    if (!accepted) {
      return accepted.errors();
    }
    offset += piece.size();
    if (signals.count() > 0 && offset < bytes.size()) {
      return std::optional<std::string>();
    }
  }
  return std::optional(std::move(id));
}

}  // namespace

int submit_command(const SubmitOptions& options) {
  StopSignals signals;
  auto file = open_fit_file(options.file);
  if (!file) {
    return report(file.errors());
  }
  const auto scratch = ScratchDirectory::make();
  if (!scratch) {
    return report(scratch.errors());
  }
  const FitDirectory directory{scratch->path()};
  auto data = import_to(directory, file->spec, file->base);
  if (!data) {
    return report(data.errors());
  }
  print(data->report + sizes_text(*data) + "\n");
  auto client = Client::connect(options.manager);
  if (!client) {
    return report(client.errors());
  }
  const std::string name = std::filesystem::path(options.file).stem();
  const auto id = upload(*client, *data, name, directory.partial_dataset(), signals);
  if (!id) {
    return report(id.errors());
  }
  if (!id->has_value()) {
    return kInterrupted;
  }
  print(fmt::format("submitted as {}\n", **id));
  return options.watch ? watch(options.manager, **id, signals) : 0;
}

}  // namespace ipfit
