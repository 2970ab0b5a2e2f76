#include "trace/checking/collective_sizes.h"

namespace timeless::trace::checking {

namespace {

/// The output function of SplitMix64.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t transfer(Rank sender, Rank receiver, Bytes bytes) {
  const auto low = [](Rank rank) { return static_cast<std::uint32_t>(rank); };
  return mix(mix(std::uint64_t{low(sender)} << 32U | low(receiver)) ^ bytes);
}

/// Everything a root sends to, or receives from, the members.
std::uint64_t to_all(std::span<const Bytes> counts) {
  std::uint64_t sum = 0;
  for (std::size_t member = 0; member < counts.size(); ++member)
    sum += transfer(0, static_cast<Rank>(member), counts[member]);
  return sum;
}

bool in_place(const Action& action) {
  return (action.flags & flag_in_place) != 0;
}

Bytes own(std::span<const Bytes> counts, Rank place) {
  return static_cast<std::size_t>(place) < counts.size() ? counts[static_cast<std::size_t>(place)] : 0;
}

CollectiveSizes uniform(const Action& action, bool sends, bool receives) {
  CollectiveSizes sizes;
  if (sends) sizes.common = action.bytes;
  if (receives) sizes.also_common = action.receive_bytes;
  return sizes;
}

CollectiveSizes all_to_all(const Action& action, Rank place) {
  CollectiveSizes sizes{.sums = true};
  const auto counts = action.counts.empty() && in_place(action) ? action.receive_counts : action.counts;
  for (std::size_t peer = 0; peer < counts.size(); ++peer)
    sizes.given += transfer(place, static_cast<Rank>(peer), counts[peer]);
  for (std::size_t peer = 0; peer < action.receive_counts.size(); ++peer)
    sizes.expected += transfer(static_cast<Rank>(peer), place, action.receive_counts[peer]);
  return sizes;
}

} // namespace

CollectiveSizes sizes_of(const Action& action, Rank place) {
  const bool root = action.peer == place;
  const bool sends = !in_place(action);
  switch (action.kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::allreduce:
  case ActionKind::scan:
  case ActionKind::exscan:
  case ActionKind::reduce_scatter_block:
    return uniform(action, true, false);
  case ActionKind::gather:
    return uniform(action, sends, root);
  case ActionKind::scatter:
    return uniform(action, root, sends);
  case ActionKind::allgather:
  case ActionKind::alltoall:
    return uniform(action, sends, true);
  case ActionKind::gatherv:
    return {.given = transfer(0, place, sends ? action.bytes : own(action.receive_counts, place)),
            .expected = root ? to_all(action.receive_counts) : 0,
            .sums = true};
  case ActionKind::scatterv:
    return {.given = root ? to_all(action.counts) : 0,
            .expected = transfer(0, place, sends ? action.receive_bytes : own(action.counts, place)),
            .sums = true};
  case ActionKind::allgatherv: {
    const std::uint64_t all = to_all(action.receive_counts);
    return {.common = all,
            .given = transfer(0, place, sends ? action.bytes : own(action.receive_counts, place)),
            .expected = place == 0 ? all : 0,
            .sums = true,
            .common_is_bytes = false};
  }
  case ActionKind::reduce_scatter:
    return {.common = to_all(action.counts), .common_is_bytes = false};
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    return all_to_all(action, place);
  default:
    return {};
  }
}

std::string malformed(const Action& action, Rank place, Rank size) {
  const auto wrong_length = [size](std::span<const Bytes> counts) {
    return counts.size() != static_cast<std::size_t>(size);
  };
  const bool root = action.peer == place;
  bool rooted = false;
  bool wrong = false;
  switch (action.kind) {
  case ActionKind::broadcast:
  case ActionKind::reduce:
  case ActionKind::gather:
  case ActionKind::scatter:
    rooted = true;
    break;
  case ActionKind::gatherv:
    rooted = true;
    wrong = root && wrong_length(action.receive_counts);
    break;
  case ActionKind::scatterv:
    rooted = true;
    wrong = root && wrong_length(action.counts);
    break;
  case ActionKind::allgatherv:
    wrong = wrong_length(action.receive_counts);
    break;
  case ActionKind::reduce_scatter:
    wrong = wrong_length(action.counts);
    break;
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    wrong = wrong_length(action.receive_counts) ||
            (wrong_length(action.counts) && !(action.counts.empty() && in_place(action)));
    break;
  default:
    break;
  }
  if (rooted && (action.peer < 0 || action.peer >= size))
    return "names root " + std::to_string(action.peer) + " in a communicator of " + std::to_string(size);
  if (wrong) return "gives sizes for another number of ranks than the communicator's " + std::to_string(size);
  return {};
}

} // namespace timeless::trace::checking
