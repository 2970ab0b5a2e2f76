#pragma once

#include "replay/engine/attribution.h"
#include "replay/engine/channels.h"
#include "replay/engine/clocks.h"
#include "replay/engine/communicators.h"
#include "replay/engine/diagnosis.h"
#include "replay/engine/ending.h"
#include "replay/engine/meetings.h"
#include "replay/engine/program.h"
#include "replay/engine/remote.h"
#include "replay/engine/requests.h"
#include "replay/engine/share.h"
#include "replay/engine/worklist.h"
#include "replay/replay.h"
#include "trace/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace timeless::replay {

/// Runs the ranks of a trace, each until it must wait or its budget is spent, until all have ended.
///
/// Who takes which message and who meets whom follows from the trace alone, so neither the order of the ranks' turns
/// nor the budget changes the result.
class Engine {
public:
  /// Replays all ranks; or, with `remote`, this process's share of them.
  Engine(const trace::Source& source, Network& network, const ReplayOptions& options, Remote* remote = nullptr);
  Result run();

  // What run() consists of where others replay the other ranks.

  /// Gives at most so many turns to ranks; false when no rank can go on.
  bool take_turns(std::uint32_t turns);
  bool can_go_on() const { return !worklist_.empty(); }
  /// What another process tells.
  void deliver(int from, const Batch& batch);
  /// Messages from other processes that have not been taken.
  std::uint64_t held();
  /// Actions in blocks that are done.
  std::uint64_t actions() const { return actions_; }
  /// How the share has ended: to be asked when no process can go on.
  Ending ending();
  /// What the replay says of the share; its notes only go with those of all others.
  Result result();
  Findings findings();

private:
  enum class Waiting : std::uint8_t { no, for_message, for_meeting };

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
    std::uint32_t subject = 0; ///< the channel or meeting it waits for
    std::uint64_t ticket = 0;  ///< of its receive, or the number of its meeting

    Requests requests;
    trace::ActionBlock block;
    Program program;
    std::unique_ptr<trace::RankStream> stream;
    std::uint64_t actions_before = 0;   ///< in earlier blocks
    std::uint64_t last_computation = 0; ///< kept only where worker threads compute, too
  };

  void prefetch() const;
  void run_turn(std::uint32_t number);
  bool run_stretch(RankState& rank, std::uint32_t number, std::uint32_t end);
  [[noreturn]] static void fail_at(RankState& rank, std::uint32_t position, const char* what);
  bool next_block(RankState& rank, trace::Rank number);
  void compute_beside_workers(RankState& rank, Clocks::Clock& clock, Step step);
  /// Replays an action; false when it must wait.
  bool perform(RankState& rank, std::uint32_t number, const Operation& operation);

  void send(RankState& rank, std::uint32_t number, const Operation& operation);
  bool receive(RankState& rank, std::uint32_t number, const Operation& operation);
  bool exchange(RankState& rank, std::uint32_t number, const Operation& operation);
  bool probe(RankState& rank, std::uint32_t number, const Operation& operation);
  bool complete_one(RankState& rank, std::uint32_t number, trace::RequestId id);
  void gather(RankState& rank, std::span<const trace::RequestId> ids);
  bool complete_all(RankState& rank, std::uint32_t number, std::span<const trace::RequestId> ids);
  bool meet(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  void cancel(RankState& rank, trace::RequestId id);
  void cancel_receive(RankState& rank, Request& request);
  void cancel_send(RankState& rank, Request& request);
  void note_kept_message();
  void release(RankState& rank, trace::RequestId id);
  void resolve(RankState& rank, const Operation& operation);
  void finalize(RankState& rank, std::uint32_t number);

  /// True when a request's part can be taken; otherwise the rank waits for it.
  bool ready(RankState& rank, trace::RequestId id);
  bool has_message(RankState& rank, std::uint32_t channel, std::uint64_t ticket);
  bool is_complete(RankState& rank, std::uint32_t meeting);
  Message& message(Channel& channel, std::uint64_t ticket);
  void take_message(std::uint32_t number, Channel& channel, std::uint64_t ticket);
  void take_meeting(std::uint32_t number, std::uint32_t meeting);
  Incoming incoming(const Meeting& meeting) const;
  std::uint32_t arrive(RankState& rank, std::uint32_t number, const CollectiveCall& call);
  void all_came(std::uint32_t meeting);
  void close(std::uint32_t meeting);
  LinkClass collective_link(trace::CommunicatorId communicator);
  Request& start(RankState& rank, trace::RequestId id);
  void wake(std::uint32_t number);

  void learn_channel(int from, std::uint32_t number, WordReader& words);
  void receive_message(int from, std::uint32_t number, WordReader& words);
  void receive_unsend(Remote::Arriving& arriving, std::uint64_t ticket);
  void hand_in(std::uint32_t meeting);
  void combine(const MeetingId& id, const Partial& partial);
  void conclude(const MeetingId& id, const Partial& all);

  void finish(RankState& rank);
  trace::Rank world_rank(std::uint32_t number) const { return share_.begin + static_cast<trace::Rank>(number); }
  std::uint64_t action(const RankState& rank) const { return rank.actions_before + rank.position; }
  std::string where(std::uint32_t number) const;
  std::vector<Standing> standing() const;

  const trace::Source& source_;
  Network& network_;
  const ReplayOptions& options_;
  Remote* remote_;
  Share share_; ///< whose first rank is number 0 in what follows
  Communicators communicators_;
  Clocks clocks_;
  Channels channels_;
  Meetings meetings_;
  Compiler compiler_;
  std::vector<RankState> ranks_;
  Worklist worklist_;
  std::vector<std::optional<LinkClass>> collective_links_;
  std::size_t finished_ = 0;
  std::uint64_t actions_ = 0; ///< in blocks that are done
  std::set<std::string> notes_;
  std::optional<Attributor> attributor_; ///< only when asked for
  std::vector<Incoming> incoming_; ///< scratch of complete_all
};

} // namespace timeless::replay
