#pragma once

#include "replay/engine/clocks/cost_rows.h"
#include "replay/engine/matching/channels.h"
#include "replay/engine/matching/collective_matching.h"
#include "replay/engine/matching/communicators.h"
#include "replay/engine/program/calls.h"
#include "replay/engine/program/not_modelled.h"
#include "replay/engine/program/schedule.h"
#include "trace/model/action_block.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay {

/// What the engine does for an action.
enum class Step : std::uint8_t {
  compute,
  compute_in_kernel,      ///< a computation whose kernel matters, or has its own rate: factor()
  compute_beside_workers, ///< a computation in a block where worker threads computed, too
  skip_volume,
  workers, ///< the largest worker's volume: what exceeds the computation before it takes time
  send,    ///< `channel`, `row`; with a request when nonblocking
  receive, ///< waits on `receive_channel`
  post,    ///< a nonblocking receive on `receive_channel`
  // The same on the rendezvous path, where messages may wait for their receives:
  send_rendezvous,
  receive_rendezvous,
  post_rendezvous,
  post_wildcard,  ///< a nonblocking receive of unknown source or tag
  exchange,       ///< `channel` and `receive_channel`, either of which may be missing
  probe,          ///< waits for the next message of `receive_channel`
  complete,       ///< the requests of the action
  complete_one,   ///< one request
  collective,     ///< one that all members meet in at once: calls[call]
  start_instance, ///< a nonblocking collective
  schedule,       ///< a collective, step by step: schedules[call]
  start_schedule, ///< the same, nonblocking
  start_nothing,  ///< a request that completes at no cost
  one_sided,      ///< one_sided[call]
  file,           ///< files[call]
  cancel,
  release, ///< a freed request
  resolve, ///< tells what a wildcard receive has received
  nothing,
  finalize,
  invalid, ///< problems[call] says why
};

inline constexpr std::uint32_t no_channel = 0xffffffffU;

/// An action, with everything derived that does not change while its block is replayed.
struct alignas(64) Operation {
  Step step = Step::nothing;
  bool synchronous = false;           ///< a send that waits for its receive in all lanes
  Overhead overhead = Overhead::send; ///< which one a send pays
  std::uint32_t channel = no_channel;
  std::uint32_t receive_channel = no_channel;
  std::uint32_t touches = 0; ///< a channel it uses first, or any
  std::uint32_t row = 0;
  std::uint32_t call = 0;
  std::uint32_t requests = 0;      ///< how many `complete` has
  std::uint32_t first_request = 0; ///< of these, in Program::requests
  trace::RequestId request = trace::no_request;
  double bytes = 0;            ///< of a message; of a computation it stands for factor()
  double send_overhead = 0;    ///< seconds
  double receive_overhead = 0; ///< seconds, of the receiver of the message sent here

  /// Returns what a computation's volume is multiplied by.
  double factor() const { return bytes; }
};

/// A block's dictionary, derived.
struct Program {
  std::vector<Operation> operations; ///< by dictionary entry
  std::vector<CollectiveCall> calls;
  std::vector<std::shared_ptr<Schedule>> schedules; ///< of calls; null for those that all members meet in
  std::vector<OneSidedCall> one_sided;
  std::vector<FileCall> files;
  std::vector<trace::RequestId> requests;
  std::vector<std::string> problems;
  /// Dictionary entries that the model leaves something out of.
  std::vector<std::pair<std::uint32_t, Unmodelled>> unmodelled;
  bool threads = false;   ///< the dictionary names threads, or points where they meet
  bool workers = false;   ///< worker threads compute in this block, or one with the same dictionary
  std::uint64_t mark = 0; ///< of the dictionary it was derived from (ActionBlock::dictionary_mark)
};

/// Thrown when a replay meets a synchronous send off the rendezvous path: it must begin anew.
struct NeedsFullPath {};

/// Thrown where threads of a rank are to wait for cores and there are several lanes: in which order threads come to a
/// core is a matter of time, and so differs by lane.
struct NeedsOneLane {};

/// Derives operations from actions. An action that makes no sense becomes Step::invalid: it matters only if it is
/// reached.
class Compiler {
public:
  Compiler(const trace::Run& run, const Network& network, const Communicators& communicators, Channels& channels,
           CostRows& rows, bool rendezvous_path, const ReplayOptions& options);

  void compile(const trace::ActionBlock& block, trace::Rank rank, Program& program);
  /// Returns the channel of messages to a world rank from a member of the communicator. Throws Error(invalid_input)
  /// where there is none.
  std::uint32_t incoming_channel(trace::CommunicatorId communicator, trace::Rank from, trace::Tag tag,
                                 trace::Rank rank);
  /// Returns true when some action reaches a file system.
  bool uses_files() const { return uses_files_; }

private:
  Operation compile(const trace::Action& action, trace::Rank rank, Program& program);
  Operation compile_by_family(const trace::Action& action, trace::Rank rank, Program& program);
  static Operation completion(const trace::Action& action, Program& program);
  Operation computation(const trace::Action& action, const Program& program) const;
  Operation send(const trace::Action& action, trace::Rank rank);
  Operation receive(const trace::Action& action, trace::Rank rank);
  Operation exchange(const trace::Action& action, trace::Rank rank);
  Operation probe(const trace::Action& action, trace::Rank rank);
  Operation collective(const trace::Action& action, trace::Rank rank, Program& program);
  Operation creation(const trace::Action& action, trace::Rank rank, Program& program);
  /// Returns a call that all members make, of a kind whose own cost is not modelled: they meet as in a barrier.
  Operation synchronisation(const trace::Action& action, trace::Rank rank, Program& program);
  Operation one_sided(const trace::Action& action, trace::Rank rank, Program& program);
  Operation file(const trace::Action& action, trace::Rank rank, Program& program);
  Operation instance(const trace::Action& action, trace::ActionKind costs_as, trace::CommunicatorId on,
                     trace::Rank root, trace::Rank rank, Program& program);
  schedules::GroupPosition place_of(const Communicators::View& view, trace::Rank root) const;

  void set_target(OneSidedCall& call, const trace::Action& action, trace::Rank rank);
  void set_group(OneSidedCall& call, const trace::Action& action, trace::Rank rank);
  /// Notes what the model leaves out of the action being compiled.
  void not_modelled(Unmodelled what) { unmodelled_.push_back(what); }
  void set_send(Operation& operation, const trace::Action& action, trace::Rank rank, bool nonblocking);

  const trace::Run& run_;
  const Network& network_;
  const Communicators& communicators_;
  Channels& channels_;
  CostRows& rows_;
  bool rendezvous_path_;
  CollectiveModel collectives_;
  std::vector<Unmodelled> unmodelled_; ///< scratch: of the action being compiled
  bool uses_files_ = false;
  bool creation_; ///< making a communicator costs something
};

/// Returns a call that takes no time; its request, if it has one, is complete at once.
Operation nothing_but_request(const trace::Action& action);

} // namespace timeless::replay
