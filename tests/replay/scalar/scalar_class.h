#pragma once

#include "tests/replay/scalar/scalar_state.h"

namespace timeless::replay::test::scalar {

/// Replays one lane as scalar_replay() says; each subject has a file.
class ScalarReplay {
public:
  ScalarReplay(const trace::Source& source, const Network& network, std::size_t lane, const ReplayOptions& options);
  std::optional<std::vector<ScalarTimes>> run();
  const std::vector<std::map<std::string, RankTimes>>& parts() const { return parts_; }

private:
  /// Performs the next action, or as much of it as is possible; what this adds to the counters is its call's, or its
  /// kernel's.
  bool perform_attributed(Rank number);

  /// Returns true when anything has happened: also what only begins may be what another rank waits for.
  bool go_on(RankProgram& rank, Rank number);
  void read(const trace::Source& source, Rank rank);
  void begin_as_recorded(const trace::Source& source, Rank rank);
  double ranks_on_node(Rank rank) const;
  RankProgram& of(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }

  std::size_t segment(double bytes);
  const Lane& lane() const { return network_.lanes[lane_]; }
  LinkClass link(Rank from, Rank to) const { return network_.links->link(network_.node(from), network_.node(to)); }
  LinkClass collective_link(std::span<const Rank> members) const;
  bool scales(LinkClass link) const { return (*network_.links)[link].scales; }

  /// Returns what a table of the link says of messages of this size in this lane.
  template <typename Value>
  Value told(std::vector<Value> ClassCosts::*table, LinkClass link, double bytes) {
    const ClassCosts& costs = (*network_.links)[link];
    const std::vector<Value>& values = costs.*table;
    return values.empty() ? Value{} : values.at(segment(bytes) * costs.columns + lane().column);
  }

  std::pair<double, double> costs(LinkClass link, double bytes);
  double constant(LinkClass link, double bytes);

  /// Returns the overhead of a message, at the costs of the segment that `size` falls into, if that is another than the
  /// bytes'.
  double overhead(Overhead which, LinkClass link, Bytes bytes, bool synchronous = false,
                  std::optional<double> size = {});
  double kernel_factor(const Action& action) const;
  void copy(ScalarTimes& times, bool nonblocking, double bytes) const;
  bool is_free_creation(const Action& action) const;

  /// Returns when the port is free again after a message that leaves at this time; nothing where ports are wide.
  std::optional<Since> port_after(const Since& start, LinkClass link, double bytes);

  /// Returns when a message that the rank has ready now sets off.
  Since through_port(ScalarTimes& times, LinkClass link, double bytes, bool rendezvous);

  /// Keeps the port busy for a rendezvous that began at this time, from when it had been agreed on until now, when its
  /// sender is done.
  void keep_port(ScalarTimes& times, Since start, LinkClass link, double bytes);
  Rank world(CommunicatorId communicator, Rank rank);

  /// Returns the members, of both groups where there are two.
  std::vector<Rank> everyone(CommunicatorId id) const;
  PathKey incoming(const Action& action, Rank rank, Rank peer, trace::Tag tag);

  // ---- time
  static void work(ScalarTimes& times, double RankTimes::*counter, double seconds);

  /// Moves the times to the arrival: waiting until it starts, then its two parts, as far as they lie ahead.
  void absorb(ScalarTimes& times, const Arrival& arrival);
  static Sensitivity combined(Sensitivity path, double sign, const Sensitivity& other);

  /// Passes a message through the rank's port, after the one before; one that came before the port was busy the last
  /// time uses what was left then.
  void come_in(const ScalarTimes& times, Arrival& arrival);

  /// Returns the rank whose times these are, and not an asynchronous collective's.
  std::optional<Rank> owner(const ScalarTimes& times);
  void absorb_all(ScalarTimes& times, std::vector<Arrival> arrivals, const std::vector<Arrival>& ways = {},
                  const std::vector<Arrival>& of_files = {});

  /// Moves the times likewise, where everything but waiting is a file's.
  static void absorb_file(ScalarTimes& times, const Arrival& arrival);

  /// Returns a transfer through the port. Its path is known to its end: bytes before it may have gone over links that
  /// do not scale.
  static Arrival begin(ScalarPort& port, const ScalarTimes& times, double latency, double bytes, bool scales);

  // ---- messages
  bool sender_waits(const Action& action);
  bool departs_late(Bytes bytes);
  bool above_limit(Bytes bytes) { return bytes > options_.eager_limit.value_or(lane().eager_limit); }

  OpenRequest send(const Action& action, Rank rank, bool nonblocking);
  Since now(Rank rank) { return {of(rank).times.end, of(rank).times.path}; }

  OpenRequest post(const PathKey& key, Since when);
  bool has(const PathKey& key, std::size_t place) { return place < paths_[key].sent.size(); }
  bool may_leave(const OpenRequest& sent);
  double handshake(LinkClass link, double bytes);
  double handshake_overhead(LinkClass link, double bytes) { return told(&ClassCosts::handshake_overhead, link, bytes); }

  Arrival arrival(const PathKey& key, std::size_t place) { return arrival(paths_[key], place, std::get<1>(key)); }

