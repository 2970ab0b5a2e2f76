#pragma once

#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#if __has_include(<simgrid/kernel/resource/NetworkModelIntf.hpp>)
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#endif
#include <simgrid/s4u.hpp>

/// What SimGrid's versions call differently, from 3.32 to 4.1: here, and nowhere else.
namespace timeless::replay {

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
