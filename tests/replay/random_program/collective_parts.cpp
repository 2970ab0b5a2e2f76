#include "tests/replay/random_program/collective_parts.h"

namespace timeless::replay::test::programs {

using trace::ActionKind;
using trace::Bytes;
using trace::Rank;

MemberPart::MemberPart(const RandomCollective& collective, std::size_t all, std::size_t first, std::size_t here)
    : collective_(collective), action_(collective.action), first_(first), here_(here), two_groups_(first < all),
      is_root_(here == static_cast<std::size_t>(collective.action.peer)), own_(!two_groups_    ? Places{0, all}
                                                                               : here >= first ? Places{first, all}
                                                                                               : Places{0, first}),
      peers_(!two_groups_   ? Places{0, all}
             : here < first ? Places{first, all}
                            : Places{0, first}) {
  action_.peer = root_as_seen();
  switch (action_.kind) {
  case ActionKind::barrier:
    action_.bytes = 0;
    break;
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block:
    decide_reduced_sizes();
    break;
  case ActionKind::scatter:
  case ActionKind::gather:
  case ActionKind::allgather:
  case ActionKind::alltoall:
    action_.receive_bytes = action_.bytes;
    break;
  case ActionKind::neighbor_allgather:
  case ActionKind::neighbor_alltoall:
  case ActionKind::neighbor_alltoallv:
    if (collective.neighbours_known) add_neighbours(all);
    break;
  default:
    decide_sizes();
    break;
  }
}

trace::Action MemberPart::action() const {
  trace::Action action = action_;
  action.counts = counts_;
  action.receive_counts = receive_counts_;
  action.ranks = neighbours_;
  return action;
}

/// Returns a whole number of units below `limit`, decided by the collective and two places.
Bytes MemberPart::units(std::size_t from, std::size_t to, std::uint64_t limit) const {
  std::uint64_t state = collective_.parts + 1000 * from + to;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  return collective_unit * ((state ^ (state >> 31U)) % limit);
}

/// Returns what the member passes as the root: between groups, MPI_ROOT or MPI_PROC_NULL on the root's side.
Rank MemberPart::root_as_seen() const {
  const auto root = static_cast<std::size_t>(collective_.action.peer);
  if (!two_groups_) return collective_.action.peer;
  if (is_root_) return trace::root_of_remote_group;
  if ((here_ < first_) == (root < first_)) return trace::no_rank;
  return static_cast<Rank>(root < first_ ? root : root - first_);
}

/// Returns what the member sends to the root, or gets from it, where members differ.
Bytes MemberPart::rooted_size() const {
  return takes_part() && !(two_groups_ && is_root_) ? units(here_, 0, 4) : 0;
}

/// Decides sizes that differ from member to member.
void MemberPart::decide_sizes() {
  const auto [begin, end] = peers_;
  switch (action_.kind) {
  case ActionKind::gatherv:
    action_.bytes = rooted_size();
    for (std::size_t peer = begin; is_root_ && peer < end; ++peer)
      receive_counts_.push_back(units(peer, 0, 4));
    break;
  case ActionKind::scatterv:
    action_.bytes = 0;
    action_.receive_bytes = rooted_size();
    for (std::size_t peer = begin; is_root_ && peer < end; ++peer)
      counts_.push_back(units(peer, 0, 4));
    break;
  case ActionKind::allgatherv:
    action_.bytes = units(here_, 0, 4);
    for (std::size_t peer = begin; peer < end; ++peer)
      receive_counts_.push_back(units(peer, 0, 4));
    break;
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
    action_.bytes = 0;
    for (std::size_t peer = begin; peer < end; ++peer) {
      counts_.push_back(units(here_, peer, 3));
      receive_counts_.push_back(units(peer, here_, 3));
    }
    break;
  default:
    break;
  }
}

/// Decides what is reduced and scattered; both groups scatter as much.
void MemberPart::decide_reduced_sizes() {
  const Bytes of_two_groups = 840 * collective_unit / (own_.end - own_.begin);
  if (action_.kind == ActionKind::reduce_scatter_block) {
    if (two_groups_) action_.bytes = of_two_groups;
    return;
  }
  action_.bytes = 0;
  for (std::size_t place = own_.begin; place < own_.end; ++place)
    counts_.push_back(two_groups_ ? of_two_groups : units(place, 0, 4));
}

/// Adds a graph decided by the collective, with edges to oneself and places without a neighbour.
void MemberPart::add_neighbours(std::size_t members) {
  const auto edge = [&](std::size_t from, std::size_t to) { return units(from, to, 3) > 0; };
  const bool counted = action_.kind == ActionKind::neighbor_alltoallv;
  action_.tag = 1;
  for (std::size_t from = 0; from < members; ++from)
    if (edge(from, here_)) {
      neighbours_.push_back(static_cast<Rank>(from));
      if (counted) receive_counts_.push_back(units(from, here_, 30));
      ++action_.tag;
    }
  if (here_ % 3 == 0) {
    neighbours_.push_back(trace::no_rank);
    if (counted) counts_.push_back(77 * collective_unit);
  }
  for (std::size_t to = 0; to < members; ++to)
    if (edge(here_, to)) {
      neighbours_.push_back(static_cast<Rank>(to));
      if (counted) counts_.push_back(units(here_, to, 30));
    }
}

} // namespace timeless::replay::test::programs
