#include "tools/rank_ranges.h"

#include "trace/error.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace timeless::tools {

namespace {

bool read_rank(std::string_view text, trace::Rank& rank) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  return error == std::errc{} && rest == text.data() + text.size() && rank >= 0;
}

} // namespace

std::vector<std::pair<trace::Rank, trace::Rank>> read_rank_ranges(const std::string& text, trace::Rank ranks,
                                                                  const std::string& option) {
  std::vector<std::pair<trace::Rank, trace::Rank>> ranges;
  std::string_view rest = text;
  while (true) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const std::size_t dash = word.find('-');
    auto& [first, last] = ranges.emplace_back();
    const bool one = dash == std::string_view::npos;
    if (!read_rank(word.substr(0, dash), first) || !read_rank(one ? word : word.substr(dash + 1), last) || last < first)
      throw Error(Failure::usage, "no ranks: " + std::string(word), option, "give some such as 0-3,8");
    if (last >= ranks)
      throw Error(Failure::usage, fmt::format("there is no rank {}", last), option + " " + text,
                  ranks == 1 ? "the run has rank 0 alone" : fmt::format("the run has {}: 0-{}", ranks, ranks - 1));
    if (word.size() == rest.size()) return ranges;
    rest.remove_prefix(word.size() + 1);
  }
}

} // namespace timeless::tools
