#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace timeless::replay {

/// The ranks that can go on, first come first served. Holds each rank at most once.
class Worklist {
public:
  explicit Worklist(std::size_t ranks) : places_(std::bit_ceil(ranks + 1)) {}

  bool empty() const { return first_ == last_; }
  /// Makes room for so many ranks in all.
  void make_room(std::size_t ranks) {
    std::vector<std::uint32_t> places(std::bit_ceil(ranks + 1));
    if (places.size() <= places_.size()) return;
    for (std::size_t place = first_; place != last_; ++place)
      places[place & (places.size() - 1)] = places_[place & (places_.size() - 1)];
    places_ = std::move(places);
  }
  void push(std::uint32_t rank) { places_[last_++ & (places_.size() - 1)] = rank; }
  /// Returns the rank that is run so many places after the next one; nothing when the list is shorter.
  const std::uint32_t* ahead(std::size_t places) const {
    return last_ - first_ > places ? &places_[(first_ + places) & (places_.size() - 1)] : nullptr;
  }
  std::uint32_t pop() { return places_[first_++ & (places_.size() - 1)]; }

private:
  std::vector<std::uint32_t> places_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

} // namespace timeless::replay
