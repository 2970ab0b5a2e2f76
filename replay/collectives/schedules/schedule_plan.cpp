#include "replay/collectives/schedules/schedule_plan.h"

#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/bruck.h"
#include "replay/collectives/schedules/dissemination.h"
#include "replay/collectives/schedules/linear.h"
#include "replay/collectives/schedules/pairwise.h"
#include "replay/collectives/schedules/rabenseifner.h"
#include "replay/collectives/schedules/recursive_doubling.h"
#include "replay/collectives/schedules/recursive_halving.h"
#include "replay/collectives/schedules/ring.h"
#include "replay/collectives/schedules/scan.h"
#include "replay/collectives/switches.h"

#include <algorithm>
#include <cmath>

namespace timeless::replay::schedules {

namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;

// ---- sizes

double listed(std::span<const Bytes> counts, Blocks blocks, std::uint32_t members, std::uint32_t rotation) {
  double sum = 0;
  for (std::uint32_t index = 0; index < blocks.count; ++index) {
    const std::size_t block = (std::uint64_t{blocks.first} + index + rotation) % members;
    if (block < counts.size()) sum += static_cast<double>(counts[block]);
  }
  return sum;
}

/// Where block `index` begins.
double offset(const Phase& phase, std::uint32_t index) {
  if (index >= phase.blocks) return phase.bytes;
  if (phase.layout == Layout::rounded_up) return std::min(phase.bytes, index * std::ceil(phase.bytes / phase.blocks));
  const double elements = std::floor(phase.bytes / phase.element_bytes);
  return index * std::floor(elements / phase.blocks) * phase.element_bytes;
}

/// Of blocks that go out, or come in.
double size(const Plan& plan, const Phase& phase, Blocks blocks, bool out) {
  switch (phase.layout) {
  case Layout::nothing:
    return 0;
  case Layout::equal:
    return blocks.count * (out ? phase.bytes : phase.bytes_in);
  case Layout::listed:
    return listed(out ? plan.counts : plan.receive_counts, blocks, std::max(phase.blocks, 1U), phase.rotation);
  case Layout::rounded_up:
  case Layout::whole_elements:
    break;
  }
  const std::uint32_t end = blocks.first + blocks.count;
  if (end <= phase.blocks) return offset(phase, end) - offset(phase, blocks.first);
  return phase.bytes - offset(phase, blocks.first) + offset(phase, end - phase.blocks);
}

// ---- algorithms between groups: member 0 of the pair, and of the group, is what the base says

/// Numbers 0 and 1: a message from 0 to 1.
bool link(const Group&, std::uint32_t me, std::uint32_t index, Step& step) {
  step = {};
  if (me == 0)
    step.to = 1;
  else
    step.from = 1 - me;
  step.out = step.in = {0, 1};
  return index == 0;
}

/// Numbers 0 and 1: a message each way.
bool swap(const Group&, std::uint32_t me, std::uint32_t index, Step& step) {
  step = {.to = 1 - me, .out = {0, 1}, .from = 1 - me, .in = {0, 1}};
  return index == 0;
}

/// Everyone of a group with everyone of the other: group.members are the others, group.root as many rounds as there
/// are.
bool rounds_between_groups(const Group& group, std::uint32_t me, std::uint32_t index, Step& step) {
  const std::uint32_t rounds = group.root;
  if (index >= rounds) return false;
  const std::uint32_t to = (me + index) % rounds;
  const std::uint32_t from = (me + rounds - index) % rounds;
  step = {};
  if (to < group.members) {
    step.to = to;
    step.out = {to, 1};
  }
  if (from < group.members) {
    step.from = from;
    step.in = {from, 1};
  }
  return true;
}

/// A message to everyone of the other group.
bool to_all(const Group& group, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.to = index, .out = {index, 1}, .in = {}};
  return index < group.members;
}

/// A message from everyone of the other group.
bool from_all(const Group& group, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.out = {}, .from = index, .in = {index, 1}};
  return index < group.members;
}

/// A message to number 0 of the other group.
bool to_first(const Group&, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.to = 0, .out = {0, 1}, .in = {}};
  return index == 0;
}

/// A message from number 0 of the other group.
bool from_first(const Group&, std::uint32_t, std::uint32_t index, Step& step) {
  step = {.out = {}, .from = 0, .in = {0, 1}};
  return index == 0;
}

