#include "replay/engine/explanation/path_tracer.h"

#include "replay/engine/clocks/readings.h"
#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::replay {

namespace {

// A node's number has its rank in front, so that of two nodes the lower rank's compares less. Both parts fit a double.
constexpr double nodes_per_rank = 0x1p31;
constexpr std::size_t first_drop = std::size_t{1} << 16U;
// What a node takes that is told: itself, its piece of the path, and that piece's kernels, in lists of their own.
constexpr std::size_t bytes_listed = sizeof(PathNode) + 3 * sizeof(PathSegment);

} // namespace

PathTracer::PathTracer(Clocks& clocks, std::size_t ranks, const ReplayOptions& options)
    : clocks_(clocks), most_nodes_(std::max<std::size_t>(options.path_bytes / (2 * sizeof(Node)), 16)),
      most_listed_(std::max<std::size_t>(options.path_bytes / bytes_listed, 16)),
      drop_at_(std::min(first_drop, most_nodes_)), last_(ranks, 0) {}

std::uint32_t PathTracer::index(double node) {
  return static_cast<std::uint32_t>(std::fmod(node, nodes_per_rank));
}

std::uint32_t PathTracer::make(const Node& node) {
  std::uint32_t place = static_cast<std::uint32_t>(nodes_.size());
  if (free_.empty()) {
    nodes_.push_back(node);
  } else {
    place = free_.back();
    free_.pop_back();
    nodes_[place] = node;
  }
  nodes_[place].frame = last_cut();
  return place;
}

double PathTracer::number_of(trace::Rank rank, std::uint32_t place) {
  return static_cast<double>(rank) * nodes_per_rank + place;
}

void PathTracer::put(std::size_t number, std::uint32_t place) {
  const double node = number_of(nodes_[place].rank, place);
  clocks_.set_node(clocks_[number], node);
  last_[number] = node;
  if (nodes_.size() - free_.size() > drop_at_) drop();
}

void PathTracer::depart(std::size_t number, trace::Rank rank, std::uint64_t action, Kind kind) {
  const Traced now = traced(clocks_.model, clocks_[number]);
  std::uint32_t before = index(now.node);
  // Between an arrival and what departs from there, other departures of the rank say nothing.
  if (before != none && nodes_[before].kind != Kind::arrival && nodes_[before].rank == rank &&
      nodes_[before].of_cut == 0)
    before = nodes_[before].forgot ? before : nodes_[before].before;
  Node node{{.at = now, .action = action, .rank = rank, .kind = kind, .collective = kind == Kind::collective}};
  node.before = before;
  put(number, make(node));
}

void PathTracer::look(std::size_t number, trace::Rank rank, std::uint64_t action) {
  const Clock& clock = clocks_[number];
  const Traced now = traced(clocks_.model, clock);
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
  Node arrival{{.at = now, .action = action, .rank = rank, .kind = Kind::arrival, .collective = collective}};
  arrival.before = place;
  put(number, make(arrival));
}

void PathTracer::mark_path(std::uint32_t place) {
  for (; place != none && !nodes_[place].held; place = nodes_[place].before)
    nodes_[place].held = true;
}

void PathTracer::mark() {
  for (Node& node : nodes_)
    node.held = false;
  clocks_.model.pool.for_each_held([&](const double* values) { mark_path(index(Traced::load(values, 1, 0).node)); });
  for (std::uint32_t place = 1; place < nodes_.size(); ++place)
    if (nodes_[place].stand_ins > 0) mark_path(place);
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
  for (std::size_t place = nodes_.size() - 1; place > none; --place) {
    Node& node = nodes_[place];
    if (node.held) continue;
    free_.push_back(static_cast<std::uint32_t>(place));
    if (node.teller != here) tell_dropped_(std::exchange(node.teller, here), node.place_there);
  }
  drop_at_ = std::max(first_drop, 2 * held);
}

/// Cuts all paths at the median of the nodes' times.
void PathTracer::forget_half() {
  std::vector<double> times;
  for (const Node& node : nodes_)
    if (node.held) times.push_back(absolute_time(node));
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  for (Node& node : nodes_)
    if (node.held && node.before != none && absolute_time(nodes_[node.before]) < *middle) {
      node.before = none;
      node.forgot = true;
    }
}

PathPiece PathTracer::end_of_path(std::size_t number, trace::Rank rank, std::uint64_t actions) const {
  const Traced end = traced(clocks_.model, clocks_[number]);
  PathPiece piece = path_to(index(end.node));
  piece.nodes.insert(piece.nodes.begin(),
                     {.at = end, .action = actions > 0 ? actions - 1 : 0, .rank = rank, .kind = Kind::message});
  return piece;
}

