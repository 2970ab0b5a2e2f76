#include "tools/cli/joined_words.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace timeless::tools {

std::string joined_words(std::span<const std::string> words, std::size_t most) {
  std::string text = fmt::format("{}", fmt::join(words.first(std::min(words.size(), most)), ", "));
  if (words.size() > most) text += fmt::format(" and {} more", words.size() - most);
  return text;
}

} // namespace timeless::tools
