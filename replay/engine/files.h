#pragma once

#include "replay/engine/clocks.h"
#include "trace/model/ids.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// One rank's call on a file.
struct FileCall {
  enum class Act : std::uint8_t {
    alone,    ///< this rank by itself
    together, ///< with all who have opened the file
    begin,    ///< the first half of a split collective
    end,      ///< the second
  };
  Act act = Act::alone;
  trace::CommunicatorId file = trace::world_communicator;
  trace::Bytes bytes = 0;
  std::uint32_t instance = 0; ///< in Program::calls
};

/// A split collective under way.
struct SplitCollective {
  std::uint32_t instance = 0;
  trace::Bytes bytes = 0;
};

/// What a replay remembers of files.
class Files {
public:
  explicit Files(std::size_t ranks) : ports_(ranks) {}

  Port& port(std::uint32_t number) { return ports_[number]; }
  /// From now on there are so many ranks and threads.
  void make_room(std::size_t ranks) { ports_.resize(ranks); }
  /// The split collective that a rank has begun on a file, if any; set it, or reset it.
  std::optional<SplitCollective>& split(std::uint32_t number, trace::CommunicatorId file) {
    return splits_[std::uint64_t{number} << 32U | file];
  }
  void forget(std::uint32_t number, trace::CommunicatorId file) { splits_.erase(std::uint64_t{number} << 32U | file); }

private:
  std::vector<Port> ports_;
  std::unordered_map<std::uint64_t, std::optional<SplitCollective>> splits_; ///< by rank and file
};

} // namespace timeless::replay
