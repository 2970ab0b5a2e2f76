#pragma once

#include "base/error.h"
#include "replay/smpi/rank_state.h"
#include "replay/smpi/stage.h"
#include "replay/smpi/thread_team.h"
#include "trace/model/source.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

/// The part of a rank's time that went into one kind of call, or into one kernel.
struct TimedSubject {
  std::uint64_t count = 0;
  double seconds = 0;
};

/// What had become of a thread's time when it gave a signal.
struct Passed {
  double when = 0;
  std::map<std::uint32_t, TimedSubject> kernels;
  std::map<std::string, TimedSubject> calls;
};

/// Plays one rank's actions inside its SimGrid actor; of a rank with several threads, the first one's, and others play
/// the others'.
class RankPlayer {
public:
  RankPlayer(Stage& stage, trace::Rank rank) : stage_(stage), rank_(rank) {}
  /// Another thread of the rank, at this place in the team.
  RankPlayer(const RankPlayer& first, ThreadTeam& team, std::uint32_t thread)
      : stage_(first.stage_), rank_(first.rank_), thread_(thread), of_(&team), start_(first.start_), own_(first.own_) {}

  /// The actor's body. Where SMPI refuses a call, the child ends with the Error at once: no exception unwinds an
  /// actor's stack, which sanitizers take for corruption.
  void play();
  /// The actions that the team has for its thread.
  void follow(ThreadTeam& team);

  trace::Rank rank() const { return rank_; }
  bool finished() const { return finished_; }
  double end() const; ///< of its last action that has ended, in seconds since the common start
  std::uint64_t actions() const;
  /// Where the rank is: "rank 3, action 17: Recv from 2 with tag 5".
  std::string position() const;
  /// By kernel, or no_subject before the first; where Stage::attribute_kernels. The time is that of the thread that
  /// ends last, and before a moment at which it waited for another thread's signal that of the other.
  std::map<std::uint32_t, TimedSubject> kernels() const { return of_all_threads(&RankPlayer::kernels_); }
  /// By MPI name, "computation" among them; where Stage::attribute_calls. As kernels().
  std::map<std::string, TimedSubject> calls() const { return of_all_threads(&RankPlayer::calls_); }

