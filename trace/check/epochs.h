#pragma once

#include "trace/model/action.h"

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::trace::checking {

/// Follows one rank's epochs on its windows.
///
/// A recorder leaves no half of an epoch in a trace, so an end without its begin is a contradiction. Transfers are not
/// compared with epochs: what opens one for them may have been left out while recording was switched off.
class Epochs {
public:
  /// Follows an action of the families window, one_sided or epoch on an existing window. Returns what it contradicts;
  /// empty when nothing.
  std::string follow(const Action& action);
  /// Notes that a window has been made.
  void made(CommunicatorId window) { windows_[window].made = true; }

  /// A window at the end of the rank's MPI.
  struct RemainingWindow {
    CommunicatorId window = no_communicator;
    bool made = false; ///< the trace tells of its making
    std::string open;  ///< its epochs that have not ended: "a lock of rank 3"; empty when there are none
  };
  /// Returns those that have not been freed, by their numbers.
  std::vector<RemainingWindow> remaining() const;

private:
  struct Window {
    bool access = false;
    bool exposure = false;
    bool all_locked = false;
    bool made = false; ///< as far as the trace tells
    bool freed = false;
    std::set<Rank> locked;

    bool open() const { return access || exposure || all_locked || !locked.empty(); }
    std::string open_epochs() const;
  };

  std::unordered_map<CommunicatorId, Window> windows_;
};

/// Returns true for calls that need a target.
bool needs_target(const Action& action);

} // namespace timeless::trace::checking
