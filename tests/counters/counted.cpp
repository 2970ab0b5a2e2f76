#include "tests/counters/counted.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>

namespace timeless::test {

Counted run_command(const std::string& command) {
  Counted counted;
  FILE* pipe = popen(("exec " + command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  std::array<char, 4096> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe))
    counted.all.append(chunk.data(), got);
  const int status = pclose(pipe);
  counted.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::istringstream lines(counted.all);
  for (std::string line; std::getline(lines, line);)
    counted.lines[line.substr(0, line.find(' '))] = line.substr(std::min(line.size(), line.find(' ') + 1));
  return counted;
}

std::uint64_t Counted::volume(const std::string& key) const {
  return std::stoull(text(key));
}

std::string Counted::text(const std::string& key) const {
  const auto found = lines.find(key);
  if (found == lines.end()) throw std::runtime_error("no " + key + " in:\n" + all);
  return found->second;
}

Counted count(const std::string& choice, const std::string& environment) {
  return run_command("env " + environment + " " COUNT_PROGRAM " '" + choice + "'");
}

Counted run_under_icount(const std::string& command, const std::string& options) {
  return run_command("env VALGRIND_LIB=" ICOUNT_DIRECTORY " VALGRIND_LAUNCHER=" ICOUNT_TOOL " " ICOUNT_TOOL
                     " --tool=icount --command-line-only=yes --quiet --vgdb=no " +
                     options + " " + command);
}

Counted count_under_icount(const std::string& choice, const std::string& options) {
  return run_under_icount(COUNT_PROGRAM " '" + choice + "'", options);
}

} // namespace timeless::test