PathPiece PathTracer::path_to(std::uint32_t place) const {
  PathPiece piece;
  for (; place != none; place = nodes_[place].before) {
    const Node& node = nodes_[place];
    // What a stand-in stands for is told by who has it.
    if (node.teller != here) {
      piece.process = node.teller;
      piece.place = node.place_there;
      break;
    }
    if (node.repeats > 0 && !add_jump(piece, node)) break;
    if (node.of_cut > 0) {
      if (node.before == none && node.forgot && !piece.nodes.empty()) piece.nodes.back().forgot = true;
      continue;
    }
    PathNode told = node;
    told.at = frames_[node.frame].absolute(node.at);
    if (!add(piece, told)) break;
  }
  return piece;
}

/// Adds a node before those of the piece. Returns false where these are as many as may be, and what came before is
/// forgotten.
bool PathTracer::add(PathPiece& piece, const PathNode& node) const {
  // A departure behind a cut does not know of the same rank's before it: see depart().
  const bool both_depart = !piece.nodes.empty() && piece.nodes.back().rank == node.rank &&
                           piece.nodes.back().kind != Kind::arrival && node.kind != Kind::arrival;
  if (both_depart && !node.forgot) return true;
  if (!jumps_.empty() && piece.nodes.size() >= most_listed_) {
    piece.nodes.back().forgot = true;
    return false;
  }
  piece.nodes.push_back(node);
  return true;
}

/// Adds what was on the path to a node in the periods that were jumped over before it. Returns false where nothing
/// comes before.
bool PathTracer::add_jump(PathPiece& piece, const Node& node) const {
  const PathJump& jump = jumps_[node.repeats - 1];
  std::uint32_t moment = node.of_cut - 1;
  for (std::uint64_t passed = jump.times; passed-- > 0;) {
    const PathPeriod::Chain& chain = jump.period->chains[moment];
    const PathFrame began = jump.began.later(jump.grows, passed);
    for (const auto& [step, frame] : chain.steps) {
      PathNode told = step;
      const auto rank = static_cast<std::size_t>(told.rank);
      told.at = began.later(jump.period->frames[frame], 1).absolute(told.at);
      told.action += jump.actions[rank] + passed * jump.in_period[rank];
      if (!add(piece, told)) return false;
    }
    if (chain.from == PathPeriod::nowhere) return false;
    moment = chain.from;
  }
  return true;
}

// ---- across cuts

std::uint32_t PathTracer::place_at_cut(double node) const {
  return is_node(node) && nodes_[index(node)].frame == last_cut() ? nodes_[index(node)].of_cut : 0;
}

/// Lets the moments hold the nodes of the cut instead of these.
void PathTracer::let_hold(std::span<double* const> held, const std::vector<std::uint32_t>& nodes) {
  instead_.resize(nodes_.size(), none);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    instead_[nodes[i]] = at_cut_[i];
  const auto change = [&](double& node) {
    const std::uint32_t other = is_node(node) ? instead_[index(node)] : none;
    if (other != none) node = number_of(nodes_[other].rank, other);
  };
  for (double* const values : held) {
    Traced moment = Traced::load(values, 1, 0);
    change(moment.node);
    moment.store(values, 1, 0);
  }
  for (double& last : last_)
    change(last);
  for (const std::uint32_t node : nodes)
    instead_[node] = none;
}

void PathTracer::cut(std::span<double* const> held, const Shift& shift, const PathFrame& frame) {
  frames_.push_back(frame);
  at_cut_.clear();
  instead_.resize(nodes_.size(), none);
  std::vector<std::uint32_t> nodes;
  for (const double* const values : held) {
    const std::uint32_t place = index(Traced::load(values, 1, 0).node);
    if (place == none || instead_[place] != none) continue;
    instead_[place] = place;
    nodes.push_back(place);
  }
  for (const std::uint32_t place : nodes) {
    Node node = nodes_[place];
    node.at = {.time = shift(0, node.at.time),
               .first = shift(1, node.at.first),
               .second = shift(2, node.at.second),
               .computation = shift(3, node.at.computation),
               .node = node.at.node};
    node.before = place;
    node.repeats = 0;
    node.of_cut = static_cast<std::uint32_t>(at_cut_.size() + 1);
    at_cut_.push_back(make(node));
  }
  let_hold(held, nodes);
}

std::shared_ptr<const PathPeriod> PathTracer::since(std::uint32_t cut,
                                                    const std::vector<std::uint64_t>& actions) const {
  auto period = std::make_shared<PathPeriod>();
  for (std::size_t frame = cut; frame < frames_.size(); ++frame)
    period->frames.push_back(frames_[frame].since(frames_[cut]));
  for (std::uint32_t place : at_cut_) {
    PathPeriod::Chain& chain = period->chains.emplace_back();
    for (; place != none; place = nodes_[place].before) {
      const Node& node = nodes_[place];
      if (node.frame < cut) return nullptr;
      if (node.of_cut > 0 && node.frame == cut) break;
      if (node.of_cut > 0) continue;
      PathNode& kept = chain.steps.emplace_back(node, node.frame - cut).node;
      kept.action -= actions[static_cast<std::size_t>(node.rank)];
    }
    if (place != none) chain.from = nodes_[place].of_cut - 1;
  }
  return period;
}

