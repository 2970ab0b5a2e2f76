#pragma once

#include "replay/engine/attribution.h"
#include "replay/engine/channels.h"
#include "replay/engine/clocks.h"
#include "replay/engine/collective_matching.h"
#include "replay/engine/communicators.h"
#include "replay/engine/diagnosis.h"
#include "replay/engine/ending.h"
#include "replay/engine/files.h"
#include "replay/engine/lookahead.h"
#include "replay/engine/not_modelled.h"
#include "replay/engine/observation.h"
#include "replay/engine/one_sided.h"
#include "replay/engine/path_tracer.h"
#include "replay/engine/program.h"
#include "replay/engine/rank_range.h"
#include "replay/engine/rank_threads.h"
#include "replay/engine/remote.h"
#include "replay/engine/rendezvous.h"
#include "replay/engine/requests.h"
#include "replay/engine/schedule_messages.h"
#include "replay/engine/timed_worklist.h"
#include "replay/engine/trace_error.h"
#include "replay/engine/worklist.h"
#include "replay/options/options.h"
#include "replay/result/problem.h"
#include "trace/model/source.h"
#include "trace/model/thread_order.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::replay {

/// Runs the ranks of a trace, each until it must wait or its budget is spent, until all have ended.
///
/// Who takes which message and who meets whom follows from the trace alone, so neither the order of the ranks' turns
/// nor the budget changes the result.
class Engine {
public:
  /// Replays all ranks; or, with `remote`, this process's share of them.
  /// `care` is for runs in which messages wait for their receives although no lane has an eager limit: without it,
  /// a turn throws NeedsFullPath when it meets the first of them.
  Engine(const trace::Source& source, Network& network, const ReplayOptions& options, Remote* remote = nullptr,
         bool care = false);
  Result run();

  // What run() consists of where others replay the other ranks.

  /// Gives at most so many turns to ranks; false when no rank can go on.
  bool take_turns(std::uint32_t turns);
  bool can_go_on() const { return someone_can_go_on() || !ready_agents_.empty(); }
  /// What another process tells.
  void deliver(int from, const Batch& batch);
  /// Messages from other processes that have not been taken.
  std::uint64_t messages_held();
  /// Actions in blocks that are done.
  std::uint64_t actions() const { return actions_; }
  bool careful() const { return care_; }
  /// Nothing goes on anywhere, for this reason: gives up the lanes that wait for most, as every process must at once.
  /// False when none are left.
  bool give_up_strictest_lanes(const Diagnosis& found);
  /// The diagnosis when no lane is left.
  const std::shared_ptr<const Diagnosis>& last_deadlock() const { return last_deadlock_; }
  /// How the share has ended: to be asked when no process can go on.
  Ending ending();
  /// What the replay says of the share; its notes only go with those of all others.
  Result result();
  Findings findings();
  /// With ReplayOptions::critical_path, once all has ended: the path to the end of the rank that ends last, the lowest
  /// of them; and the path to a node in this engine's share of the ranks.
  struct LastRank {
    trace::Rank rank = trace::no_rank;
    double end = -1;
  };
  LastRank last_rank();
  PathPiece end_of_path(trace::Rank rank);
  PathPiece path_to(std::uint32_t place) const { return tracer_->path_to(place); }

private:
  enum class Waiting : std::uint8_t {
    no,
    for_message,
    for_posting,
    for_instance,
    for_step,
    for_agent,
    for_thread, ///< another of the rank, number `subject`
    for_block,  ///< for actions of its own: see hungry_
  };

  /// How a replay's stretches are run: plain when nobody looks on and messages cost the same at all their ends.
  enum class Pace : std::uint8_t { plain, usual, observed };
  enum class Completion : std::uint8_t { done, waits, other };

  /// A message that is being taken, and where it stands.
  struct Arrived {
    Channel* channel;
    Message* message;
    std::uint64_t ticket;
  };

  struct RankThread;

