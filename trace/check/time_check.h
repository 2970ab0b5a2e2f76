#pragma once

#include "trace/check/findings.h"
#include "trace/model/action_block.h"

#include <map>

namespace timeless::trace::checking {

/// Follows the measured times of one rank, where it has some: every block has them or none, and within one thread no
/// action begins before the one before it has ended.
class TimeCheck {
public:
  TimeCheck(Findings& findings, Rank rank) : findings_(findings), rank_(rank) {}

  /// Looks at the rank's next block, whose first action has this ordinal.
  void follow(const ActionBlock& block, std::uint64_t first_action);

private:
  void look(const ActionBlock& block, std::uint64_t first_action);

  Findings& findings_;
  Rank rank_;
  Rank thread_ = 0;
  std::map<Rank, std::uint64_t> last_exit_; ///< by thread
  bool seen_timed_ = false;
  bool seen_untimed_ = false;
  bool reported_ = false; ///< that times fall back: said once of a rank
};

} // namespace timeless::trace::checking
