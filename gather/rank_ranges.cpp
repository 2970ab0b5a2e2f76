#include "gather/rank_ranges.h"

namespace timeless::gather {

std::string rank_ranges(std::span<const trace::Rank> ranks, std::size_t most) {
  std::string words;
  std::size_t stretches = 0;
  for (std::size_t begin = 0; begin < ranks.size();) {
    std::size_t last = begin;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1)
      ++last;
    if (stretches++ == most) return words + " and " + std::to_string(ranks.size() - begin) + " more";
    if (!words.empty()) words += ", ";
    words += std::to_string(ranks[begin]);
    if (last > begin) words += (last == begin + 1 ? ", " : "-") + std::to_string(ranks[last]);
    begin = last + 1;
  }
  return words;
}

} // namespace timeless::gather