  /// A rank; or a thread of one that has several, each of which is replayed like a rank, with a number beyond those of
  /// the ranks, but for thread 0, which has its rank's.
  struct alignas(64) RankState {
    // The block being replayed.
    const std::uint32_t* sequence = nullptr;
    const Operation* operations = nullptr;
    const std::uint64_t* volume = nullptr;
    const std::uint64_t* volumes_end = nullptr;
    std::uint32_t position = 0;
    std::uint32_t size = 0;
    // The action at `position`, when it has begun but could not end: how far it came, and what it got.
    std::uint32_t stage = 0;
    Waiting waiting = Waiting::no;
    bool finished = false;
    bool several = false;                   ///< one of several threads of its rank: there is a `thread`
    std::uint32_t subject = 0;              ///< the channel, handshake, collective, agent or thread it waits for
    std::uint32_t handshake = no_handshake; ///< of its message
    std::uint64_t ticket = 0;               ///< of its receive, or the number of its collective

    Requests requests;
    trace::ActionBlock block;
    Program program;
    std::unique_ptr<trace::RankStream> stream;
    std::uint64_t actions_before = 0;   ///< in earlier blocks
    std::uint64_t last_computation = 0; ///< kept only where worker threads compute, too
    std::unique_ptr<RankThread> thread;
  };

  /// A rank with several threads.
  struct RankThreads {
    std::uint32_t rank = 0;
    std::vector<std::uint32_t> players; ///< its threads' numbers
    std::unique_ptr<trace::RankStream> stream;
    std::shared_ptr<SharedBlock> latest;
    ThreadDivision division;
    trace::UnorderedMessages messages;
    std::uint64_t actions = 0; ///< that have been divided
    std::uint64_t ahead = 0;   ///< of these, in parts that are not done
    bool ended = false;        ///< there are no more
    bool finalized = false;
    std::vector<Passed> cores; ///< with ReplayOptions::cores_per_rank: when each that was used is free
  };

  /// What a thread has beside a rank's state.
  struct RankThread {
    RankThreads* all = nullptr;
    std::uint32_t place = 0; ///< in all->players
    ThreadPart part;
    std::size_t next_note = 0;
    std::uint64_t done = 0;    ///< actions that have ended
    bool begun = false;        ///< so has the one after these
    bool watched = false;      ///< some thread waits for this one
    std::uint64_t asked = 0;   ///< TimedWorklist::Turn::asked
    std::uint64_t awaited = 0; ///< the ticket it waits for, when for_message
    /// By lane: what the rank has counted up to the thread's time, where that is not what the thread has.
    std::vector<RankTimes> beyond;

    bool has_passed(std::uint64_t actions, bool ended) const {
      return done >= actions || (!ended && begun && done + 1 == actions);
    }
    ThreadNote* note(std::uint32_t position) {
      const bool here = next_note < part.notes.size() && part.notes[next_note].position == position;
      return here ? &part.notes[next_note] : nullptr;
    }
  };

  /// How far a member has come in a scheduled collective.
  struct Progress {
    Schedule* schedule = nullptr;
    trace::CommunicatorId communicator = trace::world_communicator;
    std::uint32_t member = 0;
    std::uint32_t instance = 0;
    std::uint32_t index = 0; ///< of `step`, or the first that is not on its way
    bool begun = false;      ///< `step` has begun, or all of `together`: what they send is sent
    schedules::Cursor cursor;
    MemberStep step;
    // Where several steps are on their way together:
    std::vector<MemberStep> together;
    std::vector<Message> came; ///< received by the first of them
    std::size_t received = 0;  ///< steps whose messages have come, if they have any
    // With care:
    Moment posted;                          ///< when the receives of `step`, or of `together`, were
    std::uint32_t handshake = no_handshake; ///< of what `step` sends, unless it is among the next
    std::vector<std::uint32_t> leaving;     ///< of what steps sent that is completed with others
    std::uint32_t awaited = no_handshake;   ///< the one of these that it stands waiting for
  };

  /// Carries out a nonblocking scheduled collective for a rank, on a clock that goes on beside the rank's.
  struct AsyncCollective {
    Progress progress;
    Clocks::Clock clock;
    std::shared_ptr<Schedule> schedule;
    std::unique_ptr<double[]> counters;
    std::uint32_t row = 0; ///< its counters, as what it costs from `begin` on
    Snapshot begin;        ///< once it has ended
    std::uint32_t rank = 0;
    bool ended = false;
  };

