#include "common/checksum.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace ipfit;

TEST_CASE("the checksum of a block does not depend on the pieces in which its bytes arrive") {
  const std::size_t size = GENERATE(std::size_t{0}, std::size_t{5}, kChunkBytes, 2 * kChunkBytes + 77);
  const std::size_t piece = GENERATE(std::size_t{4099}, kChunkBytes - 1, kChunkBytes, 3 * kChunkBytes);
  CAPTURE(size, piece);
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<std::byte>(i * i / 7);
  }
  std::vector<std::uint64_t> chunks;
  for (auto rest = std::span<const std::byte>(bytes); !rest.empty();
       rest = rest.subspan(std::min(kChunkBytes, rest.size()))) {
    chunks.push_back(checksum(rest.first(std::min(kChunkBytes, rest.size()))));
  }
  BlockChecksum sum;
  for (auto rest = std::span<const std::byte>(bytes); !rest.empty();
       rest = rest.subspan(std::min(piece, rest.size()))) {
    sum.add(rest.first(std::min(piece, rest.size())));
  }
  CHECK(sum.digest() == checksum_of_chunks(chunks));
}