// ---- plans

double part(const Action& action) {
  // MPI_IN_PLACE leaves one of the two at 0.
  return static_cast<double>(std::max(action.bytes, action.receive_bytes));
}

double sum(std::span<const Bytes> counts) {
  double total = 0;
  for (const Bytes count : counts)
    total += static_cast<double>(count);
  return total;
}

class Planner {
public:
  Planner(const CollectiveShape& shape, const Action& action, const Place& place)
      : shape_(shape), action_(action), place_(place) {
    plan_.counts = action.counts;
    plan_.receive_counts = action.receive_counts;
    // The rules look at how many members the group has that an algorithm runs in.
    shape_.members = place.members;
  }

  Plan take() {
    if (neighbourhood(shape_.kind)) {
      neighbours();
    } else if (place_.remote_members > 0) {
      between_groups();
      // What each group does within itself is its own affair.
      plan_.algorithm = 0;
    } else if (place_.members > 1) {
      within_group();
    }
    return std::move(plan_);
  }

private:
  using Function = bool (*)(const Group&, std::uint32_t, std::uint32_t, Step&);

  /// Adds an algorithm among the own group.
  Phase& add(Function step) {
    plan_.phases.push_back({.step = step,
                            .group = {.members = place_.members},
                            .me = place_.me,
                            .base = place_.base,
                            .blocks = place_.members,
                            .element_bytes = std::max(shape_.element_bytes, 1U)});
    return plan_.phases.back();
  }

  /// The same, with the root as number 0.
  Phase& add_from(std::uint32_t root, Function step) {
    Phase& phase = add(step);
    phase.rotation = root;
    phase.me = (place_.me + place_.members - root) % place_.members;
    return phase;
  }

  static void whole(Phase& phase, double bytes) {
    phase.layout = Layout::equal;
    phase.bytes = phase.bytes_in = bytes;
  }

  static void split(Phase& phase, Layout layout, double bytes, std::uint32_t blocks) {
    phase.layout = layout;
    phase.bytes = bytes;
    phase.blocks = blocks;
  }

  void chose(std::uint32_t algorithm) { plan_.algorithm = plan_.algorithm * 8 + algorithm; }

  CollectiveShape of(double bytes) const {
    CollectiveShape shape = shape_;
    shape.bytes = bytes;
    return shape;
  }

  // ---- parts of several plans; roots are numbers in the own group

  void broadcast(std::uint32_t root, double bytes) {
    const CollectiveShape shape = of(bytes);
    if (switches::broadcast_by_tree(shape)) {
      chose(1);
      return whole(add_from(root, binomial_broadcast), bytes);
    }
    split(add_from(root, binomial_scatter), Layout::rounded_up, bytes, place_.members);
    const bool doubling = switches::broadcast_by_doubling(shape);
    chose(doubling ? 2 : 3);
    split(add_from(root, doubling ? doubling_allgather : ring_allgather), Layout::rounded_up, bytes, place_.members);
  }

  void reduce(std::uint32_t root, double bytes, bool arithmetic = true) {
    if (!arithmetic || switches::reduce_whole(of(bytes))) {
      chose(1);
      const bool ordered = !shape_.commutative && root != 0;
      Phase& tree = add_from(ordered ? 0 : root, binomial_reduce);
      whole(tree, bytes);
      tree.arithmetic = arithmetic;
      if (ordered) connect(place_.base, place_.base + root, bytes);
      return;
    }
    chose(2);
    Phase& phase = add(rabenseifner_reduce);
    phase.group.root = root;
    split(phase, Layout::whole_elements, bytes, std::bit_floor(place_.members));
  }

  /// A message from one place to another, if this member is one of the two.
  void connect(std::uint32_t from, std::uint32_t to, double bytes) {
    const std::uint32_t here = place_.base + place_.me;
    if (here != from && here != to) return;
    Phase& phase = add(link);
    // Only the other one's number has to lead to its place.
    phase.me = here == from ? 0 : 1;
    phase.base = here == from ? to - 1 : from;
    whole(phase, bytes);
  }

