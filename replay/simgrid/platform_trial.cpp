#include "replay/simgrid/platform_trial.h"

#include "base/error.h"
#include "base/escaping.h"
#include "replay/simgrid/simgrid_engine.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <simgrid/s4u.hpp>
#include <xbt/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <new>
#include <string_view>

namespace timeless::replay {

namespace {

namespace sg4 = simgrid::s4u;

/// The tail of an error of SimGrid's, parted into place and words: "Parse error at FILE:LINE: words".
Error invalid_platform(std::string_view words, const std::filesystem::path& file, const std::string& what) {
  constexpr std::string_view prefix = "Parse error at ";
  std::string where = file.string();
  if (words.starts_with(prefix)) {
    words.remove_prefix(prefix.size());
    if (const std::size_t colon = words.find(": "); colon != std::string_view::npos) {
      // The line behind the name that SimGrid knows the file by.
      const std::string_view place = words.substr(0, colon);
      where += place.substr(std::min(place.rfind(':'), place.size()));
      words.remove_prefix(colon + 2);
    }
  }
  words = words.substr(0, words.find('\n'));
  return {Failure::invalid_input, what + ": " + std::string(words), where,
          "platforms.md of the documentation describes what a platform file holds"};
}

/// Asks for a way that may not be there: that is no mistake as long as no message needs it.
void try_route(const sg4::Host& source, const sg4::Host& destination) {
  if (nothing_joins(source, destination)) return;
  std::vector<sg4::Link*> links;
  double latency = 0;
  try {
    source.route_to(&destination, links, &latency);
  } catch (const std::exception&) {
    return;
  }
}

/// Throws Error(invalid_input) for what computes or sends in less than no time, or never.
void demand_possible(const sg4::Engine& engine, const std::filesystem::path& file) {
  const auto demand = [&](bool possible, const std::string& what, const std::string& name, double value) {
    char number[32];
    std::snprintf(number, sizeof number, "%g", value);
    if (!possible)
      throw Error(Failure::invalid_input, what + " of '" + name + "' is " + number, file.string(),
                  "timeless platform check " + file.string() + " names the line");
  };
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  for (const sg4::Host* host : engine.get_all_hosts()) {
    demand(positive(host->get_speed()), "the speed", host->get_name(), host->get_speed());
    // A state that the host is not in may be one of rest.
    for (unsigned long state = 0; state < host->get_pstate_count(); ++state) {
      const double speed = host->get_pstate_speed(state);
      demand(speed == 0 || positive(speed), "a speed", host->get_name(), speed);
    }
    for (const sg4::Disk* disk : host->get_disks())
      for (const double bandwidth : {disk->get_read_bandwidth(), disk->get_write_bandwidth()})
        demand(positive(bandwidth), "the bandwidth", disk->get_name(), bandwidth);
  }
  for (const sg4::Link* link : engine.get_all_links()) {
    const double latency = link->get_latency();
    demand(latency >= 0 && std::isfinite(latency), "the latency", link->get_name(), latency);
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::WIFI) continue; // refused where ranks cross it
    demand(positive(link->get_bandwidth()), "the bandwidth", link->get_name(), link->get_bandwidth());
  }
}

/// A name that SimGrid does not know is a mistake, not something to leave out.
void demand_known(const std::vector<IgnoredSetting>& ignored, const std::filesystem::path& file) {
  for (const IgnoredSetting& setting : ignored) {
    try {
      simgrid::config::is_default(setting.name.c_str());
    } catch (const std::exception&) {
      throw Error(Failure::invalid_input, "SimGrid has no setting " + in_quotes(std::string_view(setting.name)),
                  file.string() + ":" + std::to_string(setting.line),
                  "timeless platform check " + file.string() + " names the nearest");
    }
  }
}

} // namespace

void try_in_child(const PlatformText& text, const std::filesystem::path& file,
                  const std::vector<std::string>& settings) {
  constexpr std::size_t hosts_tried = 4096;
  std::string what = "the platform file is invalid";
  for (const std::string& setting : settings)
    what += (&setting == settings.data() ? ", or with it --cfg=" : " --cfg=") + setting;
  const ChildDeath death{Failure::invalid_input, what, file.string()};
  run_simgrid(
      [&](const ChildReport&) -> std::string {
        limit_this_process();
        try {
          const sg4::Engine& engine = start_engine(text, settings);
          demand_known(text.ignored(), file);
          const auto hosts = engine.get_all_hosts();
          if (hosts.empty())
            throw Error(Failure::invalid_input, "the platform has no hosts", file.string(),
                        "add a <host> or a <cluster>");
          demand_possible(engine, file);
          read_settings(file);
          for (std::size_t host = 0; host < std::min(hosts.size(), hosts_tried); ++host) {
            try_route(*hosts[0], *hosts[host]);
            try_route(*hosts[host], *hosts[0]);
          }
        } catch (const Error&) {
          throw;
        } catch (const std::bad_alloc&) {
          throw Error(Failure::invalid_input, what + ": it takes more memory than a platform may", file.string(),
                      "describe a part of the machine");
        } catch (const std::exception& error) {
          throw invalid_platform(error.what(), file, what);
        }
        return "good";
      },
      death);
}

} // namespace timeless::replay
