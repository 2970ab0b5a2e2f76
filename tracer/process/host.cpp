#include "tracer/process/host.h"

#include "tracer/mpi/mpi_library.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace timeless::tracer {

namespace {

std::string cpu_model() {
  std::ifstream information("/proc/cpuinfo");
  for (std::string line; std::getline(information, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return "";
}

std::string mpi_version() {
  // The longest that any MPI writes (MPICH and the standard ABI); Open MPI's own constant is 256.
  constexpr std::size_t most = 8192;
  char text[most] = "";
  int length = 0;
  mpi().Get_library_version(text, &length);
  std::string version(text);
  version.resize(std::min(version.find('\n'), version.size()));
  std::ranges::replace(version, '\t', ' ');
  return version;
}

/// Returns how this process was started, as its own kernel tells, or Valgrind in its place; without what follows the
/// first 64 KiB.
std::vector<std::string> command_line() {
  constexpr std::size_t most = std::size_t{64} << 10U;
  std::string text(most, '\0');
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string current_date() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  char text[32];
  gmtime_r(&seconds, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

} // namespace

trace::Host this_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return {name, cpu_model()};
}

// Not getrusage: its figure outlives exec, and would be that of a larger program that started this one.
std::uint64_t peak_memory() noexcept {
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096];
  const ssize_t bytes = ::read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  const char* const line = std::strstr(text, "\nVmHWM:");
  return line == nullptr ? 0 : std::strtoull(line + std::strlen("\nVmHWM:"), nullptr, 10) * 1024;
}

trace::Provenance this_program() {
  trace::Provenance provenance;
  std::error_code failure;
  provenance.tool_version = "timeless " TIMELESS_VERSION;
  provenance.mpi_library = mpi_version();
  provenance.program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  provenance.date = current_date();
  provenance.command = command_line();
  return provenance;
}

} // namespace timeless::tracer
