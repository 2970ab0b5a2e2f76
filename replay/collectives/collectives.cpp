#include "replay/collectives/collectives.h"

#include "replay/collectives/switches.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace timeless::replay {

namespace {

using trace::Action;
using trace::ActionKind;
using Shape = CollectiveShape;
using Cost = CollectiveCost;

// What a communicator's creation agrees on: one context number.
constexpr double creation_bytes = 8;

double floor_log2(std::uint32_t members) {
  return std::bit_width(members) - 1;
}

double ceil_log2(std::uint32_t members) {
  return std::bit_width(members - 1);
}

bool power_of_two(const Shape& shape) {
  return std::has_single_bit(shape.members);
}

double others(const Shape& shape) {
  return shape.members - 1;
}

/// Returns n (p-1)/p.
double all_but_own(const Shape& shape) {
  return shape.bytes * others(shape) / shape.members;
}

Cost operator+(const Cost& left, const Cost& right) {
  return {.messages = left.messages + right.messages,
          .bytes = left.bytes + right.bytes,
          .reduced_bytes = left.reduced_bytes + right.reduced_bytes,
          .sends = left.sends + right.sends,
          .nonblocking_sends = left.nonblocking_sends + right.nonblocking_sends,
          .receives = left.receives + right.receives};
}

/// Messages one after the other, each sent once the one before has been received: A (o_s + a + o_r) + B b + R g
Cost sends(double messages, double bytes, double reduced_bytes = 0) {
  return {
      .messages = messages, .bytes = bytes, .reduced_bytes = reduced_bytes, .sends = messages, .receives = messages};
}

/// Returns the same by Sendrecv: A (o_i + a + o_r) + B b + R g.
Cost exchanges(double messages, double bytes, double reduced_bytes = 0) {
  return {.messages = messages,
          .bytes = bytes,
          .reduced_bytes = reduced_bytes,
          .nonblocking_sends = messages,
          .receives = messages};
}

/// Returns ceil(lg p) (a + n b).
Cost tree(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return sends(steps, steps * shape.bytes);
}

/// Returns ceil(lg p) (a + n b + n g).
Cost reducing_tree(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return sends(steps, steps * shape.bytes, steps * shape.bytes);
}

/// Returns the same by recursive doubling.
Cost doubling(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return exchanges(steps, steps * shape.bytes, steps * shape.bytes);
}

/// Returns ceil(lg p) a: dissemination.
Cost barrier(const Shape& shape) {
  return exchanges(ceil_log2(shape.members), 0);
}

/// Returns the cost of a binomial tree; of a scatter and a recursive-doubling allgather; or of a scatter and a ring
/// allgather.
Cost broadcast(const Shape& shape) {
  if (switches::broadcast_by_tree(shape)) return tree(shape);
  const double log = ceil_log2(shape.members);
  const double part = all_but_own(shape);
  return sends(log, part) + exchanges(switches::broadcast_by_doubling(shape) ? log : others(shape), part);
}

/// Returns, where p is no power of two, what folding adds: this many messages of whole buffers more, before and after,
/// and one buffer's arithmetic.
Cost folding(const Shape& shape, double messages) {
  return power_of_two(shape) ? Cost{} : sends(messages, messages * shape.bytes, shape.bytes);
}

/// Returns the cost of a tree; or of Rabenseifner's reduce-scatter and a gather.
Cost reduce(const Shape& shape) {
  if (switches::reduce_whole(shape)) return reducing_tree(shape);
  const double log = floor_log2(shape.members);
  const double part = all_but_own(shape);
  return folding(shape, 1) + exchanges(log, part, part) + sends(log, part);
}

/// Returns the cost of recursive doubling; or of Rabenseifner's reduce-scatter and an allgather.
Cost allreduce(const Shape& shape) {
  if (switches::reduce_whole(shape)) return doubling(shape);
  const double log = floor_log2(shape.members);
  const double part = all_but_own(shape);
  return folding(shape, 2) + exchanges(log, part, part) + exchanges(log, part);
}

/// Returns the cost of recursive doubling, Bruck's algorithm or a ring.
Cost allgather(const Shape& shape) {
  const bool ring = switches::allgather(shape) == switches::Allgather::ring;
  return exchanges(ring ? others(shape) : ceil_log2(shape.members), all_but_own(shape));
}

/// Returns (p-1) a + n b.
Cost pairwise(const Shape& shape) {
  return exchanges(others(shape), shape.bytes);
}

/// Returns ceil(p/k) a + n b: k messages are on their way together, and the own part is one of them. Where these have
/// links to themselves, their bytes overlap as well; the processor's work on them does not.
Cost spread(const Shape& shape) {
  const double rounds = std::ceil(static_cast<double>(shape.members) / std::max(shape.library.alltoall_throttle, 1U));
  const double part = shape.bytes / shape.members;
  const bool own_is_none = shape.library.copies_own_part && shape.kind != ActionKind::alltoall;
  const double messages = own_is_none ? others(shape) : shape.members;
  return {.messages = rounds,
          .bytes = shape.library.side_by_side ? rounds * part : shape.bytes,
          .message_bytes = part,
          .nonblocking_sends = messages,
          .receives = messages};
}

/// Returns the cost of Bruck's algorithm for small parts; of some with some at once; or of pairs.
Cost alltoall(const Shape& shape) {
  if (!switches::alltoall_by_bruck(shape)) return switches::alltoall_in_pairs(shape) ? pairwise(shape) : spread(shape);
  const double log = ceil_log2(shape.members);
  return exchanges(log, shape.bytes / 2 * log);
}

/// Returns the cost of recursive halving, pairs, or recursive doubling when the operation does not commute.
Cost reduce_scatter(const Shape& shape) {
  const double part = all_but_own(shape);
  const switches::ReduceScatter by = switches::reduce_scatter(shape);
  if (by == switches::ReduceScatter::doubling) {
    const double log = ceil_log2(shape.members);
    const double bytes = shape.bytes * log - part;
    return exchanges(log, bytes, bytes);
  }
  if (by == switches::ReduceScatter::pairwise) return exchanges(others(shape), part, part);
  const Cost halving = exchanges(floor_log2(shape.members), part, part);
  return power_of_two(shape) ? halving : halving + sends(2, shape.bytes, shape.bytes);
}

/// Returns ceil(lg p) a + n (p-1)/p b: binomial gather and scatter.
Cost binomial(const Shape& shape) {
  return sends(ceil_log2(shape.members), all_but_own(shape));
}

/// Messages of equal parts that are on their way together, to one member or from it: it works on all of them.
Cost at_once(const Shape& shape, double messages, double bytes, bool gathers) {
  const double part = shape.bytes / shape.members;
  return {.messages = 1,
          .bytes = shape.library.side_by_side ? part : bytes,
          .message_bytes = part,
          .nonblocking_sends = gathers ? 1 : messages,
          .receives = gathers ? messages : 1};
}

/// Returns a + n (p-1)/p b: gatherv and scatterv.
Cost linear(const Shape& shape) {
  return at_once(shape, others(shape), all_but_own(shape), shape.kind == ActionKind::gatherv);
}

/// Returns a + n b: what one member sends to its neighbours, as if they were reached at once.
Cost neighbours(const Shape& shape) {
  return exchanges(1, shape.bytes);
}

/// Returns the cost of a small allreduce, without arithmetic.
Cost creation(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return exchanges(steps, steps * creation_bytes);
}

// ---- between groups, each part in the group that takes longer

/// Returns the cost of a message between the groups' first members.
Cost message(double bytes) {
  return sends(1, bytes);
}

/// Returns the cost of one each way between them, both at once.
Cost swap(double bytes) {
  return exchanges(1, bytes);
}

/// Returns the cost of a part in a group.
Cost within(const Shape& group, Cost (*cost)(const Shape&)) {
  return group.members > 1 ? cost(group) : Cost{};
}

/// Returns the cost of a message for each member of the other group, one after the other.
Cost with_each(const Shape& group) {
  return exchanges(group.members, group.bytes);
}

/// Returns the cost of a message for each member of the other group, all together.
Cost with_all(const Shape& group) {
  const bool gathers = trace::traits(group.kind).root != trace::Root::sends;
  return at_once(group, group.members, group.bytes, gathers);
}

/// Returns the cost of what MPICH does, one after the other: docs/model.md.
Cost between_groups(const Shape& group) {
  switch (group.kind) {
  case ActionKind::barrier:
    return within(group, barrier) + swap(0) + within(group, tree);
  case ActionKind::broadcast:
    return message(group.bytes) + within(group, broadcast);
  case ActionKind::reduce:
    return within(group, reduce) + message(group.bytes);
  case ActionKind::allreduce:
    return within(group, reduce) + swap(group.bytes) + within(group, broadcast);
  case ActionKind::gather:
  case ActionKind::scatter:
    if (switches::gather_between_groups_locally(group)) return within(group, binomial) + message(group.bytes);
    return with_all(group);
  case ActionKind::allgather:
    return within(group, binomial) + swap(group.bytes) + within(group, broadcast);
  case ActionKind::allgatherv:
    return with_all(group) + within(group, broadcast);
  case ActionKind::gatherv:
  case ActionKind::scatterv:
    return with_all(group);
  case ActionKind::alltoall:
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    return with_each(group);
  case ActionKind::reduce_scatter:
    return within(group, reduce) + swap(group.bytes) + within(group, linear);
  case ActionKind::reduce_scatter_block:
    return within(group, reduce) + swap(group.bytes) + within(group, binomial);
  default:
    return within(group, creation) + swap(creation_bytes) + within(group, creation);
  }
}

double sum(std::span<const trace::Bytes> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [](double total, trace::Bytes count) { return total + static_cast<double>(count); });
}

