#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::tracer {

/// A map from nonzero 64-bit keys (handles, addresses) to small values, in one open-addressed array: no allocation
/// but when it grows, so that a steady program never allocates here.
template <typename Value>
class FlatMap {
public:
  /// Returns the value of the key, or null. Valid until the next insert or erase.
  Value* find(std::uint64_t key) {
    for (std::size_t slot = home(key);; slot = next(slot)) {
      if (slots_[slot].key == key) return &slots_[slot].value;
      if (slots_[slot].key == 0) return nullptr;
    }
  }

  /// Sets the key's value.
  void set(std::uint64_t key, Value value) {
    if (Value* known = find(key)) {
      *known = value;
      return;
    }
    if (2 * (used_ + 1) > slots_.size()) grow();
    place({key, value});
    ++used_;
  }

  void erase(std::uint64_t key) {
    std::size_t hole = home(key);
    while (slots_[hole].key != key) {
      if (slots_[hole].key == 0) return;
      hole = next(hole);
    }
    // Close the gap: move up whatever would no longer be found from its home.
    for (std::size_t slot = next(hole); slots_[slot].key != 0; slot = next(slot)) {
      const std::size_t from = home(slots_[slot].key);
      const bool reachable = hole <= slot ? (hole < from && from <= slot) : (hole < from || from <= slot);
      if (reachable) continue;
      slots_[hole] = slots_[slot];
      hole = slot;
    }
    slots_[hole] = {};
    --used_;
  }

  void clear() {
    slots_.assign(first_size, Slot{});
    used_ = 0;
  }

  std::size_t size() const { return used_; }

private:
  static constexpr std::size_t first_size = 64;

  struct Slot {
    std::uint64_t key = 0;
    Value value{};
  };

  std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 20U) & (slots_.size() - 1);
  }
  std::size_t next(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  void place(Slot entry) {
    std::size_t slot = home(entry.key);
    while (slots_[slot].key != 0)
      slot = next(slot);
    slots_[slot] = entry;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    std::swap(old, slots_);
    for (const Slot& slot : old)
      if (slot.key != 0) place(slot);
  }

  std::vector<Slot> slots_ = std::vector<Slot>(first_size);
  std::size_t used_ = 0;
};

/// Returns the key of a handle or an address.
template <typename Pointer>
std::uint64_t key_of(Pointer pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace timeless::tracer
