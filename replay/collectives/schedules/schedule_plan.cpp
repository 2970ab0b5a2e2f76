#include "replay/collectives/schedules/schedule_plan.h"

#include "replay/collectives/schedules/plan_builder.h"

#include <algorithm>
#include <utility>

namespace timeless::replay::schedules {

namespace {

using trace::ActionKind;

/// Sources and destinations are the call's own.
void plan_neighbours(PlanBuilder& builder) {
  builder.plan.neighbours = true;
  builder.plan.together = all_together;
  const auto sources = static_cast<std::size_t>(std::clamp<std::int64_t>(
      std::int64_t{builder.action.tag} - 1, 0, static_cast<std::int64_t>(builder.action.ranks.size())));
  builder.plan.sources = builder.action.ranks.first(sources);
  builder.plan.destinations = builder.action.ranks.subspan(sources);
  Phase& phase = builder.add(nullptr);
  phase.bytes = static_cast<double>(builder.action.bytes);
  const bool counted =
      builder.shape.kind == ActionKind::neighbor_alltoallv || builder.shape.kind == ActionKind::neighbor_alltoallw;
  phase.layout = counted ? Layout::listed : Layout::equal;
}

} // namespace

SchedulePlan plan(const CollectiveShape& shape, const trace::Action& action, const GroupPosition& place) {
  PlanBuilder builder(shape, action, place);
  if (neighbourhood(shape.kind)) {
    plan_neighbours(builder);
  } else if (place.remote_members > 0) {
    plan_between_groups(builder);
    // What each group does within itself is its own affair.
    builder.plan.algorithm = 0;
  } else if (place.members > 1) {
    plan_within_group(builder);
  }
  return std::move(builder.plan);
}

} // namespace timeless::replay::schedules
