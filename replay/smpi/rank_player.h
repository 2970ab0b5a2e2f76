#pragma once

#include "replay/smpi/stage.h"
#include "trace/error.h"
#include "trace/source.h"

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

/// Plays one rank's actions inside its SimGrid actor.
class RankPlayer {
public:
  RankPlayer(Stage& stage, trace::Rank rank) : stage_(stage), rank_(rank) {}

  /// The actor's body. Where SMPI refuses a call, the child ends with the Error at once: no exception unwinds an
  /// actor's stack, which sanitizers take for corruption.
  void play();

  bool finished() const { return finished_; }
  double end() const { return end_; } ///< of its last action that has ended, in seconds since the common start
  std::uint64_t actions() const { return ordinal_; }
  /// Where the rank is: "rank 3, action 17: Recv from 2 with tag 5".
  std::string position() const;
  /// By kernel, or no_subject before the first; where Stage::attribute_kernels.
  const std::map<std::uint32_t, TimedSubject>& kernels() const { return kernels_; }
  /// By MPI name, "computation" among them; where Stage::attribute_calls.
  const std::map<std::string, TimedSubject>& calls() const { return calls_; }

private:
  struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
    trace::Bytes element;
    int count(trace::Bytes bytes) const { return count_of(bytes, element); }
  };
  /// A communicator of the run, in SMPI.
  struct Circle {
    MPI_Comm whole = MPI_COMM_NULL; ///< its members; those of both groups of an intercommunicator
    MPI_Comm aside = MPI_COMM_NULL; ///< the same once more, for messages that are not the program's own
    MPI_Comm group = MPI_COMM_NULL; ///< of an intercommunicator: this rank's group
    std::vector<int> remote;        ///< of an intercommunicator: the other group's places in the whole
    int size = 0;                   ///< of the whole
    bool inter() const { return group != MPI_COMM_NULL; }
  };
  /// Bytes on their way to or from a file.
  struct FileTransfer {
    simgrid::s4u::IoPtr disk = nullptr; ///< where the host has one
    double until = 0;                   ///< where it has none: when they are there, simulated seconds
    bool meeting = false;               ///< a collective call: the members' meeting says when it began
    std::pair<trace::CommunicatorId, std::uint64_t> members{};
    trace::Bytes bytes = 0;
    MPI_Request arrival = MPI_REQUEST_NULL; ///< done when all members have come
  };
  /// What a request of the program stands for.
  struct Pending {
    MPI_Request request = MPI_REQUEST_NULL;
    bool persistent = false; ///< made by an _init call
    std::vector<MPI_Request> parts;
    std::optional<FileTransfer> file;
  };
  using MessageKey = std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>;

  void prepare();
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

  bool taken_early(const trace::Action& action);
  const trace::Amendment* amendment() const;
  const Circle& circle(trace::CommunicatorId id) const;
  MPI_Comm communicator(trace::CommunicatorId id) const { return circle(id).whole; }
  /// The place in the whole communicator of a rank that an action names.
  int place(const trace::Action& action, trace::Rank rank) const;
  int rank_in(MPI_Comm communicator) const;
  Pending& slot(trace::RequestId id);
  Elements elements(trace::Bytes bytes, trace::Bytes times = 1);
  Elements elements_without_room(trace::Bytes bytes, trace::Bytes times);
  Elements room_for(trace::Bytes bytes);
  Reduction reduction_of(const trace::Action& action);
  void wait_for(std::vector<MPI_Request>& parts, const trace::Action& action);
  void check(int code, const trace::Action& action) const;
  [[noreturn]] void fail(const Error& error) const { stage_.report->fail(error); }

  Stage& stage_;
  trace::Rank rank_;
  double start_ = 0; ///< simulated time of the common start
  std::unordered_map<trace::CommunicatorId, Circle> communicators_;
  std::unordered_map<trace::CommunicatorId, MPI_Win> windows_;
  std::map<std::pair<trace::CommunicatorId, trace::Rank>, bool> locked_; ///< targets; any_rank: all
  std::unordered_map<trace::RequestId, Pending> requests_;
  std::vector<MPI_Request> unfinished_; ///< freed by the program while under way
  std::vector<MPI_Request> scratch_;
  std::map<MessageKey, std::uint32_t> early_; ///< messages a probe has taken ahead of their receive
  std::unordered_map<trace::CommunicatorId, std::uint64_t> file_calls_;     ///< collective ones so far
  std::unordered_map<trace::CommunicatorId, FileTransfer> split_transfers_; ///< begun and not ended
  double file_port_free_ = 0; ///< when the rank's earlier transfers have passed, where hosts have no disks
  MPI_Op user_operation_ = MPI_OP_NULL;
  MPI_Op ordered_operation_ = MPI_OP_NULL;
  /// What the rank is at, kept beyond its actor: a host that fails takes that, and its stack, away.
  std::unique_ptr<trace::RankStream> stream_;
  trace::ActionBlock block_;
  const trace::Action* current_ = nullptr; ///< in block_
  std::uint64_t ordinal_ = 0;
  std::uint64_t last_computation_ = 0; ///< the volume of the action before, when that was a computation
  std::uint32_t kernel_ = 0xffffffffU; ///< the one computed last (no_subject: none)
  std::map<std::uint32_t, TimedSubject> kernels_;
  std::map<std::string, TimedSubject> calls_;
  bool finished_ = false;
  double end_ = 0;
};

} // namespace timeless::replay::smpi
