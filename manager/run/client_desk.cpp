#include "manager/run/client_desk.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>

#include "common/build_id.h"
#include "common/checksum.h"
#include "common/file_system.h"
#include "common/fit/fit_file.h"
#include "common/overloaded.h"
#include "manager/plan/dataset_index.h"
#include "manager/plan/import.h"
#include "manager/run/ended_note.h"
#include "manager/run/status.h"

namespace ipfit {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostUploads = 64;
constexpr auto kUploadPatience = std::chrono::minutes(10);

Error unknown_fit(const std::string& id) {
  return {ErrorKind::kUsage, id, "no fit of this name here", "ipfit list shows those there are"};
}

// What a person can read and type again: the name as far as it is plain, and some random digits.
std::string make_id(const std::string& name) {
  std::string id;
  for (const char c : name.substr(0, 40)) {
    const bool plain = (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '-' || c == '_';
    id += plain ? c : '-';
  }
  return fmt::format("{}{}{:08x}", id, id.empty() ? "" : "-", std::random_device{}());
}

Status append(const std::string& path, std::uint64_t offset, std::span<const std::byte> bytes) {
  auto file = File::open(path, offset == 0 ? File::Mode::kCreate : File::Mode::kReadWrite);
  return file ? file->write_at(offset, bytes) : Status(file.errors());
}

// Makes an uploaded fit whole: the data set gets its name last, so that a directory with dataset.bin is complete.
Status settle(const FitDirectory& directory, const Submit& submit) {
  const std::string partial = directory.partial_dataset();
  if (submit.dataset_bytes == 0) {
    return Error{ErrorKind::kInput, "", "the data set is empty", ""};
  }
  auto dataset = open_dataset(partial);
  if (!dataset) {
    return dataset.errors();
  }
  if (dataset->hash != submit.dataset_hash) {
    return Error{ErrorKind::kNetwork, "", "the data set was damaged on the way", "submit again"};
  }
  if (Status written = write_file_durably(directory.fit_file(), submit.fit_file); !written) {
    return written;
  }
  return keep_dataset(directory);
}

std::vector<FileEntry> list_files(const std::string& directory) {
  std::vector<FileEntry> files;
  std::error_code ignored;
  for (auto entry = fs::recursive_directory_iterator(directory, ignored); entry != fs::recursive_directory_iterator();
       entry.increment(ignored)) {
    if (entry->is_regular_file(ignored)) {
      files.push_back({fs::relative(entry->path(), directory, ignored), entry->file_size(ignored)});
    }
  }
  std::ranges::sort(files, {}, &FileEntry::path);
  return files;
}

Result<std::vector<std::byte>> read_piece(const std::string& path, std::uint64_t offset) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::byte> bytes(kChunkBytes);
  if (!file || !file.seekg(static_cast<std::streamoff>(offset))) {
    return Error{ErrorKind::kStorage, path, "cannot be read", ""};
  }
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

ClientDesk::ClientDesk(Manager& manager, std::string state_directory, Log log)
    : manager_(manager), state_directory_(std::move(state_directory)), log_(std::move(log)) {}

FitRun const* ClientDesk::find(const std::string& id) const {
  for (const auto& [number, run] : manager_.fits()) {
    if (run.status.id == id) {
      return &run;
    }
  }
  return nullptr;
}

void ClientDesk::begin(const std::string& id, const std::string& name, bool skip_bad_structures) {
  manager_.start(id, name, fit_steps(FitDirectory{directory_of(id)}), skip_bad_structures);
}

Status ClientDesk::take_up() {
  std::error_code error;
  fs::create_directories(state_directory_ + "/fits", error);
  fs::permissions(state_directory_, fs::perms::owner_all, error);
  if (error) {
    return Error{ErrorKind::kStorage, state_directory_, "cannot be used: " + error.message(), ""};
  }
  std::vector<std::string> ids;
  for (const auto& entry : fs::directory_iterator(state_directory_ + "/fits")) {
    ids.push_back(entry.path().filename());
  }
  std::ranges::sort(ids);
  for (const std::string& id : ids) {
    const FitDirectory directory{directory_of(id)};
    if (!fs::exists(directory.dataset(), error)) {
      // An upload that was cut off; its client submits again. What else it may be is left alone.
      if (!error && fs::remove(directory.partial_dataset(), error)) {
        fs::remove(directory.path, error);
      }
      continue;
    }
    const auto ended = read_file(directory.path + "/ended");
    if (ended) {
      FitStatus status = read_ended_note(*ended, id);
      noted_[id] = status.state;
      manager_.add_ended(std::move(status));
      continue;
    }
    const auto spec = load_fit_file(directory.fit_file());
    if (!spec) {
      log_.error(spec.error().text());
      continue;
    }
    log_.info(fmt::format("{}: goes on", id));
    begin(id, id, spec->assembly.on_bad_structure == BadStructure::kSkip);
  }
  return Done{};
}

void ClientDesk::note_ended() {
  for (const auto& [number, run] : manager_.fits()) {
    const FitState state = run.status.state;
    if ((state != FitState::kDone && state != FitState::kCancelled) || noted_.contains(run.status.id)) {
      continue;
    }
    noted_[run.status.id] = state;
    const std::string path = directory_of(run.status.id) + "/ended";
    background_.post([path, note = ended_note(manager_.status(number)), log = log_]() -> Background::Finish {
      const Status written = write_file_durably(path, note);
      if (!written) {
        log.error(written.error().text());
      }
      return [] {};
    });
  }
}

void ClientDesk::refuse(const Peer& peer, Error error) {
  manager_.reply(peer, Failure{{std::move(error)}});
}

void ClientDesk::handle(const Peer& peer, Message message, Payload payload) {
  std::visit(Overloaded{
                 [&](Submit& asked) { submit(peer, std::move(asked)); },
                 [&](Upload& asked) { upload(peer, asked, std::move(payload)); },
                 [&](List&) {
                   FitList list;
                   for (const std::uint64_t number : manager_.arrival_order()) {
                     list.fits.push_back(manager_.status(number));
                   }
                   manager_.reply(peer, std::move(list));
                 },
                 [&](StatusRequest& asked) {
                   if (const FitRun* run = find(asked.id)) {
                     manager_.reply(peer, StatusReply{manager_.status(run->number), manager_.workers()});
                   } else {
                     refuse(peer, unknown_fit(asked.id));
                   }
                 },
                 [&](Cancel& asked) {
                   const FitRun* run = find(asked.id);
                   if (run != nullptr && run->status.state >= FitState::kDone) {
                     refuse(peer, {ErrorKind::kUsage, asked.id,
                                   fmt::format("is {} already", state_name(run->status.state)), ""});
                   } else if (run != nullptr) {
                     manager_.cancel(run->number);
                     note_ended();
                     manager_.reply(peer, Accepted{asked.id, 0});
                   } else {
                     refuse(peer, unknown_fit(asked.id));
                   }
                 },
                 [&](Fetch& asked) { fetch(peer, asked); },
                 [&](auto&) {
                   refuse(peer, {ErrorKind::kRefused, "", "this message is not for a manager",
                                 "install the same build of ipfit on both machines"});
                 },
             },
             message);
}

void ClientDesk::submit(const Peer& peer, Submit message) {
  if (message.build != build_id()) {
    refuse(peer,
           {ErrorKind::kRefused, "", fmt::format("the client is build {}, this manager {}", message.build, build_id()),
            "install the same build of ipfit on both machines"});
    return;
  }
  auto spec = read_fit_file(message.fit_file, "fit file");
  if (!spec) {
    manager_.reply(peer, Failure{spec.errors()});
    return;
  }
  drop_idle_uploads();
  if (uploads_.size() >= kMostUploads) {
    refuse(peer, {ErrorKind::kRefused, "", "too many uploads at once", "try again later"});
    return;
  }
  const std::string id = make_id(message.name);
  uploads_[id].submit = std::move(message);
  background_.post([this, peer, id, path = directory_of(id)]() -> Background::Finish {
    std::error_code error;
    const bool fresh = fs::create_directory(path, error);
    return [this, peer, id, path, error, fresh] {
      if (!fresh) {
        uploads_.erase(id);
        refuse(peer, {ErrorKind::kStorage, path, "cannot be made: " + (error ? error.message() : "it is there already"),
                      "submit again"});
      } else {
        manager_.reply(peer, Accepted{id, 0});
      }
    };
  });
}

// Clients that left in the middle. Their pieces go when the next manager takes up the state directory.
void ClientDesk::drop_idle_uploads() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(uploads_, [&](const auto& item) { return now - item.second.touched > kUploadPatience; });
}

void ClientDesk::upload(const Peer& peer, const Upload& message, Payload payload) {
  const auto found = uploads_.find(message.id);
  if (found == uploads_.end()) {
    refuse(peer, unknown_fit(message.id));
    return;
  }
  Uploading& uploading = found->second;
  const bool fits = message.offset == uploading.received && payload.size() > 0 && payload.size() <= kChunkBytes &&
                    uploading.received + payload.size() <= uploading.submit.dataset_bytes;
  if (!fits || checksum(payload.bytes()) != message.checksum) {
    refuse(peer, {ErrorKind::kNetwork, message.id, "a piece of the data set does not fit or was damaged on the way",
                  "submit again"});
    return;
  }
  uploading.received += payload.size();
  uploading.touched = std::chrono::steady_clock::now();
  background_.post([this, peer, id = message.id, offset = message.offset, payload = std::move(payload),
                    path = FitDirectory{directory_of(message.id)}.partial_dataset()]() -> Background::Finish {
    const Status written = append(path, offset, payload.bytes());
    return [this, peer, id, written] {
      const auto still = uploads_.find(id);
      if (still == uploads_.end()) {
        return;
      }
      if (!written) {
        uploads_.erase(still);
        refuse(peer, written.error());
      } else if (still->second.received == still->second.submit.dataset_bytes) {
        complete(peer, id);
      } else {
        manager_.reply(peer, Accepted{id, still->second.received});
      }
    };
  });
}

void ClientDesk::complete(const Peer& peer, const std::string& id) {
  background_.post([this, peer, id, submit = uploads_[id].submit]() -> Background::Finish {
    const Status settled = settle(FitDirectory{directory_of(id)}, submit);
    return [this, peer, id, submit, settled] {
      uploads_.erase(id);
      if (!settled) {
        manager_.reply(peer, Failure{settled.errors()});
        return;
      }
      const auto spec = read_fit_file(submit.fit_file, "fit file");
      begin(id, submit.name, spec && spec->assembly.on_bad_structure == BadStructure::kSkip);
      manager_.reply(peer, Accepted{id, submit.dataset_bytes});
    };
  });
}

void ClientDesk::fetch(const Peer& peer, const Fetch& message) {
  const FitRun* run = find(message.id);
  if (run == nullptr) {
    refuse(peer, unknown_fit(message.id));
    return;
  }
  if (run->status.state < FitState::kDone) {
    refuse(peer, {ErrorKind::kUsage, message.id,
                  fmt::format("has no results yet: it is {}", state_name(run->status.state)), "wait with ipfit watch"});
    return;
  }
  background_.post([this, peer, message, directory = directory_of(message.id)]() -> Background::Finish {
    const std::vector<FileEntry> files = list_files(directory);
    if (message.path.empty()) {
      return [this, peer, files] { manager_.reply(peer, Files{files}); };
    }
    // Only what the listing has: a path cannot lead out of the directory.
    if (std::ranges::find(files, message.path, &FileEntry::path) == files.end()) {
      return [this, peer, message] {
        refuse(peer, {ErrorKind::kUsage, message.path, "no file of this name in the fit", ""});
      };
    }
    auto piece = read_piece(directory + "/" + message.path, message.offset);
    if (!piece) {
      return [this, peer, error = piece.error()] { refuse(peer, error); };
    }
    const std::uint64_t sum = checksum(*piece);
    return [this, peer, offset = message.offset, sum, payload = Payload(std::move(*piece))] {
      manager_.reply(peer, FileChunk{offset, sum}, payload);
    };
  });
}

}  // namespace ipfit
