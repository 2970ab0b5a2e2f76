#include "replay/model/collectives.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace timeless::replay {

namespace {

using trace::Action;
using trace::ActionKind;
using Shape = CollectiveShape;
using Cost = CollectiveCost;

// Sizes at which MPICH changes its algorithm (the MPIR_CVAR_*_MSG_SIZE defaults).
constexpr double broadcast_short = 12288;
constexpr double broadcast_long = 524288;
constexpr std::uint32_t broadcast_few_members = 8;
constexpr double reduce_short = 2048;
constexpr double allreduce_short = 2048;
constexpr double allgather_short = 81920;
constexpr double allgather_long = 524288;
constexpr double alltoall_short = 256;
constexpr std::uint32_t alltoall_few_members = 8;
constexpr double reduce_scatter_long = 524288;

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

/// n (p-1)/p
double all_but_own(const Shape& shape) {
  return shape.bytes * others(shape) / shape.members;
}

/// Fewer elements than the largest power of two of members: too few for each to reduce a part.
bool few_elements(const Shape& shape) {
  return shape.bytes / std::max(shape.element_bytes, 1U) < static_cast<double>(std::bit_floor(shape.members));
}

/// ceil(lg p) (a + n b)
Cost tree(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return {steps, steps * shape.bytes, 0};
}

/// ceil(lg p) (a + n b + n g)
Cost reducing_tree(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return {steps, steps * shape.bytes, steps * shape.bytes};
}

/// ceil(lg p) a: dissemination
Cost barrier(const Shape& shape) {
  return {ceil_log2(shape.members), 0, 0};
}

/// Binomial tree; scatter and recursive-doubling allgather; scatter and ring allgather.
Cost broadcast(const Shape& shape) {
  if (shape.bytes < broadcast_short || shape.members < broadcast_few_members) return tree(shape);
  const double log = ceil_log2(shape.members);
  if (shape.bytes < broadcast_long && power_of_two(shape)) return {2 * log, 2 * all_but_own(shape), 0};
  return {log + others(shape), 2 * all_but_own(shape), 0};
}

/// Rabenseifner's reduce-scatter followed by gathering; `extra` messages and `extra` - 1 buffers more when p is no
/// power of two.
Cost rabenseifner(const Shape& shape, double extra) {
  const double part = all_but_own(shape);
  if (power_of_two(shape)) return {2 * floor_log2(shape.members), 2 * part, part};
  return {2 * floor_log2(shape.members) + extra, 2 * part + extra * shape.bytes, shape.bytes + part};
}

Cost reduce(const Shape& shape) {
  if (shape.bytes <= reduce_short || shape.user_operation || few_elements(shape)) return reducing_tree(shape);
  return rabenseifner(shape, 1);
}

Cost allreduce(const Shape& shape) {
  if (shape.bytes <= allreduce_short || shape.user_operation || few_elements(shape)) return reducing_tree(shape);
  return rabenseifner(shape, 2);
}

/// Recursive doubling; Bruck; ring.
Cost allgather(const Shape& shape) {
  const bool doubling = shape.bytes < allgather_long && power_of_two(shape);
  const bool bruck = shape.bytes < allgather_short && !power_of_two(shape);
  return {doubling || bruck ? ceil_log2(shape.members) : others(shape), all_but_own(shape), 0};
}

/// (p-1) a + n b
Cost pairwise(const Shape& shape) {
  return {others(shape), shape.bytes, 0};
}

/// Bruck for small parts; everyone with everyone otherwise.
Cost alltoall(const Shape& shape) {
  if (shape.bytes / shape.members > alltoall_short || shape.members < alltoall_few_members) return pairwise(shape);
  const double log = ceil_log2(shape.members);
  return {log, shape.bytes / 2 * log, 0};
}

/// Recursive halving, pairwise, or recursive doubling when the operation does not commute.
Cost reduce_scatter(const Shape& shape) {
  const double part = all_but_own(shape);
  if (!shape.commutative) {
    const double log = ceil_log2(shape.members);
    const double bytes = shape.bytes * log - part;
    return {log, bytes, bytes};
  }
  if (shape.bytes >= reduce_scatter_long) return {others(shape), part, part};
  if (power_of_two(shape)) return {floor_log2(shape.members), part, part};
  return {floor_log2(shape.members) + 2, shape.bytes + part, shape.bytes + part};
}

/// ceil(lg p) a + n (p-1)/p b: binomial gather and scatter
Cost binomial(const Shape& shape) {
  return {ceil_log2(shape.members), all_but_own(shape), 0};
}

/// (p-1) a + n (p-1)/p b: gatherv and scatterv
Cost linear(const Shape& shape) {
  return {others(shape), all_but_own(shape), 0};
}

/// a + n b: what one member sends to its neighbours, as if they were reached at once
Cost neighbours(const Shape& shape) {
  return {1, shape.bytes, 0};
}

/// A small allreduce.
Cost creation(const Shape& shape) {
  const double steps = ceil_log2(shape.members);
  return {steps, steps * creation_bytes, 0};
}

double sum(std::span<const trace::Bytes> counts) {
  return std::accumulate(counts.begin(), counts.end(), 0.0,
                         [](double total, trace::Bytes count) { return total + static_cast<double>(count); });
}

double part(const Action& action) {
  // MPI_IN_PLACE leaves one of the two at 0.
  return static_cast<double>(std::max(action.bytes, action.receive_bytes));
}

double nothing(const Action&, std::uint32_t) {
  return 0;
}

double buffer(const Action& action, std::uint32_t) {
  return static_cast<double>(action.bytes);
}

double part_of_each(const Action& action, std::uint32_t members) {
  return part(action) * members;
}

double listed(const Action& action, std::uint32_t) {
  return std::max({sum(action.counts), sum(action.receive_counts), part(action)});
}

struct Row {
  ActionKind kind;
  double (*bytes)(const Action&, std::uint32_t members);
  Cost (*cost)(const Shape&); ///< of the mpich model; at least two members
};

constexpr const char* simple_neighbours =
    "neighbourhood collectives wait for all members of their communicator, and cost one message of all they send";

// One row for each collective. Sources: Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
// Operations in MPICH" (2005), section 4, and the comments of MPICH's implementations; docs/model.md shows the
// formulas.
constexpr std::array rows{
    Row{ActionKind::barrier, nothing, barrier},
    Row{ActionKind::broadcast, buffer, broadcast},
    Row{ActionKind::reduce, buffer, reduce},
    Row{ActionKind::allreduce, buffer, allreduce},
    Row{ActionKind::gather, part_of_each, binomial},
    Row{ActionKind::gatherv, listed, linear},
    Row{ActionKind::scatter, part_of_each, binomial},
    Row{ActionKind::scatterv, listed, linear},
    Row{ActionKind::allgather, part_of_each, allgather},
    Row{ActionKind::allgatherv, listed, allgather},
    Row{ActionKind::alltoall, part_of_each, alltoall},
    Row{ActionKind::alltoallv, listed, pairwise},
    Row{ActionKind::alltoallw, listed, pairwise},
    Row{ActionKind::reduce_scatter, listed, reduce_scatter},
    Row{ActionKind::reduce_scatter_block, part_of_each, reduce_scatter},
    Row{ActionKind::scan, buffer, reducing_tree},
    Row{ActionKind::exscan, buffer, reducing_tree},
    Row{ActionKind::neighbor_allgather, listed, neighbours},
    Row{ActionKind::neighbor_allgatherv, listed, neighbours},
    Row{ActionKind::neighbor_alltoall, listed, neighbours},
    Row{ActionKind::neighbor_alltoallv, listed, neighbours},
    Row{ActionKind::neighbor_alltoallw, listed, neighbours},
};

const Row* find(ActionKind kind) {
  const auto row = std::ranges::find(rows, kind, &Row::kind);
  return row == rows.end() ? nullptr : &*row;
}

} // namespace

double collective_bytes(const Action& action, std::uint32_t members) {
  const Row* row = find(action.kind);
  return row ? row->bytes(action, members) : creation_bytes;
}

CollectiveCost collective_cost(CollectiveModel model, const CollectiveShape& shape) {
  if (shape.members <= 1) return {};
  if (model == CollectiveModel::simple) return tree(shape);
  const Row* row = find(shape.kind);
  return row ? row->cost(shape) : creation(shape);
}

const char* collective_simplification(ActionKind kind) {
  const Row* row = find(kind);
  return row && row->cost == neighbours ? simple_neighbours : "";
}

} // namespace timeless::replay
