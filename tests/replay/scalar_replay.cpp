#include "scalar_replay.h"

#include "replay/model/collectives.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace timeless::replay::test {

namespace {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;
using trace::CommunicatorId;
using trace::RequestId;

/// What a rank waits for: begun at `start`, on its way for `latency`, then `bandwidth`; then the rank works for
/// `after`.
struct Arrival {
  double start = 0;
  double latency = 0;
  double bandwidth = 0;
  double after = 0;
  Sensitivity path_to_start{};
  bool scales = true; ///< its latency and bandwidth count in the path
  double end() const { return start + latency + bandwidth; }
  Sensitivity path() const {
    if (!scales) return path_to_start;
    return {path_to_start.latency + latency, path_to_start.bandwidth + bandwidth, path_to_start.compute};
  }
};

struct SentMessage {
  Rank source;
  double start;
  Bytes bytes;
  Sensitivity path;
};

struct Path {
  std::vector<SentMessage> sent;
  std::vector<bool> taken; ///< the places in `sent` that receives have been posted for
  std::size_t post() {
    std::size_t place = 0;
    while (place < taken.size() && taken[place])
      ++place;
    if (place == taken.size()) taken.push_back(false);
    taken[place] = true;
    return place;
  }
  std::size_t next() const { return static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin()); }
};

using PathKey = std::tuple<Rank, Rank, CommunicatorId, trace::Tag>;

struct Gathering {
  std::map<Rank, std::pair<double, Sensitivity>> came; ///< when, and the path to there
  CollectiveShape shape;
};

struct OpenRequest {
  enum class Of { send, receive, wildcard, collective } of = Of::send;
  PathKey path{};
  std::size_t place = 0;
  CommunicatorId communicator = 0;
};

struct RankProgram {
  std::vector<ActionBlock> blocks;
  std::vector<std::pair<const Action*, std::uint64_t>> actions;
  std::size_t position = 0;
  bool begun = false;    ///< the action at `position` has had its effect on others
  std::size_t place = 0; ///< of its receive or its collective
  ScalarTimes times;
  std::string kernel; ///< computed last
  std::map<std::string, RankTimes> parts;
  std::map<RequestId, OpenRequest> requests;
  std::map<CommunicatorId, std::size_t> collectives;
};

class ScalarReplay {
public:
  ScalarReplay(const trace::Source& source, Network& network, std::size_t lane, const ReplayOptions& options)
      : run_(source.run()), network_(network), lane_(lane), options_(options) {
    for (Rank rank = 0; rank < run_.size; ++rank)
      read(source, rank);
  }

  std::vector<ScalarTimes> run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank rank = 0; rank < run_.size; ++rank)
        while (of(rank).position < of(rank).actions.size() && perform_attributed(rank)) {
          ++of(rank).position;
          of(rank).begun = false;
          progress = true;
        }
    }
    std::vector<ScalarTimes> times;
    for (RankProgram& rank : ranks_) {
      if (rank.position < rank.actions.size()) throw std::logic_error("a rank cannot go on");
      times.push_back(rank.times);
      parts_.push_back(rank.parts);
    }
    return times;
  }

  const std::vector<std::map<std::string, RankTimes>>& parts() const { return parts_; }

