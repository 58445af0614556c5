#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ipfit {

/// XXH3-64 of the bytes: guards frames, journal records and stored rows against damage (not against malice).
std::uint64_t checksum(std::span<const std::byte> bytes);
std::uint64_t checksum(std::string_view text);

/// Checksum of a block, which travels and is stored in chunks: the checksum of the little-endian list of the checksums
/// of its chunks (each kChunkBytes long, the last one shorter). Lets sender and receiver hash each byte once.
std::uint64_t checksum_of_chunks(std::span<const std::uint64_t> chunk_checksums);

/// The same for a block whose bytes arrive in pieces of any length.
class BlockChecksum {
 public:
  BlockChecksum();
  ~BlockChecksum();
  BlockChecksum(const BlockChecksum&) = delete;
  BlockChecksum& operator=(const BlockChecksum&) = delete;
  void add(std::span<const std::byte> bytes);
  /// Of all that was added; nothing may be added after that.
  std::uint64_t digest();

 private:
  void end_chunk();
  void* state_;
  std::size_t in_chunk_ = 0;  ///< bytes of the last chunk that are in the state
  std::vector<std::uint64_t> chunks_;
};

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
