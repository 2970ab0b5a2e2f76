#pragma once

#include "replay/result/full_links.h"
#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::analysis {

/// What stands for the number of a kernel: time before the first one, and the time of kernels that nobody told apart.
inline constexpr std::int64_t before_first_kernel = -1;
inline constexpr std::int64_t other_kernels = -2;

/// How long something took in one result: a kernel and the calls up to the next, or the calls of a kind.
struct TimedPart {
  std::string name;        ///< of a call; of a kernel where it begins and ends, when that is known
  std::uint64_t count = 0; ///< over all ranks
  double seconds = 0;      ///< mean over the ranks
};

/// A link that slowed messages down, and the messages by name of the kernel.
struct TimedLink {
  replay::FullLink link = {};
  std::map<std::string, double> kernels = {}; ///< seconds longer than alone, summed over the messages
};

/// A result to put beside another: a predicted one, or the time measured while the trace was taken.
struct TimedResult {
  std::string label;         ///< "run.json: SMPI on graphene"
  std::string trace;         ///< its path
  double makespan = 0;       ///< seconds
  std::vector<double> ranks; ///< when each ended, seconds
  /// By number, before_first_kernel or other_kernels. Nothing where nobody asked.
  std::optional<std::map<std::int64_t, TimedPart>> kernels;
  std::optional<std::map<std::string, TimedPart>> calls;
  std::optional<std::vector<TimedLink>> links; ///< those that slowed messages down most first; where it was simulated
  std::vector<std::string> notes;              ///< what its times leave out
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

/// How the times of two results differ.
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
