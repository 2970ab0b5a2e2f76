#include "tools/platforms/findings.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>

namespace timeless::tools::platforms {

namespace {

/// Returns the number behind the last colon of "FILE:12"; 0 where there is none.
std::size_t line_in(std::string_view where) {
  const std::size_t colon = where.rfind(':');
  std::size_t line = 0;
  if (colon != std::string_view::npos) std::from_chars(where.data() + colon + 1, where.data() + where.size(), line);
  return line;
}

/// Returns the pairs of hosts without a way, of those that some hosts make with all, each once; empty where there are
/// none. Begins with '!' where no two hosts are connected at all.
std::string pairs_without_way(const replay::Platform& platform, const ChildReport& report) {
  constexpr std::size_t most_sources = 24;
  constexpr std::size_t most_told = 5;
  const std::size_t hosts = platform.hosts().size();
  const std::size_t step = std::max<std::size_t>(1, hosts / most_sources);
  std::string told;
  std::set<std::string> missing;
  bool connected = hosts == 1;
  const auto miss = [&](const std::string& what) {
    if (missing.insert(what).second && missing.size() <= most_told) told += (told.empty() ? "" : "; ") + what;
  };
  constexpr std::size_t pairs_a_report = 256;
  const std::size_t pairs = (hosts + step - 1) / step * hosts;
  for (std::size_t from = 0; from < hosts; from += step)
    for (std::size_t to = 0; to < hosts; ++to) {
      if (const std::size_t done = from / step * hosts + to; done % pairs_a_report == 0) report.progress(done, pairs);
      try {
        if (!(platform.route(from, to).bandwidth > 0))
          miss("the way from " + platform.hosts()[from].name + " to " + platform.hosts()[to].name +
               " has no bandwidth");
        else
          connected = connected || from != to;
      } catch (const Error& error) {
        miss(error.description());
      }
    }
  if (missing.size() > most_told)
    told += "; and so for " + std::to_string(missing.size() - most_told) + " more pairs of hosts";
  return told.empty() || connected ? told : "!" + told;
}

/// Returns what ranks cannot do that are placed on such hosts; where none are connected, nothing can be replayed.
Finding unconnected(const std::string& pairs) {
  if (pairs.starts_with('!'))
    return {.what = pairs.substr(1), .advice = "connect every two hosts, and give hosts a loopback"};
  return {.severity = Severity::remark,
          .what = pairs + "; a replay stops where ranks on them send to each other",
          .advice = "connect every two hosts, and give hosts a loopback, or place ranks elsewhere (--hostfile)"};
}

} // namespace

Findings check_by_loading(const XmlFile& file, const ChildProgress& progress) {
  Findings findings;
  try {
    const std::string missing = replay::run_simgrid(
        [&](const ChildReport& report) {
          const replay::SimgridPlatform platform = replay::SimgridPlatform::load(file.path());
          replay::limit_this_process();
          return pairs_without_way(platform, report);
        },
        {Failure::invalid_input, "SimGrid dies of this file", file.path().string()}, progress);
    if (!missing.empty()) findings.push_back(unconnected(missing));
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
