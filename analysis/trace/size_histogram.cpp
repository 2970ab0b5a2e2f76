#include "analysis/trace/size_histogram.h"

#include <algorithm>
#include <array>
#include <bit>

namespace timeless::analysis {

namespace {

constexpr std::size_t class_count = 66; ///< 0 bytes, and up to 2^0, 2^1, ... 2^64

/// Returns the class of a size: 0 -> 0, 1 -> 1, 2 -> 2, 3 and 4 -> 3, 5 to 8 -> 4.
std::size_t class_of(trace::Bytes bytes) {
  return bytes == 0 ? 0 : 1 + static_cast<std::size_t>(std::bit_width(bytes - 1));
}

SizeClass empty_class(std::size_t number) {
  if (number == 0) return {};
  const trace::Bytes most = number > 64 ? ~trace::Bytes{0} : trace::Bytes{1} << (number - 1);
  return {.least = number == 1 ? 1 : (trace::Bytes{1} << (number - 2)) + 1, .most = most};
}

} // namespace

std::vector<SizeClass> size_histogram(const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  std::array<SizeClass, class_count> classes;
  for (std::size_t number = 0; number < class_count; ++number)
    classes[number] = empty_class(number);
  std::uint64_t done = 0;
  trace::ActionBlock block;
  for (const trace::RankRecord& record : source.run().ranks)
    for (const auto stream = source.open(record.rank); stream->next(block);) {
      for (const std::uint32_t entry : block.sequence()) {
        const trace::Action& action = block.dictionary()[entry];
        if (!sends_message(action.kind) || action.peer == trace::no_rank) continue;
        SizeClass& found = classes[class_of(action.bytes)];
        ++found.messages;
        found.bytes += action.bytes;
      }
      done += block.size();
      if (progress) progress(done);
    }
  const auto occurs = [](const SizeClass& one) { return one.messages > 0; };
  const auto first = std::ranges::find_if(classes, occurs);
  auto last = classes.end();
  while (last != first && !occurs(*std::prev(last)))
    --last;
  return {first, last};
}

} // namespace timeless::analysis
