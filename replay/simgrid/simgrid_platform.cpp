#include "replay/simgrid/simgrid_platform.h"

#include "base/error.h"
#include "replay/simgrid/platform_text.h"
#include "replay/simgrid/platform_trial.h"
#include "replay/simgrid/simgrid_engine.h"
#include "replay/simgrid/simgrid_profiles.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <simgrid/Exception.hpp>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace timeless::replay {

namespace {

namespace sg4 = simgrid::s4u;

/// Compares as text, but numbers inside by value: "node-2" < "node-10".
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

/// Returns what a lone message may use of a link that it crosses this often, and its way back that often.
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
  std::unordered_map<const sg4::Link*, std::size_t> link_numbers; ///< as they were met
};

namespace {

/// Returns the links of a route; throws where the platform connects the hosts by nothing.
std::vector<sg4::Link*> links_between(const sg4::Host& source, const sg4::Host& destination,
                                      const std::filesystem::path& file, double& latency) {
  const std::string what = "the platform has no route from " + source.get_name() + " to " + destination.get_name();
  std::vector<sg4::Link*> links;
  try {
    if (!nothing_joins(source, destination)) source.route_to(&destination, links, &latency);
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

/// Returns the links that only a host's messages to itself use; empty when those go through the network, or when
/// nothing else is there to compare with.
std::vector<sg4::Link*> loopback_links(const SimgridPlatform::State& state, std::size_t host) {
  const sg4::Host& self = *state.simgrid_hosts[host];
  double latency = 0;
  std::vector<sg4::Link*> own = links_between(self, self, state.file, latency);
  if (state.simgrid_hosts.size() == 1) return own;
  const sg4::Host& other = *state.simgrid_hosts[host == 0 ? 1 : host - 1];
  std::vector<sg4::Link*> network;
  if (nothing_joins(self, other)) return own;
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

SimgridPlatform SimgridPlatform::load(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  if (engine_exists())
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

std::vector<SharedLink> SimgridPlatform::shared_links(std::size_t from, std::size_t to) const {
  const sg4::Host& source = *state_->simgrid_hosts.at(from);
  const sg4::Host& destination = *state_->simgrid_hosts.at(to);
  double latency = 0;
  const std::vector<sg4::Link*> links = links_between(source, destination, state_->file, latency);
  refuse_wifi(links, source, destination, state_->file);
  std::vector<SharedLink> shared;
  for (const sg4::Link* link : links) {
    if (link->get_sharing_policy() == sg4::Link::SharingPolicy::FATPIPE) continue;
    const std::size_t number = state_->link_numbers.try_emplace(link, state_->link_numbers.size()).first->second;
    shared.push_back({.number = number, .name = link->get_name(), .bandwidth = link->get_bandwidth()});
  }
  return shared;
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

void SimgridPlatform::unshare_links() const {
  for (sg4::Link* link : sg4::Engine::get_instance()->get_all_links())
    link->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
}

} // namespace timeless::replay
