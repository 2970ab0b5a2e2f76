#pragma once

#include "base/error.h"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Numbers and texts as bytes: little-endian when fixed in width, LEB128 when variable, zigzag when signed.
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

/// Returns the number as this machine has it, of one that is little-endian, and the other way round.
template <std::unsigned_integral Integer>
constexpr Integer little_endian(Integer value) {
  if constexpr (std::endian::native == std::endian::little) {
    return value;
  } else {
    Integer turned = 0;
    for (unsigned shift = 0; shift < 8 * sizeof value; shift += 8)
      turned = static_cast<Integer>(turned << 8U | ((value >> shift) & 0xffU));
    return turned;
  }
}

/// Reads a number of fixed width that stands anywhere in memory.
template <std::unsigned_integral Integer>
Integer load_fixed(const char* from) {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return little_endian(value);
}

template <std::unsigned_integral Integer>
void store_fixed(char* to, Integer value) {
  value = little_endian(value);
  std::memcpy(to, &value, sizeof value);
}

template <std::unsigned_integral Integer>
void put_fixed(std::string& bytes, Integer value) {
  char raw[sizeof value];
  store_fixed(raw, value);
  bytes.append(raw, sizeof raw);
}

/// Joins two numbers in one.
constexpr std::uint64_t halves(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32U | low;
}
constexpr std::uint32_t high_half(std::uint64_t number) {
  return static_cast<std::uint32_t>(number >> 32U);
}
constexpr std::uint32_t low_half(std::uint64_t number) {
  return static_cast<std::uint32_t>(number);
}

/// Writes fields one after the other, for a ByteReader: numbers in eight bytes each, texts and lists.
class ByteWriter {
public:
  void put(std::uint64_t value) { put_fixed(bytes_, value); }
  void put(std::uint32_t high, std::uint32_t low) { put(halves(high, low)); }
  template <std::same_as<double> Real>
  void put(Real value) {
    put(std::bit_cast<std::uint64_t>(value));
  }
  /// Appends a text, its length before it.
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_.append(text);
  }
  /// Appends values without their number.
  void put(std::span<const double> values) { put_all(values); }
  /// Appends values, their number before them.
  void put(std::span<const std::uint32_t> values) {
    put(std::uint64_t{values.size()});
    put_all(values);
  }

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  const std::string& bytes() const { return bytes_; }
  /// Returns what has been written; nothing is left.
  std::string take() { return std::exchange(bytes_, {}); }

private:
  template <typename Value>
  void put_all(std::span<const Value> values) {
    using Bits = std::conditional_t<sizeof(Value) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    if constexpr (std::endian::native == std::endian::little)
      bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    else
      for (const Value value : values)
        put_fixed(bytes_, std::bit_cast<Bits>(value));
  }

  std::string bytes_;
};

/// Reads fields off the front of a byte string, which must outlive it. Rather than read past its end it throws
/// Error(invalid_input), or Error(runtime) for what another process sent.
class ByteReader {
public:
  enum class From : std::uint8_t { file, process };

  explicit ByteReader(std::string_view bytes, From from = From::file) : bytes_(bytes), from_(from) {}

  bool empty() const { return position_ == bytes_.size(); }
  std::size_t remaining() const { return bytes_.size() - position_; }

  std::uint8_t byte() {
    need(1);
    return static_cast<std::uint8_t>(bytes_[position_++]);
  }

  template <std::unsigned_integral Integer>
  Integer fixed() {
    need(sizeof(Integer));
    const auto value = load_fixed<Integer>(bytes_.data() + position_);
    position_ += sizeof(Integer);
    return value;
  }

  // What a ByteWriter put:
  std::uint64_t number() { return fixed<std::uint64_t>(); }
  double real() { return std::bit_cast<double>(number()); }
  void reals(std::span<double> values) {
    need(values.size_bytes());
    for (double& value : values)
      value = std::bit_cast<double>(load_fixed<std::uint64_t>(bytes_.data() + std::exchange(position_, position_ + 8)));
  }
  std::string text() { return std::string(take(count_of(1))); }
  std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> values(count_of(sizeof(std::uint32_t)));
    for (std::uint32_t& value : values)
      value = fixed<std::uint32_t>();
    return values;
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

  /// Reads a count of things that take at least `least` bytes each: never more than the bytes that are left can hold.
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
    if (from_ == From::process)
      throw Error(Failure::runtime, std::string("a message between processes does not fit together: ") + what);
    throw Error(Failure::invalid_input, what, "byte " + std::to_string(position_) + " of the payload");
  }

private:
  void need(std::size_t size) const {
    if (size > remaining()) fail("the payload ends too early");
  }
  /// Reads a count of fixed width, of things that take so many bytes each.
  std::size_t count_of(std::size_t bytes) {
    const std::uint64_t count = number();
    if (count > remaining() / bytes) fail("a count is larger than the bytes left");
    return static_cast<std::size_t>(count);
  }

  std::string_view bytes_;
  std::size_t position_ = 0;
  From from_;
};

} // namespace timeless
