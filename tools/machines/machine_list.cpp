#include "tools/machines/machine_list.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace timeless::tools {

namespace {

/// Returns where the first name of a list ends: at a comma, or at the list's end.
std::size_t end_of_first(std::string_view list, const std::vector<std::string>& known) {
  const std::size_t first = std::min(list.find(','), list.size());
  if (std::ranges::find(known, list.substr(0, first)) != known.end()) return first;
  std::error_code none;
  for (std::size_t end = first;; end = std::min(list.find(',', end + 1), list.size())) {
    if (end > 0 && std::filesystem::exists(list.substr(0, end), none)) return end;
    if (end == list.size()) return first;
  }
}

} // namespace

std::vector<std::string> names_in_lists(const std::vector<std::string>& lists, const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (std::string_view list : lists) {
    while (true) {
      const std::size_t end = end_of_first(list, known);
      if (end > 0 || end == list.size()) names.emplace_back(list.substr(0, end));
      if (end == list.size()) break;
      list.remove_prefix(end + 1);
    }
  }
  return names;
}

} // namespace timeless::tools
