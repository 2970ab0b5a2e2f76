#include "replay/network/presets.h"

#include "base/error.h"
#include "base/factors.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace timeless::replay {

namespace {

constexpr std::string_view tong =
    "Tong et al., Fast Classification of MPI Applications using Lamport's Logical Clocks, section IV.C";

// Tong et al.: "(1,50)", "(10,5)" and "(32,1.3)", Gb/s and microseconds.
constexpr std::array all_presets{
    Preset{"e1g", "1G Ethernet", 50e-6, 1e9, tong},
    Preset{"e10g", "10G Ethernet", 5e-6, 10e9, tong},
    Preset{"qdr", "InfiniBand QDR", 1.3e-6, 32e9, tong},
    Preset{"e100g", "100G Ethernet, RDMA", 2e-6, 100e9,
           "the nominal rate, and a latency between the nearest and the farthest nodes of ethernet-100g.xml",
           "assumed"},
};

} // namespace

std::string scaled_name(std::string_view name, const Scaling& scaling) {
  std::string text(name);
  const auto add = [&](std::string_view what, double factor) {
    if (factor != 1) text += fmt::format(" {} {}", what, factor_words(factor));
  };
  add("bandwidth", scaling.bandwidth);
  add("latency", scaling.latency);
  add("cpu", 1 / scaling.compute);
  return text;
}

std::span<const Preset> presets() {
  return all_presets;
}

const Preset& preset(std::string_view name) {
  std::string names;
  for (const Preset& one : all_presets) {
    if (one.name == name) return one;
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error(Failure::usage, fmt::format("there is no network called '{}'", name), {}, "choose one of " + names);
}

HockneyLane lane(const Preset& network, const Scaling& scaling, const MachineDefaults& machine) {
  return {.name = scaled_name(network.name, scaling),
          .between_nodes = {.latency = network.latency * scaling.latency,
                            .byte_time = 8 / (network.bits_per_second * scaling.bandwidth)},
          .within_node = machine.within_node,
          .memory_copy_byte_time = machine.memory_copy_byte_time,
          .reduction_byte_time = machine.reduction_byte_time,
          .compute_scale = scaling.compute};
}

std::vector<Scaling> classification_scalings() {
  std::vector<Scaling> all;
  const auto add_set = [&](bool bandwidth, bool latency) {
    for (int k = -3; k <= 3; ++k)
      all.push_back({.bandwidth = bandwidth ? std::exp2(k) : 1, .latency = latency ? std::exp2(-k) : 1});
  };
  add_set(true, false);
  add_set(false, true);
  add_set(true, true);
  return all;
}

std::vector<HockneyLane> classification_lanes(const Preset& network, const MachineDefaults& machine) {
  std::vector<HockneyLane> lanes;
  for (const Scaling& scaling : classification_scalings())
    lanes.push_back(lane(network, scaling, machine));
  return lanes;
}

} // namespace timeless::replay
