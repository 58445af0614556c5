#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/atoms/structure.h"
#include "common/result.h"

namespace ipfit {

/// One record of dataset.bin, which is also how structures travel: uint32 length L (little-endian), four zero bytes,
/// then L bytes, a multiple of 8: a flat Cap'n Proto message `Structure` of one segment (proto/ipfit.capnp). A data set
/// is records back to back, so in an 8-aligned buffer each message is 8-aligned and is read in place. Every bit of
/// every number is kept. The structure must have at least one atom, and as many positions, and forces if any, as
/// species.
std::vector<std::byte> encode_structure(const Structure& structure);

/// Decodes all records in `bytes`. Untrusted: any bytes, at any alignment, are safe; lengths, counts, species (1 to
/// 118) and finite numbers are checked. Errors: kInput, naming the record (from 1) and its first byte.
Result<std::vector<Structure>> decode_structures(std::span<const std::byte> bytes);

/// The length in bytes of the record that starts at bytes[0], header included; kInput where it does not fit into
/// `bytes` or into a payload (kMaxPayloadBytes).
Result<std::size_t> record_size(std::span<const std::byte> bytes);

}  // namespace ipfit
