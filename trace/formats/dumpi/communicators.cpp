#include "trace/formats/dumpi/communicators.h"

#include "trace/formats/dumpi/groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace timeless::trace::formats::dumpi {

namespace {

using Ranks = std::vector<Rank>;

/// Finds which ranks' communicators are one. Communicators are resolved in the order they are found, from
/// MPI_COMM_WORLD on: those made on one are found when all its members are known, since the n-th call that makes
/// something on it is the same call at all of them. An intercommunicator is found from two sides, of which the first
/// waits in `bridges_` for the other.
class Resolver {
public:
  Resolver(const std::vector<std::vector<Creation>>& creations, const std::vector<bool>& uses_self) {
    const std::size_t ranks = creations.size();
    result_.of_rank.resize(ranks);
    by_parent_.resize(ranks);
    Ranks world(ranks);
    std::iota(world.begin(), world.end(), 0);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      result_.of_rank[rank].assign(first_made + creations[rank].size(), no_communicator);
      for (const Creation& creation : creations[rank])
        by_parent_[rank][creation.parent].push_back(&creation);
    }
    const CommunicatorId all = add({.members = std::move(world), .remote_members = {}, .identity = 0});
    for (std::size_t rank = 0; rank < ranks; ++rank)
      assign(static_cast<Rank>(rank), world_ordinal, all);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (uses_self[rank]) {
        const auto self = static_cast<Rank>(rank);
        assign(self, self_ordinal, add({.members = {self}, .remote_members = {}, .identity = 0}));
      }
  }

  Communicators resolve() {
    for (CommunicatorId id = 0; id < result_.all.size(); ++id)
      resolve_children(id);
    for (std::size_t i = 0; i < bridges_.size(); ++i)
      result_.problems.push_back("an intercommunicator of which one side is not recorded");
    return std::move(result_);
  }

private:
  struct Part {
    Rank rank;
    const Creation* creation;
  };
  struct Side {
    Ranks members;
    std::vector<Part> parts;
  };

  CommunicatorId add(Communicator communicator) {
    const auto id = static_cast<CommunicatorId>(result_.all.size());
    // Any number of its own will do: only a world's must be what the others agree on, and here is one run.
    communicator.identity = 0x9e3779b97f4a7c15ULL * (id + 1);
    ordinals_.emplace_back();
    if (!communicator.fills_grid()) {
      result_.problems.push_back("a grid with more or fewer places than its communicator has members");
      communicator.grid.clear();
    }
    result_.all.push_back(std::move(communicator));
    return id;
  }

  void assign(Rank rank, Ordinal ordinal, CommunicatorId id) {
    result_.of_rank[static_cast<std::size_t>(rank)][ordinal] = id;
    ordinals_[id].emplace_back(rank, ordinal);
  }

  MembersOf members_of(Rank rank) const {
    return [this, rank](Ordinal ordinal) -> const Communicator* {
      const auto& mine = result_.of_rank[static_cast<std::size_t>(rank)];
      if (ordinal >= mine.size() || mine[ordinal] == no_communicator) return nullptr;
      return &result_.all[mine[ordinal]];
    };
  }

  /// The n-th call that makes something on a communicator is the same call at all its members.
  void resolve_children(CommunicatorId parent) {
    for (std::size_t n = 0;; ++n) {
      std::vector<Part> parts;
      for (const auto& [rank, ordinal] : ordinals_[parent]) {
        const auto& mine = by_parent_[static_cast<std::size_t>(rank)];
        const auto made = mine.find(ordinal);
        if (made != mine.end() && n < made->second.size()) parts.push_back({rank, made->second[n]});
      }
      if (parts.empty()) return;
      const Making how = parts.front().creation->how;
      if (std::ranges::any_of(parts, [how](const Part& part) { return part.creation->how != how; })) {
        result_.problems.push_back("ranks disagree on the order in which communicators are made");
        return;
      }
      if (parts.size() < ordinals_[parent].size())
        result_.problems.push_back("not all members of a communicator have recorded that they make another on it");
      make(how, parent, parts);
    }
  }

