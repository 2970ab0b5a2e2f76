#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/bruck.h"
#include "replay/collectives/schedules/dissemination.h"
#include "replay/collectives/schedules/linear.h"
#include "replay/collectives/schedules/pairwise.h"
#include "replay/collectives/schedules/plan_builder.h"
#include "replay/collectives/schedules/rabenseifner.h"
#include "replay/collectives/schedules/recursive_doubling.h"
#include "replay/collectives/schedules/recursive_halving.h"
#include "replay/collectives/schedules/ring.h"
#include "replay/collectives/schedules/scan.h"
#include "replay/collectives/switches.h"

#include <bit>

namespace timeless::replay::schedules {

namespace {

using trace::ActionKind;

PlanBuilder::Function tree_of_scatter(PlanBuilder& builder) {
  return builder.shape.library.scatters_small_first ? binomial_scatter_small_first : binomial_scatter;
}

void allreduce(PlanBuilder& builder, double bytes) {
  if (builder.shape.algorithm == CollectiveAlgorithm::reduce_and_broadcast) {
    builder.chose(3);
    builder.shape.algorithm = CollectiveAlgorithm::binomial_tree;
    builder.reduce(0, bytes);
    return builder.broadcast(0, bytes);
  }
  if (switches::reduce_whole(builder.shape)) {
    builder.chose(1);
    return PlanBuilder::whole(builder.add(doubling_allreduce), bytes);
  }
  builder.chose(2);
  PlanBuilder::split(builder.add(rabenseifner_allreduce), Layout::whole_elements, bytes,
                     std::bit_floor(builder.place.members));
}

Phase& allgather(PlanBuilder& builder, double bytes) {
  const switches::Allgather by = switches::allgather(builder.of(bytes));
  builder.chose(static_cast<std::uint32_t>(by));
  if (by == switches::Allgather::doubling) return builder.add(doubling_allgather);
  if (by == switches::Allgather::bruck) return builder.add(bruck_allgather);
  const bool direct = builder.shape.library.allgathers_directly && builder.shape.kind == ActionKind::allgather;
  return builder.add(direct ? direct_allgather : ring_allgather);
}

void alltoall(PlanBuilder& builder) {
  const bool bruck = switches::alltoall_by_bruck(builder.shape);
  const bool pairs = switches::alltoall_in_pairs(builder.shape);
  builder.chose(bruck ? 1 : pairs ? 2 : 3);
  if (!bruck && !pairs) builder.plan.together = builder.shape.library.alltoall_throttle;
  PlanBuilder::whole(builder.add(bruck ? bruck_alltoall : pairs ? pairwise_alltoall : spread_alltoall), builder.part());
}

Phase& reduce_scatter(PlanBuilder& builder, double bytes) {
  const switches::ReduceScatter by = switches::reduce_scatter(builder.of(bytes));
  builder.chose(static_cast<std::uint32_t>(by));
  if (by == switches::ReduceScatter::halving) return builder.add(halving_reduce_scatter);
  return builder.add(by == switches::ReduceScatter::pairwise ? pairwise_reduce_scatter : doubling_reduce_scatter);
}

/// Sets the sizes of a phase of which the root knows all parts, the others their own.
void part_by_part(PlanBuilder& builder, Phase& phase, double own) {
  phase.group.root = builder.place.root;
  if (builder.is_root())
    phase.layout = Layout::listed;
  else
    PlanBuilder::whole(phase, own);
  phase.skips_empty = !builder.shape.library.sends_empty_parts;
  phase.nonblocking = true;
}

/// A gather or scatter of equal parts, each by a message between the root and its member.
void parts_by_the_root(PlanBuilder& builder, PlanBuilder::Function step) {
  builder.chose(2);
  if (builder.shape.kind == ActionKind::gather && builder.is_root()) builder.plan.together = all_together;
  Phase& phase = builder.add_from(builder.place.root, step);
  phase.group.root = builder.place.root;
  phase.nonblocking = true;
  PlanBuilder::whole(phase, builder.part());
}

void plan_tree_or_linear(PlanBuilder& builder) {
  const bool gathers = builder.shape.kind == ActionKind::gather;
  if (builder.shape.algorithm == CollectiveAlgorithm::linear)
    return parts_by_the_root(builder, gathers ? linear_gather : linear_scatter);
  PlanBuilder::whole(builder.add_from(builder.place.root, gathers ? binomial_gather : tree_of_scatter(builder)),
                     builder.part());
}

} // namespace

void plan_within_group(PlanBuilder& builder) {
  const double bytes = builder.shape.bytes;
  switch (builder.shape.kind) {
  case ActionKind::barrier:
    builder.add(dissemination);
    return;
  case ActionKind::broadcast:
    return builder.broadcast(builder.place.root, bytes);
  case ActionKind::reduce:
    return builder.reduce(builder.place.root, bytes);
  case ActionKind::allreduce:
    return allreduce(builder, bytes);
  case ActionKind::gather:
  case ActionKind::scatter:
    return plan_tree_or_linear(builder);
  case ActionKind::gatherv:
    if (builder.is_root()) builder.plan.together = all_together;
    return part_by_part(builder, builder.add_from(builder.place.root, linear_gather),
                        static_cast<double>(builder.action.bytes));
  case ActionKind::scatterv:
    return part_by_part(builder, builder.add_from(builder.place.root, linear_scatter),
                        static_cast<double>(builder.action.receive_bytes));
  case ActionKind::allgather:
    return PlanBuilder::whole(allgather(builder, bytes), builder.part());
  case ActionKind::allgatherv:
    builder.plan.counts = builder.plan.receive_counts;
    allgather(builder, bytes).layout = Layout::listed;
    return;
  case ActionKind::alltoall:
    return alltoall(builder);
  case ActionKind::alltoallv:
  case ActionKind::alltoallw: {
    Phase& phase = builder.add(spread_alltoall);
    builder.plan.together = builder.shape.library.alltoall_throttle;
    phase.layout = Layout::listed;
    phase.skips_empty = !builder.shape.library.sends_empty_parts;
    phase.skips_own = builder.shape.library.copies_own_part;
    return;
  }
  case ActionKind::reduce_scatter:
    builder.plan.receive_counts = builder.plan.counts;
    reduce_scatter(builder, bytes).layout = Layout::listed;
    return;
  case ActionKind::reduce_scatter_block:
    return PlanBuilder::whole(reduce_scatter(builder, bytes), static_cast<double>(builder.action.bytes));
  case ActionKind::scan:
  case ActionKind::exscan:
    return PlanBuilder::whole(builder.add(doubling_scan), bytes);
  default: {
    Phase& phase = builder.add(doubling_allreduce);
    PlanBuilder::whole(phase, bytes);
    phase.arithmetic = false;
  }
  }
}

} // namespace timeless::replay::schedules