  /// The first members of both groups send each other what they have.
  void leaders_swap(double bytes, double bytes_in) {
    if (place_.me != 0) return;
    Phase& phase = add(swap);
    phase.base = place_.remote_base;
    phase.me = 1; // the other one is number 0
    whole(phase, bytes);
    phase.bytes_in = bytes_in;
  }

  // ---- within a group

  void within_group() {
    const double bytes = shape_.bytes;
    switch (shape_.kind) {
    case ActionKind::barrier:
      add(dissemination);
      return;
    case ActionKind::broadcast:
      return broadcast(place_.root, bytes);
    case ActionKind::reduce:
      return reduce(place_.root, bytes);
    case ActionKind::allreduce:
      return allreduce(bytes);
    case ActionKind::gather:
      return whole(add_from(place_.root, binomial_gather), part(action_));
    case ActionKind::scatter:
      return whole(add_from(place_.root, tree_of_scatter()), part(action_));
    case ActionKind::gatherv:
      if (is_root()) plan_.together = all_together;
      return part_by_part(add_from(place_.root, linear_gather), static_cast<double>(action_.bytes));
    case ActionKind::scatterv:
      return part_by_part(add_from(place_.root, linear_scatter), static_cast<double>(action_.receive_bytes));
    case ActionKind::allgather:
      return whole(allgather(bytes), part(action_));
    case ActionKind::allgatherv:
      plan_.counts = plan_.receive_counts;
      allgather(bytes).layout = Layout::listed;
      return;
    case ActionKind::alltoall:
      return alltoall();
    case ActionKind::alltoallv:
    case ActionKind::alltoallw: {
      Phase& phase = add(spread_alltoall);
      plan_.together = shape_.library.alltoall_throttle;
      phase.layout = Layout::listed;
      phase.skips_empty = !shape_.library.sends_empty_parts;
      phase.skips_own = shape_.library.copies_own_part;
      return;
    }
    case ActionKind::reduce_scatter:
      plan_.receive_counts = plan_.counts;
      reduce_scatter(bytes).layout = Layout::listed;
      return;
    case ActionKind::reduce_scatter_block:
      return whole(reduce_scatter(bytes), static_cast<double>(action_.bytes));
    case ActionKind::scan:
    case ActionKind::exscan:
      return whole(add(doubling_scan), bytes);
    default: {
      Phase& phase = add(doubling_allreduce);
      whole(phase, bytes);
      phase.arithmetic = false;
    }
    }
  }

  Function tree_of_scatter() const {
    return shape_.library.scatters_small_first ? binomial_scatter_small_first : binomial_scatter;
  }

  void allreduce(double bytes) {
    if (switches::reduce_whole(shape_)) {
      chose(1);
      return whole(add(doubling_allreduce), bytes);
    }
    chose(2);
    split(add(rabenseifner_allreduce), Layout::whole_elements, bytes, std::bit_floor(place_.members));
  }

  Phase& allgather(double bytes) {
    const switches::Allgather by = switches::allgather(of(bytes));
    chose(static_cast<std::uint32_t>(by));
    if (by == switches::Allgather::doubling) return add(doubling_allgather);
    if (by == switches::Allgather::bruck) return add(bruck_allgather);
    const bool direct = shape_.library.allgathers_directly && shape_.kind == ActionKind::allgather;
    return add(direct ? direct_allgather : ring_allgather);
  }

  void alltoall() {
    const bool bruck = switches::alltoall_by_bruck(shape_);
    const bool pairs = switches::alltoall_in_pairs(shape_);
    chose(bruck ? 1 : pairs ? 2 : 3);
    if (!bruck && !pairs) plan_.together = shape_.library.alltoall_throttle;
    whole(add(bruck ? bruck_alltoall : pairs ? pairwise_alltoall : spread_alltoall), part(action_));
  }

  Phase& reduce_scatter(double bytes) {
    const switches::ReduceScatter by = switches::reduce_scatter(of(bytes));
    chose(static_cast<std::uint32_t>(by));
    if (by == switches::ReduceScatter::halving) return add(halving_reduce_scatter);
    return add(by == switches::ReduceScatter::pairwise ? pairwise_reduce_scatter : doubling_reduce_scatter);
  }

