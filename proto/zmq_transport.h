#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "proto/transport.h"

namespace ipfit {

/// The messaging library's I/O thread and what its sockets share. A handle: copies are the same context, and the last
/// of them or of the transports made with it ends it, after at most kLingerSeconds for messages not yet written.
/// An endpoint is free again for sure once its context has ended. Make it after every fork(): threads do not survive
/// one.
class ZmqContext {
 public:
  ZmqContext();
  void* get() const { return handle_.get(); }

 private:
  std::shared_ptr<void> handle_;
};

inline constexpr double kLingerSeconds = 1.0;

/// An endpoint as a person types it: "tcp://HOST:PORT" or "ipc://PATH". Errors: kUsage, naming it. Where `listening`,
/// HOST is an address or interface of this machine or "*", and PORT may be "*" (any free one).
Status check_endpoint(const std::string& endpoint, bool listening);

struct Listening {
  std::unique_ptr<Transport> transport;
  std::vector<std::string> endpoints;  ///< as bound: wildcards replaced, in the order given
};

/// The manager's side: many peers, each named by Incoming::peer. A peer that comes back after a broken connection has
/// another name. Errors: kUsage for a malformed endpoint, kNetwork where it cannot be bound (all endpoints are tried,
/// so that all problems are named) or the process may open too few files; the limit on them is raised as far as it
/// goes.
Result<Listening> listen(const ZmqContext& context, const std::vector<std::string>& endpoints);

/// A worker's or client's side: one peer, the manager, named "". Connects in the background, again and again; until
/// then and whenever the connection is down send() says kWouldBlock. Errors: kUsage for a malformed endpoint, kNetwork
/// where the process may open too few files.
Result<std::unique_ptr<Transport>> connect(const ZmqContext& context, const std::string& endpoint);

}  // namespace ipfit
