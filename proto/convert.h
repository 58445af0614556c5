#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/result.h"
#include "proto/message.h"

namespace ipfit {

/// The header frame of a message: an Envelope of proto/ipfit.capnp, which fixes every limit. Texts and lists that the
/// schema marks "cut at" are shortened; a content that breaks an "at most" is a bug of the caller and throws
/// std::length_error. Never longer than kMaxFrameBytes. A Hello is sent under its own `protocol`, everything else under
/// kProtocolVersion.
std::vector<std::byte> encode(const Message& message);

/// The message of a header frame. Untrusted: any bytes, at any alignment, are safe; work and memory are proportional to
/// their number. Errors: kRefused where the peer speaks another protocol version (Hello and Reject are read in any
/// version, so that the refusal can be said in words), kNetwork where the bytes are no message of ours.
Result<Message> decode(std::span<const std::byte> header);

}  // namespace ipfit
