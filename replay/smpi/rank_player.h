#pragma once

#include "replay/platform/simgrid_process.h"
#include "replay/smpi/trace_scan.h"
#include "trace/error.h"
#include "trace/source.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace timeless::replay::smpi {

/// What the players of a run share.
struct Stage {
  const trace::Source* source = nullptr;
  const TraceScan* scan = nullptr;
  const char* instance = nullptr;                                   ///< SMPI's name for the run
  std::vector<double> flops_per_unit;                               ///< by rank
  std::vector<double> kernel_factors;                               ///< by kernel; 1 for those that are not there
  std::vector<std::vector<trace::CommunicatorId>> communicators_of; ///< by rank, those used, rising
  bool prepare_collectives_for_nodes = false; ///< make the node-wise groups that some of SMPI's collectives want
  simgrid::s4u::BarrierPtr curtain;           ///< all ranks start together, and leave together
  char* send_area = nullptr;                  ///< addresses to name; SMPI copies nothing while replaying
  char* receive_area = nullptr;
  std::function<void()> action_done;
  const ChildReport* report = nullptr; ///< where a player that cannot go on ends the child
};

/// Plays one rank's actions inside its SimGrid actor.
class RankPlayer {
public:
  RankPlayer(Stage& stage, trace::Rank rank) : stage_(stage), rank_(rank) {}

  /// The actor's body. Where SMPI refuses a call, the child ends with the Error at once: no exception unwinds an
  /// actor's stack, which sanitizers take for corruption.
  void play();

  bool finished() const { return finished_; }
  double end() const { return end_; } ///< seconds since the common start
  std::uint64_t actions() const { return ordinal_; }
  /// Where the rank is: "rank 3, action 17: Recv from 2 with tag 5".
  std::string position() const;

private:
  struct Payload {
    int count;
    MPI_Datatype type;
  };
  struct Reduction {
    MPI_Datatype type;
    MPI_Op op;
    trace::Bytes element;
    int count(trace::Bytes bytes) const { return static_cast<int>((bytes + element - 1) / element); }
  };
  using MessageKey = std::tuple<trace::CommunicatorId, trace::Rank, trace::Tag>;

  void prepare();
  void perform(const trace::Action& action, std::uint64_t volume);
  void compute(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);
  void send(const trace::Action& action);
  void start_send(const trace::Action& action);
  void receive(trace::Action action);
  void exchange(const trace::Action& action);
  void await_message(const trace::Action& action);
  void complete(std::span<const trace::RequestId> ids);
  void forget(trace::RequestId id);
  void collective(const trace::Action& action);
  void reduction(const trace::Action& action, MPI_Request* request);
  void vector_collective(const trace::Action& action, MPI_Request* request);
  void create_communicator(const trace::Action& action);

  bool taken_early(const trace::Action& action);
  const Amendment* amendment() const;
  MPI_Comm communicator(trace::CommunicatorId id) const;
  int rank_in(MPI_Comm communicator) const;
  MPI_Request& slot(trace::RequestId id);
  static Payload payload(trace::Bytes bytes);
  Reduction reduction_of(const trace::Action& action);
  MPI_Datatype type_of_size(trace::Bytes bytes);
  void check(int code, const trace::Action& action) const;
  [[noreturn]] void fail(const Error& error) const { stage_.report->fail(error); }

  Stage& stage_;
  trace::Rank rank_;
  std::unordered_map<trace::CommunicatorId, MPI_Comm> communicators_;
  std::vector<MPI_Request> requests_;   ///< by RequestId
  std::vector<MPI_Request> unfinished_; ///< freed by the program while under way
  std::vector<bool> persistent_;        ///< by RequestId: made by an _init call
  std::vector<MPI_Request> scratch_;
  std::map<MessageKey, std::uint32_t> early_; ///< messages a probe has taken ahead of their receive
  std::map<trace::Bytes, MPI_Datatype> types_;
  MPI_Op user_operation_ = MPI_OP_NULL;
  MPI_Op ordered_operation_ = MPI_OP_NULL;
  const trace::Action* current_ = nullptr;
  std::uint64_t ordinal_ = 0;
  std::uint64_t last_computation_ = 0; ///< the volume of the action before, when that was a computation
  bool finished_ = false;
  double end_ = 0;
};

} // namespace timeless::replay::smpi
