#include "base/processes/descendants.h"

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace timeless {

namespace {

/// The processes there are, by their parents. What ends meanwhile is not among them.
std::multimap<pid_t, pid_t> children_of_all() {
  std::multimap<pid_t, pid_t> children;
  std::error_code ended;
  for (std::filesystem::directory_iterator entry("/proc", ended), end; !ended && entry != end; entry.increment(ended)) {
    const std::string name = entry->path().filename().string();
    pid_t process = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), process).ec != std::errc()) continue;
    std::ifstream file(entry->path() / "stat");
    std::string line;
    std::getline(file, line);
    // 12 (its name, with blanks and brackets perhaps) S 1 ...
    const std::size_t behind_name = line.rfind(')');
    if (behind_name == std::string::npos || line.size() < behind_name + 5) continue;
    pid_t parent = 0;
    std::from_chars(line.data() + behind_name + 4, line.data() + line.size(), parent);
    children.emplace(parent, process);
  }
  return children;
}

} // namespace

void signal_with_descendants(pid_t process, int signal) {
  const std::multimap<pid_t, pid_t> children = children_of_all();
  std::vector<pid_t> all{process};
  for (std::size_t next = 0; next < all.size(); ++next)
    for (auto [child, end] = children.equal_range(all[next]); child != end; ++child)
      all.push_back(child->second);
  for (const pid_t each : all)
    ::kill(each, signal);
}

} // namespace timeless
