#pragma once

#include <memory>
#include <string>

#include "common/result.h"
#include "proto/message.h"
#include "proto/transport.h"

namespace ipfit {

/// A client of a manager: asks, and waits for the one answer.
class Client {
 public:
  static Result<Client> connect(const std::string& endpoint);

  /// Errors: kNetwork where nobody answers within `seconds`; what the manager refused, as it said it.
  template <class Answer>
  Result<Answer> ask(const Message& question, const Payload& payload = {}, double seconds = 10.0) {
    auto incoming = exchange(question, payload, seconds);
    if (!incoming) {
      return incoming.errors();
    }
    if (auto* answer = std::get_if<Answer>(&incoming->message)) {
      return std::move(*answer);
    }
    return unexpected();
  }

  /// The same, where the payload of the answer counts too.
  Result<Incoming> exchange(const Message& question, const Payload& payload, double seconds);

 private:
  Client(std::string endpoint, std::unique_ptr<Transport> transport);
  Error unexpected() const;

  std::string endpoint_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace ipfit
