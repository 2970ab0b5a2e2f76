#include "tools/calibrating/noise.h"

#include "tools/cli/console.h"
#include "tools/recording/empty_loop.h"

#include <string>
#include <unistd.h>

namespace timeless::tools {

namespace {

std::string this_host() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.c_str();
}

} // namespace

Noise noise_here(std::string_view purpose) {
  Noise noise{.loop = quietness_here(), .host = this_host()};
  if (const std::string warning = noise_warning(noise, purpose); !warning.empty()) print_warning(warning);
  return noise;
}

} // namespace timeless::tools
