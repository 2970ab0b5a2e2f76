#include "base/escaping.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace timeless {

namespace {

constexpr const char* hexadecimal = "0123456789abcdef";

void append_byte(std::string& line, unsigned char byte) {
  line += {'\\', 'x', hexadecimal[byte / 16], hexadecimal[byte % 16]};
}

void append_number(std::string& line, std::string_view mark, std::uint32_t number, int digits) {
  line += mark;
  for (int digit = digits - 1; digit >= 0; --digit)
    line += hexadecimal[number >> (4 * digit) & 15U];
}

/// Returns the number of a character of UTF-8.
std::uint32_t code_point(std::string_view character) {
  constexpr std::array<std::uint32_t, 5> of_first{0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t number = static_cast<unsigned char>(character[0]) & of_first[character.size()];
  for (const char byte : character.substr(1))
    number = number << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  return number;
}

/// Returns whether nobody sees a character, and a terminal or a browser obeys it: those of Unicode 15's categories Cc
/// (beyond ASCII), Cf, Zl, Zp and Co's neighbours without a shape, and its Default_Ignorable_Code_Points but for the
/// variation selectors of the basic plane, which stand behind ordinary symbols.
bool is_hidden(std::uint32_t number) {
  static constexpr std::pair<std::uint32_t, std::uint32_t> ranges[] = {
      {0x80, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
      {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},     {0x115f, 0x1160},
      {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
      {0x2800, 0x2800},   {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
      {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
      {0xe0000, 0xe0fff}};
  return std::ranges::any_of(ranges,
                             [&](const auto& range) { return range.first <= number && number <= range.second; });
}

/// Appends a byte of ASCII, or one that is no UTF-8, as it is shown.
void append_shown(std::string& line, char byte) {
  if (byte == '\n')
    line += "\\n";
  else if (byte == '\t')
    line += "\\t";
  else if (byte == '\r')
    line += "\\r";
  else if (const auto bits = static_cast<unsigned char>(byte); bits < ' ' || bits >= 0x7f)
    append_byte(line, bits);
  else
    line += byte;
}

} // namespace

std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  if (length == 3 && ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0))) return 0;
  if (length == 4 && ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))) return 0;
  return length;
}

std::string in_quotes(std::string_view value) {
  constexpr std::size_t most = 60;
  if (value.size() <= most) return "'" + escaped(value) + "'";
  std::size_t end = most; // not within a character
  while (end + 3 > most && (static_cast<unsigned char>(value[end]) & 0xc0U) == 0x80)
    --end;
  return "'" + escaped(value.substr(0, end)) + "...'";
}

std::string escaped(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size < 2)
      append_shown(line, text[0]);
    else if (const std::uint32_t number = code_point(text.substr(0, size)); !is_hidden(number))
      line += text.substr(0, size);
    else
      append_number(line, number < 0x10000 ? "\\u" : "\\U", number, number < 0x10000 ? 4 : 8);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return line;
}

std::string escaped_json(std::string_view json) {
  std::string safe;
  while (!json.empty()) {
    const std::size_t size = std::max<std::size_t>(character_size(json), 1);
    const std::uint32_t number = code_point(json.substr(0, size));
    if (json[0] == 0x7f)
      safe += "\\u007f";
    else if (size == 1 || !is_hidden(number))
      safe += json.substr(0, size);
    else if (number < 0x10000)
      append_number(safe, "\\u", number, 4);
    else {
      append_number(safe, "\\u", 0xd800 + ((number - 0x10000) >> 10U), 4);
      append_number(safe, "\\u", 0xdc00 + ((number - 0x10000) & 0x3ffU), 4);
    }
    json.remove_prefix(size);
  }
  return safe;
}

} // namespace timeless
