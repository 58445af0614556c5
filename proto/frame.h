#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// How many bytes of payload a message comes with; most messages take none.
struct PayloadRange {
  std::size_t least = 0;
  std::size_t most = 0;
  bool contains(std::size_t bytes) const { return least <= bytes && bytes <= most; }
};
PayloadRange payload_range(const Message& message);

/// The payload as it travels: frames of kChunkBytes, the last one shorter; none for an empty payload.
std::vector<std::span<const std::byte>> payload_frames(std::span<const std::byte> payload);

/// Checks the payload frames of a message as they arrive, before anything is known about the message: none empty, none
/// longer than kChunkBytes, none after a shorter one, kMaxPayloadBytes in all.
class PayloadCheck {
 public:
  /// False from the first frame on that breaks the rule.
  bool add(std::size_t frame_bytes);
  bool ok() const { return ok_; }
  std::size_t bytes() const { return bytes_; }

 private:
  bool ok_ = true;
  bool last_ = false;
  std::size_t bytes_ = 0;
};

/// The message of a header frame that came with so many bytes of payload. Untrusted. Errors as of decode(); also
/// kNetwork where the payload is missing or not expected.
Result<Message> open_message(std::span<const std::byte> header, std::size_t payload_bytes);

}  // namespace ipfit
