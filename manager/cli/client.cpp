#include "manager/cli/client.h"

#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cstdio>

#include "proto/zmq_transport.h"

namespace ipfit {

Client::Client(std::string endpoint, std::unique_ptr<Transport> transport)
    : endpoint_(std::move(endpoint)), transport_(std::move(transport)) {}

Result<Client> Client::connect(const std::string& endpoint) {
  auto transport = ipfit::connect(ZmqContext(), endpoint);
  if (!transport) {
    return transport.errors();
  }
  return Client(endpoint, std::move(*transport));
}

Error Client::unexpected() const {
  return {ErrorKind::kRefused, endpoint_, "answered with a message that does not belong to the question",
          "install the same build of ipfit on both machines"};
}

Result<Incoming> Client::exchange(const Message& question, const Payload& payload, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  bool sent = false;
  bool said = false;
  const auto patience = Clock::now() + std::chrono::seconds(2);
  while (Clock::now() < deadline) {
    if (!sent) {
      sent = transport_->send({}, question, payload) == SendOutcome::kSent;
    }
    while (sent) {
      auto arrived = transport_->receive();
      if (!arrived) {
        break;
      }
      if (auto* bad = std::get_if<BadFrame>(&*arrived)) {
        return bad->error;
      }
      auto& incoming = std::get<Incoming>(*arrived);
      if (auto* failure = std::get_if<Failure>(&incoming.message); failure != nullptr && !failure->errors.empty()) {
        return failure->errors;
      }
      if (auto* reject = std::get_if<Reject>(&incoming.message)) {
        return Error{ErrorKind::kRefused, endpoint_, reject->reason, reject->remedy};
      }
      return std::move(incoming);
    }
    if (!said && Clock::now() > patience) {
      said = true;
      std::fprintf(stderr, "waiting for an answer from %s\n", endpoint_.c_str());
    }
    pollfd fd{transport_->descriptor(), POLLIN, 0};
    ::poll(&fd, 1, sent ? 100 : 10);
  }
  return Error{ErrorKind::kNetwork, endpoint_, fmt::format("no manager answers within {:.0f} s", seconds),
               "start one with: ipfit manager --state DIR --listen ENDPOINT"};
}

}  // namespace ipfit