  void make(Making how, CommunicatorId parent, const std::vector<Part>& parts) {
    switch (how) {
    case Making::duplicate:
    case Making::window:
    case Making::file:
      return assign_all(parts, add(Communicator(result_.all[parent])));
    case Making::split:
      return divide(parts, parent,
                    [](const Part& part) { return std::pair(part.creation->color, part.creation->key); });
    case Making::create:
      return by_group(parts);
    case Making::cart_create:
      return grid(parts, parent, *parts.front().creation);
    case Making::graph_create:
      return assign_all(parts, add(first_ones(parent, parts.front().creation->size)));
    case Making::cart_sub:
      return divide(parts, parent, [&](const Part& part) { return std::pair(slice(part, parent), 0); });
    case Making::intercomm_create:
      return bridge(parts, parent);
    case Making::intercomm_merge:
      return merge(parts, parent);
    }
  }

  static std::int64_t product(const std::vector<std::int32_t>& extents) {
    std::int64_t all = 1;
    for (const std::int32_t extent : extents)
      all = extent > 0 && all < (std::int64_t{1} << 31) ? all * extent : all;
    return all;
  }

  void assign_all(const std::vector<Part>& parts, CommunicatorId id) {
    for (const Part& part : parts)
      if (part.creation->member) assign(part.rank, part.creation->made, id);
  }

  /// Divides by the colour and key of each, in the order of the parent.
  template <typename Key>
  void divide(const std::vector<Part>& parts, CommunicatorId parent, Key key) {
    std::map<std::int32_t, std::vector<std::tuple<std::int32_t, std::size_t, Part>>> groups;
    const Ranks members = result_.all[parent].members;
    std::unordered_map<Rank, std::size_t> place;
    for (std::size_t i = 0; i < members.size(); ++i)
      place.emplace(members[i], i);
    for (const Part& part : parts) {
      if (!part.creation->member) continue;
      const auto [color, order] = key(part);
      groups[color].emplace_back(order, place[part.rank], part);
    }
    for (auto& [color, group] : groups) {
      std::ranges::sort(group, [](const auto& left, const auto& right) {
        return std::pair(std::get<0>(left), std::get<1>(left)) < std::pair(std::get<0>(right), std::get<1>(right));
      });
      Communicator made;
      std::vector<Part> inside;
      for (const auto& [order, where, part] : group) {
        made.members.push_back(part.rank);
        inside.push_back(part);
      }
      const Creation& creation = *inside.front().creation;
      if (creation.how == Making::cart_sub) made.grid = remaining(result_.all[parent].grid, creation);
      assign_all(inside, add(std::move(made)));
    }
  }

  /// Returns whether a grid's dimension is one of its slice, too.
  static bool remains(const Creation& cart_sub, std::size_t dimension) {
    return dimension < cart_sub.dimensions.size() && cart_sub.dimensions[dimension] != 0;
  }

  static std::vector<GridDimension> remaining(const std::vector<GridDimension>& grid, const Creation& cart_sub) {
    std::vector<GridDimension> slice;
    for (std::size_t i = 0; i < grid.size(); ++i)
      if (remains(cart_sub, i)) slice.push_back(grid[i]);
    return slice;
  }

  /// Returns which of the slices a rank of a grid is in: its coordinates in the dimensions that go.
  std::int32_t slice(const Part& part, CommunicatorId parent) const {
    const auto& grid = result_.all[parent].grid;
    const Ranks& members = result_.all[parent].members;
    std::int64_t rest = std::ranges::find(members, part.rank) - members.begin();
    std::int64_t number = 0;
    std::int64_t weight = 1;
    for (std::size_t i = grid.size(); i-- > 0;) {
      const std::int64_t extent = grid[i].extent;
      if (!remains(*part.creation, i)) {
        number += rest % extent * weight;
        weight *= extent;
      }
      rest /= extent;
    }
    return static_cast<std::int32_t>(number);
  }

  Communicator first_ones(CommunicatorId parent, std::int64_t count) const {
    Communicator made{.members = result_.all[parent].members, .remote_members = {}, .identity = 0};
    if (count >= 0 && static_cast<std::uint64_t>(count) < made.members.size())
      made.members.resize(static_cast<std::size_t>(count));
    return made;
  }

