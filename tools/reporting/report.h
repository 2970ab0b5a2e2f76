#pragma once

#include "analysis/classification.h"
#include "analysis/statistics/quantiles.h"
#include "analysis/trace/size_histogram.h"
#include "analysis/trace/summary.h"
#include "analysis/trace/traffic_blocks.h"
#include "analysis/trust.h"
#include "tools/machines/named_networks.h"
#include "tools/replaying/prediction.h"
#include "tools/replaying/rate_range.h"
#include "tools/replaying/sweep/ending_limits.h"
#include "tools/replaying/sweep/sweeping.h"
#include "tools/reporting/path_window.h"
#include "tools/scaling/scaling_request.h"
#include "tools/symbols/kernel_listing.h"
#include "tools/validating/validation.h"

#include "trace/model/source.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a person asks of `timeless report`.
struct ReportRequest {
  std::vector<std::string> traces; ///< the first is the one that the report is about
  TraceFormat from;
  PresetMachineOptions machine{.networks = usual_networks};
  std::vector<std::string> platforms; ///< in place of networks
  bool smpi = false;                  ///< simulate the first platform and the fastest other one with contention, too
  std::string upgrades;               ///< a file of upgrades with prices; empty: none
  std::string validation;             ///< a file of `timeless validate --json`; empty: none
  double threshold = analysis::usual_worth; ///< the least saving that is worth having
  bool map = true;                          ///< whether Report::plane is wanted, which takes long
  std::vector<std::string> symbols;
  std::vector<std::string> question; ///< the command's words, without what says where its answer goes
  std::string command;               ///< that makes this report again
};

/// A machine of a report, as one of the configurations of Report::prediction.
struct ReportedMachine {
  std::string name;
  std::string description;                    ///< "e10g (10G Ethernet: 5 us, 10 Gb/s)"
  std::string in_short;                       ///< "10 Gb/s, 5 us"; empty where nothing is known, or the name says it
  std::string trust;                          ///< as of analysis::FiguresOf
  std::optional<NetworkFigures> figures;      ///< of a machine that has one latency and one bandwidth between nodes
  std::optional<analysis::Interval> interval; ///< of the makespan, over the rates that are to be expected
  std::optional<analysis::Classification> classification; ///< none where the machine deadlocks
  std::optional<analysis::Advice> advice;                 ///< likewise
};

/// How the time of the base machine changes with its network.
struct SweepCurve {
  enum class Of { bandwidth, latency, both };
  struct Point {
    double bandwidth = 1; ///< what it and the latency are multiplied by
    double latency = 1;
    double makespan = 0;
    replay::RankTimes mean;
  };
  Of of = Of::bandwidth;
  std::vector<Point> points; ///< the network is better with each
};

/// What bounds the program on networks around the base machine.
struct ClassPlane {
  std::vector<double> bandwidths; ///< factors of the base machine's, rising
  std::vector<double> latencies;  ///< likewise
  struct Cell {
    std::string name;                                        ///< the class; "deadlock" where the program does not end
    analysis::ChangeKind helps = analysis::ChangeKind::none; ///< at the rate that is taken
    double makespan = 0;
  };
  std::vector<Cell> cells; ///< by latency, then by bandwidth
  struct Mark {
    std::string name;
    double bandwidth = 1; ///< factor
    double latency = 1;
    bool platform = false; ///< one that comes with Timeless
  };
  std::vector<Mark> marks; ///< the report's machines, networks known by name, and platforms that come with Timeless

  const Cell& at(std::size_t bandwidth, std::size_t latency) const {
    return cells[latency * bandwidths.size() + bandwidth];
  }
};

/// The messages of a run.
struct ReportedMessages {
  std::vector<analysis::SizeClass> sizes;
  analysis::TrafficBlocks matrix;
  /// The same by node of the base machine, where ranks share nodes.
  std::optional<analysis::TrafficBlocks> node_matrix;
  std::vector<std::string> nodes;          ///< of node_matrix
  std::optional<trace::Bytes> eager_limit; ///< of the base machine, where it has one
};

/// A kernel on the base machine.
struct ReportedKernel {
  symbols::ListedKernel kernel;
  double seconds = 0;      ///< of computation on the base machine, over all ranks
  double path_seconds = 0; ///< on its critical path
  double rate = 0;         ///< units per second that the replay took; 0 where it took no time
  /// Seconds of a rank on the base machine: the means of up to `most_rank_groups` groups of consecutive ranks.
  std::vector<double> by_ranks;
};
inline constexpr std::size_t most_rank_groups = 32;

