#pragma once

#include "replay/replay.h"
#include "trace/model/source.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay::test {

/// A rank's counters, and the critical path to its end, carried with its time.
struct ScalarTimes : RankTimes {
  Sensitivity path;
  double port_free = 0; ///< when its next message may set off
  Sensitivity port_path{};
  double held_port_free = 0; ///< the same of its next message that waits for its receive
  Sensitivity held_port_path{};
};

/// Replays one lane, written to be read and not to be fast: every rank's time is one number, brought up to date at
/// every action. Shares nothing with the engine but what a machine and a collective cost. Follows docs/model.md.
///
/// Throws std::logic_error where a trace does not end well.
std::vector<ScalarTimes> scalar_replay(const trace::Source& source, const Network& network, std::size_t lane,
                                       const ReplayOptions& options = {});

/// Replays likewise; returns nothing where the ranks come to wait for each other.
std::optional<std::vector<ScalarTimes>> scalar_replay_or_deadlock(const trace::Source& source, const Network& network,
                                                                  std::size_t lane, const ReplayOptions& options = {});

/// Returns what every rank counted, divided by call (their names; "computation") or by kernel (their numbers; "" before
/// the first). `end` is the sum.
std::vector<std::map<std::string, RankTimes>> scalar_attribution(const trace::Source& source, const Network& network,
                                                                 std::size_t lane, const ReplayOptions& options);

} // namespace timeless::replay::test
