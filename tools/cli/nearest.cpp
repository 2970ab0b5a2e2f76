#include "tools/cli/nearest.h"

#include <algorithm>
#include <cstddef>

namespace timeless::tools {

namespace {

/// Letters to put in, take out or replace until one word is the other.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j)
    row[j] = j;
  for (std::size_t i = 0; i < left.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < right.size(); ++j) {
      const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// An option without its dashes, which say nothing of how much it differs from another.
std::string_view bare(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::vector<std::string_view> all_nearest(std::span<const std::string_view> words, std::string_view word) {
  constexpr std::size_t longest = 128;
  constexpr std::size_t enough_to_tell = 4;
  std::vector<std::string_view> best;
  const std::string_view asked = bare(word);
  std::size_t least = asked.size() / 3 + 1;
  if (word.size() > longest) return {};
  for (const std::string_view candidate : words) {
    const bool begun = asked.size() >= enough_to_tell && bare(candidate).starts_with(asked);
    const std::size_t far = begun ? 1 : distance(bare(candidate), asked);
    if (far > least) continue;
    if (far < least) best.clear();
    best.push_back(candidate);
    least = far;
  }
  return best;
}

} // namespace

std::string_view nearest(std::span<const std::string_view> words, std::string_view word) {
  const std::vector<std::string_view> best = all_nearest(words, word);
  return best.empty() ? std::string_view() : best.front();
}

std::string did_you_mean(const std::vector<std::string>& words, std::string_view word) {
  constexpr std::size_t most = 3;
  const auto near = all_nearest(std::vector<std::string_view>(words.begin(), words.end()), word);
  if (near.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < std::min(near.size(), most); ++i)
    text += (i == 0 ? "" : " or ") + std::string(near[i]);
  return text + "? ";
}

} // namespace timeless::tools
