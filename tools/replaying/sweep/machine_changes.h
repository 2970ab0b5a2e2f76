#pragma once

#include "replay/options/options.h"
#include "tools/cli/cli11_fwd.h"
#include "trace/model/ids.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What would be changed of a machine, as people say it: "network x2, cpu x1.5".
struct MachineChange {
  std::string network;  ///< another one instead, by name or figures; empty: the same
  std::string platform; ///< likewise
  double bandwidth = 1;
  double latency = 1;
  double compute = 1; ///< factor of the time that computation takes
  std::optional<trace::Bytes> eager_limit = {};
  std::optional<replay::CollectiveModel> collectives = {};
  std::optional<std::uint32_t> ranks_per_node = {};
};

/// Reads "network x2" (twice the bandwidth, half the latency), "bandwidth x4", "latency /2", "cpu x1.5", "network=qdr",
/// "network=10Gb/s,5us", "platform=graphene", "eager-limit=64KiB", "collectives=simple" and "ranks-per-node=4", with
/// commas between. Throws Error(usage), naming `where` the words stand.
MachineChange parse_change(const std::string& text, const std::string& where);

/// Something to buy.
struct PricedUpgrade {
  std::string name;
  double price = 0;
  std::string words; ///< the change, as the file has it
  MachineChange change;
};

/// Reads a file of comma-separated values with the columns name, price and change (in quotes where it has commas), a
/// head, and at most 1000 rows. Throws Error(invalid_input) naming the line.
std::vector<PricedUpgrade> read_upgrades(const std::filesystem::path& file);

/// Adds the option that names such a file.
void add_upgrades_option(CLI::App& command, std::string& file);

} // namespace timeless::tools
