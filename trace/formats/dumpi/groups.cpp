#include "trace/formats/dumpi/groups.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

using Ranks = std::vector<Rank>;

bool contains(const Ranks& ranks, Rank rank) {
  return std::ranges::find(ranks, rank) != ranks.end();
}

std::optional<Ranks> chosen(const Ranks& from, const std::vector<std::int32_t>& places) {
  Ranks picked;
  for (const std::int32_t place : places) {
    if (place < 0 || static_cast<std::size_t>(place) >= from.size()) return std::nullopt;
    picked.push_back(from[static_cast<std::size_t>(place)]);
  }
  return picked;
}

namespace {

Ranks left_out(const Ranks& from, const std::vector<std::int32_t>& places) {
  Ranks rest;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (std::ranges::find(places, static_cast<std::int32_t>(i)) == places.end()) rest.push_back(from[i]);
  return rest;
}

} // namespace

std::optional<Ranks> evaluate(const Group& group, const MembersOf& members_of) {
  if (group.kind == Group::Kind::empty) return Ranks{};
  if (group.kind == Group::Kind::unknown) return std::nullopt;
  if (group.kind == Group::Kind::communicator || group.kind == Group::Kind::remote) {
    const Communicator* const communicator = members_of(group.communicator);
    if (communicator == nullptr) return std::nullopt;
    return group.kind == Group::Kind::remote ? communicator->remote_members : communicator->members;
  }
  const auto first = evaluate(*group.first, members_of);
  if (!first) return std::nullopt;
  if (group.kind == Group::Kind::include) return chosen(*first, group.ranks);
  if (group.kind == Group::Kind::exclude) return left_out(*first, group.ranks);
  const auto second = evaluate(*group.second, members_of);
  if (!second) return std::nullopt;
  Ranks result;
  for (const Rank rank : *first)
    if (group.kind == Group::Kind::unite || contains(*second, rank) == (group.kind == Group::Kind::intersect))
      result.push_back(rank);
  if (group.kind == Group::Kind::unite)
    for (const Rank rank : *second)
      if (!contains(*first, rank)) result.push_back(rank);
  return result;
}

} // namespace timeless::trace::formats::dumpi
