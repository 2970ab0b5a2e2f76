#include "tracer/host.h"

#include "tracer/mpi_library.h"

#include <unistd.h>

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
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  mpi().Get_library_version(text, &length);
  const std::string version(text);
  return version.substr(0, version.find('\n'));
}

std::string now() {
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

trace::Provenance this_program() {
  trace::Provenance provenance;
  std::error_code failure;
  provenance.tool_version = "timeless " TIMELESS_VERSION;
  provenance.mpi_library = mpi_version();
  provenance.program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  provenance.date = now();
  return provenance;
}

} // namespace timeless::tracer
