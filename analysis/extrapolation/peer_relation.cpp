#include "analysis/extrapolation/peer_relation.h"

#include <algorithm>
#include <bit>

namespace timeless::analysis {

namespace {

using trace::Rank;

std::optional<Rank> within(const CommunicatorView& communicator, Rank rank) {
  if (rank < 0 || rank >= communicator.size()) return std::nullopt;
  return rank;
}

Rank modulo(Rank number, Rank size) {
  return (number % size + size) % size;
}

std::optional<Rank> local_rank(const CommunicatorView& communicator, std::optional<Rank> world) {
  if (!world) return std::nullopt;
  const auto& members = *communicator.members;
  const auto found = std::ranges::lower_bound(members, *world); // members rise: others are refused before
  if (found == members.end() || *found != *world) return std::nullopt;
  return static_cast<Rank>(found - members.begin());
}

/// Returns the place across the diagonal of a grid of two sides, the longer of which is a multiple of the other: of a
/// square its columns become rows; else blocks of as many columns as make it a square of blocks do.
std::optional<Rank> across(const RankGrid& grid, Rank rank) {
  if (grid.sides.size() != 2 || grid.sides[1].extent % grid.sides[0].extent != 0) return std::nullopt;
  const int times = static_cast<int>(grid.sides[1].extent / grid.sides[0].extent);
  const GridPlace place = grid.place(rank);
  return grid.rank_at({place[1] / times, place[0] * times + place[1] % times, 0});
}

} // namespace

std::optional<int> CountRelation::scale(std::size_t of, const RankGrid& grid) {
  if (of == 0) return 0;
  if (of > 1 && of - 2 >= grid.sides.size()) return std::nullopt;
  const auto size = of == 1 ? static_cast<std::uint64_t>(grid.ranks()) : std::uint64_t{grid.sides[of - 2].extent};
  return std::has_single_bit(size) ? std::optional(std::countr_zero(size)) : std::nullopt;
}

int CountRelation::trips(std::size_t sign, std::uint64_t trip) {
  return sign == 0 ? 0 : sign == 1 ? static_cast<int>(trip) : -static_cast<int>(trip);
}

CountRelation::CountRelation(const CommunicatorView& communicator, int value) {
  for (std::size_t of = 0; of < scales; ++of)
    if (const auto scaled =
            communicator.grid == nullptr ? (of == 0 ? std::optional(0) : std::nullopt) : scale(of, *communicator.grid))
      for (std::size_t sign = 0; sign < signs; ++sign)
        above_[of * signs + sign] = value - trips(sign, communicator.trip) - *scaled;
}

bool CountRelation::keep_common(const CountRelation& other) {
  auto kept = above_;
  for (std::size_t way = 0; way < kept.size(); ++way)
    if (kept[way] != other.above_[way]) kept[way].reset();
  if (std::ranges::none_of(kept, [](const auto& one) { return one.has_value(); })) return false;
  above_ = kept;
  return true;
}

std::set<int> CountRelation::values(const CommunicatorView& communicator) const {
  if (above_.front()) return {*above_.front()};
  std::set<int> named;
  for (std::size_t of = 0; of < scales; ++of)
    for (std::size_t sign = 0; sign < signs; ++sign) {
      const auto above = above_[of * signs + sign];
      if (!above) continue;
      const auto scaled = scale(of, *communicator.grid);
      if (!scaled) return {};
      named.insert(*above + trips(sign, communicator.trip) + *scaled);
    }
  return named;
}

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
  values_[around] = Value{modulo(peer - own, size)};
  values_[around_back] = Value{modulo(own - peer, size)};
  const Rank trip = static_cast<Rank>(communicator.trip);
  values_[trip_up] = Value{peer - trip};
  values_[trip_down] = Value{peer + trip};
  values_[trip_from_end] = Value{peer + trip - size};
  values_[trip_around] = Value{modulo(peer - own - trip, size)};
  values_[trip_around_back] = Value{modulo(own - peer - trip, size)};
  const RankGrid& grid = *communicator.grid;
  const auto differing = static_cast<unsigned>(peer ^ own);
  if (static_cast<unsigned>(size) % (2 * std::bit_floor(differing | 1U)) == 0) { // else some ranks have no such partner
    values_[bits] = Value{peer ^ own};
    if (std::has_single_bit(differing)) bit_.emplace(communicator, std::countr_zero(differing));
  }
  if (size == grid.ranks() && across(grid, own) == peer) values_[transposed] = Value{};
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
  auto bit = bit_;
  if (bit && (!other.bit_ || !bit->keep_common(*other.bit_))) bit.reset();
  if (!bit && std::ranges::none_of(kept, [](const auto& value) { return value.has_value(); })) return false;
  values_ = kept;
  bit_ = bit;
  return true;
}

std::optional<Rank> PeerRelation::apply(std::size_t way, const Value& value,
                                        const CommunicatorView& communicator) const {
  const Rank own = communicator.own;
  const Rank size = communicator.size();
  const Rank trip = static_cast<Rank>(communicator.trip);
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
  case transposed:
    return across(*communicator.grid, own);
  case trip_up:
    return within(communicator, value[0] + trip);
  case trip_down:
    return within(communicator, value[0] - trip);
  case trip_from_end:
    return within(communicator, size + value[0] - trip);
  case trip_around:
    return modulo(own + value[0] + trip, size);
  case trip_around_back:
    return modulo(own - value[0] - trip, size);
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
  if (!bit_) return named;
  const std::set<Rank> by_bit = peers_by_bit(communicator);
  if (by_bit.empty()) return {};
  named.insert(by_bit.begin(), by_bit.end());
  return named;
}

/// Returns what the number of the bit that differs names: none, if some numbers name nobody.
std::set<Rank> PeerRelation::peers_by_bit(const CommunicatorView& communicator) const {
  constexpr int most_bits = 31;
  std::set<Rank> named;
  for (const int number : bit_->values(communicator)) {
    if (number < 0 || number >= most_bits) return {};
    const auto peer = within(communicator, communicator.own ^ (1 << number));
    if (!peer) return {};
    named.insert(*peer);
  }
  return named;
}

bool PeerRelation::keep_possible(const CommunicatorView& communicator) {
  if (special_) return true;
  auto kept = values_;
  for (std::size_t way = 0; way < ways; ++way)
    if (kept[way] && !apply(way, *kept[way], communicator)) kept[way].reset();
  const bool bit = bit_ && !peers_by_bit(communicator).empty();
  if (!bit && std::ranges::none_of(kept, [](const auto& value) { return value.has_value(); })) return false;
  values_ = kept;
  if (!bit) bit_.reset();
  return true;
}

} // namespace timeless::analysis
