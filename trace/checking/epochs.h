#pragma once

#include "trace/action.h"

#include <set>
#include <string>
#include <unordered_map>

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

private:
  struct Window {
    bool access = false;
    bool exposure = false;
    bool all_locked = false;
    bool freed = false;
    std::set<Rank> locked;

    bool open() const { return access || exposure || all_locked || !locked.empty(); }
  };

  std::unordered_map<CommunicatorId, Window> windows_;
};

/// True of calls that need a target.
bool needs_target(const Action& action);

} // namespace timeless::trace::checking
