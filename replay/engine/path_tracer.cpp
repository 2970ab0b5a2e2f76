#include "replay/engine/path_tracer.h"

#include <algorithm>
#include <cmath>

namespace timeless::replay {

namespace {

// A node's number has its rank in front, so that of two nodes the lower rank's compares less. Both parts fit a double.
constexpr double nodes_per_rank = 0x1p31;
constexpr std::size_t first_drop = std::size_t{1} << 16U;

} // namespace

PathTracer::PathTracer(Clocks& clocks, std::size_t ranks, const ReplayOptions& options)
    : clocks_(clocks), latency_first_(options.overlap == Overlap::latency_first),
      most_nodes_(std::max<std::size_t>(options.path_bytes / (2 * sizeof(Node)), 16)),
      drop_at_(std::min(first_drop, most_nodes_)), last_(ranks, 0) {}

std::uint32_t PathTracer::index(double node) {
  return static_cast<std::uint32_t>(std::fmod(node, nodes_per_rank));
}

std::uint32_t PathTracer::make(const Node& node) {
  if (free_.empty()) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  nodes_[place] = node;
  return place;
}

void PathTracer::put(std::size_t number, std::uint32_t place) {
  const double node = static_cast<double>(nodes_[place].rank) * nodes_per_rank + place;
  clocks_.set_node(clocks_[number], node);
  last_[number] = node;
  if (nodes_.size() - free_.size() > drop_at_) drop();
}

void PathTracer::depart(std::size_t number, trace::Rank rank, std::uint64_t action, Kind kind) {
  const Traced now = clocks_.traced(clocks_[number]);
  std::uint32_t before = index(now.node);
  // Between an arrival and what departs from there, other departures of the rank say nothing.
  if (before != none && nodes_[before].kind != Kind::arrival && nodes_[before].rank == rank)
    before = nodes_[before].forgot ? before : nodes_[before].before;
  put(number, make({.at = now,
                    .action = action,
                    .before = before,
                    .rank = rank,
                    .kind = kind,
                    .collective = kind == Kind::collective}));
}

void PathTracer::look(std::size_t number, trace::Rank rank, std::uint64_t action) {
  const Clocks::Clock& clock = clocks_[number];
  const Traced now = clocks_.traced(clock);
  const std::uint32_t place = index(now.node);
  if (place == none) return;
  const Node& node = nodes_[place];
  if (now.node == last_[number]) {
    // Its own departure, unless a way has led from there back to it.
    const bool travelled = now.first > node.at.first || now.second > node.at.second;
    if (node.kind == Kind::arrival || !travelled) return;
  }
  // The steps of a collective lead from arrival to arrival.
  const bool collective = node.collective && (node.kind == Kind::collective || node.rank != rank);
  put(number, make({.at = now,
                    .action = action,
                    .before = place,
                    .rank = rank,
                    .kind = Kind::arrival,
                    .collective = collective}));
}

void PathTracer::mark() {
  for (Node& node : nodes_)
    node.held = false;
  clocks_.pool().for_each_held([&](const double* values) {
    for (std::uint32_t place = index(Traced::load(values, 1, 0).node); place != none && !nodes_[place].held;
         place = nodes_[place].before)
      nodes_[place].held = true;
  });
}

void PathTracer::drop() {
  mark();
  auto held = static_cast<std::size_t>(std::ranges::count_if(nodes_, &Node::held));
  while (held > most_nodes_) {
    forget_half();
    mark();
    const auto left = static_cast<std::size_t>(std::ranges::count_if(nodes_, &Node::held));
    if (left == held) break; // all of them are the last of some path
    held = left;
  }
  free_.clear();
  for (std::size_t place = nodes_.size() - 1; place > none; --place)
    if (!nodes_[place].held) free_.push_back(static_cast<std::uint32_t>(place));
  drop_at_ = std::max(first_drop, 2 * held);
}

/// Cuts all paths at the median of the nodes' times.
void PathTracer::forget_half() {
  std::vector<double> times;
  for (const Node& node : nodes_)
    if (node.held) times.push_back(node.at.time);
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  for (Node& node : nodes_)
    if (node.held && node.before != none && nodes_[node.before].at.time < *middle) {
      node.before = none;
      node.forgot = true;
    }
}

std::vector<PathSegment> PathTracer::path(std::size_t number, trace::Rank rank, std::uint64_t actions) const {
  const Traced end = clocks_.traced(clocks_[number]);
  std::vector<const Node*> nodes;
  for (std::uint32_t place = index(end.node); place != none; place = nodes_[place].before)
    nodes.push_back(&nodes_[place]);
  std::ranges::reverse(nodes);
  const Node last{.at = end, .action = actions > 0 ? actions - 1 : 0, .rank = rank, .kind = Kind::message};
  nodes.push_back(&last);

  std::vector<PathSegment> segments;
  Node start;
  start.rank = nodes.front()->rank;
  const Node* before = &start;
  for (const Node* node : nodes) {
    const Traced& from = before->at;
    const Traced& to = node->at;
    const double first = to.first - from.first;
    const double second = to.second - from.second;
    PathSegment segment{.rank = node->rank,
                        .from = before->rank,
                        .first_action = before == &start ? 0 : before->action + 1,
                        .last_action = node->action,
                        .begin = from.time,
                        .end = to.time,
                        .compute = to.computation - from.computation,
                        .latency = latency_first_ ? first : second,
                        .bandwidth = latency_first_ ? second : first};
    if (node->forgot) {
      segment.kind = PathSegment::Kind::forgotten;
      segment.first_action = 0;
    } else if (before != &start && node->kind == Kind::arrival &&
               (before->kind != Kind::arrival || before->rank != node->rank)) {
      segment.kind = node->collective ? PathSegment::Kind::collective : PathSegment::Kind::message;
      segment.first_action = before->action;
    }
    if (segment.end > segment.begin) segments.push_back(segment);
    before = node;
  }
  return segments;
}

} // namespace timeless::replay