  void grid(const std::vector<Part>& parts, CommunicatorId parent, const Creation& creation) {
    Communicator made = first_ones(parent, product(creation.dimensions));
    for (std::size_t i = 0; i < creation.dimensions.size(); ++i)
      made.grid.push_back({.extent = static_cast<std::uint32_t>(std::max(1, creation.dimensions[i])),
                           .periodic = i < creation.periods.size() && creation.periods[i] != 0});
    assign_all(parts, add(std::move(made)));
  }

  void by_group(const std::vector<Part>& parts) {
    std::map<Ranks, std::vector<Part>> groups;
    for (const Part& part : parts) {
      if (!part.creation->member) continue;
      auto members = evaluate(*part.creation->group, members_of(part.rank));
      if (!members || !contains(*members, part.rank)) {
        result_.problems.push_back("a communicator of a group that is not known");
        continue;
      }
      groups[std::move(*members)].push_back(part);
    }
    for (const auto& [members, inside] : groups)
      assign_all(inside, add({.members = members, .remote_members = {}, .identity = 0}));
  }

  /// Adds one side of an intercommunicator, whose leader knows the other's.
  void bridge(const std::vector<Part>& parts, CommunicatorId local) {
    const Ranks members = result_.all[local].members;
    const std::int32_t leader_place = parts.front().creation->local_leader;
    const auto leader = chosen(members, {leader_place});
    const auto* const its = !leader ? nullptr : find_part(parts, leader->front());
    const Communicator* const meeting = its == nullptr ? nullptr : members_of(its->rank)(its->creation->bridge);
    const auto other = meeting == nullptr ? std::nullopt : chosen(meeting->members, {its->creation->remote_leader});
    if (!other) {
      result_.problems.push_back("an intercommunicator whose leaders are not known");
      return;
    }
    const auto [low, high] = std::minmax(leader->front(), other->front());
    const std::tuple key(low, high, its->creation->tag);
    const auto waiting = bridges_.find(key);
    if (waiting == bridges_.end() || waiting->second.members == members) {
      bridges_[key] = {members, parts};
      return;
    }
    Side sides[] = {{members, parts}, std::move(waiting->second)};
    bridges_.erase(waiting);
    if (std::ranges::min(sides[1].members) < std::ranges::min(sides[0].members)) std::swap(sides[0], sides[1]);
    const CommunicatorId id = add({.members = sides[0].members, .remote_members = sides[1].members, .identity = 0});
    assign_all(sides[0].parts, id);
    assign_all(sides[1].parts, id);
  }

  static const Part* find_part(const std::vector<Part>& parts, Rank rank) {
    const auto found = std::ranges::find(parts, rank, &Part::rank);
    return found == parts.end() ? nullptr : &*found;
  }

  void merge(const std::vector<Part>& parts, CommunicatorId parent) {
    const Communicator both = result_.all[parent];
    const Part* const first = both.members.empty() ? nullptr : find_part(parts, both.members.front());
    const Part* const second = both.remote_members.empty() ? nullptr : find_part(parts, both.remote_members.front());
    // Where both said the same, the side with the lowest rank comes first, as usual implementations have it.
    const bool turned = first != nullptr && second != nullptr && first->creation->high && !second->creation->high;
    Communicator made{.members = turned ? both.remote_members : both.members, .remote_members = {}, .identity = 0};
    const Ranks& rest = turned ? both.members : both.remote_members;
    made.members.insert(made.members.end(), rest.begin(), rest.end());
    assign_all(parts, add(std::move(made)));
  }

  Communicators result_;
  std::vector<std::map<Ordinal, std::vector<const Creation*>>> by_parent_; ///< by rank
  std::vector<std::vector<std::pair<Rank, Ordinal>>> ordinals_;            ///< by communicator: whose and which
  std::map<std::tuple<Rank, Rank, std::int32_t>, Side> bridges_;           ///< sides that wait for the other one
};

} // namespace

Communicators resolve(const std::vector<std::vector<Creation>>& creations, const std::vector<bool>& uses_self) {
  return Resolver(creations, uses_self).resolve();
}

} // namespace timeless::trace::formats::dumpi
