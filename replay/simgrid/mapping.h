#pragma once

#include "trace/model/run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::replay {

/// A host of a platform.
struct PlatformHost {
  std::string name;
  double speed = 0; ///< of one core, flop/s as the file says
  int cores = 1;
};

/// How ranks get their nodes.
enum class MappingRule : std::uint8_t {
  automatic,    ///< see map_ranks
  recorded,     ///< as they ran while recording
  one_per_node, ///< rank i alone on node i
  block,        ///< the first `block` ranks on the first node, the next on the second, ...
  hostfile,     ///< as a hostfile says
};

/// How ranks are placed on the hosts of a platform.
struct MappingRequest {
  MappingRule rule = MappingRule::automatic;
  std::uint32_t block = 0;        ///< ranks per node, for MappingRule::block
  std::filesystem::path hostfile; ///< for MappingRule::hostfile
};

/// Reads what a person types: "auto", "recorded", "one-per-node", "block:N", or "hostfile" with the file beside it. A
/// hostfile with "auto" (or nothing) asks for MappingRule::hostfile. Throws Error(usage).
MappingRequest parse_mapping(std::string_view text, const std::filesystem::path& hostfile);

/// Returns what parse_mapping() reads; what follows a colon is for a person to fill in.
std::vector<std::string> mapping_words();

/// Where every rank runs.
struct Mapping {
  std::vector<std::uint32_t> node_of_rank; ///< index into `nodes`
  /// Names of the nodes: the platform's hosts in its own order, else the hostfile's, the recorded or invented ones.
  std::vector<std::string> nodes;
  std::string sentence;           ///< what was chosen and why, for every output
  std::vector<std::string> notes; ///< what a person should know of it: ranks that share cores, hosts used twice
};

/// One line of a hostfile.
struct HostSlots {
  std::string host;
  std::uint32_t slots = 1;
  std::uint32_t line = 0;
};

/// Reads a hostfile as SimGrid and Open MPI write them: a host a line, `host slots=N`, `host:N`, `#` comments.
/// Of Open MPI 4.1 also `cpu` and `count` for `slots`, blanks around '=', `user@host`, `//` comments, and the most
/// slots, which are the slots where nothing else is said. A host that is left out (^host) is an error. Throws
/// Error(invalid_input) naming file and line.
std::vector<HostSlots> read_hostfile(const std::filesystem::path& file);

/// Gives every rank a node.
///
/// `hosts` are the platform's; empty when the machine is a preset, whose nodes are all alike.
///   hostfile      the slots in the file's order; ranks beyond the last slot start again at the first, as SMPI does
///   recorded      the recorded hosts; on a platform they must exist there
///   one_per_node  platform: host i, starting again after the last; preset: node i
///   block         N consecutive ranks per node
///   automatic     platform: the recorded hosts when all exist there, else one rank per host in its order, by cores
///   when
///                 there are more ranks than hosts; preset: the recorded hosts when there was more than one, else (the
///                 run was recorded folded onto one) one rank per node
/// Throws Error(invalid_input) for hosts the platform does not have.
Mapping map_ranks(const trace::Run& run, std::span<const PlatformHost> hosts, const MappingRequest& request);

} // namespace timeless::replay
