#include "scalar_replay.h"

#include "replay/collectives/collectives.h"
#include "replay/collectives/schedules/schedule_plan.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
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
/// `after`, before it takes the next.
struct Arrival {
  double start = 0;
  double latency = 0;
  double bandwidth = 0;
  double after = 0;
  Sensitivity path_to_start{};
  bool scales = true; ///< its latency and bandwidth count in the path
  bool port = false;  ///< it comes in through its rank's port
  std::optional<Sensitivity> path_through_port{};
  double end() const { return start + latency + bandwidth; }
  Sensitivity path() const {
    if (path_through_port) return *path_through_port;
    if (!scales) return path_to_start;
    return {path_to_start.latency + latency, path_to_start.bandwidth + bandwidth, path_to_start.compute};
  }
};

/// A moment of a rank, and the path to it.
struct Since {
  double time = 0;
  Sensitivity path{};
};

/// The last time a port was busy.
struct Busy {
  Since begin;
  Since end;
};

struct SentMessage {
  Rank source;
  Since start;
  Bytes bytes;
  bool rendezvous; ///< it leaves no earlier than its receive is posted
  bool synchronous = false;
  bool keeps_sender = rendezvous; ///< who waits with it
};

struct Path {
  std::vector<SentMessage> sent;
  std::vector<Since> posted; ///< when the receives were posted that take them
};

using PathKey = std::tuple<Rank, Rank, CommunicatorId, trace::Tag>;

struct Gathering {
  std::map<Rank, std::pair<double, Sensitivity>> came; ///< when, and the path to there
  CollectiveShape shape;
  Bytes moved = 0; ///< by calls on a file
};

/// Within collectives: communicator, ordinal, and places from and to.
using Way = std::tuple<CommunicatorId, std::size_t, std::uint32_t, std::uint32_t>;
using WaySent = std::pair<Way, std::size_t>;

/// A member's way through a collective that is carried out step by step.
struct Course {
  schedules::Plan plan;
  schedules::Cursor cursor;
  schedules::Transfer transfer;
  bool standing = false; ///< `transfer` has begun
  bool ended = false;
  CommunicatorId communicator = 0;
  std::size_t ordinal = 0;
  std::uint32_t here = 0;            ///< the member's place
  std::size_t receives = 0;          ///< which message of its way `transfer` takes
  std::size_t sends = 0;             ///< which one of its way it sends
  std::vector<WaySent> sent = {};    ///< by transfers that receive nothing, or that are on their way with others
  std::vector<WaySent> awaited = {}; ///< messages to those that are on their way with others
};

/// Carries out a nonblocking collective beside its rank, with a time of its own.
struct AsyncCollective {
  Course course;
  ScalarTimes times;
};

struct OpenRequest {
  enum class Of { send, receive, wildcard, collective, async, transfer, file_transfer, file } of = Of::send;
  PathKey path{};
  std::size_t place = 0; ///< on the path, or of the collective, or the asynchronous collective's number
  CommunicatorId communicator = 0;
  Arrival way{};   ///< of a transfer
  Bytes bytes = 0; ///< of a collective call on a file
};

/// A port carries one transfer's bytes after the other's.
struct ScalarPort {
  double began = 0;
  double free = 0;
  Sensitivity path{}; ///< to when it is free
};

/// A rank's epochs on one window, and the transfer it has not waited for that ends last.
struct ScalarWindow {
  std::optional<Arrival> transfers;
  std::vector<Rank> targets; ///< of the epoch of access, as world ranks
  std::vector<Rank> origins; ///< of the epoch of exposure
  std::vector<std::size_t> places;
};

struct SplitCall {
  std::size_t place = 0;
  Bytes bytes = 0;
};

/// What a thread was at when another took over.
struct ScalarThread {
  ScalarTimes times;
  RankTimes beyond{};
  ScalarPort port;
  ScalarPort file_port;
  Busy busy;
  std::string kernel;
};

/// The time of a thread when it passed a signal, or had begun a request, and what its rank had counted.
struct Told {
  Rank thread = 0;
  Since since;
  RankTimes counted{};
};

struct RankProgram {
  std::vector<ActionBlock> blocks;
  std::vector<std::pair<const Action*, std::uint64_t>> actions;
  std::set<std::size_t> cancelled;               ///< positions of what is cancelled later
  std::map<std::size_t, const Action*> resolved; ///< what tells a wildcard's source, by the wildcard's position
  std::size_t position = 0;
  bool begun = false;    ///< the action at `position` has had its effect on others
  std::size_t place = 0; ///< of its receive or its collective
  OpenRequest sent;      ///< its message
  ScalarTimes times;     ///< of the present thread, as are its ports, and what it has computed last
  std::string kernel;    ///< computed last
  Rank thread = 0;       ///< the present one
  bool several = false;
  bool marked = false; ///< some mark of threads has come
  RankTimes beyond{};  ///< what the rank has counted by now beyond what the present thread has
  std::vector<std::pair<Rank, ScalarThread>> others; ///< by the order in which they were met; also the present one
  std::map<Rank, std::vector<Told>> signals;         ///< by collective point: of each thread the last
  std::map<RequestId, Told> begun_by;
  std::map<std::string, RankTimes> parts;
  Course course;                                          ///< of the collective at `position`
  std::map<RequestId, std::vector<OpenRequest>> requests; ///< both halves of an exchange, otherwise one
  std::map<CommunicatorId, std::size_t> collectives;
  ScalarPort port;
  ScalarPort file_port;
  std::map<CommunicatorId, ScalarWindow> windows;
  std::map<CommunicatorId, SplitCall> splits;
};

class ScalarReplay {
public:
  ScalarReplay(const trace::Source& source, const Network& network, std::size_t lane, const ReplayOptions& options)
      : run_(source.run()), network_(network), lane_(lane), options_(options) {
    for (Rank rank = 0; rank < run_.size; ++rank)
      read(source, rank);
  }

