#pragma once

#include "base/error.h"

#include <concepts>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

/// Integers as bytes: little-endian when fixed in width, LEB128 when variable, zigzag when signed.
namespace timeless {

constexpr std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

/// Writes a varint at `at` and returns where it ends; it takes at most most_varint_bytes.
template <typename Iterator>
constexpr Iterator put_varint(Iterator at, std::uint64_t value) {
  for (; value >= 0x80U; value >>= 7U)
    *at++ = static_cast<char>(value | 0x80U);
  *at++ = static_cast<char>(value);
  return at;
}

inline constexpr std::size_t most_varint_bytes = 10;

inline void put_varint(std::string& bytes, std::uint64_t value) {
  put_varint(std::back_inserter(bytes), value);
}

template <std::unsigned_integral Integer>
void put_fixed(std::string& bytes, Integer value) {
  for (unsigned shift = 0; shift < 8 * sizeof(Integer); shift += 8)
    bytes.push_back(static_cast<char>(value >> shift));
}

/// Reads integers off the front of a byte string; throws Error(invalid_input) rather than read past its end.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::size_t remaining() const { return bytes_.size() - position_; }

  std::uint8_t byte() {
    need(1);
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }

  template <std::unsigned_integral Integer>
  Integer fixed() {
    need(sizeof(Integer));
    Integer value = 0;
    for (unsigned i = 0; i < sizeof(Integer); ++i)
      value = static_cast<Integer>(
          value | static_cast<Integer>(Integer{static_cast<std::uint8_t>(bytes_[position_++])} << (8U * i)));
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if (next < 0x80U) {
        if (shift == 63 && next > 1) fail("a number does not fit 64 bits");
        return value;
      }
    }
    fail("a number does not end");
  }

  std::int64_t signed_varint() { return unzigzag(varint()); }

  /// Returns a varint that has to fit a narrower type.
  template <std::integral Integer>
  Integer narrow(std::uint64_t value) {
    if (!std::in_range<Integer>(value)) fail("a number is out of range");
    return static_cast<Integer>(value);
  }
  template <std::integral Integer>
  Integer narrow(std::int64_t value) {
    if (!std::in_range<Integer>(value)) fail("a number is out of range");
    return static_cast<Integer>(value);
  }

  /// A count of things that take at least `least` bytes each: never more than the bytes that are left can hold.
  std::size_t count(std::size_t least = 1) {
    const std::uint64_t value = varint();
    if (value > remaining() / least) fail("a count is larger than the bytes left");
    return static_cast<std::size_t>(value);
  }

  std::string_view take(std::size_t size) {
    need(size);
    const std::string_view taken = bytes_.substr(position_, size);
    position_ += size;
    return taken;
  }

  [[noreturn]] void fail(const char* what) const {
    throw Error(Failure::invalid_input, what, "byte " + std::to_string(position_) + " of the payload");
  }

private:
  void need(std::size_t size) const {
    if (size > remaining()) fail("the payload ends too early");
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
};

} // namespace timeless
