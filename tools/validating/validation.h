#pragma once

#include "analysis/validation.h"
#include "tools/calibrating/noise.h"
#include "tools/replaying/prediction.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// Predictions beside measurements of the same command.
namespace timeless::tools {

/// What a person asks of `timeless validate`.
struct ValidationRequest {
  PredictionOptions machine;        ///< networks or one platform, rates, mapping
  std::vector<std::string> command; ///< empty: `from` holds what was recorded and launched
  std::string trace = {};           ///< what is predicted; empty: recorded by the command
  int launches = 5;
  std::chrono::seconds limit = std::chrono::hours(1); ///< of a launch
  std::filesystem::path keep = {};                    ///< where recordings stay; empty: nowhere
  std::filesystem::path from = {};                    ///< where those of an earlier validation stayed
};

/// What kind of prediction it is, by what it knew beforehand.
enum class PredictionKind : std::uint8_t {
  assumption,       ///< no rate was measured
  self_consistency, ///< rates of the same program and input on the same machine
  re_prediction,    ///< of another input or build on the same machine
  prediction,       ///< of another machine, or another number of ranks
};
/// Returns "self-consistency" and so on.
const char* name(PredictionKind kind);

/// A kernel or a call.
struct ValidatedPart {
  std::string name;             ///< of a kernel its number
  std::string places = {};      ///< where a kernel begins and ends; empty of a call
  analysis::ValidatedTime time; ///< mean over ranks
};

/// One prediction of the command, by one backend on one machine.
struct ValidatedPrediction {
  std::string backend; ///< "model" or "smpi"
  std::string machine;
  std::string mapping; ///< where its ranks were, as Prediction::mapping_sentence; empty: not known
  analysis::ValidatedTime makespan;
  analysis::ValidatedTime computing;     ///< mean over ranks
  analysis::ValidatedTime communication; ///< mean over ranks: all that is no computing
  /// The makespan if the launches' own computations are replayed on the same network: what is wrong then, the network
  /// is. The rest of the error is that of computation.
  std::optional<analysis::ValidatedTime> measured_computation = {};
  /// The mean end of ranks if they computed as predicted and communicated as long as measured: a sum, in which nobody
  /// waits more or less because of it.
  analysis::ValidatedTime measured_communication;
  std::vector<ValidatedPart> calls;   ///< those that take longest, first
  std::vector<ValidatedPart> kernels; ///< likewise
  std::vector<std::string> notes;
};

/// Predictions of a program beside its launches.
struct Validation {
  std::string command;
  std::string program; ///< the file's name of what was launched
  PredictionKind kind = PredictionKind::assumption;
  std::string why; ///< a sentence
  std::string compute;
  std::string interval_by = "its rates"; ///< what predicted intervals are by; "its costs": those of a machine
  trace::Rank ranks = 0;
  std::vector<double> makespans; ///< of the launches, in their order
  std::optional<Noise> noise;    ///< of the host that launched, before it did; nothing: not kept
  /// Seconds that a rank of a launch spent in tests and probes that found nothing: a part of `communication`.
  double polling = 0;
  std::vector<ValidatedPrediction> predictions;
  std::vector<std::string> notes;
};

/// Records what the command computes, predicts how long it takes, and launches it to see. Nothing that was measured in
/// these launches goes into the prediction. Throws Error(usage) where machine or rates are missing, naming the commands
/// that make them, Error(invalid_input) where the trace is of another program or input than the launches, and as
/// launch(), LaunchDirectory::fill() and predict() do.
Validation validate(const ValidationRequest& request);

} // namespace timeless::tools
