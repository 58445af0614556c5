#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// One record of dataset.bin, which is also how structures travel: uint32 length L (little-endian), then L bytes of a
/// single-segment Cap'n Proto message `Structure` (proto/ipfit.capnp), padded to a multiple of 8 with L counting the
/// padding, and 4 bytes of zero after the length so that the message is 8-aligned. A data set is records back to back.
std::vector<std::byte> encode_structure(const Structure& structure);

/// Decodes all records in `bytes`. Untrusted: lengths, counts, species, finite numbers are checked; errors name the
/// record.
Result<std::vector<Structure>> decode_structures(std::span<const std::byte> bytes);

/// The length in bytes of the record that starts at bytes[0], header included; an error where it does not fit.
Result<std::size_t> record_size(std::span<const std::byte> bytes);

}  // namespace ipfit