  std::optional<std::vector<ScalarTimes>> run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (Rank rank = 0; rank < run_.size; ++rank)
        progress = go_on(of(rank), rank) || progress;
      for (AsyncCollective& async : async_collectives_)
        progress = (!async.course.ended && advance(async.course, async.times)) || progress;
      progress = std::exchange(went_on_, false) || progress;
    }
    std::vector<ScalarTimes> times;
    for (RankProgram& rank : ranks_) {
      if (rank.position < rank.actions.size()) return std::nullopt;
      if (rank.several) turn_to_last(rank);
      times.push_back(rank.times);
      add(times.back(), 1, rank.beyond);
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

  /// Returns true when anything has happened: also what only begins may be what another rank waits for.
  bool go_on(RankProgram& rank, Rank number) {
    const std::size_t position = rank.position;
    const bool begun = rank.begun;
    while (rank.position < rank.actions.size() && perform_attributed(number)) {
      ++rank.position;
      rank.begun = false;
    }
    return rank.position != position || rank.begun != begun;
  }

  void read(const trace::Source& source, Rank rank) {
    RankProgram& program = ranks_.emplace_back();
    const auto stream = source.open(rank);
    for (ActionBlock block; stream->next(block); block = ActionBlock())
      program.blocks.push_back(std::move(block));
    for (const ActionBlock& block : program.blocks)
      trace::for_each_action(
          block, [&](const Action& action, std::uint64_t volume) { program.actions.emplace_back(&action, volume); });
    if (options_.clock == StartClock::global) begin_as_recorded(source, rank);
    std::map<RequestId, std::size_t> started;
    for (std::size_t position = 0; position < program.actions.size(); ++position) {
      const Action& action = *program.actions[position].first;
      if (action.kind == ActionKind::cancelled)
        program.cancelled.insert(started.at(action.request));
      else if (action.kind == ActionKind::resolved)
        program.resolved[started.at(action.request)] = &action;
      else if (trace::nonblocking(action))
        started[action.request] = position;
    }
  }

  void begin_as_recorded(const trace::Source& source, Rank rank) {
    const auto stream = source.open(rank);
    for (ActionBlock block; stream->next(block); block = ActionBlock()) {
      if (block.size() == 0) continue;
      stream->read_times(block);
      of(rank).times.end = of(rank).times.start = static_cast<double>(block.times().front().entry) * 1e-9;
      return;
    }
  }

  double ranks_on_node(Rank rank) const {
    return static_cast<double>(std::ranges::count(network_.placement.node_of_rank, network_.node(rank)));
  }

  RankProgram& of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  std::size_t segment(double bytes) {
    const auto& thresholds = network_.thresholds;
    std::size_t segment = 0;
    while (segment < thresholds.size() && bytes >= static_cast<double>(thresholds[segment]) + 1)
      ++segment;
    return segment;
  }

  const Lane& lane() const { return network_.lanes[lane_]; }
  LinkClass link(Rank from, Rank to) const { return network_.links->link(network_.node(from), network_.node(to)); }
  LinkClass collective_link(std::span<const Rank> members) const {
    std::vector<std::uint32_t> nodes;
    for (const Rank member : members)
      nodes.push_back(network_.node(member));
    return network_.links->collective_link(nodes);
  }
  bool scales(LinkClass link) const { return (*network_.links)[link].scales; }

  /// Returns what a table of the link says of messages of this size in this lane.
  template <typename Value>
  Value told(std::vector<Value> ClassCosts::*table, LinkClass link, double bytes) {
    const ClassCosts& costs = (*network_.links)[link];
    const std::vector<Value>& values = costs.*table;
    return values.empty() ? Value{} : values.at(segment(bytes) * costs.columns + lane().column);
  }

  std::pair<double, double> costs(LinkClass link, double bytes) {
    const bool varies = scales(link);
    return {told(&ClassCosts::latency, link, bytes) * (varies ? lane().latency : 1),
            told(&ClassCosts::byte_time, link, bytes) * (varies ? lane().byte_time : 1)};
  }

  double constant(LinkClass link, double bytes) {
    return told(&ClassCosts::transfer, link, bytes) * (scales(link) ? lane().byte_time : 1);
  }

  /// At the costs of the segment that `size` falls into, if that is another than the bytes'.
  double overhead(Overhead which, LinkClass link, Bytes bytes, bool synchronous = false,
                  std::optional<double> size = {}) {
    const Overheads& same = network_.overheads;
    if (!network_.overheads_by_lane && synchronous && which == Overhead::send) return same.synchronous_send(bytes);
    if (!network_.overheads_by_lane && synchronous && which == Overhead::receive)
      return same.synchronous_receive(bytes);
    if (!network_.overheads_by_lane)
      return which == Overhead::send      ? same.send(bytes)
             : which == Overhead::receive ? same.receive(bytes)
                                          : same.nonblocking_send(bytes);
    const auto table = which == Overhead::send      ? &ClassCosts::send
                       : which == Overhead::receive ? &ClassCosts::receive
                                                    : &ClassCosts::nonblocking_send;
    const Seconds seconds = told(table, link, size.value_or(static_cast<double>(bytes)));
    return seconds.fixed + static_cast<double>(bytes) * seconds.per_byte;
  }

  double kernel_factor(const Action& action) const {
    return action.kernel == trace::no_kernel ? 1 : network_.kernel_factor(action.kernel);
  }

  void copy(ScalarTimes& times, bool nonblocking, double bytes) const {
    if (nonblocking && !options_.nonblocking_copy) return;
    work(times, &RankTimes::memory_copy, bytes * lane().memory_copy_byte_time);
  }

  bool is_free_creation(const Action& action) const {
    return !options_.creation && trace::family(action.kind) == trace::ActionFamily::communicator;
  }

  /// Returns when the port is free again after a message that leaves at this time; nothing where ports are wide.
  std::optional<Since> port_after(const Since& start, LinkClass link, double bytes) {
    if (!network_.ports) return std::nullopt;
    const Seconds busy = told(&ClassCosts::port, link, bytes);
    if (busy.fixed < 0) return std::nullopt;
    const double on_wire = bytes * (busy.per_byte * (scales(link) ? lane().byte_time : 1));
    Since free{start.time + (busy.fixed + on_wire), start.path};
    if (scales(link)) free.path.bandwidth += on_wire;
    return free;
  }

  /// Returns when a message that the rank has ready now sets off.
  Since through_port(ScalarTimes& times, LinkClass link, double bytes, bool rendezvous) {
    Since start{times.end, times.path};
    if (!port_after(start, link, bytes)) return start;
    if (times.port_free > start.time) start = {times.port_free, times.port_path};
    if (rendezvous && times.held_port_free > start.time) start = {times.held_port_free, times.held_port_path};
    const Since free = *port_after(start, link, bytes);
    (rendezvous ? times.held_port_free : times.port_free) = free.time;
    (rendezvous ? times.held_port_path : times.port_path) = free.path;
    return start;
  }

  /// The sender is done with a rendezvous that began at this time: it kept the port from when it had been agreed on.
  void keep_port(ScalarTimes& times, Since start, LinkClass link, double bytes) {
    const double agreement = handshake(link, bytes);
    start.time += agreement;
    if (scales(link)) start.path.latency += agreement;
    const std::optional<Since> free = port_after(start, link, bytes);
    if (!free || free->time <= times.port_free) return;
    times.port_free = free->time;
    times.port_path = free->path;
  }

  Rank world(CommunicatorId communicator, Rank rank) {
    return run_.communicators.at(communicator).members.at(static_cast<std::size_t>(rank));
  }

  /// Of both groups, where there are two.
  std::vector<Rank> everyone(CommunicatorId id) const {
    const trace::Communicator& communicator = run_.communicators.at(id);
    std::vector<Rank> all = communicator.members;
    all.insert(all.end(), communicator.remote_members.begin(), communicator.remote_members.end());
    return all;
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

  static Sensitivity combined(Sensitivity path, double sign, const Sensitivity& other) {
    return {path.latency + sign * other.latency, path.bandwidth + sign * other.bandwidth,
            path.compute + sign * other.compute};
  }

  /// One message after the other, those that came before the port was busy the last time using what was left then.
  void come_in(const ScalarTimes& times, Arrival& arrival) {
    Busy& busy = busy_[&times];
    if (arrival.end() <= busy.begin.time) return;
    Sensitivity path = arrival.path();
    path.bandwidth -= arrival.bandwidth;
    const Since come{arrival.start + arrival.latency, path};
    Since entry = busy.end;
    if (come.time >= busy.end.time) {
      entry = busy.begin = come;
    } else if (come.time < busy.begin.time) {
      entry.time -= busy.begin.time - come.time;
      entry.path = combined(combined(entry.path, -1, busy.begin.path), 1, come.path);
      busy.begin = come;
    }
    const double share = options_.ports == Ports::node ? ranks_on_node(owner(times).value()) : 1;
    busy.end = {entry.time + share * arrival.bandwidth, entry.path};
    busy.end.path.bandwidth += share * arrival.bandwidth;
    entry.path.bandwidth += arrival.bandwidth;
    arrival.path_through_port = entry.path;
    arrival.bandwidth = entry.time + arrival.bandwidth - come.time;
  }

  /// Returns the rank whose times these are, and not an asynchronous collective's.
  std::optional<Rank> owner(const ScalarTimes& times) {
    for (Rank rank = 0; rank < run_.size; ++rank)
      if (&of(rank).times == &times) return rank;
    return std::nullopt;
  }

  void absorb_all(ScalarTimes& times, std::vector<Arrival> arrivals, const std::vector<Arrival>& ways = {},
                  const std::vector<Arrival>& of_files = {}) {
    const bool queue = options_.ports != Ports::none &&
                       std::ranges::any_of(arrivals, [](const Arrival& arrival) { return arrival.port; });
    if (queue || options_.completions == CompletionOrder::of_arrival)
      std::ranges::stable_sort(arrivals, {}, &Arrival::end);
    for (Arrival& arrival : arrivals) {
      if (options_.ports != Ports::none && arrival.port && arrival.scales) come_in(times, arrival);
      absorb(times, arrival);
      work(times, &RankTimes::overhead, arrival.after);
    }
    for (const Arrival& way : ways)
      absorb(times, way);
    for (const Arrival& way : of_files)
      absorb_file(times, way);
  }

  /// As absorb(), where everything but waiting is a file's.
  static void absorb_file(ScalarTimes& times, const Arrival& arrival) {
    const double start = std::max(times.end, arrival.start);
    times.wait += start - times.end;
    times.files += std::max(0.0, arrival.end() - start);
    if (arrival.end() > times.end) times.path = arrival.path();
    times.end = std::max(start, arrival.end());
  }

  /// The path of what this returns is known to its end: bytes before it may have gone over links that do not scale.
  static Arrival begin(ScalarPort& port, const ScalarTimes& times, double latency, double bytes, bool scales) {
    if (times.end >= port.free) {
      port.began = port.free = times.end;
      port.path = times.path;
    }
    port.free += bytes;
    if (scales) port.path.bandwidth += bytes;
    Sensitivity path = port.path;
    if (scales) path.latency += latency;
    return {port.began, latency, port.free - port.began, 0, path, false};
  }

  // ---- messages

  bool sender_waits(const Action& action) {
    if (action.mode == trace::SendMode::synchronous) return true;
    if (action.mode == trace::SendMode::buffered) return false;
    return above_limit(action.bytes);
  }

  bool departs_late(Bytes bytes) {
    return !options_.eager_limit && network_.departs_at_once_below != no_eager_limit &&
           bytes >= network_.departs_at_once_below;
  }

  bool above_limit(Bytes bytes) { return bytes > options_.eager_limit.value_or(lane().eager_limit); }

  OpenRequest send(const Action& action, Rank rank, bool nonblocking) {
    ScalarTimes& times = of(rank).times;
    const bool synchronous = action.mode == trace::SendMode::synchronous;
    OpenRequest sent{.of = OpenRequest::Of::send};
    sent.path = {rank, world(action.communicator, action.peer), action.communicator, action.tag};
    const LinkClass link = this->link(rank, std::get<1>(sent.path));
    work(times, &RankTimes::overhead,
         overhead(nonblocking ? Overhead::nonblocking_send : Overhead::send, link, action.bytes, synchronous));
    copy(times, nonblocking, static_cast<double>(action.bytes));
    auto& queue = paths_[sent.path].sent;
    sent.place = queue.size();
    const bool waits = sender_waits(action);
    const bool held = waits || departs_late(action.bytes);
    queue.push_back({rank, through_port(times, link, static_cast<double>(action.bytes), held), action.bytes, held,
                     synchronous, waits});
    return sent;
  }

  Since now(Rank rank) { return {of(rank).times.end, of(rank).times.path}; }

  OpenRequest post(const PathKey& key, Since when) {
    auto& posted = paths_[key].posted;
    posted.push_back(when);
    return {.of = OpenRequest::Of::receive, .path = key, .place = posted.size() - 1};
  }

  bool has(const PathKey& key, std::size_t place) { return place < paths_[key].sent.size(); }
  bool may_leave(const OpenRequest& sent) {
    const Path& path = paths_[sent.path];
    return !path.sent.at(sent.place).keeps_sender || sent.place < path.posted.size();
  }

  double handshake(LinkClass link, double bytes) {
    if (options_.handshake) return *options_.handshake * costs(link, bytes).first;
    return told(&ClassCosts::handshake, link, bytes) * (scales(link) ? lane().latency : 1);
  }

  double handshake_overhead(LinkClass link, double bytes) { return told(&ClassCosts::handshake_overhead, link, bytes); }

  Arrival arrival(const PathKey& key, std::size_t place) { return arrival(paths_[key], place, std::get<1>(key)); }

  /// Returns when a message began its way: a rendezvous when both ends had come and their processors had agreed.
  Since begin_of(const Path& path, std::size_t place, Rank destination) {
    const SentMessage& message = path.sent.at(place);
    if (!message.rendezvous) return message.start;
    Since start = message.start;
    if (const Since& posted = path.posted.at(place); posted.time > start.time) start = posted;
    start.time += handshake_overhead(this->link(message.source, destination), static_cast<double>(message.bytes));
    return start;
  }

  Arrival arrival(const Path& path, std::size_t place, Rank destination) {
    const SentMessage& message = path.sent.at(place);
    const double bytes = static_cast<double>(message.bytes);
    const LinkClass link = this->link(message.source, destination);
    const auto [latency, byte_time] = costs(link, bytes);
    const Since start = begin_of(path, place, destination);
    const double agreement = message.rendezvous ? handshake(link, bytes) : 0;
    return {start.time,
            latency + agreement,
            constant(link, bytes) + bytes * byte_time,
            overhead(Overhead::receive, link, message.bytes, message.synchronous),
            start.path,
            scales(link),
            true};
  }

  /// Returns what a sender waits for: nothing when the message is eager, else all of its way.
  Arrival departure(const OpenRequest& sent) {
    if (!paths_[sent.path].sent.at(sent.place).keeps_sender) return {};
    Arrival departure = arrival(sent.path, sent.place);
    departure.after = 0;
    departure.port = false;
    return departure;
  }

  /// The sender has waited for its message.
  void end_sent(ScalarTimes& times, const Path& path, std::size_t place, Rank destination) {
    const SentMessage& message = path.sent.at(place);
    if (message.keeps_sender)
      keep_port(times, begin_of(path, place, destination), this->link(message.source, destination),
                static_cast<double>(message.bytes));
  }
  void end_sent(ScalarTimes& times, const OpenRequest& sent) {
    end_sent(times, paths_[sent.path], sent.place, std::get<1>(sent.path));
  }
  void end_sent(ScalarTimes& times, const WaySent& sent) {
    const auto& [communicator, ordinal, from, to] = sent.first;
    end_sent(times, within_[sent.first], sent.second, everyone(communicator)[to]);
  }

  bool send_and_wait(const Action& action, Rank number) {
    RankProgram& rank = of(number);
    if (!rank.begun) rank.sent = send(action, number, false);
    rank.begun = true;
    if (!may_leave(rank.sent)) return false;
    absorb_all(rank.times, {departure(rank.sent)});
    end_sent(rank.times, rank.sent);
    return true;
  }

  bool receive(RankProgram& rank, const PathKey& key) {
    if (!rank.begun) rank.place = post(key, {rank.times.end, rank.times.path}).place;
    rank.begun = true;
    if (!has(key, rank.place)) return false;
    absorb_all(rank.times, {arrival(key, rank.place)});
    return true;
  }

  bool probe(RankProgram& rank, const PathKey& key) {
    const std::size_t place = paths_[key].posted.size();
    if (!has(key, place)) return false;
    const SentMessage& message = paths_[key].sent[place];
    const LinkClass link = this->link(message.source, std::get<1>(key));
    const double latency = costs(link, static_cast<double>(message.bytes)).first;
    absorb_all(rank.times, {{.start = message.start.time,
                             .latency = latency,
                             .path_to_start = message.start.path,
                             .scales = scales(link)}});
    return true;
  }

  /// Both are there before either is waited for, as what it sends may be what its own receive is to take.
  bool exchange(const Action& action, Rank number) {
    RankProgram& rank = of(number);
    const bool sends = action.peer != trace::no_rank;
    const bool receives = action.receive_peer != trace::no_rank;
    const PathKey key = receives ? incoming(action, number, action.receive_peer, action.receive_tag) : PathKey{};
    const bool sends_first = network_.library.sends_before_posting;
    if (!rank.begun && sends && sends_first) rank.sent = send(action, number, true);
    if (!rank.begun && receives) rank.place = post(key, {rank.times.end, rank.times.path}).place;
    if (!rank.begun && sends && !sends_first) rank.sent = send(action, number, true);
    rank.begun = true;
    if (receives && !has(key, rank.place)) return false;
    if (sends && !may_leave(rank.sent)) return false;
    std::vector<Arrival> halves;
    if (receives) halves.push_back(arrival(key, rank.place));
    if (sends) halves.push_back(departure(rank.sent));
    absorb_all(rank.times, halves);
    if (sends) end_sent(rank.times, rank.sent);
    return true;
  }

  // ---- collectives

  static CommunicatorId where_they_meet(const Action& action) {
    return action.kind == ActionKind::comm_create_group ? action.new_communicator : action.communicator;
  }

  schedules::GroupPosition place(const Action& action, CommunicatorId id, Rank rank) const {
    const trace::Communicator& communicator = run_.communicators.at(id);
    const auto first = static_cast<std::uint32_t>(communicator.members.size());
    const auto second = static_cast<std::uint32_t>(communicator.remote_members.size());
    const auto all = everyone(id);
    const auto here = static_cast<std::uint32_t>(std::ranges::find(all, rank) - all.begin());
    schedules::GroupPosition at{.members = first, .me = here};
    if (second > 0 && here < first) at = {.members = first, .me = here, .remote_base = first, .remote_members = second};
    if (here >= first) at = {.base = first, .members = second, .me = here - first, .remote_members = first};
    if (!rooted(action.kind)) return at;
    if (action.peer == trace::root_of_remote_group) at.root = here;
    if (action.peer >= 0) at.root = (second > 0 ? at.remote_base : 0) + static_cast<std::uint32_t>(action.peer);
    return at;
  }

  CollectiveShape shape(const Action& action, CommunicatorId communicator, Rank rank) const {
    const schedules::GroupPosition at = place(action, communicator, rank);
    CollectiveShape shape{.kind = action.kind, .members = static_cast<std::uint32_t>(everyone(communicator).size())};
    const std::uint32_t peers = at.remote_members > 0 ? at.remote_members : at.members;
    shape.bytes = cost_bytes(action, at.members, peers);
    shape.element_bytes = action.element_bytes;
    shape.user_operation = (action.flags & trace::flag_user_operation) != 0;
    shape.commutative = (action.flags & trace::flag_noncommutative) == 0;
    shape.library = network_.library;
    if (at.remote_members == 0) return shape;
    const bool away_from_root = at.root != schedules::nobody && at.root != at.base + at.me;
    shape.group = !rooted(action.kind) ? std::max(at.members, at.remote_members)
                  : away_from_root     ? at.members
                                       : at.remote_members;
    return shape;
  }

  /// Of the root's group of two, but not the root.
  bool idle(const Action& action, CommunicatorId communicator, Rank rank) const {
    const schedules::GroupPosition at = place(action, communicator, rank);
    return at.remote_members > 0 && rooted(action.kind) && at.root == schedules::nobody;
  }

  std::size_t arrive(const Action& action, CommunicatorId communicator, Rank rank) {
    const std::size_t place = of(rank).collectives[communicator]++;
    auto& gatherings = gatherings_[communicator];
    if (place >= gatherings.size()) gatherings.resize(place + 1);
    Gathering& gathering = gatherings[place];
    gathering.came[rank] = {0.0, Sensitivity{}};
    if (!idle(action, communicator, rank)) gathering.came[rank] = {of(rank).times.end, of(rank).times.path};
    const CollectiveShape own = shape(action, communicator, rank);
    CollectiveShape& all = gathering.shape;
    all.kind = own.kind;
    all.members = own.members;
    all.group = std::max(all.group, own.group);
    all.bytes = std::max(all.bytes, own.bytes);
    all.element_bytes = std::max(all.element_bytes, own.element_bytes);
    all.user_operation = all.user_operation || own.user_operation;
    all.commutative = all.commutative && own.commutative;
    all.library = own.library;
    gathering.moved += std::max(action.bytes, action.receive_bytes);
    return place;
  }

  bool complete(CommunicatorId communicator, std::size_t place) {
    return gatherings_[communicator].at(place).came.size() == everyone(communicator).size();
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
    const double step = cost.message_size();
    const LinkClass link = this->collective_link(everyone(communicator));
    const auto [latency, byte_time] = costs(link, step);
    const auto [last, path] = latest(gathering);
    return {last,
            cost.messages * latency,
            cost.messages * constant(link, step) + cost.bytes * byte_time,
            overheads(cost, link) + cost.reduced_bytes * lane().reduction_byte_time,
            path,
            scales(link)};
  }

  /// Of a collective's messages.
  double overheads(const CollectiveCost& cost, LinkClass link) {
    const double step = cost.message_size();
    const auto each = [&](Overhead which) { return overhead(which, link, static_cast<Bytes>(step), false, step); };
    return cost.sends * each(Overhead::send) + cost.nonblocking_sends * each(Overhead::nonblocking_send) +
           cost.receives * each(Overhead::receive);
  }

  bool collective(const Action& action, CommunicatorId communicator, Rank number) {
    RankProgram& rank = of(number);
    if (step_by_step(action)) {
      if (!rank.begun) rank.course = course(action, communicator, number);
      rank.begun = true;
      went_on_ = advance(rank.course, rank.times) || went_on_;
      return rank.course.ended;
    }
    if (!rank.begun) rank.place = arrive(action, communicator, number);
    rank.begun = true;
    if (idle(action, communicator, number)) return true;
    if (!complete(communicator, rank.place)) return false;
    absorb_all(rank.times, {arrival(communicator, rank.place)});
    return true;
  }

  // ---- collectives step by step

  bool step_by_step(const Action& action) const {
    if (neighbourhood(action.kind)) return action.tag > 0;
    return options_.collectives == CollectiveModel::schedule;
  }

  Course course(const Action& action, CommunicatorId communicator, Rank rank) {
    const schedules::GroupPosition at = place(action, communicator, rank);
    return {.plan = schedules::plan(shape(action, communicator, rank), action, at),
            .cursor = {},
            .transfer = {},
            .communicator = communicator,
            .ordinal = of(rank).collectives[communicator]++,
            .here = at.base + at.me};
  }

  /// Returns what the sender waits for, of a message that waits for its receive: all of its way.
  Arrival departure_within(const WaySent& sent) {
    const auto& [way, place] = sent;
    if (!within_[way].sent.at(place).keeps_sender) return {};
    Arrival departure = arrival(within_[way], place, everyone(std::get<0>(way))[std::get<3>(way)]);
    departure.after = 0;
    departure.port = false;
    return departure;
  }

  bool may_leave_within(const WaySent& sent) {
    const Path& path = within_[sent.first];
    return !path.sent.at(sent.second).keeps_sender || sent.second < path.posted.size();
  }

  /// Posts the receive, then sends, or the other way round.
  void begin(Course& course, ScalarTimes& times) {
    const bool sends_first = network_.library.sends_before_posting;
    if (sends_first) send(course, times);
    if (course.transfer.from != schedules::nobody) {
      auto& posted = within_[{course.communicator, course.ordinal, course.transfer.from, course.here}].posted;
      course.receives = posted.size();
      posted.push_back({times.end, times.path});
    }
    if (!sends_first) send(course, times);
  }

  void send(Course& course, ScalarTimes& times) {
    const auto all = everyone(course.communicator);
    if (course.transfer.to == schedules::nobody) return;
    const auto bytes = static_cast<Bytes>(course.transfer.bytes);
    const LinkClass link = this->link(all[course.here], all[course.transfer.to]);
    const bool blocking = course.transfer.sending == schedules::Sending::blocking;
    work(times, &RankTimes::overhead, overhead(blocking ? Overhead::send : Overhead::nonblocking_send, link, bytes));
    copy(times, !blocking, static_cast<double>(bytes));
    const Way way{course.communicator, course.ordinal, course.here, course.transfer.to};
    auto& sent = within_[way].sent;
    course.sends = sent.size();
    const bool waits = above_limit(bytes);
    const bool held = waits || departs_late(bytes);
    sent.push_back(
        {all[course.here], through_port(times, link, static_cast<double>(bytes), held), bytes, held, false, waits});
    if (course.transfer.sending == schedules::Sending::together) course.sent.emplace_back(way, course.sends);
  }

  /// Completes both halves of a step, or the one there is, but for sends that are completed with others; false when it
  /// must wait.
  bool finish(Course& course, ScalarTimes& times) {
    const auto all = everyone(course.communicator);
    const Path& path = within_[{course.communicator, course.ordinal, course.transfer.from, course.here}];
    const bool receives = course.transfer.from != schedules::nobody;
    if (receives && course.receives >= path.sent.size()) return false;
    const WaySent own{{course.communicator, course.ordinal, course.here, course.transfer.to}, course.sends};
    const bool sends =
        course.transfer.to != schedules::nobody && course.transfer.sending != schedules::Sending::together;
    if (sends && !may_leave_within(own)) return false;
    std::vector<Arrival> halves;
    if (receives) halves.push_back(arrival(path, course.receives, all[course.here]));
    if (receives) halves.back().port = owner(times).has_value();
    if (sends) halves.push_back(departure_within(own));
    absorb_all(times, halves);
    if (sends) end_sent(times, own);
    return true;
  }

  bool finish_sends(Course& course, ScalarTimes& times) {
    for (const WaySent& sent : course.sent)
      if (!may_leave_within(sent)) return false;
    std::vector<Arrival> departures;
    for (const WaySent& sent : course.sent)
      departures.push_back(departure_within(sent));
    absorb_all(times, departures);
    for (const WaySent& sent : course.sent)
      end_sent(times, sent);
    return true;
  }

  /// Begins as many steps as are on their way together: all receives, then what is sent.
  bool begin_together(Course& course, ScalarTimes& times) {
    std::vector<schedules::Transfer> transfers;
    schedules::Transfer next;
    while (transfers.size() < course.plan.together && schedules::next(course.plan, course.cursor, next))
      transfers.push_back(next);
    for (const schedules::Transfer& transfer : transfers) {
      if (transfer.from == schedules::nobody) continue;
      const Way way{course.communicator, course.ordinal, transfer.from, course.here};
      auto& posted = within_[way].posted;
      course.awaited.emplace_back(way, posted.size());
      posted.push_back({times.end, times.path});
    }
    for (const schedules::Transfer& transfer : transfers) {
      course.transfer = transfer;
      send(course, times);
    }
    return !transfers.empty();
  }

  bool finish_together(Course& course, ScalarTimes& times) {
    const auto all = everyone(course.communicator);
    for (const WaySent& one : course.awaited)
      if (one.second >= within_[one.first].sent.size()) return false;
    for (const WaySent& one : course.sent)
      if (!may_leave_within(one)) return false;
    std::vector<Arrival> arrivals;
    for (const WaySent& one : course.awaited) {
      arrivals.push_back(arrival(within_[one.first], one.second, all[course.here]));
      arrivals.back().port = owner(times).has_value();
    }
    for (const WaySent& one : course.sent)
      arrivals.push_back(departure_within(one));
    absorb_all(times, arrivals);
    for (const WaySent& one : course.sent)
      end_sent(times, one);
    course.awaited.clear();
    course.sent.clear();
    return true;
  }

  bool advance_together(Course& course, ScalarTimes& times) {
    for (bool happened = false;; happened = true) {
      if (!course.standing && !begin_together(course, times)) return course.ended = true;
      happened = happened || !course.standing;
      course.standing = true;
      if (!finish_together(course, times)) return happened;
      course.standing = false;
    }
  }

  /// Goes on as far as it can; true when anything has happened.
  bool advance(Course& course, ScalarTimes& times) {
    if (course.plan.together > 1) return advance_together(course, times);
    for (bool happened = false;; happened = true) {
      if (!course.standing) {
        if (!schedules::next(course.plan, course.cursor, course.transfer)) {
          course.ended = finish_sends(course, times);
          return course.ended || happened;
        }
        course.standing = happened = true;
        begin(course, times);
      }
      if (!finish(course, times)) return happened;
      work(times, &RankTimes::overhead, course.transfer.reduced_bytes * lane().reduction_byte_time);
      course.standing = false;
    }
  }

  /// What its latency and bandwidth come to lies at its end.
  static Arrival arrival(const AsyncCollective& async) {
    const ScalarTimes& times = async.times;
    return {times.end - times.latency - times.bandwidth, times.latency, times.bandwidth, 0, times.path, false};
  }

  // ---- one-sided communication

  bool transfer(const Action& action, Rank number) {
    RankProgram& rank = of(number);
    if (action.peer == trace::no_rank) {
      if (action.request != trace::no_request) rank.requests[action.request] = {};
      return true;
    }
    const bool there_only = action.kind == ActionKind::put || action.kind == ActionKind::accumulate;
    const double ways = there_only ? 1 : 2;
    const auto bytes = static_cast<double>(action.bytes + action.receive_bytes);
    const auto larger = static_cast<double>(std::max(action.bytes, action.receive_bytes));
    const LinkClass link = this->link(number, world(action.communicator, action.peer));
    const auto [latency, byte_time] = costs(link, larger);
    work(rank.times, &RankTimes::overhead, overhead(Overhead::nonblocking_send, link, action.bytes, false, larger));
    const Arrival way =
        begin(rank.port, rank.times, ways * latency, constant(link, larger) + bytes * byte_time, scales(link));
    auto& last = rank.windows[action.communicator].transfers;
    if (!last || way.end() > last->end()) last = way;
    if (action.request != trace::no_request)
      rank.requests[action.request] = {{.of = OpenRequest::Of::transfer, .way = way}};
    return true;
  }

  void finish_transfers(RankProgram& rank, CommunicatorId window) {
    auto& last = rank.windows[window].transfers;
    if (last) absorb(rank.times, *last);
    last.reset();
  }

  void ask(RankProgram& rank, LinkClass link) {
    const double latency = 2 * costs(link, 0).first;
    absorb(rank.times, {rank.times.end, latency, 2 * constant(link, 0), 0, rank.times.path, scales(link)});
  }

  PathKey notices(Rank from, Rank to, const Action& action, bool of_posts) {
    return {from, to, action.communicator, of_posts ? -1001 : -1002};
  }

  void notify(const Action& action, Rank number, const std::vector<Rank>& group, bool posts) {
    for (const Rank other : group)
      paths_[notices(number, other, action, posts)].sent.push_back({number, now(number), 0, false});
  }

  bool take_notices(const Action& action, Rank number, const std::vector<Rank>& group, bool of_posts) {
    RankProgram& rank = of(number);
    std::vector<std::size_t>& places = rank.windows[action.communicator].places;
    if (!rank.begun) {
      places.clear();
      for (const Rank other : group)
        places.push_back(post(notices(other, number, action, of_posts), now(number)).place);
    }
    rank.begun = true;
    std::vector<Arrival> arrivals;
    for (std::size_t index = 0; index < group.size(); ++index) {
      const PathKey path = notices(group[index], number, action, of_posts);
      if (!has(path, places[index])) return false;
      const SentMessage& notice = paths_[path].sent[places[index]];
      const LinkClass link = this->link(group[index], number);
      arrivals.push_back(
          {notice.start.time, costs(link, 0).first, constant(link, 0), 0, notice.start.path, scales(link)});
    }
    absorb_all(rank.times, std::move(arrivals));
    return true;
  }

  std::vector<Rank> group_of(const Action& action) {
    std::vector<Rank> group;
    for (const Rank member : action.ranks)
      group.push_back(world(action.communicator, member));
    return group;
  }

  bool epoch(const Action& action, Rank number) {
    RankProgram& rank = of(number);
    ScalarWindow& window = rank.windows[action.communicator];
    const bool checked = (action.flags & trace::flag_no_check) == 0;
    switch (action.kind) {
    case ActionKind::win_lock:
      if (checked) ask(rank, this->link(number, world(action.communicator, action.peer)));
      return true;
    case ActionKind::win_lock_all:
      if (checked) ask(rank, this->collective_link(run_.communicators[action.communicator].members));
      return true;
    case ActionKind::win_post:
      window.origins = group_of(action);
      notify(action, number, window.origins, true);
      return true;
    case ActionKind::win_start:
      window.targets = group_of(action);
      if (checked) return take_notices(action, number, window.targets, true);
      for (const Rank other : window.targets)
        post(notices(other, number, action, true), now(number));
      return true;
    case ActionKind::win_complete:
      finish_transfers(rank, action.communicator);
      notify(action, number, window.targets, false);
      return true;
    case ActionKind::win_wait:
    case ActionKind::win_test:
      return take_notices(action, number, window.origins, false);
    case ActionKind::win_sync:
      return true;
    default:
      finish_transfers(rank, action.communicator);
      return true;
    }
  }

  bool window(const Action& action, Rank number) {
    const bool ends = action.kind == ActionKind::win_fence || action.kind == ActionKind::win_free;
    if (ends && !of(number).begun && (action.flags & trace::flag_no_precede) == 0)
      finish_transfers(of(number), action.communicator);
    return collective({.kind = ActionKind::barrier}, action.communicator, number);
  }

  // ---- files

  double moving(Bytes own, Bytes all) const {
    const FileSystem& system = options_.file_system;
    return std::max(static_cast<double>(own) * system.byte_time, static_cast<double>(all) * system.aggregate_byte_time);
  }

  bool access_alone(const Action& action, RankProgram& rank) {
    const Arrival way = begin(rank.file_port, rank.times, options_.file_system.latency,
                              moving(std::max(action.bytes, action.receive_bytes), 0), false);
    if (action.request == trace::no_request) {
      absorb_file(rank.times, way);
    } else {
      rank.requests[action.request] = {{.of = OpenRequest::Of::file_transfer, .way = way}};
    }
    return true;
  }

  Arrival file_arrival(CommunicatorId file, std::size_t place, Bytes bytes) {
    const Gathering& gathering = gatherings_[file].at(place);
    const auto [last, path] = latest(gathering);
    return {last, options_.file_system.latency, moving(bytes, gathering.moved), 0, path, false};
  }

  bool file_collective(const Action& action, Rank number) {
    RankProgram& rank = of(number);
    const std::string name(trace::name(action.kind));
    const CommunicatorId file = action.communicator;
    switch (action.kind) {
    case ActionKind::file_set_view:
    case ActionKind::file_set_info:
    case ActionKind::file_set_atomicity:
    case ActionKind::file_seek_shared:
      return collective({.kind = ActionKind::barrier}, file, number);
    default:
      break;
    }
    Action call = action;
    if (action.kind == ActionKind::file_set_size || action.kind == ActionKind::file_preallocate) call.bytes = 0;
    const Bytes bytes = std::max(call.bytes, call.receive_bytes);
    if (name.ends_with("_begin")) {
      rank.splits[file] = {arrive(call, file, number), bytes};
      return true;
    }
    if (name.ends_with("_end")) {
      const auto split = rank.splits.find(file);
      if (split == rank.splits.end()) return true;
      if (!complete(file, split->second.place)) return false;
      absorb_file(rank.times, file_arrival(file, split->second.place, split->second.bytes));
      rank.splits.erase(split);
      return true;
    }
    if (action.request != trace::no_request) {
      OpenRequest request{.of = OpenRequest::Of::file, .communicator = file, .bytes = bytes};
      request.place = arrive(call, file, number);
      rank.requests[action.request] = {request};
      return true;
    }
    if (!rank.begun) rank.place = arrive(call, file, number);
    rank.begun = true;
    if (!complete(file, rank.place)) return false;
    absorb_file(rank.times, file_arrival(file, rank.place, bytes));
    if (action.kind == ActionKind::file_close) rank.splits.erase(file);
    return true;
  }

  // ---- requests

  bool available(const OpenRequest& request) {
    if (request.of == OpenRequest::Of::wildcard) throw std::logic_error("a wildcard was never resolved");
    if (request.of == OpenRequest::Of::receive) return has(request.path, request.place);
    if (request.of == OpenRequest::Of::send) return may_leave(request);
    if (request.of == OpenRequest::Of::async) return async_collectives_[request.place].course.ended;
    if (request.of == OpenRequest::Of::transfer || request.of == OpenRequest::Of::file_transfer) return true;
    return complete(request.communicator, request.place);
  }

  bool complete(const Action& action, RankProgram& rank) {
    for (const RequestId id : action.requests)
      for (const OpenRequest& request : rank.requests.at(id))
        if (!available(request)) return false;
    std::vector<Arrival> arrivals;
    std::vector<Arrival> ways;
    std::vector<Arrival> of_files;
    std::vector<OpenRequest> sent;
    for (const RequestId id : action.requests) {
      for (const OpenRequest& request : rank.requests.at(id)) {
        if (request.of == OpenRequest::Of::send) sent.push_back(request);
        if (request.of == OpenRequest::Of::send) arrivals.push_back(departure(request));
        if (request.of == OpenRequest::Of::receive) arrivals.push_back(arrival(request.path, request.place));
        if (request.of == OpenRequest::Of::async) arrivals.push_back(arrival(async_collectives_[request.place]));
        if (request.of == OpenRequest::Of::collective) arrivals.push_back(arrival(request.communicator, request.place));
        if (request.of == OpenRequest::Of::transfer) ways.push_back(request.way);
        if (request.of == OpenRequest::Of::file_transfer) of_files.push_back(request.way);
        if (request.of == OpenRequest::Of::file)
          of_files.push_back(file_arrival(request.communicator, request.place, request.bytes));
      }
      rank.requests.erase(id);
    }
    absorb_all(rank.times, std::move(arrivals), ways, of_files);
    for (const OpenRequest& one : sent)
      end_sent(rank.times, one);
    return true;
  }

  // ---- threads

  static void add(RankTimes& times, double sign, const RankTimes& others) {
    for (double RankTimes::*const counter : rank_counters)
      times.*counter += sign * others.*counter;
  }

  ScalarThread& thread_of(RankProgram& rank, Rank number) {
    for (auto& [known, thread] : rank.others)
      if (known == number) return thread;
    ScalarThread& fresh = rank.others.emplace_back(number, ScalarThread{}).second;
    fresh.times.end = fresh.times.start = rank.times.start;
    return fresh;
  }

  static std::size_t place_of(const RankProgram& rank, Rank number) {
    std::size_t place = 0;
    while (place < rank.others.size() && rank.others[place].first != number)
      ++place;
    return place;
  }

  void turn_to(RankProgram& rank, Rank number) {
    if (!rank.several) rank.others.emplace_back(0, ScalarThread{});
    rank.several = true;
    thread_of(rank, rank.thread) = {rank.times,     rank.beyond,        rank.port,
                                    rank.file_port, busy_[&rank.times], rank.kernel};
    const ScalarThread& next = thread_of(rank, number);
    rank.thread = number;
    rank.times = next.times;
    rank.beyond = next.beyond;
    rank.port = next.port;
    rank.file_port = next.file_port;
    rank.kernel = next.kernel;
    busy_[&rank.times] = next.busy;
  }

  void turn_to_last(RankProgram& rank) {
    turn_to(rank, rank.thread);
    Rank last = 0;
    double end = -1;
    for (const auto& [number, thread] : rank.others)
      if (thread.times.end > end) {
        last = number;
        end = thread.times.end;
      }
    turn_to(rank, last);
  }

  static Told told(const RankProgram& rank) {
    Told all{.thread = rank.thread, .since = {rank.times.end, rank.times.path}, .counted = rank.times};
    add(all.counted, 1, rank.beyond);
    return all;
  }

  /// The present thread's time becomes at least the other's then; where it does, what the rank has counted is the
  /// other's.
  void await(RankProgram& rank, const Told& other) {
    if (other.thread == rank.thread) return;
    const bool later = other.since.time > rank.times.end;
    absorb(rank.times, {.start = other.since.time, .path_to_start = other.since.path});
    if (!later) return;
    rank.beyond = other.counted;
    add(rank.beyond, -1, rank.times);
  }

  void mark(RankProgram& rank, const Action& action) {
    if (action.kind == ActionKind::region_begin || action.kind == ActionKind::region_end) return;
    rank.marked = true;
    if (action.kind == ActionKind::thread) return turn_to(rank, action.peer);
    auto& signals = rank.signals[action.peer];
    if (action.kind == ActionKind::thread_await)
      for (const Told& signal : signals)
        await(rank, signal);
    if (action.kind != ActionKind::thread_signal) return;
    std::erase_if(signals, [&](const Told& signal) { return signal.thread == rank.thread; });
    signals.push_back(told(rank));
    std::ranges::sort(signals, {}, [&](const Told& signal) { return place_of(rank, signal.thread); });
  }

  /// What a thread does with a request that another has begun comes after that.
  void await_begun(RankProgram& rank, RequestId request) {
    const auto found = rank.begun_by.find(request);
    if (found == rank.begun_by.end()) return;
    const Told begun = found->second;
    rank.begun_by.erase(found);
    await(rank, begun);
  }

  // ---- everything

  void start(const Action& action, Rank number) {
    auto& requests = of(number).requests[action.request];
    requests.clear();
    // What is cancelled in the end is as if it had never been.
    if (of(number).cancelled.contains(of(number).position)) return;
    const Since now = this->now(number);
    const bool exchanges = action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace;
    if (trace::family(action.kind) != trace::ActionFamily::point_to_point && step_by_step(action)) {
      requests.push_back({.of = OpenRequest::Of::async, .place = async_collectives_.size()});
      ScalarTimes times;
      times.end = of(number).times.end;
      times.path = of(number).times.path;
      times.port_free = of(number).times.port_free;
      times.port_path = of(number).times.port_path;
      times.held_port_free = of(number).times.held_port_free;
      times.held_port_path = of(number).times.held_port_path;
      async_collectives_.push_back({course(action, where_they_meet(action), number), times});
      advance(async_collectives_.back().course, async_collectives_.back().times);
    } else if (trace::family(action.kind) != trace::ActionFamily::point_to_point) {
      OpenRequest request{.of = OpenRequest::Of::collective, .communicator = where_they_meet(action)};
      request.place = arrive(action, request.communicator, number);
      if (!idle(action, request.communicator, number)) requests.push_back(request);
    } else if (action.kind == ActionKind::receive && (action.peer == trace::any_rank || action.tag == trace::any_tag)) {
      const auto found = of(number).resolved.find(of(number).position);
      requests.push_back(found == of(number).resolved.end()
                             ? OpenRequest{.of = OpenRequest::Of::wildcard}
                             : post(incoming(action, number, found->second->peer, found->second->tag), now));
    } else {
      const Rank from = exchanges                            ? action.receive_peer
                        : action.kind == ActionKind::receive ? action.peer
                                                             : trace::no_rank;
      const auto post_at = [&](Since when) {
        const trace::Tag tag = exchanges ? action.receive_tag : action.tag;
        if (from != trace::no_rank) requests.insert(requests.begin(), post(incoming(action, number, from, tag), when));
      };
      const bool sends_first = network_.library.sends_before_posting;
      if (!sends_first) post_at(now);
      if (action.kind != ActionKind::receive && action.peer != trace::no_rank)
        requests.push_back(send(action, number, true));
      if (sends_first) post_at(this->now(number));
    }
  }

  bool perform(Rank number, const Action& action) {
    RankProgram& rank = of(number);
    for (const RequestId request : action.requests)
      await_begun(rank, request);
    if (action.kind == ActionKind::cancelled || action.kind == ActionKind::request_free)
      await_begun(rank, action.request);
    const bool done = perform_now(number, action);
    if (rank.marked && trace::nonblocking(action)) rank.begun_by[action.request] = told(rank);
    return done;
  }

  bool perform_now(Rank number, const Action& action) {
    RankProgram& rank = of(number);
    switch (action.kind) {
    case ActionKind::compute:
      work(rank.times, &RankTimes::compute,
           static_cast<double>(rank.actions[rank.position].second) * kernel_factor(action) *
               network_.seconds_per_unit(number) * lane().compute_scale);
      return true;
    case ActionKind::cancelled:
      return true;
    case ActionKind::request_free:
      rank.requests.erase(action.request);
      return true;
    case ActionKind::resolved:
    case ActionKind::comm_free:
    case ActionKind::finalize:
      return true;
    default:
      break;
    }
    if (is_free_creation(action)) {
      if (action.request != trace::no_request) rank.requests[action.request] = {};
      return true;
    }
    switch (trace::family(action.kind)) {
    case trace::ActionFamily::mark:
      mark(rank, action);
      return true;
    case trace::ActionFamily::completion:
      return complete(action, rank);
    case trace::ActionFamily::one_sided:
      return transfer(action, number);
    case trace::ActionFamily::epoch:
      return epoch(action, number);
    case trace::ActionFamily::window:
      return window(action, number);
    case trace::ActionFamily::file:
      return access_alone(action, rank);
    case trace::ActionFamily::file_collective:
      return file_collective(action, number);
    default:
      break;
    }
    if (action.request != trace::no_request) {
      start(action, number);
      return true;
    }
    if (trace::family(action.kind) != trace::ActionFamily::point_to_point)
      return collective(action, where_they_meet(action), number);
    if (action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace)
      return exchange(action, number);
    if (action.peer == trace::no_rank) return true;
    if (action.kind == ActionKind::send) return send_and_wait(action, number);
    const PathKey key = incoming(action, number, action.peer, action.tag);
    return action.kind == ActionKind::receive ? receive(rank, key) : probe(rank, key);
  }

  const trace::Run& run_;
  const Network& network_;
  std::size_t lane_;
  const ReplayOptions& options_;
  std::vector<RankProgram> ranks_;
  std::vector<std::map<std::string, RankTimes>> parts_; ///< at the end
  std::map<PathKey, Path> paths_;
  std::map<const ScalarTimes*, Busy> busy_;
  std::map<CommunicatorId, std::vector<Gathering>> gatherings_;
  std::deque<AsyncCollective> async_collectives_;
  bool went_on_ = false;       ///< a rank took steps within a collective that has not ended
  std::map<Way, Path> within_; ///< within collectives
};

} // namespace

std::optional<std::vector<ScalarTimes>> scalar_replay_or_deadlock(const trace::Source& source, const Network& network,
                                                                  std::size_t lane, const ReplayOptions& options) {
  return ScalarReplay(source, network, lane, options).run();
}

std::vector<ScalarTimes> scalar_replay(const trace::Source& source, const Network& network, std::size_t lane,
                                       const ReplayOptions& options) {
  auto times = scalar_replay_or_deadlock(source, network, lane, options);
  if (!times) throw std::logic_error("a rank cannot go on");
  return *std::move(times);
}

std::vector<std::map<std::string, RankTimes>> scalar_attribution(const trace::Source& source, const Network& network,
                                                                 std::size_t lane, const ReplayOptions& options) {
  ScalarReplay scalar(source, network, lane, options);
  scalar.run();
  return scalar.parts();
}

} // namespace timeless::replay::test
