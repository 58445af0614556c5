#include "proto/transport.h"

#include <cstring>
#include <utility>

namespace ipfit {

Payload::Payload(std::vector<std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *owner;
  keep_alive_ = std::move(owner);
}

Payload::Payload(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  *this = Payload(std::vector<std::byte>(bytes.begin(), bytes.end()));
}

}  // namespace ipfit
