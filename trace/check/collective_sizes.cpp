#include "trace/check/collective_sizes.h"

#include "base/mixing.h"
#include "trace/model/collective_bytes.h"

namespace timeless::trace::checking {

namespace {

std::uint64_t transfer(Rank sender, Rank receiver, Bytes bytes) {
  const auto low = [](Rank rank) { return static_cast<std::uint32_t>(rank); };
  return splitmix64(splitmix64(std::uint64_t{low(sender)} << 32U | low(receiver)) ^ bytes);
}

/// Returns everything a root sends to, or receives from, the members.
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
  const auto counts = counts_given(action);
  for (std::size_t peer = 0; peer < counts.size(); ++peer)
    sizes.given += transfer(place, static_cast<Rank>(peer), counts[peer]);
  for (std::size_t peer = 0; peer < action.receive_counts.size(); ++peer)
    sizes.expected += transfer(static_cast<Rank>(peer), place, action.receive_counts[peer]);
  return sizes;
}

CollectiveSizes gathered_parts(const Action& action, Rank place) {
  const Bytes part = in_place(action) ? own(action.receive_counts, place) : action.bytes;
  CollectiveSizes sizes{.given = transfer(0, place, part), .sums = true};
  if (rooted(action.kind)) {
    sizes.expected = action.peer == place ? to_all(action.receive_counts) : 0;
  } else {
    sizes.common = to_all(action.receive_counts);
    sizes.common_is_bytes = false;
    sizes.expected = place == 0 ? *sizes.common : 0;
  }
  return sizes;
}

CollectiveSizes scattered_parts(const Action& action, Rank place) {
  const Bytes part = in_place(action) ? own(action.counts, place) : action.receive_bytes;
  return {
      .given = action.peer == place ? to_all(action.counts) : 0, .expected = transfer(0, place, part), .sums = true};
}

} // namespace

CollectiveSizes sizes_of(const Action& action, Rank place) {
  const ActionTraits& kind = traits(action.kind);
  if (kind.family != ActionFamily::collective || kind.neighborhood) return {};
  if (lists_results(action.kind)) return {.common = to_all(action.counts), .common_is_bytes = false};
  if (kind.received == Sizes::result) return uniform(action, true, false);
  if (kind.sent == Sizes::list)
    return kind.received == Sizes::list ? all_to_all(action, place) : scattered_parts(action, place);
  if (kind.received == Sizes::list) return gathered_parts(action, place);
  if (kind.sent == Sizes::none) return {};
  // What is there of the root's own part in place, the root says on its other side.
  const bool root = action.peer == place;
  const bool both = !in_place(action);
  return uniform(action, kind.root == Root::sends ? root : both,
                 kind.root == Root::none || (kind.root == Root::receives ? root : both));
}

std::string malformed(const Action& action, Rank place, Rank size) {
  const ActionTraits& kind = traits(action.kind);
  if (kind.family != ActionFamily::collective || kind.neighborhood) return {};
  if (rooted(action.kind) && (action.peer < 0 || action.peer >= size))
    return "names root " + std::to_string(action.peer) + " in a communicator of " + std::to_string(size);
  if (rooted(action.kind) && action.peer != place) return {}; // only the root lists sizes
  const auto wrong_length = [size](std::span<const Bytes> counts) {
    return counts.size() != static_cast<std::size_t>(size);
  };
  const bool lists_in_place = kind.received == Sizes::list && in_place(action) && action.counts.empty();
  const bool wrong = (kind.sent == Sizes::list && !lists_in_place && wrong_length(action.counts)) ||
                     (kind.received == Sizes::list && wrong_length(action.receive_counts));
  if (wrong) return "gives sizes for another number of ranks than the communicator's " + std::to_string(size);
  return {};
}

} // namespace timeless::trace::checking
