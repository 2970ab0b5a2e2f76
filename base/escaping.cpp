#include "base/escaping.h"

namespace timeless {

namespace {

void append_byte(std::string& line, unsigned char byte) {
  constexpr const char* digits = "0123456789abcdef";
  line += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
}

/// Returns whether a control character of two bytes, U+0080 to U+009F, begins here.
bool is_long_control(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t of) { return static_cast<unsigned char>(text[of]); };
  return byte(at) == 0xc2 && at + 1 < text.size() && byte(at + 1) >= 0x80 && byte(at + 1) <= 0x9f;
}

} // namespace

std::string in_quotes(std::string_view value) {
  constexpr std::size_t most = 60;
  return "'" + escaped(value.substr(0, most)) + (value.size() > most ? "...'" : "'");
}

std::string escaped(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') {
      line += "\\n";
    } else if (byte == '\t') {
      line += "\\t";
    } else if (byte == '\r') {
      line += "\\r";
    } else if (byte < ' ' || byte == 0x7f) {
      append_byte(line, byte);
    } else if (is_long_control(text, at)) {
      append_byte(line, byte);
      append_byte(line, static_cast<unsigned char>(text[++at]));
    } else {
      line += text[at];
    }
  }
  return line;
}

} // namespace timeless
