#include "tools/planning/launch_plan.h"

#include "base/error.h"
#include "tools/cli/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace timeless::tools {

namespace {

using Candidates = std::vector<PlannedNode>; ///< with no ranks yet

std::string bytes_text(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

std::uint64_t usable_memory(const Node& node, const Reserve& reserve) {
  const auto kept =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(node.memory) * reserve.share)) + reserve.bytes;
  return node.memory > kept ? node.memory - kept : 0;
}

std::uint32_t room_by_memory(const Node& node, const PlanRequest& request) {
  const std::uint64_t room = usable_memory(node, request.reserve) / request.memory_per_rank;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(room, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t room(const PlannedNode& node, std::uint32_t folding) {
  return std::min<std::uint64_t>(std::uint64_t{folding} * node.node.cores, node.most_by_memory);
}

std::uint64_t room(std::span<const PlannedNode> nodes, std::uint32_t folding) {
  return std::accumulate(nodes.begin(), nodes.end(), std::uint64_t{0},
                         [folding](std::uint64_t sum, const PlannedNode& node) { return sum + room(node, folding); });
}

std::uint64_t room_by_memory(std::span<const PlannedNode> nodes) {
  return room(nodes, std::numeric_limits<std::uint32_t>::max());
}

/// Returns the least folding, from `least` on, with which the nodes hold the ranks; empty when their memory does not.
std::optional<std::uint32_t> least_folding(std::span<const PlannedNode> nodes, std::uint32_t ranks,
                                           std::uint32_t least) {
  if (room_by_memory(nodes) < ranks) return std::nullopt;
  std::uint32_t most = least + ranks; // A core for all of them would do.
  while (least < most) {
    const std::uint32_t middle = least + (most - least) / 2;
    if (room(nodes, middle) >= ranks)
      most = middle;
    else
      least = middle + 1;
  }
  return least;
}

/// Returns the clusters, in the order of the list.
std::vector<Candidates> by_cluster(const Candidates& nodes) {
  std::vector<Candidates> clusters;
  for (const PlannedNode& node : nodes) {
    const auto cluster = std::ranges::find_if(
        clusters, [&](const Candidates& each) { return each.front().node.cluster == node.node.cluster; });
    if (cluster == clusters.end())
      clusters.push_back({node});
    else
      cluster->push_back(node);
  }
  return clusters;
}

/// Returns the nodes of the clusters in turn.
Candidates in_turn(const std::vector<Candidates>& clusters) {
  Candidates nodes;
  for (std::size_t place = 0;; ++place) {
    const std::size_t before = nodes.size();
    for (const Candidates& cluster : clusters)
      if (place < cluster.size()) nodes.push_back(cluster[place]);
    if (nodes.size() == before) return nodes;
  }
}

/// Returns as few of the nodes, from the front, as hold the ranks, but at least so many.
Candidates taken(const Candidates& nodes, std::uint32_t ranks, std::uint32_t folding, std::size_t at_least) {
  Candidates result;
  std::uint64_t held = 0;
  for (const PlannedNode& node : nodes) {
    if (held >= ranks && result.size() >= at_least) break;
    result.push_back(node);
    held += room(node, folding);
  }
  return result;
}

/// Gives each rank to the node whose cores it burdens least, so that the most burdened one is as little so as can be.
/// The first `at_least_one` nodes get a rank in any case.
void divide(Candidates& nodes, std::uint32_t ranks, std::uint32_t folding, std::size_t at_least_one) {
  for (std::size_t i = 0; i < at_least_one; ++i, --ranks)
    nodes[i].ranks = 1;
  const auto later = [&nodes](std::size_t left, std::size_t right) {
    const std::uint64_t left_load = (std::uint64_t{nodes[left].ranks} + 1) * nodes[right].node.cores;
    const std::uint64_t right_load = (std::uint64_t{nodes[right].ranks} + 1) * nodes[left].node.cores;
    return left_load != right_load ? left_load > right_load : left > right;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].ranks < room(nodes[i], folding)) next.push(i);
  for (; ranks > 0; --ranks) {
    const std::size_t node = next.top();
    next.pop();
    ++nodes[node].ranks;
    if (nodes[node].ranks < room(nodes[node], folding)) next.push(node);
  }
}

/// A set of nodes that a mode may use, and the folding it takes there.
struct Scope {
  Candidates nodes;
  std::optional<std::uint32_t> folding; ///< empty: memory does not hold the ranks
  std::size_t clusters = 1;
};

std::string cluster_text(const Node& node) {
  return node.cluster.empty() ? "the cluster" : "cluster " + node.cluster;
}

std::string counted(std::uint64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

/// Chooses an acquisition mode, a cluster or all of them, and the folding, such that memory and cores suffice; says
/// why, and where nothing fits, what would.
class Planner {
public:
  Planner(std::span<const Node> nodes, const PlanRequest& request) : request_(request) {
    for (const Node& node : nodes) {
      const std::uint32_t most = room_by_memory(node, request);
      all_.push_back({.node = node, .ranks = 0, .most_by_memory = most});
      if (most == 0)
        notes_.push_back(fmt::format("host {} has no room for a rank: {} with the reserve kept", node.name,
                                     bytes_text(usable_memory(node, request.reserve))));
    }
    Candidates with_room = all_;
    std::erase_if(with_room, [](const PlannedNode& node) { return node.most_by_memory == 0; });
    clusters_ = by_cluster(with_room);
  }

  NodePlan plan() const {
    const AcquisitionMode mode = request_.mode ? *request_.mode : least_folded();
    const Scope scope = is_composite(mode) ? all_clusters(least(mode)) : best_cluster(least(mode));
    const std::uint32_t folding = checked_folding(mode, scope);
    NodePlan plan{.mode = mode, .folding = folding, .nodes = {}, .reasons = {}};
    const std::size_t at_least_one = is_composite(mode) ? scope.clusters : 0;
    plan.nodes = taken(scope.nodes, request_.ranks, folding, at_least_one);
    divide(plan.nodes, request_.ranks, folding, at_least_one);
    std::erase_if(plan.nodes, [](const PlannedNode& node) { return node.ranks == 0; });
    // Composite modes took the clusters in turn; ranks follow the list.
    std::ranges::stable_sort(plan.nodes, {}, [](const PlannedNode& node) { return node.node.line; });
    plan.reasons = reasons(plan);
    return plan;
  }

private:
  static std::uint32_t least(AcquisitionMode mode) { return is_folded(mode) ? 2 : 1; }

  Scope best_cluster(std::uint32_t least) const {
    Scope best;
    for (const Candidates& cluster : clusters_) {
      const auto folding = least_folding(cluster, request_.ranks, least);
      const bool better = best.nodes.empty() || (folding && (!best.folding || *folding < *best.folding)) ||
                          (!folding && !best.folding && room_by_memory(cluster) > room_by_memory(best.nodes));
      if (better) best = {.nodes = cluster, .folding = folding, .clusters = 1};
    }
    return best;
  }

  Scope all_clusters(std::uint32_t least) const {
    Scope scope{.nodes = in_turn(clusters_), .folding = {}, .clusters = clusters_.size()};
    scope.folding = least_folding(scope.nodes, request_.ranks, least);
    return scope;
  }

  AcquisitionMode least_folded() const {
    const Scope one = best_cluster(1);
    const Scope several = all_clusters(1);
    const std::uint32_t wanted = request_.folding.value_or(1);
    const auto folding = [wanted](const Scope& scope) {
      return scope.folding ? std::max(*scope.folding, wanted) : std::numeric_limits<std::uint32_t>::max();
    };
    if (request_.folding == 1U)
      return clusters_.size() < 2 || one.folding == 1U ? AcquisitionMode::regular : AcquisitionMode::composite;
    if (clusters_.size() < 2 || (one.folding && folding(one) <= folding(several)))
      return folding(one) == 1 ? AcquisitionMode::regular : AcquisitionMode::folded;
    return folding(several) == 1 ? AcquisitionMode::composite : AcquisitionMode::composite_folded;
  }

  std::uint32_t checked_folding(AcquisitionMode mode, const Scope& scope) const {
    if (request_.folding && is_folded(mode) != (*request_.folding > 1))
      throw Error(Failure::usage,
                  fmt::format("mode {} has {} rank a core, not {}", short_name(mode),
                              is_folded(mode) ? "more than one" : "one", *request_.folding),
                  "--folding", "leave one of the two away");
    if (is_composite(mode)) check_clusters(mode);
    if (!scope.folding) refuse_for_memory(scope);
    const std::uint32_t most = is_folded(mode) ? request_.folding.value_or(*scope.folding) : 1;
    if (*scope.folding > most) refuse_for_cores(mode, scope, most);
    return most;
  }

  void check_clusters(AcquisitionMode mode) const {
    if (clusters_.size() < 2)
      throw Error(Failure::missing_capability,
                  fmt::format("mode {} takes nodes of several clusters, and only {} has room for ranks",
                              short_name(mode),
                              clusters_.empty() ? "none" : cluster_text(clusters_.front().front().node)),
                  "", "tell the clusters apart with cluster=NAME, or add hosts of another");
    if (request_.ranks < clusters_.size())
      throw Error(Failure::usage,
                  fmt::format("{} on {} clusters leave one without", counted(request_.ranks, "rank"), clusters_.size()),
                  "", "list hosts of fewer clusters");
  }

  [[noreturn]] void refuse_for_memory(const Scope& scope) const {
    const std::uint64_t held = room_by_memory(scope.nodes);
    const std::uint64_t more = request_.ranks - held;
    std::string advice = fmt::format("{} more {} {} of memory beside the reserve", counted(more, "rank"),
                                     more == 1 ? "needs" : "need", bytes_text(more * request_.memory_per_rank));
    const auto largest = std::ranges::max_element(all_, {}, &PlannedNode::most_by_memory);
    if (largest != all_.end() && largest->most_by_memory > 0)
      advice += fmt::format(": {} like {}",
                            counted((more + largest->most_by_memory - 1) / largest->most_by_memory, "more node"),
                            largest->node.name);
    const bool one_of_several = scope.clusters == 1 && clusters_.size() > 1;
    if (one_of_several && room_by_memory(in_turn(clusters_)) >= request_.ranks)
      advice += "; or mode CF, over all clusters";
    std::string holder = "the hosts together have";
    if (held == 0)
      holder = "no host has";
    else if (one_of_several)
      holder = fmt::format("the roomiest, {}, has", cluster_text(scope.nodes.front().node));
    throw Error(Failure::missing_capability,
                fmt::format("{} of {} do not fit: {} memory for {}", counted(request_.ranks, "rank"),
                            bytes_text(request_.memory_per_rank), holder, held == 0 ? "one" : std::to_string(held)),
                "", advice);
  }

  [[noreturn]] void refuse_for_cores(AcquisitionMode mode, const Scope& scope, std::uint32_t most) const {
    const auto cores =
        std::accumulate(scope.nodes.begin(), scope.nodes.end(), std::uint64_t{0},
                        [](std::uint64_t sum, const PlannedNode& node) { return sum + node.node.cores; });
    const std::uint64_t held = room(scope.nodes, most);
    const bool elsewhere = mode == AcquisitionMode::regular && clusters_.size() > 1 && all_clusters(1).folding == 1U;
    throw Error(Failure::missing_capability,
                fmt::format("mode {} with {} a core holds {} of {} ranks on {} ({})", short_name(mode),
                            counted(most, "rank"), held, request_.ranks,
                            scope.clusters > 1 ? "all clusters" : cluster_text(scope.nodes.front().node),
                            counted(cores, "core")),
                "",
                fmt::format("{} more, {}or fold: mode {} takes {} a core here", counted(request_.ranks - held, "core"),
                            elsewhere ? "or mode C over all clusters, " : "", is_composite(mode) ? "CF" : "F",
                            counted(*scope.folding, "rank")));
  }

  std::vector<std::string> reasons(const NodePlan& plan) const {
    std::vector<std::string> reasons = notes_;
    if (!request_.mode) reasons.push_back(why(plan));
    if (is_folded(plan.mode) && plan.slowdown() <= 1)
      reasons.push_back("the ranks are so few that no core gets two of them");
    std::uint32_t limited = 0;
    for (const PlannedNode& node : plan.nodes)
      limited +=
          node.ranks == node.most_by_memory && room(node, plan.folding) < std::uint64_t{plan.folding} * node.node.cores;
    if (limited > 0)
      reasons.push_back(fmt::format("{} by memory, not by cores",
                                    limited == 1 ? "1 host is limited" : fmt::format("{} hosts are limited", limited)));
    return reasons;
  }

  std::string why(const NodePlan& plan) const {
    const std::string where = cluster_text(plan.nodes.front().node);
    const Scope one = best_cluster(1);
    switch (plan.mode) {
    case AcquisitionMode::regular:
      return fmt::format("{} has a core and the memory for each rank", where);
    case AcquisitionMode::composite:
      return "no cluster has a core and the memory for each rank, all together do";
    case AcquisitionMode::folded:
      return fmt::format("{} holds the ranks with {} a core{}", where, plan.folding,
                         clusters_.size() > 1 ? ", and more clusters would not make it fewer"
                                              : ", the fewest that fit");
    case AcquisitionMode::composite_folded:
      return one.folding
                 ? fmt::format("all clusters together take {} ranks a core, one alone {}", plan.folding, *one.folding)
                 : fmt::format("no cluster alone has the memory; all together take {} ranks a core", plan.folding);
    }
    return {};
  }

  const PlanRequest& request_;
  Candidates all_;
  std::vector<Candidates> clusters_; ///< of nodes that have room
  std::vector<std::string> notes_;
};

} // namespace

const char* short_name(AcquisitionMode mode) {
  switch (mode) {
  case AcquisitionMode::regular:
    return "R";
  case AcquisitionMode::folded:
    return "F";
  case AcquisitionMode::composite:
    return "C";
  case AcquisitionMode::composite_folded:
    return "CF";
  }
  return "?";
}

const char* name(AcquisitionMode mode) {
  switch (mode) {
  case AcquisitionMode::regular:
    return "regular";
  case AcquisitionMode::folded:
    return "folded";
  case AcquisitionMode::composite:
    return "composite";
  case AcquisitionMode::composite_folded:
    return "composite and folded";
  }
  return "?";
}

namespace {

constexpr std::array modes{AcquisitionMode::regular, AcquisitionMode::folded, AcquisitionMode::composite,
                           AcquisitionMode::composite_folded};

} // namespace

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const AcquisitionMode mode : modes)
    names.emplace_back(short_name(mode));
  return names;
}