  void begin_as_recorded();
  void prefetch() const;
  void run_turn(std::uint32_t number);
  template <Pace pace>
  bool run_stretch(RankState& rank, std::uint32_t number, std::uint32_t end);
  [[noreturn]] static void fail_at(RankState& rank, std::uint32_t position, const char* what);
  bool next_block(RankState& rank, std::uint32_t number);
  void compute_beside_workers(RankState& rank, Clocks::Clock& clock, Step step, double factor);
  /// Replays an action; false when it must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);

  // The most frequent actions in a replay at a plain pace, as the innermost loop holds them (turns.cpp): they do what
  // their namesakes do.
  Completion perform_fast(RankState& rank, Clocks::Clock& clock, const Operation& operation);
  void send_fast(RankState& rank, Clocks::Clock& clock, const Operation& operation);
  bool receive_fast(RankState& rank, Clocks::Clock& clock, const Operation& operation);
  void take_fast(Clocks::Clock& clock, std::uint32_t channel, std::uint64_t ticket);
  Completion complete_fast(RankState& rank, Clocks::Clock& clock, std::span<const trace::RequestId> ids);

  void send(RankState& rank, std::uint32_t number, const Operation& operation);
  bool receive(RankState& rank, std::uint32_t number, const Operation& operation);
  bool exchange(RankState& rank, std::uint32_t number, const Operation& operation);
  bool probe(RankState& rank, std::uint32_t number, const Operation& operation);
  bool complete_one(RankState& rank, std::uint32_t number, trace::RequestId id);
  /// True when some of the requests are neither messages nor collectives.
  bool gather(RankState& rank, std::span<const trace::RequestId> ids);
  bool complete_all(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  bool meet(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  void start_instance(RankState& rank, std::uint32_t number, const Operation& operation);
  void cancel(RankState& rank, std::uint32_t number, trace::RequestId id);
  void cancel_receive(std::uint32_t number, Request& request);
  void cancel_send(std::uint32_t number, Request& request);
  void note_kept_message(std::size_t number);
  void release(RankState& rank, trace::RequestId id);
  void post_wildcard(RankState& rank, std::uint32_t number, const Operation& operation);
  void finalize(RankState& rank, std::uint32_t number);

  // Ranks with several threads (thread_turns.cpp).
  void found_threads(std::uint32_t number);
  void stand_again(std::uint32_t number, std::uint32_t position, std::ptrdiff_t volumes_left);
  bool look_for_threads();
  void share_out(RankThreads& all, const std::shared_ptr<SharedBlock>& shared);
  void add_thread(RankThreads& all);
  bool read_on(RankThreads& all);
  bool read_on_by_itself(RankThreads& all);
  bool read_further();
  void feed(std::uint32_t number);
  bool next_part(std::uint32_t number);
  // With ReplayOptions::cores_per_rank, from when a rank has several threads on: turns in the order of time.
  bool in_time() const { return options_.cores_per_rank > 0 && !teams_.empty(); }
  bool someone_can_go_on() const { return !worklist_.empty() || !timed_.empty(); }
  TimedWorklist::Turn turn_of(std::uint32_t number);
  void sort_by_time();
  std::uint32_t next_turn();
  static bool needs_core(const RankState& rank, const Operation& operation);
  bool may_compute(RankState& rank, std::uint32_t number, std::uint32_t& core);

  void run_thread(std::uint32_t number);
  bool run_thread_action(RankState& rank, std::uint32_t number);
  bool perform_in_thread(RankState& rank, std::uint32_t number, const Operation& operation);
  bool meet_needs(RankState& rank, std::uint32_t number, ThreadNote& note);
  void await(RankState& rank, std::uint32_t number, const Passed& since);
  void pass(RankState& rank, std::uint32_t number, Passed& passed);
  void tell_watchers(RankState& rank, std::uint32_t number);
  static void await_message(RankState& rank, Channel& channel, std::uint64_t ticket);
  void wake_threads(std::uint32_t channel);
  static bool receives_now(const RankState& rank, std::uint32_t channel);
  void look_again(std::uint32_t number, std::uint32_t channel);
  RankTimes counted(std::uint32_t number, std::size_t lane);
  std::uint32_t last_thread(std::uint32_t number, std::size_t lane) const;
  void tell_threads(std::size_t lane, LaneResult& result) const;
  Attribution attribution(std::size_t lanes);
  /// Calls visit(number) for the threads of a rank, or for the rank.
  template <typename Visit>
  void for_each_thread(std::uint32_t number, Visit&& visit) {
    if (!ranks_[number].several) return visit(number);
    for (const std::uint32_t player : ranks_[number].thread->all->players)
      visit(player);
  }
  /// The number of the rank that a thread belongs to.
  std::uint32_t rank_number(std::uint32_t number) const {
    return number < share_.size() ? number : ranks_[number].thread->all->rank;
  }
  /// The dictionary of the block being replayed.
  static std::span<const trace::Action> dictionary(const RankState& rank) {
    return rank.several ? rank.thread->part.of->block.dictionary() : rank.block.dictionary();
  }

  // With care:
  bool send_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation);
  Moment posted_now(std::uint32_t number);
  void start_receive_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation);
  bool exchange_rendezvous(RankState& rank, std::uint32_t number, const Operation& operation);
  std::uint32_t begin_to_send(std::uint32_t number, const Operation& operation);
  std::uint64_t post_rendezvous(std::uint32_t channel, const Moment& when);
  bool cancelled_later(RankState& rank, std::uint32_t number, const Operation& operation);
  void leave(Message& message, const Moment& posted);
  bool held(const Handshake& handshake) const { return handshake.synchronous || strictest_.holds(handshake.bytes); }
  /// True when the sender need not wait any more; otherwise the rank waits for it.
  bool may_go_on(RankState& rank, std::uint32_t handshake);
  std::uint32_t receive_channel(const Request& request) const;
  /// Adds to incoming_ what a request stands for that is leaving, receiving or exchanging; returns the departures among
  /// it.
  std::size_t gather_ends(const Request& request);
  void end_sent(Clocks::Clock& clock, std::uint32_t handshake);
  void forget_ends(Clocks::Clock& clock, const Request& request);
  void complete_ends(std::uint32_t number, const Request& request);
  void end(std::uint32_t handshake);
  bool give_up_strictest_lanes();