/// A change of the machine, and how far its saving may be trusted.
struct ReportedAnswer {
  analysis::Change change;
  analysis::Trust trust;
};

/// What changes of the machines are worth to a run.
struct RunAnswers {
  std::string refusal;                    ///< why there are none: analysis::nothing_to_judge_by(); else empty
  std::vector<ReportedAnswer> answers;    ///< other machines first, in their order
  std::vector<MachineDeadlock> deadlocks; ///< on other machines than the base

  /// Returns the answer to the first question of that kind; null where it was not asked.
  const ReportedAnswer* find(analysis::ChangeKind kind) const;
  /// Returns the other machine that saves most; null where there is none.
  const ReportedAnswer* best_machine() const;
  /// Returns the answers that the verdict's sentence is made of: the other machine that saves most, where there is none
  /// a better network; and faster processors. Each has its own confidence.
  std::vector<const ReportedAnswer*> claims() const;
};

/// One of the runs that a report was given.
struct ReportedTrace {
  std::string trace;
  std::string program; ///< as of analysis::program_names()
  trace::Rank ranks = 0;
  std::string incompleteness;            ///< empty: none
  std::vector<replay::LaneResult> lanes; ///< by machine
  /// On the base machine; none where the run deadlocks there.
  std::optional<analysis::Classification> classification;
  std::optional<analysis::Advice> advice;
  std::optional<MachineDeadlock> deadlock; ///< there, where it does
  ComputeBasis compute;                    ///< there
  RunAnswers weighed;
};

/// The answers of the run that the report is about.
struct ReportVerdict : RunAnswers {
  double threshold = 0;
  std::string next_command;
  std::string next_reason; ///< why that
  std::string next_report; ///< the command that makes this report with what that finds; empty: none
};

/// All that a report says.
struct Report {
  ReportRequest asked;
  std::shared_ptr<const trace::Source> source;
  Prediction prediction; ///< a configuration for each machine
  std::vector<ReportedMachine> machines;
  std::size_t base = 0; ///< the first machine on which the program ends
  RateRange rates;      ///< that are to be expected
  ReportVerdict verdict;
  std::optional<SweepPrediction> upgrades; ///< of the base machine, where a file of them was given
  std::vector<SweepCurve> curves;
  std::optional<ClassPlane> plane;      ///< where it is wanted, and the network is used
  std::vector<ReportedTrace> traces;    ///< by program, in the order given, then by rising number of ranks
  std::optional<ScalingAnswer> scaling; ///< of `traces`, where they are of three or more numbers of ranks
  std::size_t about = 0;                ///< in `traces`: the first that was given, which the rest is about
  analysis::Summary summary;
  std::vector<ReportedKernel> kernels; ///< those that compute longest, first: more than a page shows
  std::size_t kernel_count = 0;        ///< of those in which anything is computed
  std::vector<std::string> symbol_notices;
  ReportedMessages messages;
  std::optional<PathWindow> window;
  std::optional<Prediction> smpi; ///< of the base machine, and of `simulated_other`
  /// In `machines`: the fastest other one, where SMPI was asked.
  std::optional<std::size_t> simulated_other;
  std::optional<Validation> validation; ///< that was given
  bool validates = false;               ///< it is of this program, its ranks and the base machine: it counts
  std::vector<std::string> warnings;    ///< of what was given and does not fit
  std::vector<std::string> notes;       ///< what is missing from the report, and why

  const trace::Run& run() const { return source->run(); }
  const replay::LaneResult& lane(std::size_t machine) const { return prediction.result.lanes[machine]; }
  const replay::LaneResult& base_lane() const { return lane(base); }
  /// Returns what contention costs on the base machine, or on simulated_other; null where that is not known.
  const analysis::Contention* contention(std::size_t machine) const;
  /// Returns what simulated_other saves in SMPI, as a part of the base machine's time; nothing where it is not known.
  std::optional<double> simulated_saving() const;
  /// Returns what was predicted of the base machine beside launches there; null where nothing counts.
  const ValidatedPrediction* launched() const;
};

/// Replays and reads all that a report needs. Throws Error(usage) for options that contradict each other, and as
/// open_trace() and predict() do.
Report assemble(ReportRequest request);

} // namespace timeless::tools