  /// Returns when a message began its way: a rendezvous when both ends had come and their processors had agreed.
  Since begin_of(const Path& path, std::size_t place, Rank destination);
  Arrival arrival(const Path& path, std::size_t place, Rank destination);

  /// Returns what a sender waits for: nothing when the message is eager, else all of its way.
  Arrival departure(const OpenRequest& sent);

  /// Ends a message that the sender has waited for.
  void end_sent(ScalarTimes& times, const Path& path, std::size_t place, Rank destination);
  void end_sent(ScalarTimes& times, const OpenRequest& sent);
  void end_sent(ScalarTimes& times, const WaySent& sent);
  bool send_and_wait(const Action& action, Rank number);
  bool receive(RankProgram& rank, const PathKey& key);
  bool probe(RankProgram& rank, const PathKey& key);

  /// Begins both halves before it waits for either, as what it sends may be what its own receive is to take.
  bool exchange(const Action& action, Rank number);

  // ---- collectives
  static CommunicatorId collective_communicator(const Action& action);
  schedules::GroupPosition place(const Action& action, CommunicatorId id, Rank rank) const;
  CollectiveShape shape(const Action& action, CommunicatorId communicator, Rank rank) const;

  /// Returns true for members of the root's group of two, but not for the root.
  bool idle(const Action& action, CommunicatorId communicator, Rank rank) const;
  std::size_t arrive(const Action& action, CommunicatorId communicator, Rank rank);
  bool complete(CommunicatorId communicator, std::size_t place);

  /// Returns when the last member came, and its path: of members that come equally late, the path with the most of what
  /// is hidden first, then second, then computation.
  std::pair<double, Sensitivity> latest(const Gathering& gathering) const;
  Arrival arrival(CommunicatorId communicator, std::size_t place);

  /// Returns the overheads of a collective's messages.
  double overheads(const CollectiveCost& cost, LinkClass link);
  bool collective(const Action& action, CommunicatorId communicator, Rank number);

  // ---- collectives step by step
  bool step_by_step(const Action& action) const;
  Course course(const Action& action, CommunicatorId communicator, Rank rank);

  /// Returns what the sender waits for, of a message that waits for its receive: all of its way.
  Arrival departure_within(const WaySent& sent);
  bool may_leave_within(const WaySent& sent);

  /// Posts the receive, then sends, or the other way round.
  void begin(Course& course, ScalarTimes& times);
  void send(Course& course, ScalarTimes& times);

  /// Completes both halves of a step, or the one there is, but for sends that are completed with others; false when it
  /// must wait.
  bool finish(Course& course, ScalarTimes& times);
  bool finish_sends(Course& course, ScalarTimes& times);

  /// Begins as many steps as are on their way together: all receives, then what is sent.
  bool begin_together(Course& course, ScalarTimes& times);
  bool finish_together(Course& course, ScalarTimes& times);
  bool advance_together(Course& course, ScalarTimes& times);

  /// Goes on as far as it can; true when anything has happened.
  bool advance(Course& course, ScalarTimes& times);

  /// Returns when the collective has ended, with what its latency and bandwidth come to at its end.
  static Arrival arrival(const AsyncCollective& async);

  // ---- one-sided communication
  bool transfer(const Action& action, Rank number);
  void finish_transfers(RankProgram& rank, CommunicatorId window);
  void ask(RankProgram& rank, LinkClass link);
  PathKey notices(Rank from, Rank to, const Action& action, bool of_posts);
  void notify(const Action& action, Rank number, const std::vector<Rank>& group, bool posts);
  bool take_notices(const Action& action, Rank number, const std::vector<Rank>& group, bool of_posts);
  std::vector<Rank> group_of(const Action& action);
  bool epoch(const Action& action, Rank number);
  bool window(const Action& action, Rank number);

  // ---- files
  double moving(Bytes own, Bytes all) const;
  bool access_alone(const Action& action, RankProgram& rank);
  Arrival file_arrival(CommunicatorId file, std::size_t place, Bytes bytes);
  bool file_collective(const Action& action, Rank number);

  // ---- requests
  bool available(const OpenRequest& request);
  bool complete(const Action& action, RankProgram& rank);

  // ---- threads
  static void add(RankTimes& times, double sign, const RankTimes& others);
  ScalarThread& thread_of(RankProgram& rank, Rank number);
  static std::size_t place_of(const RankProgram& rank, Rank number);
  void turn_to(RankProgram& rank, Rank number);
  void turn_to_last(RankProgram& rank);
  static Told told(const RankProgram& rank);

  /// Moves the present thread's time to the other's then, if that is later; then what the rank has counted is the
  /// other's.
  void await(RankProgram& rank, const Told& other);
  void mark(RankProgram& rank, const Action& action);

  /// Waits for the thread that has begun the request.
  void await_begun(RankProgram& rank, RequestId request);

  // ---- everything
  void start(const Action& action, Rank number);
  bool perform(Rank number, const Action& action);
  bool perform_now(Rank number, const Action& action);

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

} // namespace timeless::replay::test::scalar
