#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ipfit {

/// Memory for blocks, aligned to 64 bytes. A buffer comes back when its last owner lets go of it (on any thread, since
/// the socket's thread is often the last) and is used again: fresh pages cost a fault each.
class BlockPool {
 public:
  BlockPool();

  struct Buffer {
    std::span<double> values;           ///< not initialised
    std::shared_ptr<const void> owner;  ///< of the memory; may outlive the pool
  };
  /// Throws std::bad_alloc.
  Buffer take(std::size_t count);

 private:
  struct Spares;
  std::shared_ptr<Spares> spares_;
};

}  // namespace ipfit