  /// True when a request's part can be taken; otherwise the rank waits for it.
  bool ready(RankState& rank, trace::RequestId id);
  bool has_message(RankState& rank, std::uint32_t channel, std::uint64_t ticket);
  bool is_complete(RankState& rank, std::uint32_t instance);
  Message& message(Channel& channel, std::uint64_t ticket);
  void take_message(std::uint32_t number, Channel& channel, std::uint64_t ticket);
  void take_instance(std::uint32_t number, std::uint32_t instance);
  Incoming incoming(const CollectiveInstance& instance) const;
  static Incoming incoming(const Message& message) {
    return {.sent = message.sent.time(),
            .row = message.row,
            .bytes = message.bytes,
            .port = true,
            .received = true,
            .overhead = message.receive_overhead};
  }
  std::uint32_t arrive(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  void all_came(std::uint32_t instance);
  void close(std::uint32_t instance);

  /// A scheduled collective; false when the rank must wait.
  bool carry_out(RankState& rank, std::uint32_t number, const Operation& operation);
  void start_agent(RankState& rank, std::uint32_t number, const Operation& operation);
  Progress begin_schedule(RankState& rank, std::uint32_t number, std::uint32_t call);
  /// Takes steps until one must wait for a message, of which `waiter` is told (false), or there are no more.
  bool advance(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  // The only places where messages within collectives are sent and received.
  void begin_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  void send_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  bool receive_step(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  // The same for plans whose members have several steps on their way together (steps_together.cpp).
  bool advance_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  bool begin_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  bool receive_together(Progress& progress, std::uint32_t waiter);
  void take_together(Progress& progress, Clocks::Clock& clock, std::uint32_t waiter);
  /// Lets agents go on to whom messages have come.
  void run_agents();
  void end_agent(std::uint32_t agent);
  bool has_ended(RankState& rank, std::uint32_t agent);
  Incoming incoming(const AsyncCollective& agent) const;
  void dismiss(std::uint32_t agent);
  LinkClass collective_link(trace::CommunicatorId communicator);
  Request& start(RankState& rank, trace::RequestId id);
  [[noreturn]] static void fail_reused(trace::RequestId id); ///< apart, so that start() is small enough to be inlined
  [[noreturn]] static void fail_completed_twice(trace::RequestId id);
  void wake(std::uint32_t number);
  /// The message has come that the channel's destination stands waiting for.
  void wake_receiver(std::uint32_t channel);

  void put_step(const ScheduleMessages::Way& way, Message&& message);
  // With care, messages within collectives may wait for their receives, too (scheduled_rendezvous.cpp).
  void post_together(Progress& progress, Clocks::Clock& clock);
  void forget_posted(const Progress& progress);
  void agree(Progress& progress, std::uint32_t waiter, Message& message);
  void meet_posted(const ScheduleMessages::Way& way, Message& message);
  bool may_go_on(Progress& progress, std::uint32_t handshake);
  void take_step(const Progress& progress, Clocks::Clock& clock, const Incoming& incoming);
  bool end_send(Progress& progress, Clocks::Clock& clock);
  bool end_sends(Progress& progress, Clocks::Clock& clock);
  bool end_sends(Progress& progress, Clocks::Clock& clock, std::span<const std::uint32_t> leaving);
  void wake_stepper(std::uint32_t waiter, std::uint32_t handshake);
  void wake_released_steppers();
  void receive_step(int from, const InstanceId& id, WordReader& words);
  void left(std::uint32_t handshake, Snapshot start);
  void learn_channel(int from, std::uint32_t number, WordReader& words);
  void receive_message(int from, std::uint32_t number, WordReader& words);
  void receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket);
  void hand_in(std::uint32_t instance);
  void combine(const InstanceId& id, const Partial& partial);
  void conclude(const InstanceId& id, const Partial& all);

  // One-sided communication (one_sided.cpp); what is begun is finished by epochs or by requests.
  bool one_sided(RankState& rank, std::uint32_t number, const Operation& operation);
  void begin_transfer(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window,
                      trace::RequestId request);
  void ask(std::uint32_t number, std::uint32_t row);
  void finish_transfers(std::uint32_t number, WindowState& window);
  bool finish_and_meet(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window);
  bool start_access(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window);
  bool take_notices(RankState& rank, std::uint32_t number, WindowState& window, const std::vector<Notice>& group);
  void notify(std::uint32_t number, const std::vector<Notice>& group);
  void complete_others(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  void complete_other(std::uint32_t number, const Request& request);
  void release_other(const Request& request);

  // Files (files.cpp).
  bool file(RankState& rank, std::uint32_t number, const Operation& operation);
  void access_file(RankState& rank, std::uint32_t number, const FileCall& call, trace::RequestId request);
  bool access_file_together(RankState& rank, std::uint32_t number, const FileCall& call);
  void take_file_collective(std::uint32_t number, std::uint32_t instance, trace::Bytes bytes);
  bool end_split(RankState& rank, std::uint32_t number, const FileCall& call);
  void give_up_split(std::uint32_t number, trace::CommunicatorId file);
  void leave_early(std::uint32_t instance);

  void count_not_modelled(const Program& program, const trace::ActionBlock& block, std::size_t number);
  static void note_last_computation(RankState& rank);
  // For an observer: before an action, and when it has ended.
  void expect(RankState& rank, std::uint32_t number, const Operation& operation);
  void observe(RankState& rank, std::uint32_t number, std::uint32_t position, std::uint64_t volume);

  void finish(RankState& rank);
  trace::Rank world_rank(std::uint32_t number) const {
    return share_.begin + static_cast<trace::Rank>(rank_number(number));
  }
  static std::uint64_t action(const RankState& rank) {
    return rank.several ? ordinal(rank) : rank.actions_before + rank.position;
  }
  static std::uint64_t ordinal(const RankState& rank) {
    const auto& ordinals = rank.thread->part.ordinals;
    return rank.position < ordinals.size() ? ordinals[rank.position] : rank.thread->all->actions;
  }
  std::string where(std::uint32_t number) const;
  std::vector<RankStatus> status() const;
  std::vector<RankStatus> deserted() const;

  const trace::Source& source_;
  Network& network_;
  const ReplayOptions& options_;
  const MpiLibrary library_;
  Remote* remote_;
  RankRange share_; ///< whose first rank is number 0 in what follows
  bool care_;       ///< messages may wait for their receives
  bool plain_;      ///< Pace::plain
  Communicators communicators_;
  Clocks clocks_;
  Channels channels_;
  CollectiveMatching matching_;
  OneSided one_sided_;
  Files files_;
  NotModelledCalls not_modelled_;
  Compiler compiler_;
  ScheduleMessages schedule_messages_;
  std::vector<Progress> progress_; ///< of blocking scheduled collectives, by rank; empty until there is one
  std::deque<AsyncCollective> agents_;
  std::vector<std::uint32_t> free_agents_;
  std::vector<std::uint32_t> ready_agents_;
  std::vector<RankState> ranks_; ///< and, after them, what threads they have beyond the first
  Worklist worklist_;
  TimedWorklist timed_;     ///< while in_time(): those of worklist_ that have been sorted
  std::uint64_t asked_ = 0; ///< times that threads have asked for a core
  bool cores_lacked_ = false;
  std::deque<RankThreads> teams_;
  bool looked_ = false; ///< whether ranks that stand have threads later on
  /// Threads without actions, of ranks that have been read far ahead of others of their threads.
  std::vector<std::uint32_t> hungry_;
  std::vector<double> nothing_;              ///< of nothing_row_
  std::optional<std::uint32_t> nothing_row_; ///< costs of what takes no time; once there is such
  std::vector<std::optional<LinkClass>> collective_links_;
  std::size_t finished_ = 0;
  std::uint64_t actions_ = 0; ///< in blocks that are done
  std::set<std::string> notes_;
  std::optional<Attributor> attributor_; ///< only when asked for
  std::optional<Observation> observation_;
  std::optional<PathTracer> tracer_; ///< likewise
  std::vector<Incoming> incoming_;   ///< scratch of complete_all
  bool only_departures_ = false;     ///< what incoming_ holds
  Lookahead lookahead_;
  // With care:
  StrictestLane strictest_;
  Handshakes handshakes_;
  Postings postings_;
  /// By collective, receiver and sender: when receives were posted that others of a plan are on their way with.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Moment> posted_together_;
  std::vector<std::shared_ptr<const Diagnosis>> deadlocks_; ///< by lane; null where there is none
  std::shared_ptr<const Diagnosis> last_deadlock_;          ///< when no lane is left
};

inline void Engine::wake(std::uint32_t number) {
  RankState& rank = ranks_[number];
  if (rank.waiting == Waiting::for_message) channels_[rank.subject].awaited = Channel::nobody;
  rank.waiting = Waiting::no;
  worklist_.push(number);
}

inline bool Engine::has_message(RankState& rank, std::uint32_t channel_number, std::uint64_t ticket) {
  Channel& channel = channels_[channel_number];
  if (channel.has(ticket)) return true;
  rank.waiting = Waiting::for_message;
  rank.subject = channel_number;
  if (rank.several) [[unlikely]]
    await_message(rank, channel, ticket);
  else
    channel.awaited = ticket;
  return false;
}

inline void Engine::wake_receiver(std::uint32_t channel) {
  const std::uint32_t destination = channels_[channel].destination;
  if (ranks_[destination].several) [[unlikely]]
    return wake_threads(channel);
  wake(destination);
}

inline Message& Engine::message(Channel& channel, std::uint64_t ticket) {
  if (ticket < channel.oldest || !channel.message(ticket).sent.base)
    fail("a message is received a second time, after receives were cancelled out of order");
  return channel.message(ticket);
}

inline Request& Engine::start(RankState& rank, trace::RequestId id) {
  Request& request = rank.requests[id];
  if (request.state != RequestState::inactive && request.state != RequestState::done) [[unlikely]]
    fail_reused(id);
  return request;
}

} // namespace timeless::replay
