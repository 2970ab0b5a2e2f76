#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace timeless::replay {

/// What a platform may have.
inline constexpr std::uint64_t most_hosts = 1'000'000;

/// What a text is worth, or what is wrong with it.
template <class Value>
struct Parsed {
  std::optional<Value> value = {};
  std::string mistake = {}; ///< a sentence; empty where there is a value
  std::string advice = {};
};

/// Returns how many hosts a `radical` such as "0-15,20,30-31" names; more than a million are a mistake.
Parsed<std::uint64_t> count_radical(std::string_view radical);

/// Returns how many hosts the `topo_parameters` of a TORUS, FAT_TREE or DRAGONFLY make.
///
/// A dragonfly whose chassis has fewer routers than there are groups is a mistake: SimGrid 3.32 lays the links between
/// groups to router number of the other group and crashes when it looks for them in a chassis. So is a torus with two
/// sides of 1, whose links SimGrid gives one name.
Parsed<std::uint64_t> count_topology(std::string_view topology, std::string_view parameters);

/// Returns parameters that make exactly so many hosts, as near to the usual shapes as their number divides: a torus of
/// up to three nearly equal sides, a two-level fat tree with full bisection, a dragonfly of one chassis a group.
Parsed<std::string> fitting_parameters(std::string_view topology, std::uint64_t hosts);

} // namespace timeless::replay
