#include "worker/block_pool.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>

using namespace ipfit;

TEST_CASE("memory of a block is aligned to a cache line and used again when it is free") {
  BlockPool pool;
  std::optional<BlockPool::Buffer> first = pool.take(1000);
  CHECK(reinterpret_cast<std::uintptr_t>(first->values.data()) % 64 == 0);
  CHECK(first->values.size() == 1000);
  const double* memory = first->values.data();
  const BlockPool::Buffer second = pool.take(1000);
  CHECK(second.values.data() != memory);
  first.reset();
  const BlockPool::Buffer third = pool.take(600);
  CHECK(third.values.data() == memory);
  CHECK(third.values.size() == 600);
}

TEST_CASE("a small block does not take the memory of a large one") {
  BlockPool pool;
  const double* memory = nullptr;
  {
    const BlockPool::Buffer large = pool.take(100000);
    memory = large.values.data();
  }
  const BlockPool::Buffer small = pool.take(10);
  CHECK(small.values.data() != memory);
  const BlockPool::Buffer large = pool.take(60000);
  CHECK(large.values.data() == memory);
}

TEST_CASE("a block may outlive its pool") {
  std::optional<BlockPool::Buffer> buffer;
  {
    BlockPool pool;
    buffer = pool.take(100);
  }
  buffer->values[99] = 1.0;
  CHECK(buffer->values[99] == 1.0);
}
