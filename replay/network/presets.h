#pragma once

#include "replay/network/hockney_network.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::replay {

/// A network known by name.
struct Preset {
  std::string_view name;        ///< what a person types
  std::string_view description; ///< "1G Ethernet"
  double latency;               ///< seconds
  double bits_per_second;
  std::string_view source;              ///< where both come from
  std::string_view trust = "published"; ///< or "assumed"; empty where nobody says
};

/// Returns the presets: e1g (50 us, 1 Gb/s), e10g (5 us, 10 Gb/s), qdr (1.3 us, 32 Gb/s), the interconnects of Tong et
/// al., section IV.C; and e100g (2 us, 100 Gb/s), an assumption.
std::span<const Preset> presets();
/// Returns the preset of this name. Throws Error(usage) listing those there are.
const Preset& preset(std::string_view name);

/// What a preset leaves open; the values are defaults, documented in docs/model.md.
struct MachineDefaults {
  LinkCost within_node{.latency = 0.5e-6, .byte_time = 1.0 / 10e9}; ///< two cores sharing memory
  double memory_copy_byte_time = 1.0 / 32e9;                        ///< 32 GB/s
  double reduction_byte_time = 1.0 / 10e9;                          ///< 10 GB/s of operands
};

/// How a lane differs from its preset. Only the links between nodes change with bandwidth and latency.
struct Scaling {
  double bandwidth = 1; ///< 2: twice the bandwidth
  double latency = 1;   ///< 0.5: half the latency
  double compute = 1;   ///< 0.5: computation takes half the time
};

/// Returns a scaled machine's name: "e1g", "e1g bandwidth x2 latency /2 cpu x4".
std::string scaled_name(std::string_view name, const Scaling& scaling);

/// Returns a lane of this preset, scaled, named after both: "e1g", "e1g bandwidth x2 latency /2".
HockneyLane lane(const Preset& network, const Scaling& scaling = {}, const MachineDefaults& machine = {});

/// Returns the 21 configurations of the classification (Tong et al., Table III), k = -3 ... 3 within each set of seven:
/// (bandwidth * 2^k, latency), then (bandwidth, latency / 2^k), then (bandwidth * 2^k, latency / 2^k).
std::vector<Scaling> classification_scalings();
std::vector<HockneyLane> classification_lanes(const Preset& network, const MachineDefaults& machine = {});

} // namespace timeless::replay
