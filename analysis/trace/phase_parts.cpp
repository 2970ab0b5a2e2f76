#include "analysis/trace/phase_parts.h"

#include <algorithm>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Action;

/// Tells which actions all ranks meet in.
class MeetingOfAll {
public:
  explicit MeetingOfAll(const trace::Run& run) {
    for (const trace::Communicator& communicator : run.communicators)
      of_all_.push_back(communicator.members.size() == static_cast<std::size_t>(run.size) &&
                        communicator.remote_members.empty());
  }

  bool operator()(const Action& action) const {
    return trace::traits(action.kind).family == trace::ActionFamily::collective && !trace::nonblocking(action) &&
           action.communicator < of_all_.size() && of_all_[action.communicator];
  }

private:
  std::vector<bool> of_all_; ///< by CommunicatorId
};

/// Returns the phases that end at those collectives that are nearest to an even division. `behind`: how many actions
/// the first rank has made after each collective; `actions` in all.
std::vector<Phase> even_phases(const std::vector<std::uint64_t>& behind, std::uint64_t actions, std::size_t most) {
  std::vector<Phase> phases;
  if (behind.empty()) return phases;
  std::uint64_t first = 1;
  for (std::size_t phase = 1; phase < most; ++phase) {
    const std::uint64_t even = actions * phase / most;
    auto nearest = std::ranges::lower_bound(behind, even);
    if (nearest == behind.end() || (nearest != behind.begin() && even - *(nearest - 1) < *nearest - even)) --nearest;
    const auto last = static_cast<std::uint64_t>(nearest - behind.begin()) + 1;
    if (last < first || last == behind.size()) continue; // has ended one already, or ends the run's last phase
    phases.push_back({first, last});
    first = last + 1;
  }
  phases.push_back({first, behind.size()});
  return phases;
}

} // namespace

PhaseParts phase_parts(const trace::Source& source, std::size_t most) {
  const MeetingOfAll of_all(source.run());
  std::vector<std::uint64_t> behind;
  std::uint64_t actions = 0;
  trace::ActionBlock block;
  const auto stream = source.open(source.run().ranks.front().rank);
  while (stream->next(block))
    for_each_action(block, [&](const Action& action, std::uint64_t /*volume*/) {
      ++actions;
      if (of_all(action)) behind.push_back(actions);
    });
  PhaseParts parts{.phases = even_phases(behind, actions, most), .division = {}};
  parts.division = [of_all, phases = parts.phases]() -> PartFollower {
    return [of_all, phases, phase = std::size_t{0},
            met = std::uint64_t{0}](const Action& action) mutable -> std::optional<std::uint32_t> {
      const std::size_t here = phase;
      if (of_all(action) && ++met == phases[phase].last && phase + 1 < phases.size()) ++phase;
      if (action.kind == trace::ActionKind::region_begin || action.kind == trace::ActionKind::region_end)
        return std::nullopt;
      return static_cast<std::uint32_t>(here);
    };
  };
  return parts;
}

} // namespace timeless::analysis
