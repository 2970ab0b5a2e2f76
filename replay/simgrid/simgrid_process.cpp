#include "replay/simgrid/simgrid_process.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace timeless::replay {

namespace {

/// Returns the last line of a log that says something, without SimGrid's "[0.000000] [module/INFO]" in front of it.
std::string last_words(std::string_view log) {
  // SimGrid follows these up with pages of advice on its own options.
  for (const char* crash : {"Segmentation fault", "Access violation", "malloc()", "free()", "realloc()", "double free",
                            "corrupted", "stack smashing", "Stack overflow"})
    if (log.find(crash) != std::string_view::npos) return "SimGrid crashes";
  for (const char* exhausted : {"std::bad_alloc", "std::length_error", "Cannot allocate memory"})
    if (log.find(exhausted) != std::string_view::npos) return "SimGrid has not enough memory for it";
  while (!log.empty()) {
    const std::size_t end = log.find_last_not_of("\n\r \t");
    if (end == std::string_view::npos) return {};
    log = log.substr(0, end + 1);
    const std::size_t begin = log.rfind('\n') + 1;
    std::string_view line = log.substr(begin);
    while (line.starts_with('[')) {
      const std::size_t close = line.find(']');
      if (close == std::string_view::npos) break;
      line.remove_prefix(close + 1);
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    }
    const bool noise = line.empty() || line.starts_with("Current backtrace") || line.starts_with("->") ||
                       line.starts_with("Exiting now") || line.starts_with("Display of current backtrace") ||
                       line.starts_with("(backtrace");
    if (!noise) return std::string(line);
    log = log.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return {};
}

std::string why_simgrid_died(std::string_view log, ExitStatus status) {
  const std::string words = last_words(log);
  if (!words.empty()) return words;
  return status.signal() == SIGSEGV ? "SimGrid crashes" : died_of(log, status);
}

} // namespace

std::string run_simgrid(const ChildWork& work, ChildDeath death, const ChildProgress& progress, const ChildPart& part) {
  if (death.reason == nullptr) death.reason = why_simgrid_died;
  return run_apart(work, death, progress, part);
}

} // namespace timeless::replay
