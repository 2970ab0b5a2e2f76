#pragma once

#include "replay/network/network_file.h"

#include <string>
#include <vector>

namespace timeless::tools {

/// Returns the network that a person calls so: a preset's name, a file, the name of a file that comes with Timeless, or
/// a bandwidth and a latency, "10Gb/s,5us", on a machine as presets have it. Throws Error(usage) listing the names
/// there are, and what read_network() throws.
replay::NetworkDescription named_network(const std::string& name);
std::vector<replay::NetworkDescription> named_networks(const std::vector<std::string>& names);

/// Returns the names that named_network() knows, presets first.
std::vector<std::string> known_networks();
/// Returns true for "10Gb/s,5us".
bool is_pair_of_figures(const std::string& name);

/// What messages without bytes take beside their overheads, in seconds, and what very large ones get in the end, in
/// bytes per second: the two figures to tell one network from another.
struct NetworkFigures {
  double latency = 0;
  double bandwidth = 0;
};
NetworkFigures figures(const replay::NetworkDescription& network);
/// Returns bits per second of bytes per second, with the digits that they were described with: byte times have lost the
/// last.
double bits_per_second(double bandwidth);

/// Returns what a network's figures rest on: "measured", "measured within a node" and not between nodes, "published",
/// "vendor", "assumed", "given" by whoever asks, in its file's own words, or "not said".
std::string trust_of(const replay::NetworkDescription& network);

/// Returns "50 us", "1 Gb/s", or in words what stands for them: overheads may hold the latency and the bytes.
std::string latency_words(const replay::NetworkDescription& network);
std::string bandwidth_words(const replay::NetworkDescription& network);

/// Returns "e1g (1G Ethernet: 50 us, 1 Gb/s)".
std::string described(const replay::NetworkDescription& network);

} // namespace timeless::tools
