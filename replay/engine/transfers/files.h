#pragma once

#include "replay/engine/collectives/collectives.h"
#include "replay/engine/program/calls.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace timeless::replay {

/// A split collective under way.
struct SplitCollective {
  std::uint32_t instance = 0;
  trace::Bytes bytes = 0;
};

/// Replays calls on files: each waits for the file system, those of all who have opened a file for each other first.
class Files {
public:
  Files(Core& core, Collectives& collectives) : core_(core), collectives_(collectives) {}

  /// Performs a call of Program::files. Returns false when the rank must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);
  /// Ends a complete collective for its members, each with its own bytes, and all within what the file system can take.
  void take(std::uint32_t number, std::uint32_t instance, trace::Bytes bytes);
  /// Leaves a complete collective for a rank that wants no result of it. One that is not complete stays where those who
  /// have yet to come will look for it.
  void leave_early(std::uint32_t instance);

private:
  using Act = FileCall::Act;

  /// Returns the split collective that a rank has begun on a file, if any; set it, or reset it.
  std::optional<SplitCollective>& split(std::uint32_t number, trace::CommunicatorId file) {
    return splits_[std::uint64_t{core_.rank_number(number)} << 32U | file];
  }
  void access_alone(RankState& rank, std::uint32_t number, const FileCall& call, trace::RequestId request);
  bool access_together(RankState& rank, std::uint32_t number, const FileCall& call);
  bool end_split(RankState& rank, std::uint32_t number, const FileCall& call);
  void give_up_split(std::uint32_t number, trace::CommunicatorId file);

  Core& core_;
  Collectives& collectives_;
  TransferPorts ports_;
  std::unordered_map<std::uint64_t, std::optional<SplitCollective>> splits_; ///< by rank and file
};

} // namespace timeless::replay
