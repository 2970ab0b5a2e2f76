#pragma once

#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <functional>
#include <string>
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

} // namespace timeless::replay
