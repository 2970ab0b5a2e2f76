#pragma once

#include "replay/network/network_file.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/platform.h"
#include "trace/model/run.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What predicted times rest on beside the figures of the network. Times on machines that differ in it differ by that,
/// too.
namespace timeless::tools {

/// Instructions per second of a rank where nothing is known of the processor: about what a server's core of 2024
/// retires. Eight programs (CG, LU, MG, FT, IS, EP, HPCCG, CoMD) retired 4.5 to 15.0 G/s on one, exact counts over
/// native times.
inline constexpr double assumed_instruction_rate = 8e9;

/// How fast the ranks of a prediction compute, and who says so.
struct ComputeBasis {
  std::string sentence; ///< for a reader
  bool assumed = false; ///< nobody has measured it for this program
  std::string from; ///< "--compute-rate", "--rates", "--machine", "calibration", "platform", "assumption", "recorded
                    ///< times" or "nothing"
  double least = 0; ///< units per second of the slowest rank; 0 where there is no rate
  double most = 0;  ///< of the fastest
  std::string unit = "instructions"; ///< of the rates, in a sentence: "instructions", or the name of what is counted

  /// Returns true when all ranks have the same rate.
  bool one_rate() const { return least > 0 && least == most; }
};

/// The rate that counts where neither --compute-rate nor --rates is given.
struct OwnRate {
  double least = assumed_instruction_rate;
  double most = assumed_instruction_rate;
  std::string platform = {}; ///< the file whose hosts' speeds these are; empty: an assumption
  bool operator==(const OwnRate&) const = default;
};

/// Returns the speeds of the hosts that the ranks are on.
OwnRate rate_of(const replay::Platform& platform, const replay::Mapping& mapping);

/// Throws Error(usage) for a rate that the trace has no use for, and for counted events without a rate.
ComputeBasis compute_basis(const trace::Counter& counter, double compute_rate, const OwnRate& own);

/// What is known of a machine beside its network's figures.
struct MachineBasis {
  std::string name;
  /// What processors are charged for a message, and on what ground: "measured", "published" and "assumed" as a
  /// platform's head says; "its own", where there are overheads that nobody explains; "none": latencies hold them.
  std::string overheads;
  ComputeBasis compute;
  std::vector<std::string> nodes; ///< of each rank, by name
  /// Returns false where all ranks are on one node, so that no message crosses the network.
  bool network_used() const;
  /// The largest messages that its figures rest on, where they say.
  std::optional<trace::Bytes> measured_between_nodes = {};
  std::optional<trace::Bytes> measured_within_node = {};
  std::filesystem::path file = {}; ///< that describes it; empty: none does
};

std::string overheads_of(const replay::NetworkDescription& network);
std::string overheads_of(const replay::Platform& platform);

/// Returns the bases that the machines' overheads rest on, "measured (graphene); none (flat)"; empty where it is one.
std::string overheads_bases(std::span<const MachineBasis> machines);
/// Returns a sentence where the machines' overheads rest on different bases; else empty.
std::string overheads_note(std::span<const MachineBasis> machines);

} // namespace timeless::tools
