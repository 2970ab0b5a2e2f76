#include "analysis/extrapolation/peer_relation.h"

#include <algorithm>

namespace timeless::analysis {

namespace {

using trace::Rank;

std::optional<Rank> within(const CommunicatorView& communicator, Rank rank) {
  if (rank < 0 || rank >= communicator.size()) return std::nullopt;
  return rank;
}

std::optional<Rank> local_rank(const CommunicatorView& communicator, std::optional<Rank> world) {
  if (!world) return std::nullopt;
  const auto& members = *communicator.members;
  const auto found = std::ranges::lower_bound(members, *world); // members rise: others are refused before
  if (found == members.end() || *found != *world) return std::nullopt;
  return static_cast<Rank>(found - members.begin());
}

} // namespace

PeerRelation::PeerRelation(const CommunicatorView& communicator, Rank peer) {
  if (peer < 0 || peer >= communicator.size()) {
    special_ = peer;
    return;
  }
  const Rank own = communicator.own;
  const Rank size = communicator.size();
  values_[absolute] = Value{peer};
  values_[from_end] = Value{peer - size};
  values_[next] = Value{peer - own};
  values_[around] = Value{(peer - own + size) % size};
  values_[around_back] = Value{(own - peer + size) % size};
  values_[bits] = Value{peer ^ own};
  const RankGrid& grid = *communicator.grid;
  const GridPlace here = grid.place((*communicator.members)[static_cast<std::size_t>(own)]);
  const GridPlace there = grid.place((*communicator.members)[static_cast<std::size_t>(peer)]);
  Value offset = {};
  for (std::size_t side = 0; side < grid.sides.size(); ++side)
    offset[side] = there[side] - here[side];
  values_[in_grid] = offset;
  if (std::ranges::none_of(grid.sides, [](const auto& side) { return side.periodic; })) return;
  for (std::size_t back = 0; back < (std::size_t{1} << grid.sides.size()); ++back) {
    Value turned = offset;
    for (std::size_t side = 0; side < grid.sides.size(); ++side) {
      const int extent = static_cast<int>(grid.sides[side].extent);
      if (grid.sides[side].periodic) turned[side] = (offset[side] + extent) % extent;
      if (grid.sides[side].periodic && (back >> side & 1U) != 0) turned[side] -= extent;
    }
    values_[wrapped + back] = turned;
  }
}

bool PeerRelation::keep_common(const PeerRelation& other) {
  if (special_ || other.special_) return special_ == other.special_;
  auto kept = values_;
  for (std::size_t way = 0; way < ways; ++way)
    if (kept[way] != other.values_[way]) kept[way].reset();
  if (std::ranges::none_of(kept, [](const auto& value) { return value.has_value(); })) return false;
  values_ = kept;
  return true;
}

std::optional<Rank> PeerRelation::apply(std::size_t way, const Value& value,
                                        const CommunicatorView& communicator) const {
  const Rank own = communicator.own;
  const Rank size = communicator.size();
  switch (way) {
  case absolute:
    return within(communicator, value[0]);
  case from_end:
    return within(communicator, size + value[0]);
  case next:
    return within(communicator, own + value[0]);
  case around:
    return value[0] < size ? within(communicator, (own + value[0]) % size) : std::nullopt;
  case around_back:
    return value[0] < size ? within(communicator, (own - value[0] + size) % size) : std::nullopt;
  case bits:
    return within(communicator, own ^ value[0]);
  default:
    GridPlace place = communicator.grid->place((*communicator.members)[static_cast<std::size_t>(own)]);
    for (std::size_t side = 0; side < place.size(); ++side)
      place[side] += value[side];
    if (way != in_grid) return local_rank(communicator, communicator.grid->rank_at(place));
    RankGrid open = *communicator.grid;
    for (auto& side : open.sides)
      side.periodic = false;
    return local_rank(communicator, open.rank_at(place));
  }
}

std::set<Rank> PeerRelation::peers(const CommunicatorView& communicator) const {
  if (special_) return {*special_};
  std::set<Rank> named;
  for (std::size_t way = 0; way < ways; ++way) {
    if (!values_[way]) continue;
    const auto peer = apply(way, *values_[way], communicator);
    if (!peer) return {};
    named.insert(*peer);
  }
  return named;
}

} // namespace timeless::analysis
