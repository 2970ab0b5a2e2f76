#pragma once

#include "trace/archive/writer.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/model/run.h"
#include "tracer/record/rank/new_definitions.h"
#include "tracer/settings/settings.h"
#include "tracer/storage/block_queue.h"
#include "tracer/storage/journal.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tracer {

enum class CallId : std::uint16_t;

/// Returns how many full blocks may wait for what a receive receives; beyond, the receive is written with what it has
/// room for, and without a wildcard's source.
std::size_t blocks_held(const Settings& settings);

/// The file of a rank while it is recorded, and the journal beside it: what actions use stands in both before them.
class RankOutput {
public:
  /// Creates the file. The tables hold what is to be defined in it; all that is given must outlive this. Throws Error
  /// when the file cannot be, or is there already.
  RankOutput(const Settings& settings, int rank, CommunicatorTable& communicators, KernelTable& kernels,
             RegionTable& regions);

  /// Writes what the run is into the file, and begins the journal, which `blocks` are kept in from now on.
  void begin(trace::Definitions run, BlockQueue& blocks);
  /// Writes actions, and before them what they may use.
  void write(const trace::ActionBlock& block);
  /// Writes into the file what has been defined since the last time.
  void define_new();
  /// Counts a call that is not recorded as an action. May be called by a handler of signals.
  void count_unrecorded(CallId call);

  /// Returns the journal; null when there can be none here.
  Journal* journal() { return journal_.get(); }
  /// Gives the file the room that the journal does not need any more.
  void free_journal_room();
  void remove_journal();
  /// Removes the file and the journal: the run does not take place.
  void discard() noexcept;
  /// Writes the record of the rank, with these notes of what is short of the counter, and the index.
  void finish(const std::vector<std::string>& shortcomings);

  trace::RankRecord record; ///< for the file's end; its notes are also said to the user

private:
  void begin_journal(const trace::Definitions& run, BlockQueue& blocks);

  const Settings& settings_;
  const int rank_;
  trace::ArchiveWriter writer_;
  NewDefinitions new_definitions_;
  std::unique_ptr<Journal> journal_;
  std::vector<std::uint64_t> unrecorded_; ///< calls, by CallId
};

} // namespace timeless::tracer
