#include "worker/block_pool.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace ipfit {
namespace {

constexpr std::size_t kAlignment = 64;

/// One block is filled while others are on their way; more than this many idle ones are given back to the system.
constexpr std::size_t kSparesKept = 3;

struct Free {
  void operator()(double* memory) const { ::operator delete (memory, std::align_val_t{kAlignment}); }
};

struct Memory {
  std::unique_ptr<double, Free> values;
  std::size_t capacity = 0;
};

}  // namespace

struct BlockPool::Spares {
  std::mutex mutex;
  std::vector<Memory> list;

  /// The smallest that is large enough, but not so large that memory is wasted on a small block.
  Memory take(std::size_t count) {
    const std::lock_guard lock(mutex);
    auto best = list.end();
    for (auto spare = list.begin(); spare != list.end(); ++spare) {
      const bool fits = spare->capacity >= count && spare->capacity / 2 <= count;
      if (fits && (best == list.end() || spare->capacity < best->capacity)) {
        best = spare;
      }
    }
    if (best == list.end()) {
      return {};
    }
    Memory found = std::move(*best);
    list.erase(best);
    return found;
  }

  void give_back(Memory memory) {
    const std::lock_guard lock(mutex);
    list.push_back(std::move(memory));
    if (list.size() > kSparesKept) {
      list.erase(list.begin());
    }
  }
};

BlockPool::BlockPool() : spares_(std::make_shared<Spares>()) {}

BlockPool::Buffer BlockPool::take(std::size_t count) {
  Memory memory = spares_->take(count);
  if (!memory.values) {
    memory.values.reset(static_cast<double*>(::operator new (count * sizeof(double), std::align_val_t{kAlignment})));
    memory.capacity = count;
  }
  double* values = memory.values.get();
  // The deleter, not the pointer, owns the memory: it hands it back, or frees it if the pool is gone.
  auto held = std::make_shared<Memory>(std::move(memory));
  std::shared_ptr<const void> owner(values, [held, pool = std::weak_ptr<Spares>(spares_)](const void*) {
    if (const auto spares = pool.lock()) {
      spares->give_back(std::move(*held));
    }
  });
  return {{values, count}, std::move(owner)};
}

}  // namespace ipfit
