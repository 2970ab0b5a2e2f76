#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace timeless::tracer {

/// A thread's memory for arrays that live only while one MPI call lasts: grows to what the program needs and stays.
class ScratchMemory {
public:
  static ScratchMemory& of_this_thread();

  void* take(std::size_t bytes);
  /// Gives back what was taken last.
  void give_back(std::size_t bytes);

private:
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    std::size_t size = 0;
    std::size_t used = 0;
  };
  std::vector<Chunk> chunks_;
  std::size_t current_ = 0;
};

/// An array of `size` elements for the length of a scope, uninitialised. Scopes end in the reverse of their order.
template <typename Element>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<Element> && std::is_trivially_destructible_v<Element>);

public:
  explicit ScratchArray(int size)
      : size_(size > 0 ? static_cast<std::size_t>(size) : 0),
        data_(size_ <= inline_elements
                  ? reinterpret_cast<Element*>(inline_)
                  : static_cast<Element*>(ScratchMemory::of_this_thread().take(size_ * sizeof(Element)))) {}
  ~ScratchArray() {
    if (size_ > inline_elements) ScratchMemory::of_this_thread().give_back(size_ * sizeof(Element));
  }
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;

  Element* data() { return data_; }
  const Element* data() const { return data_; }
  Element& operator[](int index) { return data_[index]; }
  const Element& operator[](int index) const { return data_[index]; }

private:
  static constexpr std::size_t inline_elements = 16;

  std::size_t size_;
  Element* data_;
  alignas(Element) std::byte inline_[inline_elements * sizeof(Element)];
};

} // namespace timeless::tracer
