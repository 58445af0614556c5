#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "common/log.h"
#include "manager/run/background.h"
#include "manager/run/manager.h"
#include "proto/message.h"
#include "proto/transport.h"

namespace ipfit {

/// Answers the clients of a daemon: takes fits in, lists them, gives their files out. Each fit has a directory
/// STATE/fits/ID. All disk work is done on a background thread; every request is answered by exactly one message.
class ClientDesk {
 public:
  ClientDesk(Manager& manager, std::string state_directory, Log log);

  /// Takes up the fits that an earlier manager left here: those that were not finished go on.
  Status take_up();
  void handle(const Peer& peer, Message message, Payload payload);
  /// To be called often: writes down which fits have ended, so that a later manager does not begin them again.
  void note_ended();

  Background& background() { return background_; }

 private:
  struct Uploading {
    Submit submit;
    std::uint64_t received = 0;
    std::chrono::steady_clock::time_point touched = std::chrono::steady_clock::now();
  };

  std::string directory_of(const std::string& id) const { return state_directory_ + "/fits/" + id; }
  void submit(const Peer& peer, Submit message);
  void upload(const Peer& peer, const Upload& message, Payload payload);
  void complete(const Peer& peer, const std::string& id);
  void fetch(const Peer& peer, const Fetch& message);
  void refuse(const Peer& peer, Error error);
  void drop_idle_uploads();
  FitRun const* find(const std::string& id) const;
  void begin(const std::string& id, const std::string& name, bool skip_bad_structures);

  Manager& manager_;
  std::string state_directory_;
  Log log_;
  std::map<std::string, Uploading> uploads_;
  std::map<std::string, FitState> noted_;
  Background background_;
};

}  // namespace ipfit