  /// The root knows all parts, the others their own.
  void part_by_part(Phase& phase, double own) const {
    phase.group.root = place_.root;
    if (place_.base + place_.me == place_.root)
      phase.layout = Layout::listed;
    else
      whole(phase, own);
    phase.skips_empty = !shape_.library.sends_empty_parts;
    phase.nonblocking = true;
  }

  // ---- between groups

  Phase& add_between(Function step) {
    Phase& phase = add(step);
    phase.group.members = place_.remote_members;
    phase.base = place_.remote_base;
    phase.blocks = place_.remote_members;
    return phase;
  }

  bool is_root() const { return place_.root == place_.base + place_.me; }
  std::uint32_t leader() const { return place_.base; }
  std::uint32_t remote_leader() const { return place_.remote_base; }

  void between_groups() {
    const double bytes = shape_.bytes;
    if (rooted(shape_.kind)) {
      // Those of the root's own group have nothing to do with it.
      if (place_.root != nobody) rooted_between_groups();
      return;
    }
    switch (shape_.kind) {
    case ActionKind::barrier:
      add(dissemination);
      leaders_swap(0, 0);
      return broadcast(0, 0);
    case ActionKind::allreduce:
      reduce(0, bytes);
      leaders_swap(bytes, bytes);
      return broadcast(0, bytes);
    case ActionKind::allgather: {
      const double theirs = static_cast<double>(action_.receive_bytes) * place_.remote_members;
      const double own = static_cast<double>(action_.bytes);
      whole(add(binomial_gather), own);
      leaders_swap(own * place_.members, theirs);
      return broadcast(0, theirs);
    }
    case ActionKind::allgatherv:
      whole(add_between(to_first), static_cast<double>(action_.bytes));
      plan_.phases.back().nonblocking = true;
      if (place_.me == 0) add_between(from_all).layout = Layout::listed;
      return broadcast(0, sum(action_.receive_counts));
    case ActionKind::alltoall:
    case ActionKind::alltoallv:
    case ActionKind::alltoallw: {
      Phase& phase = add_between(rounds_between_groups);
      phase.group.root = std::max(place_.members, place_.remote_members);
      if (shape_.kind == ActionKind::alltoall) return pairs(phase);
      phase.layout = Layout::listed;
      phase.skips_empty = true;
      return;
    }
    case ActionKind::reduce_scatter:
    case ActionKind::reduce_scatter_block:
      reduce(0, bytes);
      leaders_swap(bytes, bytes);
      if (shape_.kind == ActionKind::reduce_scatter_block)
        return whole(add(binomial_scatter), static_cast<double>(action_.bytes));
      plan_.receive_counts = plan_.counts;
      add(linear_scatter).layout = Layout::listed;
      plan_.phases.back().nonblocking = true;
      return;
    default:
      reduce(0, bytes, false);
      leaders_swap(bytes, bytes);
      return broadcast(0, bytes);
    }
  }

  void pairs(Phase& phase) const {
    whole(phase, static_cast<double>(action_.bytes));
    phase.bytes_in = static_cast<double>(action_.receive_bytes);
  }

  /// The root in one group, and those it has to do with, all of the other.
  void rooted_between_groups() {
    const double bytes = shape_.bytes;
    const trace::ActionTraits& kind = trace::traits(shape_.kind);
    const bool up = kind.root == trace::Root::receives;
    const bool by_parts = kind.sent == trace::Sizes::list || kind.received == trace::Sizes::list;
    const bool local =
        kind.sent == trace::Sizes::buffer || (!by_parts && switches::gather_between_groups_locally(shape_));
    if (!local) return part_by_part_between_groups(up, by_parts);
    if (is_root())
      return up ? connect(remote_leader(), place_.root, bytes) : connect(place_.root, remote_leader(), bytes);
    if (!up) connect(place_.root, leader(), bytes);
    if (shape_.kind == ActionKind::broadcast) broadcast(0, bytes);
    if (shape_.kind == ActionKind::reduce) reduce(0, bytes);
    if (shape_.kind == ActionKind::gather) whole(add(binomial_gather), part(action_));
    if (shape_.kind == ActionKind::scatter) whole(add(binomial_scatter), part(action_));
    if (up) connect(leader(), place_.root, bytes);
  }

