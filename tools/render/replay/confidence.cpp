#include "tools/render/replay/confidence.h"

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace timeless::tools {

std::string NumberedReasons::words(const analysis::Trust& trust) {
  std::set<std::size_t> numbers;
  for (const std::string& reason : trust.words()) {
    const auto known = std::ranges::find(all_, reason);
    numbers.insert(static_cast<std::size_t>(known - all_.begin()) + 1);
    if (known == all_.end()) all_.push_back(reason);
  }
  const std::string word = name(trust.confidence);
  return numbers.empty() ? word : fmt::format("{}: {}", word, fmt::join(numbers, ", "));
}

std::string NumberedReasons::text() const {
  std::string text;
  for (std::size_t i = 0; i < all_.size(); ++i)
    text += text_paragraph(fmt::format("  {}  ", i + 1), all_[i]);
  return text;
}

} // namespace timeless::tools
