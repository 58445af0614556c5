// Any bytes as a header frame: refused, or a message that we could have sent ourselves.

#include <cstdint>
#include <cstdlib>

#include "proto/convert.h"
#include "proto/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto message = ipfit::decode(bytes);
  if (!message) {
    return 0;
  }
  // Compared as bytes: a NaN of a self-test is not equal to itself.
  const auto sent = ipfit::encode(*message);
  const auto again = ipfit::decode(sent);
  if (!again || ipfit::encode(*again) != sent) {
    std::abort();
  }
  const std::size_t payload = ipfit::payload_range(*message).least;
  if (!ipfit::open_message(bytes, payload) || ipfit::open_message(bytes, ipfit::kMaxPayloadBytes + 1)) {
    std::abort();
  }
  return 0;
}
