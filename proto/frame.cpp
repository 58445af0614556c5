#include "proto/frame.h"

#include <algorithm>
#include <string>

#include "common/checksum.h"
#include "proto/convert.h"

namespace ipfit {

PayloadRange payload_range(const Message& message) {
  if (const auto* chunk = std::get_if<BlockChunk>(&message)) {
    return {chunk->bytes, chunk->bytes};
  }
  if (std::holds_alternative<ModelMessage>(message) || std::holds_alternative<TaskMessage>(message)) {
    return {1, kMaxPayloadBytes};
  }
  if (std::holds_alternative<Upload>(message)) {
    return {1, kChunkBytes};
  }
  if (std::holds_alternative<FileChunk>(message)) {
    return {0, kChunkBytes};
  }
  return {};
}

std::vector<std::span<const std::byte>> payload_frames(std::span<const std::byte> payload) {
  std::vector<std::span<const std::byte>> frames;
  while (!payload.empty()) {
    const std::size_t bytes = std::min(payload.size(), kChunkBytes);
    frames.push_back(payload.first(bytes));
    payload = payload.subspan(bytes);
  }
  return frames;
}

bool PayloadCheck::add(std::size_t frame_bytes) {
  ok_ = ok_ && !last_ && frame_bytes > 0 && frame_bytes <= kChunkBytes && bytes_ + frame_bytes <= kMaxPayloadBytes;
  last_ = frame_bytes < kChunkBytes;
  bytes_ += ok_ ? frame_bytes : 0;
  return ok_;
}

Result<Message> open_message(std::span<const std::byte> header, std::size_t payload_bytes) {
  Result<Message> message = decode(header);
  if (!message) {
    return message;
  }
  const PayloadRange range = payload_range(*message);
  if (!range.contains(payload_bytes)) {
    return Error{ErrorKind::kNetwork, "",
                 "a message came with " + std::to_string(payload_bytes) + " bytes of payload, expected " +
                     std::to_string(range.least) + " to " + std::to_string(range.most),
                 ""};
  }
  return message;
}

}  // namespace ipfit
