#include <fmt/format.h>
#include <sys/poll.h>

#include <filesystem>
#include <fstream>

#include "common/checksum.h"
#include "manager/cli/client.h"
#include "manager/cli/commands.h"
#include "manager/cli/output.h"
#include "manager/cli/progress.h"
#include "manager/cli/watch.h"
#include "manager/plan/sizes.h"
#include "manager/run/status.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

constexpr int kWatchMilliseconds = 500;

// Parts of a fit directory that are large and needed only to solve again.
bool is_bulk(const std::string& path) {
  return path.starts_with("system/") || path.find("/predictions/") != std::string::npos ||
         path.find("/dimers/") != std::string::npos || path.ends_with("/dimers.bin") || path == "dataset.bin" ||
         path == "lock" || path.ends_with("/lock");
}

Status fetch_file(Client& client, const std::string& id, const FileEntry& entry, const fs::path& target) {
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  std::ofstream file(target, std::ios::binary);
  for (std::uint64_t offset = 0; offset < entry.bytes;) {
    auto answer = client.exchange(Fetch{id, entry.path, offset}, {}, 30.0);
    if (!answer) {
      return answer.errors();
    }
    const auto* chunk = std::get_if<FileChunk>(&answer->message);
    if (chunk == nullptr || chunk->offset != offset || answer->payload.size() == 0 ||
        chunk->checksum != checksum(answer->payload.bytes())) {
      return Error{ErrorKind::kNetwork, entry.path, "arrived damaged or shorter than announced", "fetch again"};
    }
    file.write(answer->payload.text().data(), static_cast<std::streamsize>(answer->payload.size()));
    offset += answer->payload.size();
  }
  file.close();
  if (!file) {
    return Error{ErrorKind::kStorage, target.string(), "cannot be written", "make space or choose another --out"};
  }
  return Done{};
}

}  // namespace

int list_command(const std::string& manager) {
  auto client = Client::connect(manager);
  if (!client) {
    return report(client.errors());
  }
  const auto list = client->ask<FitList>(List{});
  if (!list) {
    return report(list.errors());
  }
  print(list_text(list->fits));
  return 0;
}

int status_command(const std::string& manager, const std::string& id) {
  auto client = Client::connect(manager);
  if (!client) {
    return report(client.errors());
  }
  const auto status = client->ask<StatusReply>(StatusRequest{id});
  if (!status) {
    return report(status.errors());
  }
  print(status_text(*status));
  return 0;
}

int watch_command(const std::string& manager, const std::string& id) {
  StopSignals signals;
  return watch(manager, id, signals);
}

int watch(const std::string& manager, const std::string& id, StopSignals& signals) {
  auto client = Client::connect(manager);
  if (!client) {
    return report(client.errors());
  }
  Progress progress(false);
  for (;;) {
    const auto status = client->ask<StatusReply>(StatusRequest{id});
    if (!status && status.error().kind == ErrorKind::kNetwork) {
      progress.show("no answer from the manager; the fit goes on when it is back");
      client = Client::connect(manager);
    } else if (!status) {
      return report(status.errors());
    } else {
      progress.show(progress_line(status->fit, status->workers.size()));
      if (status->fit.state >= FitState::kDone) {
        progress.finish();
        if (status->fit.state == FitState::kDone) {
          print(fmt::format("{} is done; its results: ipfit fetch {} --out DIR\n", id, id));
          return 0;
        }
        return report(status->fit.errors.empty() ? std::vector<Error>{{ErrorKind::kFailed, id, "was cancelled", ""}}
                                                 : status->fit.errors);
      }
    }
    pollfd fd{signals.descriptor(), POLLIN, 0};
    ::poll(&fd, 1, kWatchMilliseconds);
    if (signals.count() > 0) {
      progress.finish();
      print(fmt::format("{} goes on; look again with: ipfit watch {}\n", id, id));
      return kInterrupted;
    }
  }
}

int cancel_command(const std::string& manager, const std::string& id) {
  auto client = Client::connect(manager);
  if (!client) {
    return report(client.errors());
  }
  const auto accepted = client->ask<Accepted>(Cancel{id});
  if (!accepted) {
    return report(accepted.errors());
  }
  print(fmt::format("{} is cancelled\n", id));
  return 0;
}

int fetch_command(const FetchOptions& options) {
  auto client = Client::connect(options.manager);
  if (!client) {
    return report(client.errors());
  }
  const auto files = client->ask<Files>(Fetch{options.id, "", 0});
  if (!files) {
    return report(files.errors());
  }
  if (fs::exists(options.out)) {
    return report({{ErrorKind::kUsage, options.out, "is already there", "choose another --out, or remove it"}});
  }
  // Complete or not there: a fetch that breaks off can be begun again.
  const fs::path partial = options.out + ".partial";
  std::error_code error;
  fs::remove_all(partial, error);
  std::uint64_t bytes = 0;
  for (const FileEntry& entry : files->files) {
    // The manager is not trusted with paths outside the directory.
    const fs::path relative = fs::path(entry.path).lexically_normal();
    if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") {
      return report({{ErrorKind::kRefused, entry.path, "is no path inside a fit directory", ""}});
    }
    if (is_bulk(entry.path) && !options.all) {
      continue;
    }
    const Status fetched = fetch_file(*client, options.id, entry, partial / relative);
    if (!fetched) {
      return report(fetched.errors());
    }
    bytes += entry.bytes;
  }
  fs::rename(partial, options.out, error);
  if (error) {
    return report({{ErrorKind::kStorage, options.out, "cannot be made: " + error.message(), "choose another --out"}});
  }
  print(fmt::format(
      "{}: {}\n  errors: {}/solutions/default/errors.txt\n  predict with: ipfit predict {} STRUCTURES.xyz\n",
      options.out, bytes_text(static_cast<double>(bytes)), options.out, options.out));
  return 0;
}

}  // namespace ipfit
