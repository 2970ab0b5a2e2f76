#include "tools/cli/shell_word.h"

#include "base/escaping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace timeless::tools {

namespace {

/// Returns a word with characters that are not shown, as bash, zsh and POSIX's shells of 2024 read it back.
std::string in_ansi_c_quotes(const std::string& word) {
  std::string quoted = "$'";
  for (const char c : word)
    if (c == '\'' || c == '\\')
      quoted += {'\\', c};
    else if (const auto byte = static_cast<unsigned char>(c); byte >= ' ' && byte < 0x7f)
      quoted += c;
    else
      quoted += fmt::format("\\{:03o}", byte);
  return quoted + "'";
}

} // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view harmless = "/._-+=:,@%";
  const auto plain = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || harmless.find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, plain)) return word;
  if (escaped(word) != word) return in_ansi_c_quotes(word);
  std::string quoted = "'";
  for (const char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string path_argument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words)
    line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

} // namespace timeless::tools
