#include "base/packing.h"

#include "base/error.h"

#include <bit>
#include <cstring>

namespace timeless {

void Packer::put(std::uint64_t number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes_.append(raw, sizeof raw);
}

void Packer::put_real(double number) {
  put(std::bit_cast<std::uint64_t>(number));
}

void Packer::put(std::string_view text) {
  put(std::uint64_t{text.size()});
  bytes_.append(text);
}

void Packer::put(const std::vector<std::uint32_t>& numbers) {
  put(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t)));
}

std::uint64_t Unpacker::number() {
  std::uint64_t value = 0;
  if (bytes_.size() < sizeof value) throw Error(Failure::runtime, "a message between processes is cut short");
  std::memcpy(&value, bytes_.data(), sizeof value);
  bytes_.remove_prefix(sizeof value);
  return value;
}

double Unpacker::real() {
  return std::bit_cast<double>(number());
}

std::vector<std::uint32_t> Unpacker::numbers() {
  const std::string bytes = text();
  std::vector<std::uint32_t> numbers(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::uint32_t));
  return numbers;
}

std::string Unpacker::text() {
  const std::uint64_t size = number();
  if (size > bytes_.size()) throw Error(Failure::runtime, "a message between processes is cut short");
  std::string value(bytes_.substr(0, size));
  bytes_.remove_prefix(size);
  return value;
}

} // namespace timeless
