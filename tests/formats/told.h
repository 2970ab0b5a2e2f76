#pragma once

#include "tests/trace/samples.h"

#include <string>
#include <vector>

namespace timeless::trace::formats::test {

/// Returns what a rank does, a line for each action: the call, then what it says of itself.
inline std::vector<std::string> told(const Source& source, Rank rank) {
  std::vector<std::string> lines;
  for (const trace::test::OwnedAction& owned : trace::test::actions_of(source, rank)) {
    const Action& action = owned.action;
    std::string line = mpi_name(action);
    if (has_volume(action.kind)) line += " " + std::to_string(owned.volume);
    if (action.communicator != world_communicator) line += " on " + std::to_string(action.communicator);
    if (action.peer != no_rank) line += " " + std::to_string(action.peer);
    if (family(action.kind) == ActionFamily::point_to_point) line += " tag " + std::to_string(action.tag);
    if (action.bytes != 0) line += " " + std::to_string(action.bytes) + " B";
    if (action.receive_peer != no_rank) line += " from " + std::to_string(action.receive_peer);
    if (action.receive_bytes != 0) line += " in " + std::to_string(action.receive_bytes) + " B";
    if (action.new_communicator != no_communicator) line += " makes " + std::to_string(action.new_communicator);
    for (const RequestId request : owned.requests)
      line += " #" + std::to_string(request);
    for (const Bytes count : owned.counts)
      line += " out " + std::to_string(count);
    for (const Bytes count : owned.receive_counts)
      line += " in " + std::to_string(count);
    lines.push_back(line);
  }
  return lines;
}

} // namespace timeless::trace::formats::test
