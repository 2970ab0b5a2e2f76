#pragma once

#include "base/error.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace timeless::replay::smpi {

/// Hosts and links that a platform file turns off on the way (`state_file`).
///
/// A run does not survive either: SimGrid kills the ranks of a host, and messages on a link end in an exception, or
/// are lost.
class MachineFailures {
public:
  /// Notices from here on what is turned off. Calls `host_failed` when a host fails while it still has ranks, which are
  /// about to die.
  void watch(std::function<void(const std::string& host)> host_failed);

  /// Returns the error of a host that fails under ranks. `ranks` says what these were at.
  static Error of_host(const std::string& host, const std::string& ranks);
  /// Returns the error of a host that is off before the ranks begin.
  static Error of_host_at_start(const std::string& host, std::size_t rank);
  /// Returns the error of a message that failed under way.
  Error of_message(const std::string& rank) const;
  /// Returns the links that were off at some time; empty without any.
  std::string links() const;

private:
  std::set<std::string> links_;
};

/// Returns what SimGrid's words say when it stops because a platform connects two hosts by nothing, as the model says
/// it; nothing when they say something else.
std::optional<Error> missing_route(const Error& stopped);

} // namespace timeless::replay::smpi
