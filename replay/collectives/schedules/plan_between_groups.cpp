#include "replay/collectives/schedules/between_groups.h"
#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/dissemination.h"
#include "replay/collectives/schedules/linear.h"
#include "replay/collectives/schedules/plan_builder.h"
#include "replay/collectives/switches.h"

#include <algorithm>
#include <span>

namespace timeless::replay::schedules {

namespace {

using trace::ActionKind;
using trace::Bytes;

double sum_of(std::span<const Bytes> counts) {
  double total = 0;
  for (const Bytes count : counts)
    total += static_cast<double>(count);
  return total;
}

/// Sends what the first members of both groups have to each other.
void leaders_swap(PlanBuilder& builder, double bytes, double bytes_in) {
  if (builder.place.me != 0) return;
  Phase& phase = builder.add(swap);
  phase.base = builder.place.remote_base;
  phase.me = 1; // the other one is number 0
  PlanBuilder::whole(phase, bytes);
  phase.bytes_in = bytes_in;
}

void part_by_part_between_groups(PlanBuilder& builder, bool up, bool listed) {
  if (builder.is_root()) {
    Phase& phase = builder.add_between(up ? from_all : to_all);
    if (listed)
      phase.layout = Layout::listed;
    else
      PlanBuilder::whole(phase, builder.part());
    phase.skips_empty = listed;
    phase.nonblocking = true;
    if (up) builder.plan.together = all_together;
    return;
  }
  Phase& phase = builder.add_between(up ? to_first : from_first);
  phase.base = builder.place.root;
  PlanBuilder::whole(phase, static_cast<double>(up ? builder.action.bytes : builder.action.receive_bytes));
  phase.skips_empty = listed;
  phase.nonblocking = true;
}

/// Plans for the root in one group, and those it has to do with, all of the other.
void rooted_between_groups(PlanBuilder& builder) {
  const double bytes = builder.shape.bytes;
  const trace::ActionTraits& kind = trace::traits(builder.shape.kind);
  const bool up = kind.root == trace::Root::receives;
  const bool by_parts = kind.sent == trace::Sizes::list || kind.received == trace::Sizes::list;
  const bool local =
      kind.sent == trace::Sizes::buffer || (!by_parts && switches::gather_between_groups_locally(builder.shape));
  if (!local) return part_by_part_between_groups(builder, up, by_parts);
  if (builder.is_root())
    return up ? builder.connect(builder.place.remote_base, builder.place.root, bytes)
              : builder.connect(builder.place.root, builder.place.remote_base, bytes);
  if (!up) builder.connect(builder.place.root, builder.place.base, bytes);
  if (builder.shape.kind == ActionKind::broadcast) builder.broadcast(0, bytes);
  if (builder.shape.kind == ActionKind::reduce) builder.reduce(0, bytes);
  if (builder.shape.kind == ActionKind::gather) PlanBuilder::whole(builder.add(binomial_gather), builder.part());
  if (builder.shape.kind == ActionKind::scatter) PlanBuilder::whole(builder.add(binomial_scatter), builder.part());
  if (up) builder.connect(builder.place.base, builder.place.root, bytes);
}

} // namespace

void plan_between_groups(PlanBuilder& builder) {
  const double bytes = builder.shape.bytes;
  if (rooted(builder.shape.kind)) {
    // Those of the root's own group have nothing to do with it.
    if (builder.place.root != nobody) rooted_between_groups(builder);
    return;
  }
  switch (builder.shape.kind) {
  case ActionKind::barrier:
    builder.add(dissemination);
    leaders_swap(builder, 0, 0);
    return builder.broadcast(0, 0);
  case ActionKind::allreduce:
    builder.reduce(0, bytes);
    leaders_swap(builder, bytes, bytes);
    return builder.broadcast(0, bytes);
  case ActionKind::allgather: {
    const double theirs = static_cast<double>(builder.action.receive_bytes) * builder.place.remote_members;
    const double own = static_cast<double>(builder.action.bytes);
    PlanBuilder::whole(builder.add(binomial_gather), own);
    leaders_swap(builder, own * builder.place.members, theirs);
    return builder.broadcast(0, theirs);
  }
  case ActionKind::allgatherv:
    PlanBuilder::whole(builder.add_between(to_first), static_cast<double>(builder.action.bytes));
    builder.plan.phases.back().nonblocking = true;
    if (builder.place.me == 0) builder.add_between(from_all).layout = Layout::listed;
    return builder.broadcast(0, sum_of(builder.action.receive_counts));
  case ActionKind::alltoall:
  case ActionKind::alltoallv:
  case ActionKind::alltoallw: {
    Phase& phase = builder.add_between(rounds_between_groups);
    phase.group.root = std::max(builder.place.members, builder.place.remote_members);
    if (builder.shape.kind == ActionKind::alltoall) {
      PlanBuilder::whole(phase, static_cast<double>(builder.action.bytes));
      phase.bytes_in = static_cast<double>(builder.action.receive_bytes);
    } else {
      phase.layout = Layout::listed;
      phase.skips_empty = true;
    }
    return;
  }
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block:
    builder.reduce(0, bytes);
    leaders_swap(builder, bytes, bytes);
    if (builder.shape.kind == ActionKind::reduce_scatter_block)
      return PlanBuilder::whole(builder.add(binomial_scatter), static_cast<double>(builder.action.bytes));
    builder.plan.receive_counts = builder.plan.counts;
    builder.add(linear_scatter).layout = Layout::listed;
    builder.plan.phases.back().nonblocking = true;
    return;
  default:
    builder.reduce(0, bytes, false);
    leaders_swap(builder, bytes, bytes);
    return builder.broadcast(0, bytes);
  }
}

} // namespace timeless::replay::schedules