std::optional<AcquisitionMode> parse_mode(std::string_view text) {
  for (const AcquisitionMode mode : modes)
    if (text == short_name(mode) || text == name(mode)) return mode;
  return std::nullopt;
}

bool is_folded(AcquisitionMode mode) {
  return mode == AcquisitionMode::folded || mode == AcquisitionMode::composite_folded;
}

bool is_composite(AcquisitionMode mode) {
  return mode == AcquisitionMode::composite || mode == AcquisitionMode::composite_folded;
}

double NodePlan::slowdown() const {
  double most = 1;
  for (const PlannedNode& node : nodes)
    most = std::max(most, node.folding());
  return most;
}

NodePlan make_plan(std::span<const Node> nodes, const PlanRequest& request) {
  if (request.ranks == 0) throw Error(Failure::usage, "a plan needs ranks", "--ranks", "give how many the program has");
  if (request.memory_per_rank == 0)
    throw Error(Failure::usage, "nothing says how much memory a rank takes", "",
                "give --memory-per-rank SIZE, --trace TRACE or --measure -- PROGRAM");
  if (request.folding && *request.folding == 0)
    throw Error(Failure::usage, "a core runs at least one rank", "--folding", "give 1 or more");
  return Planner(nodes, request).plan();
}

std::string hostfile_text(const NodePlan& plan, const PlanRequest& request) {
  std::string text = fmt::format("# {}, {} (mode {}): a slot a rank, {} each\n", counted(request.ranks, "rank"),
                                 name(plan.mode), short_name(plan.mode), bytes_text(request.memory_per_rank));
  for (const PlannedNode& node : plan.nodes)
    text += fmt::format("{} slots={} max_slots={}\n", node.node.name, node.ranks, node.ranks);
  return text;
}

} // namespace timeless::tools
