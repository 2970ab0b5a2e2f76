#include "tracer/record/rank/regions.h"

#include <algorithm>
#include <utility>

namespace timeless::tracer {

namespace {

/// Returns how many bytes a UTF-8 character that begins with this one has; 0 when none does.
std::size_t bytes_of_character(unsigned char first) {
  if (first < 0x80U) return 1;
  if (first >= 0xc2U && first < 0xe0U) return 2;
  if (first >= 0xe0U && first < 0xf0U) return 3;
  return first >= 0xf0U && first < 0xf5U ? 4 : 0;
}

bool is_character(std::string_view bytes) {
  return !bytes.empty() && bytes.size() == bytes_of_character(static_cast<unsigned char>(bytes.front())) &&
         std::ranges::all_of(bytes.substr(1),
                             [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; });
}

/// Returns the name as a definition may hold it and a terminal may show it: in UTF-8, without control characters.
std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const auto first = static_cast<unsigned char>(name.front());
    const std::string_view character = name.substr(0, std::max<std::size_t>(bytes_of_character(first), 1));
    const bool shown = is_character(character) && first >= 0x20U && first != 0x7fU;
    text.append(shown ? character : "?");
    name.remove_prefix(shown ? character.size() : 1);
  }
  return text;
}

} // namespace

trace::RegionId RegionTable::number(std::string_view name) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  std::string shown = printable(name);
  // Names that look the same are one region, for nobody could tell them apart.
  auto known = numbers_.find(shown);
  if (known == numbers_.end()) {
    known = numbers_.emplace(shown, count_++).first;
    new_.push_back(std::move(shown));
  }
  if (known->first != name) numbers_.emplace(name, known->second);
  return known->second;
}

std::vector<std::string> RegionTable::new_ones(std::size_t first) const {
  const std::size_t taken = count_ - new_.size();
  return {new_.begin() + static_cast<std::ptrdiff_t>(std::max(first, taken) - taken), new_.end()};
}

std::vector<std::string> RegionTable::take_new() {
  return std::exchange(new_, {});
}

void RegionTable::enter(std::uint32_t thread, trace::RegionId region, bool recorded) {
  open_.push_back({thread, region, recorded});
}

std::optional<bool> RegionTable::leave(std::uint32_t thread, trace::RegionId region) {
  const auto innermost = std::find_if(open_.rbegin(), open_.rend(),
                                      [&](const Open& open) { return open.thread == thread && open.region == region; });
  if (innermost == open_.rend()) return std::nullopt;
  const bool recorded = innermost->recorded;
  open_.erase(std::next(innermost).base());
  return recorded;
}

} // namespace timeless::tracer
