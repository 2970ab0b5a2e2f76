#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// A machine that ranks can be started on.
struct Node {
  std::string name;
  std::uint32_t cores = 0;  ///< 0: not said
  std::uint64_t memory = 0; ///< bytes; 0: not said
  std::string cluster = {}; ///< those of one name, the empty one included, are one cluster
  std::uint32_t line = 0;   ///< of the file it is from
};

/// Reads a list of hosts: an Open MPI hostfile, a host a line with `slots=N` (or `cores=N`) and comments from `#` on,
/// to which `memory=SIZE` and `cluster=NAME` may be added; `max_slots=N` bounds the slots. Lines that name the same
/// host add up, as they do for Open MPI. Throws Error(invalid_input) naming file and line.
std::vector<Node> read_nodes(const std::filesystem::path& file);

/// Fills in what a node's line does not say by asking the machine: its processors as nproc tells them, and the memory
/// that is available there now, at most the limit of the control group. `agent` is a command that is given a host's
/// name and a command to run there, such as `ssh -o BatchMode=yes`; without one, only this machine ("localhost", or its
/// own name) is asked. Throws Error(usage) for a node that nobody tells of, Error(runtime) when one does not answer.
void complete_nodes(std::vector<Node>& nodes, const std::filesystem::path& file, const std::vector<std::string>& agent);

} // namespace timeless::tools