  void part_by_part_between_groups(bool up, bool listed) {
    if (is_root()) {
      Phase& phase = add_between(up ? from_all : to_all);
      if (listed)
        phase.layout = Layout::listed;
      else
        whole(phase, part(action_));
      phase.skips_empty = listed;
      phase.nonblocking = true;
      if (up) plan_.together = all_together;
      return;
    }
    Phase& phase = add_between(up ? to_first : from_first);
    phase.base = place_.root;
    whole(phase, static_cast<double>(up ? action_.bytes : action_.receive_bytes));
    phase.skips_empty = listed;
    phase.nonblocking = true;
  }

  // ---- neighbours

  void neighbours() {
    plan_.neighbours = true;
    plan_.together = all_together;
    const auto sources = static_cast<std::size_t>(
        std::clamp<std::int64_t>(std::int64_t{action_.tag} - 1, 0, static_cast<std::int64_t>(action_.ranks.size())));
    plan_.sources = action_.ranks.first(sources);
    plan_.destinations = action_.ranks.subspan(sources);
    Phase& phase = add(nullptr);
    phase.bytes = static_cast<double>(action_.bytes);
    const bool counted = shape_.kind == ActionKind::neighbor_alltoallv || shape_.kind == ActionKind::neighbor_alltoallw;
    phase.layout = counted ? Layout::listed : Layout::equal;
  }

  CollectiveShape shape_;
  const Action& action_;
  const Place& place_;
  Plan plan_;
};

std::uint32_t place_of(const Phase& phase, std::uint32_t number) {
  if (number == nobody) return nobody;
  if (phase.rotation == 0) return phase.base + number;
  return phase.base + (number + phase.rotation) % phase.group.members;
}

Sending sending(const Plan& plan, const Phase& phase, const Step& step) {
  if (plan.together > 1 || phase.nonblocking) return Sending::together;
  return step.from == nobody && phase.step != rounds_between_groups ? Sending::blocking : Sending::exchange;
}

/// All are sent to before any is received from.
bool next_neighbour(const Plan& plan, Cursor& cursor, Transfer& transfer) {
  const Phase& phase = plan.phases.front();
  while (cursor.index < plan.destinations.size() + plan.sources.size()) {
    const std::size_t index = cursor.index++;
    transfer = {.sending = Sending::together};
    if (index < plan.destinations.size()) {
      transfer.to = static_cast<std::uint32_t>(plan.destinations[index]);
      transfer.bytes = phase.bytes;
      if (phase.layout == Layout::listed)
        transfer.bytes = index < plan.counts.size() ? static_cast<double>(plan.counts[index]) : 0;
      if (plan.destinations[index] != trace::no_rank) return true;
    } else {
      transfer.from = static_cast<std::uint32_t>(plan.sources[index - plan.destinations.size()]);
      if (plan.sources[index - plan.destinations.size()] != trace::no_rank) return true;
    }
  }
  return false;
}

} // namespace

Plan plan(const CollectiveShape& shape, const Action& action, const Place& place) {
  return Planner(shape, action, place).take();
}

bool next(const Plan& plan, Cursor& cursor, Transfer& transfer) {
  if (plan.neighbours) return next_neighbour(plan, cursor, transfer);
  while (cursor.phase < plan.phases.size()) {
    const Phase& phase = plan.phases[cursor.phase];
    Step step;
    if (!phase.step(phase.group, phase.me, cursor.index, step)) {
      ++cursor.phase;
      cursor.index = 0;
      continue;
    }
    ++cursor.index;
    transfer = {
        .to = place_of(phase, step.to), .from = place_of(phase, step.from), .sending = sending(plan, phase, step)};
    if (transfer.to != nobody) transfer.bytes = size(plan, phase, step.out, true);
    if (transfer.from != nobody) transfer.expected = size(plan, phase, step.in, false);
    if (phase.skips_empty && transfer.bytes == 0) transfer.to = nobody;
    if (phase.skips_empty && transfer.expected == 0) transfer.from = nobody;
    if (phase.skips_own && step.to == phase.me) transfer.to = nobody;
    if (phase.skips_own && step.from == phase.me) transfer.from = nobody;
    if (transfer.to == nobody && transfer.from == nobody && plan.together == 1) continue;
    if (step.reduces && phase.arithmetic) transfer.reduced_bytes = transfer.expected;
    return true;
  }
  return false;
}

} // namespace timeless::replay::schedules
