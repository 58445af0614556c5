#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ipfit {

/// XXH3-64 of the bytes: guards frames, journal records and stored rows against damage (not against malice).
std::uint64_t checksum(std::span<const std::byte> bytes);
std::uint64_t checksum(std::string_view text);

/// Checksum of a block, which travels and is stored in chunks: the checksum of the little-endian list of the checksums
/// of its chunks (each kChunkBytes long, the last one shorter). Lets sender and receiver hash each byte once.
std::uint64_t checksum_of_chunks(std::span<const std::uint64_t> chunk_checksums);

/// XXH3-128 as 32 hexadecimal digits: names contents (a data set, a model) where two different ones must never collide.
std::string fingerprint(std::span<const std::byte> bytes);
std::string fingerprint(std::string_view text);

/// The same for contents that arrive in pieces.
class Fingerprinter {
 public:
  Fingerprinter();
  ~Fingerprinter();
  Fingerprinter(const Fingerprinter&) = delete;
  Fingerprinter& operator=(const Fingerprinter&) = delete;
  void add(std::span<const std::byte> bytes);
  std::string digest() const;

 private:
  void* state_;
};

/// Blocks travel and are checksummed in chunks of this many bytes (1 MiB).
inline constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

}  // namespace ipfit
