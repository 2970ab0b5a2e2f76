#include "base/files/text_file.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <system_error>

namespace timeless {

std::optional<std::string> read_text(const std::filesystem::path& file, std::size_t most) {
  std::error_code unknown;
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file, unknown)) return std::nullopt;
  std::string text;
  char part[65536];
  while (text.size() <= most) {
    in.read(part, static_cast<std::streamsize>(std::min(sizeof part, most + 1 - text.size())));
    if (in.gcount() == 0) break;
    text.append(part, static_cast<std::size_t>(in.gcount()));
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

} // namespace timeless
