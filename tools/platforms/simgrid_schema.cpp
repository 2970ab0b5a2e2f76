#include "tools/platforms/simgrid_schema.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

namespace {

constexpr std::array elements{
    Element{"platform", "version", "", ""},
    Element{"config", "", "id", "platform"},
    Element{"prop", "id value", "", "config zone AS host cluster link disk actor process storage storage_type"},
    Element{"zone", "id routing", "", "platform zone AS"},
    Element{"AS", "id routing", "", "platform zone AS"},
    Element{"host", "id speed", "core speed_file availability_file state_file coordinates pstate", "zone AS"},
    Element{"disk", "read_bw write_bw", "id", "host"},
    Element{"host_link", "id up down", "", "zone AS"},
    Element{"cluster", "id prefix suffix radical speed bw lat",
            "core sharing_policy topology topo_parameters bb_bw bb_lat bb_sharing_policy router_id limiter_link "
            "loopback_bw loopback_lat",
            "platform zone AS"},
    Element{"cabinet", "id prefix suffix radical speed bw lat", "", "platform zone AS"},
    Element{"peer", "id speed bw_in bw_out", "lat coordinates speed_file availability_file state_file",
            "platform zone AS"},
    Element{"router", "id", "coordinates", "zone AS"},
    Element{"backbone", "id bandwidth latency", "", "zone AS"},
    Element{"link", "id bandwidth", "latency bandwidth_file latency_file state_file sharing_policy", "zone AS"},
    Element{"route", "src dst", "symmetrical", "zone AS"},
    Element{"zoneRoute", "src dst gw_src gw_dst", "symmetrical", "zone AS"},
    Element{"ASroute", "src dst gw_src gw_dst", "symmetrical", "zone AS"},
    Element{"bypassRoute", "src dst", "", "zone AS"},
    Element{"bypassZoneRoute", "src dst gw_src gw_dst", "", "zone AS"},
    Element{"bypassASroute", "src dst gw_src gw_dst", "", "zone AS"},
    Element{"link_ctn", "id", "direction", "route zoneRoute ASroute bypassRoute bypassZoneRoute bypassASroute"},
    Element{"trace", "id periodicity", "file", "platform zone AS"},
    Element{"trace_connect", "trace element", "kind", "platform zone AS"},
    Element{"actor", "host function", "start_time kill_time on_failure", "platform"},
    Element{"process", "host function", "start_time kill_time on_failure", "platform"},
    Element{"argument", "value", "", "actor process"},
};

constexpr std::array old_elements{
    Renamed{"AS", "zone"},
    Renamed{"as", "zone"},
    Renamed{"ASroute", "zoneRoute"},
    Renamed{"AS_route", "zoneRoute"},
    Renamed{"ASRoute", "zoneRoute"},
    Renamed{"asroute", "zoneRoute"},
    Renamed{"zone_route", "zoneRoute"},
    Renamed{"bypassASroute", "bypassZoneRoute"},
    Renamed{"bypassASRoute", "bypassZoneRoute"},
    Renamed{"bypassAS_route", "bypassZoneRoute"},
    Renamed{"bypass_route", "bypassRoute"},
    Renamed{"process", "actor"},
    Renamed{"link:ctn", "link_ctn"},
    Renamed{"linkctn", "link_ctn"},
    Renamed{"trace:connect", "trace_connect"},
};

constexpr std::array old_attributes{
    Renamed{"power", "speed"},       Renamed{"availability_file", "speed_file"},
    Renamed{"bblat", "bb_lat"},      Renamed{"bbbw", "bb_bw"},
    Renamed{"bb_latency", "bb_lat"}, Renamed{"bb_bandwidth", "bb_bw"},
    Renamed{"cores", "core"},        Renamed{"topo_param", "topo_parameters"},
};

constexpr std::array old_settings{
    Renamed{"workstation/model", "host/model"},
    Renamed{"smpi/async_small_thres", "smpi/async-small-thresh"},
    Renamed{"smpi/async_small_thresh", "smpi/async-small-thresh"},
    Renamed{"smpi/send_is_detached_thres", "smpi/send-is-detached-thresh"},
    Renamed{"smpi/send_is_detached_thresh", "smpi/send-is-detached-thresh"},
    Renamed{"smpi/bw_factor", "smpi/bw-factor"},
    Renamed{"smpi/lat_factor", "smpi/lat-factor"},
    Renamed{"smpi/IB_penalty_factors", "smpi/IB-penalty-factors"},
    Renamed{"smpi/coll_selector", "smpi/coll-selector"},
    Renamed{"smpi/running_power", "smpi/host-speed"},
    Renamed{"smpi/running-power", "smpi/host-speed"},
    Renamed{"smpi/cpu_threshold", "smpi/cpu-threshold"},
    Renamed{"smpi/simulate_computation", "smpi/simulate-computation"},
    Renamed{"network/TCP_gamma", "network/TCP-gamma"},
    Renamed{"network/latency_factor", "network/latency-factor"},
    Renamed{"network/bandwidth_factor", "network/bandwidth-factor"},
    Renamed{"network/weight_S", "network/weight-S"},
    Renamed{"network/maxmin_selective_update", "network/maxmin-selective-update"},
    Renamed{"cpu/maxmin_selective_update", "cpu/maxmin-selective-update"},
    Renamed{"contexts/stack_size", "contexts/stack-size"},
    Renamed{"contexts/guard_size", "contexts/guard-size"},
    Renamed{"maxmin/concurrency_limit", "maxmin/concurrency-limit"},
};

} // namespace

const Element* element_named(std::string_view name) {
  const auto found = std::ranges::find(elements, name, &Element::name);
  return found == elements.end() ? nullptr : &*found;
}

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::span<const Renamed> renamed_elements() {
  return old_elements;
}
std::span<const Renamed> renamed_attributes() {
  return old_attributes;
}
std::span<const Renamed> renamed_settings() {
  return old_settings;
}

std::string_view new_name(std::span<const Renamed> table, std::string_view before) {
  const auto found = std::ranges::find(table, before, &Renamed::before);
  return found == table.end() ? std::string_view() : found->now;
}

} // namespace timeless::tools::platforms
