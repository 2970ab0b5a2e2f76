#pragma once

#include "analysis/contention.h"
#include "analysis/critical_path.h"
#include "analysis/statistics/quantiles.h"
#include "analysis/sweep/cost_search.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_format.h"
#include "tools/machines/preset_machine.h"
#include "tools/replaying/written_timeline.h"
#include "tools/symbols/kernel_places.h"

#include "replay/distributed/process_work.h"
#include "replay/network/presets.h"
#include "replay/replay.h"
#include "replay/result/result.h"
#include "trace/model/source.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// What replays: the built-in model, or SimGrid.
enum class Backend : std::uint8_t { model, smpi };

/// What a person asks of `timeless replay`: what the replay itself is asked, and of which machines. `critical_path` is
/// that of the first configuration that ends.
struct PredictionOptions : replay::ReplayOptions {
  PredictionOptions() { threads = 0; }

  std::string trace;                  ///< its path, for messages
  TraceFormat from;                   ///< its format
  PresetMachineOptions machine;       ///< networks by name, mapping, hostfile, compute rate
  std::vector<std::string> platforms; ///< files, or names of those that come with Timeless; none with networks
  std::vector<std::string> settings;  ///< SimGrid's own, "KEY:VALUE", on top of those of the platform
  Backend backend = Backend::model;
  std::vector<double> latency{1}; ///< factors; every combination with the next two is one configuration
  std::vector<double> bandwidth{1};
  std::vector<double> compute{1};
  std::optional<double> memory_copy_rate; ///< bytes per second; 0: copies are free
  std::vector<double> tolerance; ///< growths of the makespan whose latency, bandwidth and computation are looked for
  /// What replays: in this process, or in several.
  std::function<replay::Result(const trace::Source&, const replay::Network&, const replay::ReplayOptions&)> replay =
      replay::replay;
};

/// Returns what Result::incast says, where that is worth a reader's time; else empty.
std::string incast_note(const replay::Result& result);

/// A predicted time per configuration, and all that a reader must know to judge it.
struct Prediction {
  replay::Result result;
  std::string machine; ///< "graphene (/usr/share/.../graphene.xml)", "networks e1g, qdr"
  std::string mapping_sentence;
  std::vector<MachineBasis> bases; ///< of each machine, which have equally many of the lanes, one after the other
  std::vector<std::string> notes;
  std::vector<analysis::LaneTolerance> tolerances; ///< by configuration, where asked for
  /// By configuration, in seconds: the makespans by the launches that the rates are from; empty where they are not
  /// measured.
  std::vector<analysis::Interval> intervals;
  std::optional<analysis::CriticalPath> critical_path; ///< of the first configuration that ends, where asked for
  std::size_t critical_path_lane = 0;                  ///< which that is
  std::vector<double> cpu_seconds;                     ///< SMPI: of the simulation, by configuration
  std::vector<replay::ProcessWork> processes;          ///< what each of several did, where asked for
  /// SMPI: what it takes longer than the model, by configuration; nothing where the model does not come to its end.
  std::vector<std::optional<analysis::Contention>> contentions;
  std::optional<WrittenTimeline> timeline;
  symbols::KernelEndsById kernels; ///< of those that the answers name, where that was asked for
};

/// Replays the run as asked. Throws Error(usage) for options that contradict each other.
/// Defined in platform_prediction.cpp, with all that needs SimGrid.
Prediction predict(const trace::Source& source, const PredictionOptions& options);
/// Predicts where there are networks and no platform. Needs no SimGrid.
Prediction predict_on_networks(const trace::Source& source, const PredictionOptions& options);

/// Returns the files that a prediction rests on: trace, platform, networks, hosts and rates.
std::vector<std::filesystem::path> files_read(const PredictionOptions& asked, const trace::Source& source);
/// Throws Error(usage) where one of the options' settings names one of those files: SimGrid writes to the file of
/// tracing/filename, as soon as it loads a platform.
void demand_settings_apart(const PredictionOptions& options, const trace::Source& source);

/// Returns one for each combination of factors.
std::vector<replay::Scaling> scalings(const PredictionOptions& options);
/// Returns what the replay itself must know of them; tells `progress` how far it is.
replay::ReplayOptions replay_options(const PredictionOptions& options, Progress& progress);
/// Puts the lanes of another replay of the same run, and what their times are divided into, behind those of `all`.
void add_lanes(replay::Result& all, replay::Result one);
/// Returns the basis of the machine that a configuration is on.
const MachineBasis& basis_of(const Prediction& prediction, std::size_t lane);
/// Adds those that the prediction does not have.
void add_notes(Prediction& prediction, const std::vector<std::string>& notes);

} // namespace timeless::tools
