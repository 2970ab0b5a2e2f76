#include "tracer/process/host.h"

#include "tracer/mpi/mpi_library.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

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
  const std::string version(text);
  return version.substr(0, version.find('\n'));
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
  return provenance;
}

} // namespace timeless::tracer
