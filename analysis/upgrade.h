#pragma once

#include <optional>
#include <string>
#include <vector>

/// What changes of a machine are worth, and how sure that is.
namespace timeless::analysis {

/// A change of the machine a program runs on.
enum class ChangeKind {
  machine,      ///< another machine
  bandwidth,    ///< the same network with a multiple of its bandwidth
  latency,      ///< with a fraction of its latency
  network,      ///< both
  free_network, ///< communication takes no time: the limit of what any network can save
  processors,   ///< computation takes a fraction of its time
  balance,      ///< all ranks compute equally long, and wait for nobody
};

/// Whether something is worth having.
enum class Worth {
  pays,      ///< it saves what was asked for, at every rate of computation that is to be expected
  ruled_out, ///< it does not, at none of them
  undecided, ///< that depends on the rate
};
const char* name(Worth worth);

/// The part of the time that a change saves: 1 - (time with it) / (time without). Negative where it costs.
struct Saving {
  double expected = 0;
  double least = 0; ///< over the rates of computation that are to be expected
  double most = 0;
};

/// Returns the saving from times without and with a change: the first of each list at the rate that is expected, the
/// rest at other rates that are to be expected. Times that are not above 0 and finite save nothing.
Saving saving(const std::vector<double>& without, const std::vector<double>& with);

/// Whether a saving of at least `threshold` is to be had.
Worth worth(const Saving& saving, double threshold);

struct Change {
  ChangeKind kind = ChangeKind::machine;
  std::string name;   ///< of the machine
  double factor = 1;  ///< of bandwidth, or of the speed of processors; what latency is divided by
  double seconds = 0; ///< the makespan with it
  Saving saving;
  Worth worth = Worth::undecided;
};

enum class Confidence { low, medium, high };
const char* name(Confidence confidence);

/// What a verdict rests on.
struct Grounds {
  bool complete = true;            ///< the trace
  bool computes = true;            ///< computation was recorded
  bool rate_assumed = false;       ///< nobody has measured how fast the processors compute this program
  bool rate_changes_times = false; ///< times are known for several rates
  bool rate_fits = true;           ///< where rates were measured: they are of what this run computes
  bool exact = true;               ///< volumes
  double communication = 0;        ///< share of the critical path in latency and bytes
  bool contention_known = false;
  bool left_out = false;    ///< something of the trace is not modelled
  bool compared = true;     ///< with launches of the program (timeless validate)
  double contradiction = 0; ///< error of the makespan, where launches show that it is none of chance
};

/// How far to trust which changes pay, and why no further.
struct Trust {
  Confidence confidence = Confidence::high;
  std::vector<std::string> reasons; ///< one sentence each; empty where nothing is to be said against it
};
Trust trust(const Grounds& grounds, const std::vector<Change>& changes);

} // namespace timeless::analysis
