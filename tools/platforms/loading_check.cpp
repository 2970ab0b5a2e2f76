#include "tools/platforms/findings.h"

#include "replay/platform/simgrid_platform.h"
#include "replay/platform/simgrid_process.h"
#include "replay/platform/simgrid_remarks.h"
#include "trace/error.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

namespace timeless::tools::platforms {

namespace {

/// The number behind the last colon of "FILE:12"; 0 where there is none.
std::size_t line_in(std::string_view where) {
  const std::size_t colon = where.rfind(':');
  std::size_t line = 0;
  if (colon != std::string_view::npos) std::from_chars(where.data() + colon + 1, where.data() + where.size(), line);
  return line;
}

/// A line for each pair of hosts without a route, of the pairs that some hosts make with all; at most a few lines.
std::string pairs_without_route(const replay::Platform& platform) {
  constexpr std::size_t most_sources = 24;
  constexpr std::size_t most_lines = 5;
  const std::size_t hosts = platform.hosts().size();
  const std::size_t step = std::max<std::size_t>(1, hosts / most_sources);
  std::string lines;
  std::size_t missing = 0;
  for (std::size_t from = 0; from < hosts; from += step)
    for (std::size_t to = 0; to < hosts; ++to) {
      try {
        const replay::Route route = platform.route(from, to);
        if (route.bandwidth > 0) continue;
        if (++missing <= most_lines)
          lines += "the way from " + platform.hosts()[from].name + " to " + platform.hosts()[to].name +
                   " has no bandwidth\n";
      } catch (const Error& error) {
        if (++missing <= most_lines) lines += error.description() + "\n";
      }
    }
  if (missing > most_lines)
    lines += "and " + std::to_string(missing - most_lines) + " more pairs of hosts without a way\n";
  return lines;
}

} // namespace

Findings check_by_loading(const XmlFile& file) {
  Findings findings;
  try {
    const std::string lines = replay::run_apart(
        [&](const replay::ChildReport&) {
          const replay::SimgridPlatform platform = replay::SimgridPlatform::load(file.path());
          replay::limit_this_process();
          return pairs_without_route(platform);
        },
        {Failure::invalid_input, "SimGrid dies of this file", file.path().string()});
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);)
      findings.push_back({.what = line, .advice = "connect every two hosts, and give hosts a loopback"});
    for (const std::string& warning : replay::simgrid_warnings(file.path()))
      findings.push_back({.severity = Severity::remark, .what = "SimGrid warns: " + warning});
  } catch (const Error& error) {
    if (error.failure() != Failure::invalid_input) throw;
    findings.push_back({.line = line_in(error.where()),
                        .what = "SimGrid does not load it: " + error.description(),
                        .advice = error.advice()});
  }
  return findings;
}

} // namespace timeless::tools::platforms
