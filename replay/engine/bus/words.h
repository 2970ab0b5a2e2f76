#pragma once

#include "base/error.h"
#include "replay/engine/bus/bus.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace timeless::replay {

/// Appends values to a batch, a whole number of words each.
class WordWriter {
public:
  explicit WordWriter(Batch& batch) : batch_(batch) {}

  void put(std::uint64_t value) { batch_.push_back(value); }
  void put(std::uint32_t high, std::uint32_t low) { put(std::uint64_t{high} << 32U | low); }
  void put(double value) { put(std::bit_cast<std::uint64_t>(value)); }
  void put(const double* values, std::size_t count) {
    const std::size_t begin = batch_.size();
    batch_.resize(begin + count);
    std::memcpy(batch_.data() + begin, values, count * sizeof(double));
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    const std::size_t begin = batch_.size();
    batch_.resize(begin + (text.size() + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    if (!text.empty()) std::memcpy(batch_.data() + begin, text.data(), text.size());
  }

private:
  Batch& batch_;
};

/// Takes out what a WordWriter put in, in the same order. Throws Error(runtime) where the words end too early.
class WordReader {
public:
  explicit WordReader(std::span<const std::uint64_t> words) : words_(words) {}

  bool empty() const { return words_.empty(); }
  std::uint64_t number() { return take(1).front(); }
  double real() { return std::bit_cast<double>(number()); }
  void reals(double* values, std::size_t count) { std::memcpy(values, take(count).data(), count * sizeof(double)); }
  std::string text() {
    const std::uint64_t size = number();
    const auto words = take(size / sizeof(std::uint64_t) + (size % sizeof(std::uint64_t) != 0 ? 1 : 0));
    return {reinterpret_cast<const char*>(words.data()), size};
  }

private:
  std::span<const std::uint64_t> take(std::size_t count) {
    if (count > words_.size())
      throw Error(Failure::runtime, "a message between the processes of a replay is too short");
    const auto taken = words_.first(count);
    words_ = words_.subspan(count);
    return taken;
  }

  std::span<const std::uint64_t> words_;
};

constexpr std::uint32_t high_half(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32U);
}
constexpr std::uint32_t low_half(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}

} // namespace timeless::replay
