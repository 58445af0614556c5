#include "common/checksum.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <new>

namespace ipfit {
namespace {

std::string hex(const XXH128_hash_t& hash) {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t checksum(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

std::uint64_t checksum_of_chunks(std::span<const std::uint64_t> chunk_checksums) {
  return checksum(std::as_bytes(chunk_checksums));
}

BlockChecksum::BlockChecksum() : state_(XXH3_createState()) {
  if (state_ == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
}

BlockChecksum::~BlockChecksum() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}

void BlockChecksum::end_chunk() {
  chunks_.push_back(XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_)));
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
  in_chunk_ = 0;
}

void BlockChecksum::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), kChunkBytes - in_chunk_);
    XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), count);
    in_chunk_ += count;
    bytes = bytes.subspan(count);
    if (in_chunk_ == kChunkBytes) {
      end_chunk();
    }
  }
}

std::uint64_t BlockChecksum::digest() {
  if (in_chunk_ > 0) {
    end_chunk();
  }
  return checksum_of_chunks(chunks_);
}

std::string fingerprint(std::span<const std::byte> bytes) {
  return hex(XXH3_128bits(bytes.data(), bytes.size()));
}

std::string fingerprint(std::string_view text) {
  return hex(XXH3_128bits(text.data(), text.size()));
}

Fingerprinter::Fingerprinter() : state_(XXH3_createState()) {
  if (state_ == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

Fingerprinter::~Fingerprinter() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}

void Fingerprinter::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

std::string Fingerprinter::digest() const {
  return hex(XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_)));
}

}  // namespace ipfit
