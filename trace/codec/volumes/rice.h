#pragma once

#include "base/error.h"
#include "trace/codec/volumes/bits.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

/// Rice codes: the low bits of a number as they are, the rest in unary; numbers that are far too large as they are.
namespace timeless::trace {

/// A code has at most this many zeros; as many as that mean that the number follows in plain.
inline constexpr unsigned rice_escape = 24;

/// How many bytes behind the end of what is read must be there, whatever they hold.
inline constexpr std::size_t read_ahead = 16;

/// Appends codes of numbers to a string of bytes.
class CodeWriter {
public:
  explicit CodeWriter(std::string& bytes) : bits_(bytes) {}

  void put(std::uint64_t number) {
    if (number < rice_escape) return bits_.put(std::uint64_t{1} << number, static_cast<unsigned>(number) + 1);
    const auto bits = static_cast<unsigned>(std::bit_width(number));
    bits_.put(std::uint64_t{1} << rice_escape, rice_escape + 1);
    bits_.put(bits - 1, 6);
    bits_.put(number, bits);
  }

  void finish() { bits_.finish(); }

private:
  BitWriter bits_;
};

/// Reads what a CodeWriter wrote, from some bit on. Throws Error(invalid_input) beyond the end of the codes.
class CodeReader {
public:
  CodeReader(std::string_view codes, std::size_t bit) : codes_(codes) { start(bit); }

  /// Returns the bit after the last one read.
  std::size_t bit() const { return bit_; }

  std::uint64_t next();

  std::uint64_t raw_bits(unsigned bits) {
    if (bit_ + bits > 8 * codes_.size()) fail();
    const std::uint64_t number = load_bits(codes_, bit_, bits);
    start(bit_ + bits);
    return number;
  }

  /// Throws Error(invalid_input) when what was read did not all lie within the codes.
  void check() const {
    if (bit_ > 8 * codes_.size()) fail();
  }

private:
  struct Escaped;

  void start(std::size_t bit) {
    bit_ = bit;
    word_bit_ = bit / 8 * 8;
    check();
    word_ = load_fixed<std::uint64_t>(codes_.data() + bit / 8) & ~low_bits(bit % 8);
  }

  void advance() {
    word_bit_ += 64;
    if (word_bit_ >= 8 * codes_.size()) fail();
    word_ = load_fixed<std::uint64_t>(codes_.data() + word_bit_ / 8);
  }

  static Escaped escaped(CodeReader reader, std::uint64_t zeros);

  [[noreturn]] static void fail() { throw Error(Failure::invalid_input, "volumes whose codes do not end"); }

  std::string_view codes_;
  std::size_t bit_ = 0;
  std::size_t word_bit_ = 0; ///< where the next 64 bits start
  std::uint64_t word_ = 0;   ///< they, those read cleared: each one bit ends a code
};

/// A number that its code does not hold, and what follows it.
struct CodeReader::Escaped {
  CodeReader rest;
  std::uint64_t number;
};

[[gnu::noinline]] inline CodeReader::Escaped CodeReader::escaped(CodeReader reader, std::uint64_t zeros) {
  if (zeros > rice_escape) fail();
  const std::uint64_t bits = reader.raw_bits(6) + 1;
  const std::uint64_t number = reader.raw_bits(static_cast<unsigned>(bits));
  return {reader, number};
}

[[gnu::always_inline]] inline std::uint64_t CodeReader::next() {
  while (word_ == 0)
    advance();
  const std::size_t one = word_bit_ + static_cast<unsigned>(std::countr_zero(word_));
  word_ &= word_ - 1;
  const std::uint64_t zeros = one - bit_;
  bit_ = one + 1;
  if (zeros < rice_escape) [[likely]]
    return zeros;
  const Escaped found = escaped(*this, zeros); // by value: a reader whose address nobody has stays in registers
  *this = found.rest;
  return found.number;
}

} // namespace timeless::trace
