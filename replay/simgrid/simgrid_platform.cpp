#include "replay/simgrid/simgrid_platform.h"

#include "base/error.h"
#include "base/escaping.h"
#include "replay/simgrid/platform_text.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_profiles.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <simgrid/Exception.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/config.hpp>
#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <limits>
#include <new>
#include <set>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <utility>

namespace timeless::replay {

namespace {

namespace sg4 = simgrid::s4u;

/// Set before the file is read, so that nothing in the file changes them; settings of the caller's come between these
/// and the next.
constexpr std::array engine_arguments{
    "timeless",
    "--log=root.thresh:critical",
    "--log=no_loc",
    "--cfg=network/model:SMPI", // as smpirun does
    "--cfg=debug/verbose-exit:no",
    "--cfg=exception/cutpath:yes",
};

/// What a replay rests on.
constexpr std::array fixed_settings{
    "smpi/simulate-computation:no", // else the time between two calls on this machine is simulated too
    "smpi/errors-are-fatal:no",     // errors come back as return codes
    "smpi/pedantic:no",             // ranks may name one message's elements by types of different sizes
};

using Settings = std::vector<std::string>;

std::string_view key_of(std::string_view setting) {
  return setting.substr(0, setting.find(':'));
}

bool engine_exists = false;

/// Creates the process's engine, with no platform yet; whatever SimGrid throws passes through.
sg4::Engine& create_engine(const Settings& settings) {
  engine_exists = true;
  for (const char* silence : {"root.thresh:critical", "xbt_cfg.thresh:critical"})
    xbt_log_control_set(silence);
  // SMPI's settings exist only after this; a platform file that sets them is refused otherwise.
  smpi_init_options();
  std::vector<std::string> words(engine_arguments.begin(), engine_arguments.end());
  for (const std::string& setting : settings)
    words.push_back("--cfg=" + setting);
  for (const char* setting : fixed_settings)
    words.push_back(std::string("--cfg=") + setting);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  struct sigaction interrupted {};
  ::sigaction(SIGINT, nullptr, &interrupted);
  // Never destroyed: SimGrid holds pointers to it until the process ends.
  sg4::Engine& engine = *new sg4::Engine(&count, arguments.data());
  // Its own handler of Ctrl-C ends the process with status 1.
  ::sigaction(SIGINT, &interrupted, nullptr);
  return engine;
}

sg4::Engine& start_engine(const PlatformText& text, const Settings& settings) {
  sg4::Engine& engine = create_engine(settings);
  // Not among the words above, which SimGrid parts at blanks.
  simgrid::config::set_value<std::string>("path", text.directory().string());
  engine.load_platform(text.path_for_simgrid());
  // After the platform, else its choice of collectives goes unseen.
  SMPI_init();
  engine.seal_platform();
  return engine;
}

/// SimGrid throws or aborts on a setting it does not know, and says so at length.
void check_settings(const Settings& settings) {
  for (const std::string& setting : settings) {
    if (setting.find(':') == std::string::npos || setting.find(':') == 0)
      throw Error(Failure::usage, "'" + setting + "' is no setting", "--cfg",
                  "write KEY:VALUE, such as smpi/coll-selector:mpich");
    for (const std::string_view fixed : fixed_settings)
      if (key_of(fixed) == key_of(setting))
        throw Error(Failure::usage, "a replay sets " + std::string(fixed), "--cfg", "leave " + setting + " out");
    const std::string what = "SimGrid does not take the setting '" + setting + "'";
    const std::string advice = "SimGrid's manual lists them: https://simgrid.org/doc/latest/Configuring_SimGrid.html";
    run_simgrid(
        [&](const ChildReport&) -> std::string {
          try {
            create_engine({setting});
          } catch (const std::exception& error) {
            const std::string_view words = error.what();
            throw Error(Failure::usage, what + ": " + std::string(words.substr(0, words.find('\n'))), "--cfg", advice);
          }
          return "good";
        },
        {Failure::usage, what, "--cfg", advice});
  }
}

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

/// Throws Error(invalid_input), also where a message would take less than no time, or for ever.
PiecewiseSetting read_pieces(const char* name, const std::filesystem::path& file) {
  const std::string text = simgrid::config::get_value<std::string>(name);
  const bool factor = std::string_view(name).ends_with("factor");
  try {
    PiecewiseSetting setting = PiecewiseSetting::parse(text, name);
    for (const PiecewiseSetting::Piece& piece : setting.pieces()) {
      const bool zero = piece.fixed == 0 && std::string_view(name) == "smpi/bw-factor";
      if (!(piece.fixed >= 0) || !(piece.per_byte >= 0) || !std::isfinite(piece.fixed + piece.per_byte) || zero)
        throw Error(Failure::invalid_input, "negative, not finite, or a bandwidth's factor of zero: '" + text + "'",
                    name);
    }
    return setting;
  } catch (const Error& error) {
    throw Error(Failure::invalid_input, std::string(name) + ": " + error.description(), file.string(),
                factor ? "write size:factor;size:factor, as in 0:1;65536:0.9"
                       : "write size:seconds:seconds_per_byte;..., as in 0:1e-6:0");
  }
}

SmpiSettings read_settings(const std::filesystem::path& file) {
  const auto setting = [&](const char* name) { return read_pieces(name, file); };
  SmpiSettings settings;
  settings.latency_factor = setting("smpi/lat-factor");
  settings.bandwidth_factor = setting("smpi/bw-factor");
  settings.send_overhead = setting("smpi/os");
  settings.isend_overhead = setting("smpi/ois");
  settings.receive_overhead = setting("smpi/or");
  const auto size = [](const char* name) {
    return static_cast<trace::Bytes>(std::max(simgrid::config::get_value<int>(name), 0));
  };
  settings.asynchronous_below = size("smpi/async-small-thresh");
  settings.detached_below = size("smpi/send-is-detached-thresh");
  settings.tcp_window = simgrid::config::get_value<double>("network/TCP-gamma");
  if (!(settings.tcp_window >= 0) || !std::isfinite(settings.tcp_window))
    throw Error(Failure::invalid_input, "network/TCP-gamma: no size of a window", file.string(),
                "write bytes, or 0 for no window");
  if (!simgrid::config::get_value<bool>("network/crosstraffic")) settings.cross_traffic = 0;
  return settings;
}

/// Two hosts of a zone without routing, or one and itself: SimGrid aborts when asked for a way between them.
bool in_one_empty_zone(const sg4::Host& source, const sg4::Host& destination) {
  const sg4::NetZone* zone = source.get_englobing_zone();
  if (zone != destination.get_englobing_zone()) return false;
  const simgrid::kernel::routing::NetZoneImpl& kind = *zone->get_impl(); // of a class that SimGrid keeps to itself
  return std::string_view(typeid(kind).name()).find("EmptyZone") != std::string_view::npos;
}

/// Asks for a way that may not be there: that is no mistake as long as no message needs it.
void try_route(const sg4::Host& source, const sg4::Host& destination) {
  if (in_one_empty_zone(source, destination)) return;
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

/// Loads the file in a child, where SimGrid may abort; walks some routes, which it may abort on too.
void try_in_child(const PlatformText& text, const std::filesystem::path& file, const Settings& settings) {
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

/// Text order, but with numbers inside by value: "node-2" < "node-10".
bool natural_less(std::string_view left, std::string_view right) {
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (!left.empty() && !right.empty()) {
    if (is_digit(left.front()) && is_digit(right.front())) {
      const auto take = [&](std::string_view& text) {
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
        std::string_view number = text.substr(0, end);
        text.remove_prefix(end);
        number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
        return number;
      };
      const std::string_view a = take(left);
      const std::string_view b = take(right);
      if (a.size() != b.size()) return a.size() < b.size();
      if (a != b) return a < b;
    } else {
      if (left.front() != right.front()) return left.front() < right.front();
      left.remove_prefix(1);
      right.remove_prefix(1);
    }
  }
  return left.size() < right.size();
}

/// What a lone message may use of a link that it crosses this often, and its way back that often.
double share_of_link(const sg4::Link& link, double there, double back, double cross_traffic) {
  const bool shared = link.get_sharing_policy() != sg4::Link::SharingPolicy::FATPIPE;
  const double weight = shared ? there + cross_traffic * back : (there > 0 ? 1.0 : cross_traffic);
  return weight > 0 ? link.get_bandwidth() / weight : std::numeric_limits<double>::infinity();
}

std::vector<std::string> notes_on(const std::vector<sg4::Host*>& hosts) {
  std::vector<std::string> notes;
  const auto sets_own_overheads = [](const sg4::Host* host) {
    return std::ranges::any_of(std::array{"smpi/os", "smpi/ois", "smpi/or"},
                               [&](const char* name) { return host->get_property(name) != nullptr; });
  };
  if (std::ranges::any_of(hosts, sets_own_overheads))
    notes.emplace_back("some hosts of the platform set smpi/os, smpi/ois or smpi/or of their own: SMPI uses them, the "
                       "model the platform's");
  return notes;
}

std::string note_on(const std::vector<IgnoredSetting>& ignored) {
  if (ignored.empty()) return {};
  std::string names;
  for (const IgnoredSetting& setting : ignored)
    names += (names.empty() ? "" : ", ") + setting.name;
  return "left out of the platform file's settings: " + names +
         "; a file may set the figures of the models and of SMPI, all others are for --cfg";
}

} // namespace

struct SimgridPlatform::State {
  std::filesystem::path file;
  std::vector<sg4::Host*> simgrid_hosts;
  std::vector<PlatformHost> hosts;
  SmpiSettings settings;
  std::vector<std::string> notes;
};

namespace {

/// The links of a route; throws where the platform connects the hosts by nothing.
std::vector<sg4::Link*> links_between(const sg4::Host& source, const sg4::Host& destination,
                                      const std::filesystem::path& file, double& latency) {
  const std::string what = "the platform has no route from " + source.get_name() + " to " + destination.get_name();
  std::vector<sg4::Link*> links;
  try {
    if (!in_one_empty_zone(source, destination)) source.route_to(&destination, links, &latency);
  } catch (const std::exception& error) {
    throw Error(Failure::invalid_input, what + ": " + error.what(), file.string());
  }
  if (links.empty() && latency <= 0)
    throw Error(Failure::invalid_input, what, file.string(),
                &source == &destination ? "give its hosts a loopback" : "connect them");
  return links;
}

/// What a message gets of a WIFI link depends on its station's signal, which no platform file says.
void refuse_wifi(const std::vector<sg4::Link*>& links, const sg4::Host& source, const sg4::Host& destination,
                 const std::filesystem::path& file) {
  for (const sg4::Link* link : links)
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::WIFI)
      throw Error(Failure::missing_capability,
                  "the way from " + source.get_name() + " to " + destination.get_name() + " crosses the WIFI link " +
                      link->get_name() + ", over which no replay can send",
                  file.string(), "make it SHARED with one bandwidth, or place the ranks elsewhere (--hostfile)");
}

/// The links that only a host's messages to itself use; empty when those go through the network, or when nothing else
/// is there to compare with.
std::vector<sg4::Link*> loopback_links(const SimgridPlatform::State& state, std::size_t host) {
  const sg4::Host& self = *state.simgrid_hosts[host];
  double latency = 0;
  std::vector<sg4::Link*> own = links_between(self, self, state.file, latency);
  if (state.simgrid_hosts.size() == 1) return own;
  const sg4::Host& other = *state.simgrid_hosts[host == 0 ? 1 : host - 1];
  std::vector<sg4::Link*> network;
  if (in_one_empty_zone(self, other)) return own;
  try {
    self.route_to(&other, network, &latency);
  } catch (const std::exception&) {
    return own; // nothing leads there: what leads to itself is its own
  }
  const auto shared = [&](sg4::Link* link) { return std::ranges::find(network, link) != network.end(); };
  return std::ranges::any_of(own, shared) ? std::vector<sg4::Link*>{} : own;
}

} // namespace

SimgridPlatform::SimgridPlatform(std::unique_ptr<State> state) : state_(std::move(state)) {}
SimgridPlatform::SimgridPlatform(SimgridPlatform&&) noexcept = default;
SimgridPlatform& SimgridPlatform::operator=(SimgridPlatform&&) noexcept = default;
SimgridPlatform::~SimgridPlatform() = default;

SimgridPlatform SimgridPlatform::load(const std::filesystem::path& file, const Settings& settings) {
  if (engine_exists)
    throw Error(Failure::usage, "a second platform in one process", file.string(),
                "SimGrid holds one platform per process; load the other in a process of its own");
  const PlatformText text = PlatformText::read(file);
  check_settings(settings);
  try_in_child(text, file, settings);

  auto state = std::make_unique<State>();
  state->file = file;
  state->simgrid_hosts = start_engine(text, settings).get_all_hosts();
  std::ranges::sort(state->simgrid_hosts, [](const sg4::Host* left, const sg4::Host* right) {
    return natural_less(left->get_name(), right->get_name());
  });
  for (const sg4::Host* host : state->simgrid_hosts)
    state->hosts.push_back({.name = host->get_name(), .speed = host->get_speed(), .cores = host->get_core_count()});
  state->settings = read_settings(file);
  state->notes = notes_on(state->simgrid_hosts);
  const std::vector<std::string> changing = profile_notes(text.document());
  state->notes.insert(state->notes.end(), changing.begin(), changing.end());
  if (const std::string left_out = note_on(text.ignored()); !left_out.empty()) state->notes.push_back(left_out);
  return SimgridPlatform(std::move(state));
}

const std::filesystem::path& SimgridPlatform::file() const {
  return state_->file;
}

std::span<const PlatformHost> SimgridPlatform::hosts() const {
  return state_->hosts;
}

const SmpiSettings& SimgridPlatform::settings() const {
  return state_->settings;
}

const std::vector<std::string>& SimgridPlatform::notes() const {
  return state_->notes;
}

Route SimgridPlatform::route(std::size_t from, std::size_t to) const {
  const sg4::Host& source = *state_->simgrid_hosts.at(from);
  const sg4::Host& destination = *state_->simgrid_hosts.at(to);
  Route route;
  const std::vector<sg4::Link*> there = links_between(source, destination, state_->file, route.latency);
  double latency_back = 0;
  std::vector<sg4::Link*> back;
  if (state_->settings.cross_traffic > 0) back = links_between(destination, source, state_->file, latency_back);

  refuse_wifi(there, source, destination, state_->file);
  refuse_wifi(back, source, destination, state_->file);
  std::unordered_map<sg4::Link*, std::pair<double, double>> crossings;
  for (sg4::Link* link : there)
    crossings[link].first += 1;
  for (sg4::Link* link : back)
    crossings[link].second += 1;
  route.bandwidth = std::numeric_limits<double>::infinity();
  for (const auto& [link, times] : crossings)
    route.bandwidth =
        std::min(route.bandwidth, share_of_link(*link, times.first, times.second, state_->settings.cross_traffic));
  route.loopback = from == to && !loopback_links(*state_, from).empty();
  return route;
}

void SimgridPlatform::scale_links(double latency, double bandwidth, std::span<const std::uint32_t> hosts) const {
  std::set<sg4::Link*> kept;
  for (const std::uint32_t host : std::set<std::uint32_t>(hosts.begin(), hosts.end()))
    for (sg4::Link* link : loopback_links(*state_, host))
      kept.insert(link);
  for (sg4::Link* link : sg4::Engine::get_instance()->get_all_links()) {
    if (kept.contains(link)) continue;
    link->set_latency(link->get_latency() * latency);
    link->set_bandwidth(link->get_bandwidth() * bandwidth);
  }
}

} // namespace timeless::replay
