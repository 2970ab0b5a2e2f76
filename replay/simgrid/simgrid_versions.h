#pragma once

#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#if SIMGRID_VERSION >= 40000
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#endif

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

/// What SimGrid's versions call differently, from 3.32 to 4.1: here, and nowhere else.
namespace timeless::replay {

/// Adds the names that settings had before, by which platform files know them, to the names they have now.
inline void add_earlier_names(std::vector<std::string>& settings) {
  for (const auto& [now, before] :
       {std::pair("network/bandwidth-factor", "smpi/bw-factor"), // since 4.0
        std::pair("network/latency-factor", "smpi/lat-factor"), std::pair("precision/timing", "surf/precision")})
    if (std::ranges::find(settings, now) != settings.end()) settings.emplace_back(before);
}

/// Starts an actor on a host.
template <typename Host>
void start_actor(Host& host, const std::string& name, const std::function<void()>& code) {
  if constexpr (requires { host.add_actor(name, code); }) // since 4.0
    host.add_actor(name, code);
  else
    simgrid::s4u::Actor::create(name, &host, code);
}

/// Has a function called with each host, or link, that is switched on or off.
template <typename Resource, typename Function>
void on_switched(Function function) {
  if constexpr (requires { Resource::on_onoff_cb(function); }) // since 3.34
    Resource::on_onoff_cb(function);
  else
    Resource::on_state_change_cb(function);
}

/// Returns the bytes a second that pass a link now.
template <typename Link>
double load_of(const Link& link) {
  if constexpr (requires { link.get_load(); }) // since 3.34
    return link.get_load();
  else
    return link.get_usage();
}

/// Returns a network model as the model it is; null where it is none.
template <typename NetworkModel>
simgrid::kernel::resource::Model* model_of(NetworkModel* network) {
  using simgrid::kernel::resource::Model;
  if constexpr (requires { dynamic_cast<Model*>(network); })
    return dynamic_cast<Model*>(network);
  else // since 3.34 a class that no header shows, whose first base is Model
    return reinterpret_cast<Model*>(network);
}

/// Whether an overhead of SMPI's (smpi/os, smpi/or, smpi/ois) holds for sizes up to the first that it is given for,
/// too. Since 3.34 these pay none: with "0:1e-5:0" a message without bytes.
inline constexpr bool overheads_hold_up_to_first_size = SIMGRID_VERSION < 33400;

#if SIMGRID_VERSION >= 40000
/// Names what zones keep to those derived from them.
struct ZoneRouting : simgrid::kernel::routing::NetZoneImpl {
  static constexpr auto local_route = &ZoneRouting::get_local_route;
  static constexpr auto bypass_route = &ZoneRouting::get_bypass_route;
};
#endif

/// Returns false where no route joins the zones of two hosts. 3.32 throws where it is asked for a way between such; 4.1
/// aborts.
inline bool zones_are_joined([[maybe_unused]] const simgrid::s4u::Host& source,
                             [[maybe_unused]] const simgrid::s4u::Host& destination) {
#if SIMGRID_VERSION >= 40000
  using Zone = simgrid::kernel::routing::NetZoneImpl;
  const auto zones_around = [](const simgrid::s4u::Host& host) { // the outermost first
    std::vector<Zone*> zones;
    for (Zone* zone = host.get_englobing_zone()->get_impl(); zone != nullptr; zone = zone->get_parent())
      zones.push_back(zone);
    std::ranges::reverse(zones);
    return zones;
  };
  const auto from = zones_around(source);
  const auto to = zones_around(destination);
  const auto [own, other] = std::ranges::mismatch(from, to);
  if (own == from.begin() || (own == from.end() && other == to.end())) return true;
  Zone& around = **(own - 1);
  double latency = 0;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links;
  std::unordered_set<Zone*> zones;
  if ((around.*ZoneRouting::bypass_route)(source.get_netpoint(), destination.get_netpoint(), links, &latency, zones))
    return true;
  simgrid::kernel::routing::Route route;
  (around.*ZoneRouting::local_route)(own == from.end() ? source.get_netpoint() : (*own)->get_netpoint(),
                                     other == to.end() ? destination.get_netpoint() : (*other)->get_netpoint(), &route,
                                     &latency);
  return (own == from.end() || route.gw_src_ != nullptr) && (other == to.end() || route.gw_dst_ != nullptr);
#else
  return true;
#endif
}

} // namespace timeless::replay