  /// What SMPI is told of the next message that the rank sends or receives, in a run with several threads.
  MessageTags number_messages(const trace::Action& action, std::uint64_t ordinal);

private:
  struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
    trace::Bytes element;
    int count(trace::Bytes bytes) const { return count_of(bytes, element); }
  };

  void prepare();
  void play_alone();
  void play_in_team();
  void play_one(const trace::Action& action, std::uint64_t volume);
  void take_over(const std::vector<Need>& needs, double before);
  std::string own_position() const;
  std::vector<const RankPlayer*> all_threads() const;
  template <typename Subjects>
  Subjects of_all_threads(Subjects RankPlayer::*subjects) const;
  void lend_buffers();
  void make_communicators();
  void make_window(trace::CommunicatorId id, const Circle& circle);
  void perform(const trace::Action& action, std::uint64_t volume);
  void attribute(const trace::Action& action, double seconds);
  void compute(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);
  void point_to_point(const trace::Action& action);
  void send(const trace::Action& action);
  void start_send(const trace::Action& action);
  void receive(trace::Action action);
  void exchange(const trace::Action& action);
  void await_message(const trace::Action& action);
  void complete(std::span<const trace::RequestId> ids);
  void forget(Pending& pending);
  void forget(trace::RequestId id);
  void create_communicator(const trace::Action& action);

  void collective(const trace::Action& action);
  void collective_of_one_group(const trace::Action& action, MPI_Comm comm, MPI_Request* request);
  void reduction(const trace::Action& action, MPI_Comm comm, MPI_Request* request);
  void vector_collective(const trace::Action& action, MPI_Comm comm, MPI_Request* request);
  void all_to_all_of_any_size(const trace::Action& action, MPI_Comm comm, MPI_Request* request);

  void start_barrier(const trace::Action& action, MPI_Comm comm, MPI_Request* request);

  void neighborhood(const trace::Action& action);
  void between_groups(const trace::Action& action);
  void between_groups_nonblocking(const trace::Action& action);
  void rooted_messages(const trace::Action& action, std::vector<MPI_Request>& parts);
  void each_with_each(const trace::Action& action, std::vector<MPI_Request>& parts);
  void exchange_of_leaders(const trace::Action& action, trace::Bytes out, trace::Bytes in);
  void send_aside(const trace::Action& action, int to, trace::Bytes bytes, std::vector<MPI_Request>& parts);
  void receive_aside(const trace::Action& action, int from, trace::Bytes bytes, std::vector<MPI_Request>& parts);

  void window(const trace::Action& action);
  void epoch(const trace::Action& action);
  void one_sided(const trace::Action& action);
  void atomic(const trace::Action& action, MPI_Win win, MPI_Request* request);
  MPI_Win window_of(const trace::Action& action) const;
  MPI_Group group_of(const trace::Action& action) const;

  void file(const trace::Action& action);
  void file_collective(const trace::Action& action);
  FileTransfer meet_at_file(const trace::Action& action, bool waits);
  void start_transfer(FileTransfer& transfer, trace::Bytes read, trace::Bytes written);
  void finish(FileTransfer& transfer);

  bool taken_early(const RankState::MessageKey& message);
  const trace::RequestOutcome* request_outcome() const;
  const Circle& circle(trace::CommunicatorId id) const;
  MPI_Comm communicator(trace::CommunicatorId id) const { return circle(id).whole; }
  /// The place in the whole communicator of a rank that an action names.
  int place(const trace::Action& action, trace::Rank rank) const;
  int rank_in(MPI_Comm communicator) const;
  Pending& slot(trace::RequestId id);
  void find_pending(std::span<const trace::RequestId> ids);
  MessageTags recorded_tags(const trace::Action& action) const;
  Elements elements(trace::Bytes bytes, trace::Bytes times = 1);
  Elements elements_without_room(trace::Bytes bytes, trace::Bytes times);
  Elements room_for(trace::Bytes bytes);
  Reduction reduction_of(const trace::Action& action);
  void wait_for(std::vector<MPI_Request>& parts, const trace::Action& action);
  void check(int code, const trace::Action& action) const;
  [[noreturn]] void fail(const Error& error) const { stage_.report->fail(error); }

  Stage& stage_;
  trace::Rank rank_;
  std::uint32_t thread_ = 0;         ///< its place in the team
  ThreadTeam* of_ = nullptr;         ///< of a rank with several threads
  std::unique_ptr<ThreadTeam> team_; ///< the same, where it is the first of them
  double start_ = 0;                 ///< simulated time of the common start
  double file_port_free_ = 0;        ///< when the thread's earlier transfers have passed, where hosts have no disks
  std::shared_ptr<RankState> own_ = std::make_shared<RankState>(); ///< of all threads of the rank
  const Ties* ties_ = nullptr;    ///< of the action that is played, in a rank with several threads
  MessageTags tags_;              ///< likewise, of a message in any rank
  std::vector<Pending*> pending_; ///< that a completion is about
  std::vector<MPI_Request> scratch_;
  /// What the rank is at, kept beyond its actor: a host that fails takes that, and its stack, away.
  std::unique_ptr<trace::RankStream> stream_;
  trace::ActionBlock block_;
  const trace::Action* current_ = nullptr; ///< in block_
  std::uint64_t ordinal_ = 0;              ///< its number among the rank's
  std::uint64_t actions_ = 0;              ///< that have ended
  std::uint64_t last_computation_ = 0;     ///< the volume of the action before, when that was a computation
  std::uint32_t kernel_ = 0xffffffffU;     ///< the one computed last (no_subject: none)
  std::map<std::uint32_t, TimedSubject> kernels_;
  std::map<std::string, TimedSubject> calls_;
  bool finished_ = false;
  double end_ = 0;
};

template <typename Subjects>
Subjects RankPlayer::of_all_threads(Subjects RankPlayer::*subjects) const {
  Subjects all;
  const RankPlayer* last = this;
  for (const RankPlayer* player : all_threads()) {
    if (player->end_ > last->end_) last = player;
    for (const auto& [subject, timed] : player->*subjects)
      all[subject].count += timed.count;
  }
  for (const auto& [subject, timed] : last->*subjects)
    all[subject].seconds = timed.seconds;
  return all;
}

} // namespace timeless::replay::smpi