double part(const Action& action) {
  // MPI_IN_PLACE leaves one of the two at 0.
  return static_cast<double>(std::max(action.bytes, action.receive_bytes));
}

struct Row {
  ActionKind kind;
  Cost (*cost)(const Shape&); ///< of the mpich model; at least two members
};

// One row for each collective. Sources: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH" (2005), section 4, and the comments of MPICH's implementations; docs/model.md shows the
// formulas.
constexpr std::array rows{
    Row{ActionKind::barrier, barrier},
    Row{ActionKind::broadcast, broadcast},
    Row{ActionKind::reduce, reduce},
    Row{ActionKind::allreduce, allreduce},
    Row{ActionKind::gather, binomial},
    Row{ActionKind::gatherv, linear},
    Row{ActionKind::scatter, binomial},
    Row{ActionKind::scatterv, linear},
    Row{ActionKind::allgather, allgather},
    Row{ActionKind::allgatherv, allgather},
    Row{ActionKind::alltoall, alltoall},
    Row{ActionKind::alltoallv, spread},
    Row{ActionKind::alltoallw, spread},
    Row{ActionKind::reduce_scatter, reduce_scatter},
    Row{ActionKind::reduce_scatter_block, reduce_scatter},
    Row{ActionKind::scan, doubling},
    Row{ActionKind::exscan, doubling},
    Row{ActionKind::neighbor_allgather, neighbours},
    Row{ActionKind::neighbor_allgatherv, neighbours},
    Row{ActionKind::neighbor_alltoall, neighbours},
    Row{ActionKind::neighbor_alltoallv, neighbours},
    Row{ActionKind::neighbor_alltoallw, neighbours},
};

