#pragma once

#include "replay/engine/collectives/scheduled_collectives.h"
#include "replay/engine/program/calls.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// A rank's epochs on one window, and the transfers it has begun there and not waited for.
struct WindowState {
  Transit transfers;
  bool access = false;
  bool exposure = false;
  std::vector<Notice> targets;        ///< of the epoch of access
  std::vector<Notice> origins;        ///< of the epoch of exposure
  std::vector<std::uint64_t> tickets; ///< of the notices waited for, as many as the group has
};

/// Replays one-sided communication: a transfer goes on beside its rank until an epoch or its request finishes it.
/// Members of a window tell each other of epochs by messages of no bytes (Notice).
class OneSided {
public:
  OneSided(Core& core, Collectives& collectives, ScheduledCollectives& scheduled)
      : core_(core), collectives_(collectives), scheduled_(scheduled) {}

  /// Performs a call of Program::one_sided. Returns false when the rank must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);

private:
  using Act = OneSidedCall::Act;

  /// Returns the rank's epochs and transfers on a window.
  WindowState& window(std::uint32_t number, trace::CommunicatorId window) {
    return windows_[std::uint64_t{core_.rank_number(number)} << 32U | window];
  }
  void begin_transfer(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window,
                      trace::RequestId request);
  void ask(std::uint32_t number, std::uint32_t row);
  void finish_transfers(std::uint32_t number, WindowState& window);
  bool finish_and_meet(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window);
  bool start_access(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window);
  bool take_notices(RankState& rank, std::uint32_t number, WindowState& window, const std::vector<Notice>& group);
  void notify(std::uint32_t number, const std::vector<Notice>& group);

  Core& core_;
  Collectives& collectives_;
  ScheduledCollectives& scheduled_;
  TransferPorts ports_;
  std::unordered_map<std::uint64_t, WindowState> windows_; ///< by rank and window
};

} // namespace timeless::replay
