#pragma once

#include "tools/cli/cli11_fwd.h"
#include "tools/replaying/listing_options.h"
#include "tools/replaying/options/timeline_request.h"
#include "tools/replaying/prediction.h"

#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a person types after `timeless replay` or `timeless-mpi replay`.
struct ReplayRequest {
  PredictionOptions prediction;
  std::vector<std::string> jobs; ///< several runs at once, "run.tia@hostfile"
  ListingOptions listing;
  bool json = false;
  std::string latency = "x1";
  std::string bandwidth = "x1";
  std::string cpu = "x1";
  std::string backend = "model";
  std::string collectives = "mpich";
  std::string overlap = "latency-first";
  std::string ports = "none";
  std::string completions = "arrival";
  std::string clock = "own";
  std::string copies = "all";
  std::string creation = "allreduce";
  std::string eager_limit;
  std::string instruction_set = "best";
  std::string file_system;
  bool jump = false;         ///< over iterations that repeat
  bool every_action = false; ///< play them all the same
  bool strict = false;
  std::string by;
  std::string tolerance;
  std::vector<std::string> symbols; ///< directories
  TimelineRequest timeline;
  bool per_process = false; ///< of several
};

/// What a command replays in.
enum class Processes : bool {
  one,
  several, ///< neither SMPI nor threads, nor volumes in place of those recorded
};

/// Adds the argument and the options of a command that replays.
void add_replay_options(CLI::App& command, ReplayRequest& request, Processes processes);

// Parts of these, for other verbs that replay; each is a group of its own in the help.
void add_machine_options(CLI::App& command, ReplayRequest& request); ///< but for factors
void add_model_options(CLI::App& command, ReplayRequest& request);   ///< but for collectives and the eager limit
void add_running_options(CLI::App& command, ReplayRequest& request);

/// Reads the words of the request into its `prediction`. Throws Error(usage).
void read_words(ReplayRequest& request);

/// Predicts by predict(), or by another way to the same. That ranks wait for what was not recorded is no contradiction
/// in an incomplete trace: nothing can be said of it, and that is all (Failure::partial).
Prediction predict_as_far_as_known(const trace::Source& source, const PredictionOptions& asked,
                                   Prediction (*predict)(const trace::Source&, const PredictionOptions&));

/// Adds --clock to a verb that replays.
void add_clock_option(CLI::App& command, std::string& clock);
replay::StartClock chosen_clock(const std::string& clock);
/// Throws Error(usage) where clocks are to begin with recorded times, and these cannot be compared
/// (trace/model/clocks.h).
void require_clock(const trace::Run& run, replay::StartClock clock);

} // namespace timeless::tools
