#pragma once

#include "trace/model/source.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// How long something took in one result: a kernel and the calls up to the next, or the calls of a kind.
struct TimedPart {
  std::string name;        ///< of a call; of a kernel where it begins and ends, when that is known
  std::uint64_t count = 0; ///< over all ranks
  double seconds = 0;      ///< mean over the ranks
};

/// A result to put beside another: a predicted one, or the time measured while the trace was taken.
struct TimedResult {
  std::string label;         ///< "run.json: SMPI on graphene"
  std::string trace;         ///< its path
  double makespan = 0;       ///< seconds
  std::vector<double> ranks; ///< when each ended, seconds
  /// By number; -1 before the first kernel, -2 for those nobody told apart. Nothing where nobody asked.
  std::optional<std::map<std::int64_t, TimedPart>> kernels;
  std::optional<std::map<std::string, TimedPart>> calls;
  std::vector<std::string> notes; ///< what its times leave out
  /// What computation was taken to cost, where the result says so: units per second of the slowest and the fastest rank
  /// (0: no rate), and where that comes from ("--compute-rate", "platform", "assumption", ...).
  struct Rate {
    std::string from;
    double least = 0;
    double most = 0;
  };
  std::optional<Rate> rate;
  /// What processors' overheads rest on ("measured", "assumed", ...); empty where the result does not say.
  std::string overheads;
};

/// Returns a configuration of a result of `timeless replay --json`: by its name or its number, the first when `wanted`
/// is empty.
///
/// Of a result of several jobs `wanted` is a job, by its trace's file name or its number (1 for the first), alone
/// or with a configuration behind an '@' ("cg.tia@alone", "2@alone"); empty for all jobs as they ran together, whose
/// ranks are those of the first job, then those of the next.
///
/// `file` is for messages. Throws Error(invalid_input) for what is no such result, Error(usage) when it has no such job
/// or configuration, or one that came to no end.
TimedResult timed_result(const nlohmann::json& answer, const std::string& wanted, const std::string& file);

/// Returns the times recorded with a trace. A rank's kernel lasts from its computation to the next one, and includes
/// what the recorder did meanwhile. Reads the run once. Throws Error(invalid_input) when no times were recorded.
TimedResult measured_result(const trace::Source& source, const std::string& file,
                            const std::function<void(std::uint64_t)>& progress = {});

/// Something in both results. What only one of them has took no time in the other.
struct ComparedTime {
  std::string name;
  double first = 0;  ///< seconds
  double second = 0; ///< seconds
  double difference() const { return second - first; }
};

struct Comparison {
  ComparedTime makespan;
  std::vector<ComparedTime> ranks;   ///< by rank; empty when the results have not the same number of them
  std::vector<ComparedTime> kernels; ///< those that differ most first; empty unless both results have them
  std::vector<ComparedTime> calls;   ///< likewise
  std::vector<std::string> notes;    ///< what could not be compared, and why
};

/// Compares two results. Kernels are the same when they begin and end at the same places, and where a result does not
/// name these, when their numbers are.
Comparison compare(const TimedResult& first, const TimedResult& second);

} // namespace timeless::analysis
