#pragma once

#include "trace/archive/writer.h"
#include "trace/run.h"
#include "tracer/block_queue.h"
#include "tracer/communicators.h"
#include "tracer/counters/counter.h"
#include "tracer/kernels.h"
#include "tracer/requests.h"
#include "tracer/settings.h"

#include <mpi.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace timeless::tracer {

class CallScope;

/// A message that a matched probe has taken, until it is received.
struct MatchedMessage {
  trace::CommunicatorId communicator = trace::no_communicator;
  trace::Rank peer = trace::no_rank;
  trace::Tag tag = 0;
  trace::Bytes bytes = 0;
};

/// Turns the MPI calls of this process into the actions of its rank's file. One per process.
///
/// Each action stands behind the computation before it, which is written as a compute action of its own when its volume
/// is above 0: the volume between the end of the last wrapper and the begin of this one, less the counter's skew. Calls
/// that record nothing (an unsuccessful MPI_Test, a receive from MPI_PROC_NULL) leave the computation around them in
/// one burst; the instructions inside MPI never count. What the program's worker threads did since the last burst
/// follows the computation as two actions of its kernel.
class Recorder {
public:
  /// Creates the rank's file. Throws Error when that cannot be.
  Recorder(const Settings& settings, ActiveCounter counter, int rank, int size);

  /// Writes what the run is into the file. To be called once all ranks have theirs.
  void begin(std::uint64_t run_identity);
  /// Removes the file again: the run does not take place.
  void discard() noexcept;
  void use_lock() { locked_ = true; }

  /// Makes this call the one that actions are recorded for, until the guard goes.
  [[nodiscard]] std::unique_lock<std::mutex> enter(CallScope& call);

  /// Records an action, and before it the computation that led to it. Nowhere while recording is switched off.
  Place append(const trace::Action& action, bool unsettled = false);
  /// Records an action that says something of a request already recorded, switched off or not.
  void append_of_recorded(const trace::Action& action);
  /// Counts a call by the name of the MPI function; it is not recorded as an action.
  void count_unrecorded();
  /// Switches recording off or on (MPI_Pcontrol). What is computed while it is off does not count.
  void pause(bool paused);
  bool paused() const { return paused_; }
  bool announced() const { return settings_.announced; }

  BlockQueue& blocks() { return blocks_; }
  CommunicatorTable& communicators() { return communicators_; }
  RequestTable& requests() { return requests_; }
  KernelTable& kernels() { return kernels_; }
  FlatMap<MatchedMessage>& messages() { return messages_; }

  /// The communicator with this handle; an unknown one is counted as unrecorded, and null.
  KnownCommunicator* communicator(MPI_Comm handle);

  /// Memory for the lists of the action being made; valid until the next of the same kind.
  std::vector<trace::Bytes>& counts() { return counts_; }
  std::vector<trace::Bytes>& receive_counts() { return receive_counts_; }
  std::vector<trace::RequestId>& completed() { return completed_; }

  /// Ends the file: with what is still held, why it ended, and the index. Never throws; says on stderr what it cannot
  /// do.
  void finish(trace::Ending ending, const std::string& reason) noexcept;
  /// The recorder itself has failed: stops recording, says so once.
  void fail(const char* reason) noexcept;

  /// The line that tells the user, at the end, that there is a trace.
  std::string summary() const;

  const Settings& settings() const { return settings_; }
  int rank() const { return rank_; }
  int process() const { return process_; }

private:
  void record_computation();
  /// Records what the worker threads did since the last burst, between these call sites.
  void record_workers(std::uint32_t begin, std::uint32_t end);
  void write(const trace::ActionBlock& block);
  void define_new();

  Settings settings_;
  ActiveCounter counter_;
  int rank_;
  int size_;
  int process_;
  trace::ArchiveWriter writer_;
  BlockQueue blocks_;
  CommunicatorTable communicators_;
  RequestTable requests_;
  KernelTable kernels_;
  FlatMap<MatchedMessage> messages_;
  trace::RankRecord record_;
  std::vector<std::uint64_t> unrecorded_; ///< calls, by CallId
  bool paused_;
  bool finished_ = false;
  bool failed_ = false;
  bool locked_ = false;
  std::mutex mutex_;
  CallScope* call_ = nullptr;
  std::vector<trace::Bytes> counts_;
  std::vector<trace::Bytes> receive_counts_;
  std::vector<trace::RequestId> completed_;
};

} // namespace timeless::tracer
