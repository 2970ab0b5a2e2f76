#include "tracer/counters/machine.h"

#include "base/parsing.h"

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace timeless::tracer {
namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the value of the first "key : value" line.
std::string_view value_in(std::string_view cpuinfo, std::string_view key) {
  while (!cpuinfo.empty()) {
    const std::size_t end = cpuinfo.find('\n');
    const std::string_view line = cpuinfo.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
    if (end == std::string_view::npos) break;
    cpuinfo.remove_prefix(end + 1);
  }
  return {};
}

} // namespace

std::string cpu_model_in(std::string_view cpuinfo) {
  // x86; Power; RISC-V; MIPS; AArch64 on boards that say.
  constexpr std::array<std::string_view, 5> keys = {"model name", "cpu", "uarch", "cpu model", "Hardware"};
  for (const std::string_view key : keys)
    if (const std::string_view value = value_in(cpuinfo, key); !value.empty()) return std::string(value);
  // AArch64 gives two numbers instead of a name.
  const std::string_view implementer = value_in(cpuinfo, "CPU implementer");
  if (!implementer.empty()) {
    const std::string_view part = value_in(cpuinfo, "CPU part");
    return "implementer " + std::string(implementer) + " part " + std::string(part);
  }
  return "unknown";
}

std::string cpu_model() {
  return cpu_model_in(text_of("/proc/cpuinfo"));
}

bool cpu_has(std::string_view flag) {
  const std::string cpuinfo = text_of("/proc/cpuinfo");
  std::istringstream flags{std::string(value_in(cpuinfo, "flags"))};
  for (std::string each; flags >> each;)
    if (each == flag) return true;
  return false;
}

std::optional<int> perf_event_paranoid() {
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (file >> level) return level;
  return std::nullopt;
}

} // namespace timeless::tracer