void PathTracer::jump(std::span<double* const> held, PathJump jump) {
  const std::vector<std::uint32_t> from = jump.period->composed(jump.times);
  frames_.push_back(jump.began.later(jump.grows, jump.times));
  jumps_.push_back(std::move(jump));
  const std::vector<std::uint32_t> before = std::move(at_cut_);
  at_cut_.clear();
  for (std::size_t moment = 0; moment < before.size(); ++moment) {
    Node node = nodes_[before[moment]];
    node.before = from[moment] == PathPeriod::nowhere ? none : before[from[moment]];
    node.repeats = static_cast<std::uint32_t>(jumps_.size());
    at_cut_.push_back(make(node));
  }
  let_hold(held, before);
}

// ---- with several processes

namespace {

constexpr std::uint32_t flag_collective = 1;
constexpr std::uint32_t flag_forgot = 2;

} // namespace

void PathTracer::distribute(int process, std::function<void(int process, std::uint32_t place)> tell_dropped) {
  self_ = process;
  tell_dropped_ = std::move(tell_dropped);
}

void PathTracer::send(ByteWriter& words, int to, const double* values) {
  const std::uint32_t place = index(Traced::load(values, 1, 0).node);
  Node& node = nodes_[place];
  const bool own = node.owner == here;
  words.put(place, own ? place : node.place_of_owner);
  if (place == none) return;
  words.put(static_cast<std::uint32_t>(own ? self_ : node.owner), static_cast<std::uint32_t>(node.rank));
  ++node.stand_ins;
  if (node.owner == to) return;
  words.put(static_cast<std::uint32_t>(node.kind),
            (node.collective ? flag_collective : 0U) | (node.forgot ? flag_forgot : 0U));
  words.put(node.action);
  words.put(node.at.time);
  words.put(node.at.first);
  words.put(node.at.second);
  words.put(node.at.computation);
}

void PathTracer::receive(ByteReader& words, int from, double* values) {
  const std::uint64_t places = words.number();
  Traced moment = Traced::load(values, 1, 0);
  moment.node = none;
  if (high_half(places) != none) {
    const std::uint64_t owner_and_rank = words.number();
    const auto rank = static_cast<trace::Rank>(low_half(owner_and_rank));
    Node node;
    node.rank = rank;
    node.owner = static_cast<int>(high_half(owner_and_rank));
    node.place_of_owner = low_half(places);
    if (node.owner == self_) {
      // The node itself: from now on this moment holds it, until now what the teller has.
      moment.node = number_of(rank, node.place_of_owner);
      tell_dropped_(from, high_half(places));
    } else {
      node.teller = from;
      node.place_there = high_half(places);
      const std::uint64_t kind_and_flags = words.number();
      node.kind = static_cast<Kind>(high_half(kind_and_flags));
      node.collective = (kind_and_flags & flag_collective) != 0;
      node.forgot = (kind_and_flags & flag_forgot) != 0;
      node.action = words.number();
      node.at.time = words.real();
      node.at.first = words.real();
      node.at.second = words.real();
      node.at.computation = words.real();
      moment.node = number_of(rank, make(node));
    }
  }
  moment.store(values, 1, 0);
}

// ---- what a path says

std::vector<PathSegment> path_segments(const std::vector<PathNode>& nodes, Overlap overlap, double began) {
  using Kind = PathNode::Kind;
  std::vector<PathSegment> segments;
  if (nodes.empty()) return segments;
  PathNode start;
  start.rank = nodes.front().rank;
  if (began > 0 && !nodes.front().forgot) {
    segments.push_back({.kind = PathSegment::Kind::not_started, .rank = start.rank, .from = start.rank, .end = began});
    start.at.time = began;
  }
  const PathNode* before = &start;
  for (const PathNode& node : nodes) {
    const Traced& from = before->at;
    const Traced& to = node.at;
    const double first = to.first - from.first;
    const double second = to.second - from.second;
    PathSegment segment{.rank = node.rank,
                        .from = before->rank,
                        .first_action = before == &start ? 0 : before->action + 1,
                        .last_action = node.action,
                        .begin = from.time,
                        .end = to.time,
                        .compute = to.computation - from.computation,
                        .latency = overlap == Overlap::latency_first ? first : second,
                        .bandwidth = overlap == Overlap::latency_first ? second : first};
    if (node.forgot) {
      segment.kind = PathSegment::Kind::forgotten;
      segment.first_action = 0;
    } else if (before != &start && node.kind == Kind::arrival &&
               (before->kind != Kind::arrival || before->rank != node.rank)) {
      segment.kind = node.collective ? PathSegment::Kind::collective : PathSegment::Kind::message;
      segment.first_action = before->action;
    }
    if (segment.end > segment.begin) segments.push_back(segment);
    before = &node;
  }
  return segments;
}

} // namespace timeless::replay
