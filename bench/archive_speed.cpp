// What the parts of the archive cost, in bytes and in nanoseconds, each beside a reference in the same run.
#include "archive_parts.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(int)> parts = {{"structure", timeless::bench::measure_structure},
                                                      {"segments", timeless::bench::measure_segments},
                                                      {"volumes", timeless::bench::measure_volumes}};
  CLI::App app("What the parts of the archive cost");
  std::vector<std::string> chosen;
  int repeat = 31;
  app.add_option("parts", chosen, "structure, segments, volumes; all when none is named");
  app.add_option("--repeat", repeat, "how often each is measured; the median counts")->check(CLI::Range(1, 10000));
  CLI11_PARSE(app, argc, argv);
  for (const auto& [name, measure] : parts) {
    if (!chosen.empty() && std::ranges::find(chosen, name) == chosen.end()) continue;
    fmt::print("{}\n", name);
    measure(repeat);
  }
}
