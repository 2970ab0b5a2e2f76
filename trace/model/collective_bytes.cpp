#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

namespace timeless::trace {

Bytes sum(std::span<const Bytes> parts) {
  return std::accumulate(parts.begin(), parts.end(), Bytes{0});
}

namespace {

/// Returns where a rank stands in a group, or the group's size where it is none of it. Mostly that is its own number.
std::size_t place_in(const std::vector<Rank>& group, Rank rank) {
  const auto same = static_cast<std::size_t>(rank);
  if (rank >= 0 && same < group.size() && group[same] == rank) return same;
  return static_cast<std::size_t>(std::ranges::find(group, rank) - group.begin());
}

/// The two groups as a member sees them: of an intracommunicator both are the same.
struct Groups {
  const std::vector<Rank>& own;
  const std::vector<Rank>& partners;
};

Groups groups_of(const Communicator& communicator, Rank rank) {
  const std::vector<Rank>& first = communicator.members;
  const std::vector<Rank>& second = communicator.remote_members;
  if (second.empty()) return {first, first};
  return place_in(first, rank) < first.size() ? Groups{first, second} : Groups{second, first};
}

/// Returns what goes to, or comes from, these neighbours.
Bytes parts(std::span<const Rank> neighbours, bool known, std::span<const Bytes> counts, Bytes each) {
  if (!known) return counts.empty() ? each : sum(counts);
  Bytes bytes = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    if (neighbours[i] != no_rank) bytes += counts.empty() ? each : i < counts.size() ? counts[i] : 0;
  return bytes;
}

Bytes own_count(std::span<const Bytes> counts, const std::vector<Rank>& group, Rank rank) {
  const std::size_t self = place_in(group, rank);
  return self < counts.size() ? counts[self] : 0;
}

CollectiveBytes neighbourhood_bytes(const Action& action) {
  const bool known = action.tag > 0;
  const std::size_t sources =
      known ? std::min(static_cast<std::size_t>(action.tag) - 1, action.ranks.size()) : std::size_t{0};
  const bool same_to_all = traits(action.kind).sent == Sizes::one;
  return {same_to_all ? action.bytes : parts(action.ranks.subspan(sources), known, action.counts, action.bytes),
          parts(action.ranks.first(sources), known, action.receive_counts, action.receive_bytes)};
}

Bytes given(const Action& action, const Groups& groups) {
  switch (traits(action.kind).sent) {
  case Sizes::buffer:
  case Sizes::one:
    return action.bytes;
  case Sizes::each:
    // Each of the own group gets a part of what is reduced.
    return action.bytes * (traits(action.kind).reduces ? groups.own : groups.partners).size();
  case Sizes::list:
    return sum(counts_given(action));
  default:
    return 0;
  }
}

/// Of what the fields of the sent side say.
Bytes own_result(const Action& action, const Groups& groups, Rank rank) {
  return traits(action.kind).sent == Sizes::list ? own_count(action.counts, groups.own, rank) : action.bytes;
}

Bytes got(const Action& action, const Groups& groups, Rank rank) {
  switch (traits(action.kind).received) {
  case Sizes::one:
    return action.receive_bytes;
  case Sizes::each:
    return action.receive_bytes * groups.partners.size();
  case Sizes::list:
    return sum(action.receive_counts);
  case Sizes::result:
    return own_result(action, groups, rank);
  default:
    return 0;
  }
}

} // namespace

std::span<const Bytes> counts_given(const Action& action) {
  return action.counts.empty() && (action.flags & flag_in_place) != 0 ? action.receive_counts : action.counts;
}

bool is_root(const Action& action, const Communicator& communicator, Rank rank) {
  if (!rooted(action.kind)) return false;
  // The root of an intercommunicator has a number of its own; the rest of its group stands aside.
  if (!communicator.remote_members.empty()) return action.peer == root_of_remote_group;
  const std::size_t self = place_in(communicator.members, rank);
  return self < communicator.members.size() && action.peer == static_cast<Rank>(self);
}

CollectiveBytes collective_bytes(const Action& action, const Communicator& communicator, Rank rank) {
  if (family(action.kind) != ActionFamily::collective) return {};
  if (neighbourhood(action.kind)) return neighbourhood_bytes(action);
  if (action.peer == no_rank && rooted(action.kind)) return {};
  const Groups groups = groups_of(communicator, rank);
  CollectiveBytes bytes{given(action, groups), got(action, groups, rank)};
  const bool root = is_root(action, communicator, rank);
  const Root direction = traits(action.kind).root;
  if (direction == Root::sends && !root) bytes.given = 0;
  if (direction == Root::receives && !root) bytes.got = 0;
  // The root of a buffer is on one side only: it has its own broadcast, and between groups no part in a reduction.
  const bool buffer = traits(action.kind).sent == Sizes::buffer;
  if (buffer && direction == Root::sends && root) bytes.got = 0;
  if (buffer && direction == Root::receives && root && !communicator.remote_members.empty()) bytes.given = 0;
  return bytes;
}

UsedSizes used_sizes(const Action& action, const Run& run, Rank rank) {
  const Sizes sent = traits(action.kind).sent;
  const Sizes received = traits(action.kind).received;
  const Root root = traits(action.kind).root;
  UsedSizes used{.bytes = sent == Sizes::said || sent == Sizes::buffer || sent == Sizes::one || sent == Sizes::each ||
                          (sent == Sizes::none && received == Sizes::result),
                 .receive_bytes = received == Sizes::one || received == Sizes::each};
  if (root == Root::none) return used;
  // Of the group whose member is the root the others stand aside, and the root only gives or only gets.
  if (action.peer == no_rank) return {};
  if (sent == Sizes::buffer) return used;
  const bool at_root = is_root(action, run.communicators.at(action.communicator), rank);
  const bool inside = action.peer != root_of_remote_group;
  used.bytes = used.bytes && (root == Root::sends ? at_root : inside);
  used.receive_bytes = used.receive_bytes && (root == Root::receives ? at_root : inside);
  return used;
}

} // namespace timeless::trace
