#pragma once

#include "base/bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

/// Bits in bytes: bit i of a string of bytes is bit i % 8 of byte i / 8, and a number's lowest bit comes first.
namespace timeless::trace {

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Returns the eight bytes from `byte` on as a little-endian number; bytes beyond the end are 0.
inline std::uint64_t load_bytes(std::string_view bytes, std::size_t byte) {
  std::uint64_t word = 0;
  if (byte + sizeof word <= bytes.size()) return load_fixed<std::uint64_t>(bytes.data() + byte);
  if (byte < bytes.size()) std::memcpy(&word, bytes.data() + byte, bytes.size() - byte);
  return little_endian(word);
}

/// Returns a number of at most 64 bits that starts at any bit.
inline std::uint64_t load_bits(std::string_view bytes, std::size_t bit, unsigned count) {
  const std::size_t byte = bit / 8;
  const unsigned skipped = bit % 8;
  std::uint64_t word = load_bytes(bytes, byte) >> skipped;
  if (skipped + count > 64) word |= load_bytes(bytes, byte + 8) << (64 - skipped);
  return word & low_bits(count);
}

/// Appends bits to a string of bytes, the lowest first. Up to 63 of them wait in a word: finish() before reading.
class BitWriter {
public:
  explicit BitWriter(std::string& bytes) : bytes_(bytes) {}

  /// Appends the lowest `count` bits of `value`, whose others are 0.
  void put(std::uint64_t value, unsigned count) {
    word_ |= value << used_;
    used_ += count;
    if (used_ < 64) return;
    append(sizeof word_);
    used_ -= 64;
    word_ = used_ == 0 ? 0 : value >> (count - used_);
  }

  /// Fills the last byte up with 0.
  void finish() {
    append((used_ + 7) / 8);
    word_ = 0;
    used_ = 0;
  }

private:
  void append(std::size_t count) {
    char raw[sizeof word_];
    store_fixed(raw, word_);
    bytes_.append(raw, count);
  }

  std::string& bytes_;
  std::uint64_t word_ = 0;
  unsigned used_ = 0;
};

} // namespace timeless::trace
