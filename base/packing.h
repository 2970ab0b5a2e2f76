#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace timeless {

/// Numbers and texts as bytes, for messages between processes of one program on like machines.
class Packer {
public:
  void put(std::uint64_t number);
  void put_real(double number);
  void put(std::string_view text);
  void put(const std::vector<std::uint32_t>& numbers);
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_;
};

/// Takes out what a Packer put in, in the same order. Throws Error(runtime) when the bytes end too early.
class Unpacker {
public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number();
  double real();
  std::string text();
  std::vector<std::uint32_t> numbers();
  bool empty() const { return bytes_.empty(); }

private:
  std::string_view bytes_;
};

} // namespace timeless
