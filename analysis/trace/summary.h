#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace timeless::analysis {

/// Smallest, mean and largest of one figure per rank.
struct Spread {
  double least = 0;
  double mean = 0;
  double most = 0;
};

/// Returns the spread of values; all 0 when there are none.
Spread spread(const std::vector<double>& values);

/// How often a call occurs and what it carries, over all ranks.
struct CallSummary {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;          ///< sent, put, written, or given to a collective, by the callers
  std::uint64_t bytes_received = 0; ///< received, got or read by them; a collective counts among the given only, what
                                    ///< was cancelled not at all
};

/// What a run holds, in figures; volumes are in the run's unit.
struct Summary {
  std::uint64_t actions = 0;
  Spread actions_per_rank;
  Spread volume_per_rank;
  double volume = 0;
  double workers = 0; ///< what worker threads did, beside `volume`
  Spread workers_per_rank;
  Spread largest_worker_per_rank; ///< of each burst that of the worker that did most, summed over the bursts
  Spread threads_per_rank;        ///< that make calls
  std::uint64_t messages = 0;
  std::uint64_t message_bytes = 0;
  std::map<std::string, CallSummary> calls; ///< by MPI name, without "MPI_"
  std::map<std::string, std::uint64_t> unrecorded_calls;
};

/// Returns bytes that this rank of the run (of MPI_COMM_WORLD) sends by this action of its: its message, what it puts
/// into a window or a file, or gives to a collective (trace::collective_bytes).
trace::Bytes bytes_sent(const trace::Action& action, const trace::Run& run, trace::Rank rank);
/// Returns the bytes that an action receives, not counting collectives.
trace::Bytes bytes_received(const trace::Action& action);

/// Reads the whole run once, ranks that have cancelled something twice. `progress`, if given, is called now and then
/// with the actions read.
Summary summarise(const trace::Source& source, const std::function<void(std::uint64_t)>& progress = {});

} // namespace timeless::analysis