private:
  /// Performs the next action, or as much of it as is possible; what this adds to the counters is its call's, or its
  /// kernel's.
  bool perform_attributed(Rank number) {
    RankProgram& rank = of(number);
    const Action& action = *rank.actions[rank.position].first;
    const bool computes = trace::has_volume(action.kind);
    if (computes) rank.kernel = action.kernel == trace::no_kernel ? "" : std::to_string(action.kernel);
    const std::string call = computes ? "computation" : trace::mpi_name(action);
    const RankTimes before = rank.times;
    const bool done = perform(number, action);
    RankTimes& part = rank.parts[options_.attribute == AttributeBy::kernels ? rank.kernel : call];
    for (double RankTimes::*const counter : rank_counters) {
      part.*counter += rank.times.*counter - before.*counter;
      part.end += rank.times.*counter - before.*counter;
    }
    return done;
  }

  void read(const trace::Source& source, Rank rank) {
    RankProgram& program = ranks_.emplace_back();
    const auto stream = source.open(rank);
    for (ActionBlock block; stream->next(block); block = ActionBlock())
      program.blocks.push_back(std::move(block));
    for (const ActionBlock& block : program.blocks)
      trace::for_each_action(
          block, [&](const Action& action, std::uint64_t volume) { program.actions.emplace_back(&action, volume); });
  }

  RankProgram& of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  std::pair<double, double> costs(LinkClass link, double bytes) {
    const auto thresholds = network_.thresholds();
    std::size_t segment = 0;
    while (segment < thresholds.size() && bytes >= static_cast<double>(thresholds[segment]) + 1)
      ++segment;
    std::vector<double> latency(network_.lanes().size());
    std::vector<double> byte_time(latency.size());
    network_.costs(link, segment, latency, byte_time);
    return {latency[lane_], byte_time[lane_]};
  }

  Rank world(CommunicatorId communicator, Rank rank) {
    return run_.communicators.at(communicator).members.at(static_cast<std::size_t>(rank));
  }

  PathKey incoming(const Action& action, Rank rank, Rank peer, trace::Tag tag) {
    return {world(action.communicator, peer), rank, action.communicator, tag};
  }

  // ---- time

  static void work(ScalarTimes& times, double RankTimes::*counter, double seconds) {
    times.*counter += seconds;
    times.end += seconds;
    if (counter == &RankTimes::compute) times.path.compute += seconds;
  }

  /// From now until the arrival: waiting until it starts, then its two parts, as far as they lie ahead.
  void absorb(ScalarTimes& times, const Arrival& arrival) {
    const bool latency_first = options_.overlap == Overlap::latency_first;
    const double middle = arrival.start + (latency_first ? arrival.latency : arrival.bandwidth);
    const auto ahead = [&](double from, double to) { return std::max(0.0, to - std::max(from, times.end)); };
    const double wait = ahead(times.end, arrival.start);
    const double first = ahead(arrival.start, middle);
    const double second = ahead(middle, arrival.end());
    times.wait += wait;
    (latency_first ? times.latency : times.bandwidth) += first;
    (latency_first ? times.bandwidth : times.latency) += second;
    if (arrival.end() > times.end) times.path = arrival.path();
    times.end = std::max(times.end, arrival.end());
  }

  void absorb_all(ScalarTimes& times, std::vector<Arrival> arrivals) {
    std::ranges::stable_sort(arrivals, {}, &Arrival::end);
    for (const Arrival& arrival : arrivals)
      absorb(times, arrival);
    for (const Arrival& arrival : arrivals)
      work(times, &RankTimes::overhead, arrival.after);
  }

  // ---- messages

  PathKey send(const Action& action, Rank rank, bool nonblocking) {
    ScalarTimes& times = of(rank).times;
    work(times, &RankTimes::overhead,
         nonblocking ? network_.isend_overhead(action.bytes) : network_.send_overhead(action.bytes));
    work(times, &RankTimes::memory_copy, static_cast<double>(action.bytes) * network_.memory_copy_byte_time()[lane_]);
    const PathKey key{rank, world(action.communicator, action.peer), action.communicator, action.tag};
    paths_[key].sent.push_back({rank, times.end, action.bytes, times.path});
    return key;
  }

  bool has(const PathKey& key, std::size_t place) { return place < paths_[key].sent.size(); }

  Arrival arrival(const PathKey& key, std::size_t place) {
    const SentMessage& message = paths_[key].sent.at(place);
    const double bytes = static_cast<double>(message.bytes);
    const LinkClass link = network_.link(message.source, std::get<1>(key));
    const auto [latency, byte_time] = costs(link, bytes);
    return {message.start,        latency, bytes * byte_time, network_.receive_overhead(message.bytes), message.path,
            network_.scales(link)};
  }

  bool receive(RankProgram& rank, const PathKey& key) {
    if (!rank.begun) rank.place = paths_[key].post();
    rank.begun = true;
    if (!has(key, rank.place)) return false;
    absorb_all(rank.times, {arrival(key, rank.place)});
    return true;
  }

  bool probe(RankProgram& rank, const PathKey& key) {
    const std::size_t place = paths_[key].next();
    if (!has(key, place)) return false;
    Arrival envelope = arrival(key, place);
    envelope.bandwidth = envelope.after = 0;
    absorb_all(rank.times, {envelope});
    return true;
  }

  bool exchange(const Action& action, Rank rank) {
    if (!of(rank).begun && action.peer != trace::no_rank) send(action, rank, true);
    if (action.receive_peer == trace::no_rank) return true;
    return receive(of(rank), incoming(action, rank, action.receive_peer, action.receive_tag));
  }

  // ---- collectives

  static CommunicatorId where_they_meet(const Action& action) {
    return action.kind == ActionKind::comm_create_group ? action.new_communicator : action.communicator;
  }

  std::size_t arrive(const Action& action, CommunicatorId communicator, Rank rank) {
    const std::size_t place = of(rank).collectives[communicator]++;
    auto& gatherings = gatherings_[communicator];
    if (place == gatherings.size()) gatherings.emplace_back();
    Gathering& gathering = gatherings[place];
    gathering.came[rank] = {of(rank).times.end, of(rank).times.path};
    CollectiveShape& shape = gathering.shape;
    shape.kind = action.kind;
    shape.members = static_cast<std::uint32_t>(run_.communicators[communicator].members.size());
    shape.bytes = std::max(shape.bytes, collective_bytes(action, shape.members));
    shape.element_bytes = std::max(shape.element_bytes, action.element_bytes);
    shape.user_operation = shape.user_operation || (action.flags & trace::flag_user_operation) != 0;
    shape.commutative = shape.commutative && (action.flags & trace::flag_noncommutative) == 0;
    return place;
  }

  bool complete(CommunicatorId communicator, std::size_t place) {
    return gatherings_[communicator].at(place).came.size() == run_.communicators[communicator].members.size();
  }

  /// Of members that come equally late, the path with the most of what is hidden first, then second, then computation.
  std::pair<double, Sensitivity> latest(const Gathering& gathering) const {
    const auto order = [&](const std::pair<double, Sensitivity>& came) {
      const auto& [time, path] = came;
      return options_.overlap == Overlap::latency_first ? std::tuple(time, path.latency, path.bandwidth, path.compute)
                                                        : std::tuple(time, path.bandwidth, path.latency, path.compute);
    };
    std::pair<double, Sensitivity> last;
    for (const auto& [rank, came] : gathering.came)
      if (order(came) > order(last)) last = came;
    return last;
  }

  Arrival arrival(CommunicatorId communicator, std::size_t place) {
    const Gathering& gathering = gatherings_[communicator].at(place);
    const CollectiveCost cost = collective_cost(options_.collectives, gathering.shape);
    const double step = cost.messages > 0 ? cost.bytes / cost.messages : cost.bytes;
    const LinkClass link = network_.collective_link(run_.communicators[communicator].members);
    const auto [latency, byte_time] = costs(link, step);
    const auto [last, path] = latest(gathering);
    return {last,
            cost.messages * latency,
            cost.bytes * byte_time,
            cost.reduced_bytes * network_.reduction_byte_time()[lane_],
            path,
            network_.scales(link)};
  }

  bool collective(const Action& action, CommunicatorId communicator, Rank number) {
    RankProgram& rank = of(number);
    if (!rank.begun) rank.place = arrive(action, communicator, number);
    rank.begun = true;
    if (!complete(communicator, rank.place)) return false;
    absorb_all(rank.times, {arrival(communicator, rank.place)});
    return true;
  }

  // ---- requests

  bool available(const OpenRequest& request) {
    if (request.of == OpenRequest::Of::wildcard) throw std::logic_error("a wildcard was never resolved");
    if (request.of == OpenRequest::Of::receive) return has(request.path, request.place);
    return request.of == OpenRequest::Of::send || complete(request.communicator, request.place);
  }

  bool complete(const Action& action, RankProgram& rank) {
    for (const RequestId id : action.requests)
      if (!available(rank.requests.at(id))) return false;
    std::vector<Arrival> arrivals;
    for (const RequestId id : action.requests) {
      const OpenRequest& request = rank.requests.at(id);
      if (request.of == OpenRequest::Of::receive) arrivals.push_back(arrival(request.path, request.place));
      if (request.of == OpenRequest::Of::collective) arrivals.push_back(arrival(request.communicator, request.place));
      rank.requests.erase(id);
    }
    absorb_all(rank.times, std::move(arrivals));
    return true;
  }

  /// Only the youngest receive of its path may be cancelled here.
  void cancel(RankProgram& rank, RequestId id) {
    OpenRequest& request = rank.requests.at(id);
    if (request.of == OpenRequest::Of::receive) paths_[request.path].taken.at(request.place) = false;
    request = {};
  }

  // ---- everything

  void start(const Action& action, Rank number) {
    OpenRequest& request = of(number).requests[action.request];
    request = {};
    if (action.kind == ActionKind::send) {
      if (action.peer != trace::no_rank) send(action, number, true);
    } else if (action.kind != ActionKind::receive) {
      request.of = OpenRequest::Of::collective;
      request.communicator = where_they_meet(action);
      request.place = arrive(action, request.communicator, number);
    } else if (action.peer == trace::any_rank) {
      request.of = OpenRequest::Of::wildcard;
    } else if (action.peer != trace::no_rank) {
      resolve(action, number);
    }
  }

  void resolve(const Action& action, Rank number) {
    OpenRequest& request = of(number).requests[action.request];
    request.of = OpenRequest::Of::receive;
    request.path = incoming(action, number, action.peer, action.tag);
    request.place = paths_[request.path].post();
  }

  bool perform(Rank number, const Action& action) {
    RankProgram& rank = of(number);
    switch (action.kind) {
    case ActionKind::compute:
      work(rank.times, &RankTimes::compute,
           static_cast<double>(rank.actions[rank.position].second) * network_.seconds_per_unit(number) *
               network_.compute_scale()[lane_]);
      return true;
    case ActionKind::cancelled:
      cancel(rank, action.request);
      return true;
    case ActionKind::request_free:
      rank.requests.erase(action.request);
      return true;
    case ActionKind::resolved:
      resolve(action, number);
      return true;
    case ActionKind::comm_free:
    case ActionKind::finalize:
      return true;
    default:
      break;
    }
    if (trace::family(action.kind) == trace::ActionFamily::completion) return complete(action, rank);
    if (action.request != trace::no_request) {
      start(action, number);
      return true;
    }
    if (trace::family(action.kind) != trace::ActionFamily::point_to_point)
      return collective(action, where_they_meet(action), number);
    if (action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace)
      return exchange(action, number);
    if (action.peer == trace::no_rank) return true;
    if (action.kind == ActionKind::send) {
      send(action, number, false);
      return true;
    }
    const PathKey key = incoming(action, number, action.peer, action.tag);
    return action.kind == ActionKind::receive ? receive(rank, key) : probe(rank, key);
  }

  const trace::Run& run_;
  Network& network_;
  std::size_t lane_;
  const ReplayOptions& options_;
  std::vector<RankProgram> ranks_;
  std::vector<std::map<std::string, RankTimes>> parts_; ///< at the end
  std::map<PathKey, Path> paths_;
  std::map<CommunicatorId, std::vector<Gathering>> gatherings_;
};

} // namespace

std::vector<ScalarTimes> scalar_replay(const trace::Source& source, Network& network, std::size_t lane,
                                       const ReplayOptions& options) {
  return ScalarReplay(source, network, lane, options).run();
}

std::vector<std::map<std::string, RankTimes>> scalar_attribution(const trace::Source& source, Network& network,
                                                                 std::size_t lane, const ReplayOptions& options) {
  ScalarReplay scalar(source, network, lane, options);
  scalar.run();
  return scalar.parts();
}

} // namespace timeless::replay::test
