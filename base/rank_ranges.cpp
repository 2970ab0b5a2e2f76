#include "base/rank_ranges.h"

#include "base/error.h"

#include <charconv>
#include <string_view>

namespace timeless {

std::string rank_ranges(std::span<const std::int32_t> ranks, std::size_t most) {
  std::string words;
  std::size_t ranges = 0;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t last = begin;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    if (ranges++ == most) return words + " and " + std::to_string(ranks.size() - begin) + " more";
    if (!words.empty()) words += ", ";
    words += std::to_string(ranks[begin]);
    if (last > begin) words += (last == begin + 1 ? ", " : "-") + std::to_string(ranks[last]);
    begin = last + 1;
  }
  return words;
}

namespace {

bool read_rank(std::string_view text, std::int32_t& rank) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  return error == std::errc{} && rest == text.data() + text.size() && rank >= 0;
}

} // namespace

std::vector<std::pair<std::int32_t, std::int32_t>> read_rank_ranges(const std::string& text, std::int32_t ranks,
                                                                    const std::string& option) {
  std::vector<std::pair<std::int32_t, std::int32_t>> ranges;
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const std::size_t dash = word.find('-');
    auto& [first, last] = ranges.emplace_back();
    const bool one = dash == std::string_view::npos;
    if (!read_rank(word.substr(0, dash), first) || !read_rank(one ? word : word.substr(dash + 1), last) || last < first)
      throw Error(Failure::usage, "no ranks: " + std::string(word), option, "give some such as 0-3,8");
    if (last >= ranks)
      throw Error(Failure::usage, "there is no rank " + std::to_string(last), option + " " + text,
                  ranks == 1 ? "the run has rank 0 alone"
                             : "the run has " + std::to_string(ranks) + ": 0-" + std::to_string(ranks - 1));
    if (word.size() == rest.size()) return ranges;
    rest.remove_prefix(word.size() + 1);
  }
}

} // namespace timeless