const Row* find(ActionKind kind) {
  const auto row = std::ranges::find(rows, kind, &Row::kind);
  return row == rows.end() ? nullptr : &*row;
}

} // namespace

double cost_bytes(const Action& action, std::uint32_t members, std::uint32_t peers) {
  const trace::ActionTraits& kind = trace::traits(action.kind);
  if (kind.family != trace::ActionFamily::collective) return creation_bytes;
  if (kind.sent == trace::Sizes::none) return 0;
  if (kind.sent == trace::Sizes::buffer) return static_cast<double>(action.bytes);
  const bool listed = kind.sent == trace::Sizes::list || kind.received == trace::Sizes::list;
  if (listed || kind.neighborhood) return std::max({sum(action.counts), sum(action.receive_counts), part(action)});
  // Between groups a root's parts are the other group's, and so are what an allgather brings and an alltoall takes
  // away.
  const bool of_own_group = rooted(action.kind) ? action.peer >= 0 : kind.reduces;
  return part(action) * (of_own_group ? members : peers);
}

CollectiveCost collective_cost(CollectiveModel model, const CollectiveShape& shape) {
  // What members tell each other of a file is within the file system's latency.
  if (shape.members <= 1 || trace::family(shape.kind) == trace::ActionFamily::file_collective) return {};
  if (model == CollectiveModel::simple) {
    // The paper's: it knows no overheads.
    const double steps = ceil_log2(shape.members);
    return {.messages = steps, .bytes = steps * shape.bytes};
  }
  if (shape.group > 0) {
    CollectiveShape group = shape;
    group.members = shape.group;
    return between_groups(group);
  }
  const Row* row = find(shape.kind);
  return row ? row->cost(shape) : creation(shape);
}

} // namespace timeless::replay
