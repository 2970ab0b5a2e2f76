#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace timeless::trace {

/// Memory for the lists of a block's actions: all of it is given back at once, and the next block takes it again.
class ListMemory {
public:
  /// Returns a copy of the list, valid until clear().
  template <typename Value>
  std::span<const Value> keep(std::span<const Value> list) {
    static_assert(std::is_trivially_copyable_v<Value> && alignof(Value) <= alignment);
    if (list.empty()) return {};
    auto* const copy = reinterpret_cast<Value*>(take(list.size_bytes()));
    std::memcpy(copy, list.data(), list.size_bytes());
    return {copy, list.size()};
  }

  /// Forgets all lists. Keeps some of the memory, but not what an unusually large block has needed.
  void clear();

private:
  static constexpr std::size_t alignment = 8;

  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
  };

  std::byte* take(std::size_t bytes);

  std::vector<Chunk> chunks_;
  std::size_t current_ = 0; ///< chunk that is being filled
  std::size_t used_ = 0;    ///< of it
};

} // namespace timeless::trace
