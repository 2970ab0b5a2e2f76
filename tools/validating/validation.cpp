#include "tools/validating/validation.h"

#include "tools/calibrating/launches.h"
#include "tools/calibrating/rates_text.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/machines/named_platforms.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/served_platforms.h"
#include "tools/symbols/kernel_places.h"
#include "tools/validating/prediction_kind.h"

#include "analysis/calibration/compute/visits.h"
#include "analysis/trace/kernel_figures.h"
#include "base/error.h"
#include "gather/merge/files_source.h"
#include "replay/network/compute_costs.h"
#include "replay/network/compute_rates.h"
#include "replay/simgrid/mapping.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace timeless::tools {

namespace {

namespace fs = std::filesystem;
using analysis::ValidatedTime;
using replay::AttributeBy;

void require_machine_and_rates(const ValidationRequest& request) {
  const PredictionOptions& machine = request.machine;
  std::string missing;
  std::string make;
  const auto lacks = [&](const char* what, const std::string& command) {
    missing += (missing.empty() ? "" : " and ") + std::string(what);
    make += (make.empty() ? "" : "; ") + command;
  };
  if (machine.machine.networks.empty() && machine.platforms.empty())
    lacks("a network (--network or --platform)", "timeless calibrate network -o mine.json -- LAUNCHER -np 2");
  if (!machine.machine.speeds_from_file() && !(machine.machine.compute_rate > 0))
    lacks("rates (--rates), or costs of the processor (--machine)",
          "timeless calibrate compute OTHER-RUN -o rates.json -- COMMAND, with another input of the "
          "program");
  if (!missing.empty()) throw Error(Failure::usage, "nothing to predict with: missing are " + missing, {}, make);
  require_machine(machine);
  if (machine.machine.networks.size() > 1 || machine.platforms.size() > 1)
    throw Error(Failure::usage, "one machine is validated at a time", "--network", "name one");
}

/// What a prediction would refuse whatever is recorded, before anything is launched; returns the rates.
replay::ComputeRates require_readable(const PresetMachineOptions& machine) {
  (void)named_networks(machine.networks);
  const replay::MappingRequest mapping = replay::parse_mapping(machine.mapping, machine.hostfile);
  if (!mapping.hostfile.empty()) (void)replay::read_hostfile(mapping.hostfile);
  if (!machine.costs.empty()) (void)replay::read_machine(machine.costs);
  replay::ComputeRates rates;
  if (!machine.rates.empty()) rates = replay::read_rates(machine.rates);
  require_one_speed(machine, rates);
  return rates;
}

/// Returns what kind of prediction a rate makes that no kernel was measured for.
std::pair<PredictionKind, std::string> kind_of_given_rate(const PresetMachineOptions& machine,
                                                          const replay::ComputeRates& rates) {
  if (!machine.costs.empty())
    return {PredictionKind::prediction, "the processor was measured without the program (--machine)"};
  if (rates.source.starts_with(whole_rate_source))
    return {PredictionKind::prediction,
            "one rate for everything was measured (--whole); its file does not say where, nor of which kernels"};
  return {PredictionKind::assumption, machine.rates.empty()
                                          ? "the rate is given (--compute-rate): nothing says that it was measured"
                                          : "the rates are written by hand: nothing says that they were measured"};
}

/// What was recorded and launched, until the end.
struct Recordings {
  std::optional<LaunchDirectory> directory; ///< holds them where they are not kept
  fs::path recording;                       ///< of the volumes
  std::unique_ptr<trace::Source> volumes;
  std::vector<analysis::KernelFigures> kernels; ///< of the volumes
  std::vector<std::unique_ptr<trace::Source>> launches;
  std::optional<Noise> noise; ///< before them
};

/// Volumes of the counter that the rates are for.
std::string volumes_counter(const std::vector<replay::MeasuredInstance>& instances) {
  return instances.empty() || instances.front().counter.empty() ? "auto" : counter_option(instances.front().counter);
}

/// A trace that somebody names may be of another program. What a recording does not know of calls is not compared: one
/// in another format.
void require_same_program(const Recordings& made, const trace::Source& launch, const std::string& trace) {
  const trace::Run& volumes = made.volumes->run();
  if (volumes.size != launch.run().size)
    throw Error(Failure::usage, fmt::format("the trace has {} ranks, the command {}", volumes.size, launch.run().size),
                trace, "launch as many ranks as were recorded");
  if (trace.empty() || volumes.provenance.program.empty()) return;
  if (const auto difference = analysis::difference(*made.volumes, launch))
    throw Error(Failure::invalid_input,
                fmt::format("the trace is of another program or input than was launched: {}", *difference), trace,
                "name a trace of the same program, input and ranks; without --trace the command is recorded first");
}

/// Of an earlier validation; without a trace, the one of them that has volumes.
void find_recordings(Recordings& made, const ValidationRequest& request) {
  for (const fs::path& recording : kept_recordings(request.from)) {
    auto source = open_launch(recording);
    if (source->run().counter.name == "walltime")
      made.launches.push_back(std::move(source));
    else if (made.recording.empty() && source->run().counter.unit != trace::VolumeUnit::nanoseconds)
      made.recording = recording;
  }
  if (made.recording.empty())
    throw Error(Failure::invalid_input, "no recording of what the command computes is here", request.from.string(),
                "name it with --trace");
  made.noise = kept_noise(request.from);
  if (made.launches.empty())
    throw Error(Failure::invalid_input, "no launch is here", request.from.string(),
                "name the directory that was given to --keep");
  made.volumes = open_trace(made.recording, {});
  for (const auto& launch : made.launches)
    require_same_program(made, *launch, request.trace);
}

/// What a noisy machine is no good for here.
constexpr std::string_view noise_purpose = "compared with a prediction";

void make_recordings(Recordings& made, const ValidationRequest& request, const std::string& counter) {
  const fs::path& directory = made.directory->path();
  LaunchPlan plan{.command = request.command,
                  .counter = counter,
                  .timestamps = false,
                  .launches = 1,
                  .keep = directory,
                  .limit = request.limit,
                  .recorded = [&] { made.directory->keep_when_interrupted(); }};
  if (!request.machine.machine.costs.empty()) {
    plan.counter = "icount";
    plan.profile = "memory";
  }
  if (request.trace.empty()) {
    launch(plan, [](const trace::Source&) {});
    made.recording = directory / fmt::format("{}-1", plan.counter);
  }
  made.volumes = open_trace(made.recording, {});
  plan.counter = "walltime";
  plan.profile.clear();
  plan.timestamps = true;
  plan.launches = request.launches;
  const Noise noise = noise_here(noise_purpose);
  keep_noise(noise, directory);
  made.noise = read_noise(noise_text(noise)); // as it is kept
  launch(plan, [&](const trace::Source& launched) { require_same_program(made, launched, request.trace); });
  for (int number = 1; number <= request.launches; ++number)
    made.launches.push_back(gather::open_run(directory / fmt::format("{}-{}", plan.counter, number)));
}

Recordings recordings(const ValidationRequest& request, const std::string& counter) {
  Recordings made;
  made.recording = request.trace;
  if (request.command.empty()) {
    find_recordings(made, request);
  } else {
    const fs::path saved = fs::temp_directory_path() / fmt::format("timeless-validate-{}", ::getpid());
    made.directory.emplace(request.keep, saved);
    made.directory->fill([&] { make_recordings(made, request, counter); });
  }
  made.kernels = analysis::kernel_figures(*made.volumes);
  return made;
}

Prediction predict_by_model(const trace::Source& source, const PredictionOptions& options) {
  return options.platforms.empty() ? predict_on_networks(source, options)
                                   : predict_on_served_platforms(source, options, predict_with_model);
}

/// What the launches took, a list for each figure.
struct MeasuredFigures {
  std::vector<double> makespans;
  std::vector<double> ends;
  std::vector<double> computing;
  std::vector<double> communication;
  std::vector<double> polling;
  std::map<std::string, std::vector<double>> calls;
  std::vector<std::vector<double>> kernels; ///< by KernelId; empty where launches and recording differ
  std::string difference;                   ///< why
};

void add_kernels(MeasuredFigures& figures, const trace::Source& volumes, const trace::Source& launch) {
  if (!figures.difference.empty()) return;
  try {
    const analysis::JoinedLaunch joined = analysis::join(volumes, launch);
    figures.kernels.resize(joined.kernels.size());
    for (std::size_t kernel = 0; kernel < joined.kernels.size(); ++kernel)
      figures.kernels[kernel].push_back(joined.kernels[kernel].seconds() / volumes.run().size);
  } catch (const Error& error) {
    figures.kernels.clear();
    figures.difference = fmt::format("{} ({})", error.description(), error.where());
  }
}

MeasuredFigures measured_figures(const Recordings& made) {
  MeasuredFigures figures;
  for (const auto& launch : made.launches) {
    const analysis::LaunchTimes times = analysis::launch_times(*launch);
    figures.makespans.push_back(times.makespan);
    figures.ends.push_back(times.mean_end);
    figures.computing.push_back(times.computing);
    figures.communication.push_back(times.mean_end - times.computing);
    figures.polling.push_back(times.polling);
    for (const auto& [name, seconds] : times.calls)
      figures.calls[name].push_back(seconds);
    add_kernels(figures, *made.volumes, *launch);
  }
  return figures;
}

/// The model's result, divided by call, where computation takes what the rates give, and the least and the most that
/// they let expect: three lanes.
std::optional<replay::Result> model_range(const trace::Source& rated_volumes, PredictionOptions options,
                                          const ComputeBasis& compute) {
  const auto factors = time_factors(options.machine, compute);
  if (!factors) return std::nullopt;
  options.backend = Backend::model;
  options.compute = {1, factors->low, factors->high};
  options.attribute = AttributeBy::calls;
  return predict_by_model(rated_volumes, options).result;
}

/// A figure in the three lanes of model_range().
using InLanes = std::array<double, 3>;

/// Gives a time the interval that the model has, by as much as the model's own time varies.
void set_interval(ValidatedTime& time, const InLanes& modelled) {
  const auto [low, high] = std::ranges::minmax(modelled);
  const double scale = modelled.front() > 0 ? time.predicted / modelled.front() : 1;
  // Within it, whatever is rounded.
  time.predicted_interval = {std::min(time.predicted, low * scale), std::max(time.predicted, high * scale)};
}

/// The parts of a predicted lane, by what they are called.
std::map<std::string, double> parts_by_name(const replay::Result& result,
                                            const std::function<std::string(std::uint32_t)>& name,
                                            std::size_t lane = 0) {
  std::map<std::string, double> parts;
  for (const replay::AttributedTimes& part : replay::mean_parts(result))
    if (part.subject < replay::before_start) parts[name(part.subject)] += part.lanes.at(lane).end;
  return parts;
}

/// The same of all lanes of a range.
std::map<std::string, InLanes> parts_in_lanes(const replay::Result& by_call) {
  std::map<std::string, InLanes> parts;
  for (std::size_t lane = 0; lane < InLanes{}.size(); ++lane)
    for (const auto& [name, seconds] : parts_by_name(
             by_call, [&](std::uint32_t call) { return by_call.attribution.calls.at(call); }, lane))
      parts.try_emplace(name).first->second.at(lane) = seconds;
  return parts;
}

void keep_longest(std::vector<ValidatedPart>& parts) {
  constexpr std::size_t most = 10;
  std::ranges::stable_sort(parts, std::greater{},
                           [](const ValidatedPart& part) { return std::max(part.time.predicted, part.time.measured); });
  if (parts.size() > most) parts.resize(most);
}

std::vector<ValidatedPart> compared_calls(const replay::Result& by_call, const std::optional<replay::Result>& range,
                                          const MeasuredFigures& figures) {
  const auto ranges = range ? parts_in_lanes(*range) : std::map<std::string, InLanes>();
  std::map<std::string, double> predicted =
      parts_by_name(by_call, [&](std::uint32_t call) { return by_call.attribution.calls.at(call); });
  predicted.erase("computation");
  for (const auto& [name, launches] : figures.calls)
    predicted.try_emplace(name, 0);
  std::vector<ValidatedPart> parts;
  for (const auto& [name, seconds] : predicted) {
    const auto measured = figures.calls.find(name);
    if (measured == figures.calls.end() || measured->second.size() != figures.makespans.size()) continue;
    parts.push_back({.name = name, .time = analysis::validated_time(seconds, measured->second)});
    if (!range) continue;
    const auto found = ranges.find(name); // not there: it takes no time in any lane
    set_interval(parts.back().time, found == ranges.end() ? InLanes{} : found->second);
  }
  keep_longest(parts);
  return parts;
}

/// What each kernel computes, the mean of ranks.
std::vector<double> kernel_seconds(const replay::Result& by_kernel, std::size_t kernels) {
  std::vector<double> seconds(kernels);
  for (const replay::AttributedTimes& part : replay::mean_parts(by_kernel))
    if (part.subject < kernels) seconds[part.subject] = part.lanes.front().compute;
  return seconds;
}

/// By what each kernel's computation may differ: by its own rate, as far as that was measured, else as all.
std::vector<RateSpread> kernel_spreads(const PresetMachineOptions& machine, const ComputeBasis& compute,
                                       std::size_t kernels) {
  if (machine.calibrated) return machine.calibrated->kernels;
  const auto factors = time_factors(machine, compute);
  return factors ? std::vector<RateSpread>(kernels, {factors->low, factors->high}) : std::vector<RateSpread>();
}

std::vector<ValidatedPart> compared_kernels(const replay::Result& by_kernel, const std::vector<RateSpread>& spreads,
                                            const MeasuredFigures& figures, const trace::Source& volumes,
                                            const std::vector<analysis::KernelFigures>& kernels) {
  const std::vector<double> predicted = kernel_seconds(by_kernel, volumes.run().kernels.size());
  symbols::Symboliser symboliser(volumes.run(), {});
  const symbols::KernelPlaces places(volumes.run(), kernels, symboliser);
  std::vector<ValidatedPart> parts;
  for (trace::KernelId kernel = 0; kernel < figures.kernels.size(); ++kernel) {
    if (kernels[kernel].visits == 0) continue;
    const double seconds = predicted[kernel];
    parts.push_back({.name = std::to_string(kernel),
                     .places = places.text(kernel),
                     .time = analysis::validated_time(seconds, figures.kernels[kernel])});
    if (kernel < spreads.size() && spreads[kernel].known)
      parts.back().time.predicted_interval = {seconds * spreads[kernel].fastest, seconds * spreads[kernel].slowest};
  }
  keep_longest(parts);
  return parts;
}

/// The launches' own computations on the same network.
ValidatedTime with_measured_computation(const Recordings& made, const PredictionOptions& asked,
                                        const MeasuredFigures& figures) {
  PredictionOptions options = asked;
  options.machine.rates.clear();
  options.machine.costs.clear();
  options.machine.calibrated = nullptr;
  options.machine.whole_rate.reset();
  options.machine.compute_rate = 0;
  options.machine.noise.reset();
  options.attribute = AttributeBy::nothing;
  std::vector<double> makespans;
  for (const auto& launch : made.launches)
    makespans.push_back(predict_by_model(*launch, options).result.lanes.front().makespan);
  ValidatedTime compared = analysis::validated_time(analysis::median(makespans), figures.makespans);
  if (makespans.size() > 1) compared.predicted_interval = analysis::median_interval(makespans);
  return compared;
}

void compare_whole(ValidatedPrediction& one, const Prediction& prediction, const MeasuredFigures& figures) {
  const replay::LaneResult& lane = prediction.result.lanes.front();
  if (lane.deadlock)
    throw Error(Failure::invalid_input, "the prediction ends in a deadlock", prediction.machine,
                "timeless replay says where");
  one.machine = prediction.machine;
  one.notes = prediction.notes;
  one.makespan = analysis::validated_time(lane.makespan, figures.makespans);
  if (!prediction.intervals.empty()) one.makespan.predicted_interval = prediction.intervals.front();
}

void compare_parts(ValidatedPrediction& one, const replay::LaneResult& lane, const std::optional<replay::Result>& range,
                   const MeasuredFigures& figures) {
  const replay::RankTimes mean = replay::mean(lane);
  const double measured = analysis::median(figures.communication);
  one.computing = analysis::validated_time(mean.compute, figures.computing);
  one.communication = analysis::validated_time(mean.end - mean.compute, figures.communication);
  one.measured_communication = analysis::validated_time(mean.compute + measured, figures.ends);
  if (!range) return;
  InLanes computing{};
  InLanes communication{};
  for (std::size_t number = 0; number < computing.size(); ++number) {
    const replay::RankTimes times = replay::mean(range->lanes.at(number));
    computing.at(number) = times.compute;
    communication.at(number) = times.end - times.compute;
  }
  set_interval(one.computing, computing);
  set_interval(one.communication, communication);
  one.measured_communication.predicted_interval = {one.computing.predicted_interval->low + measured,
                                                   one.computing.predicted_interval->high + measured};
}

ValidatedPrediction validated_model(const Recordings& made, const trace::Source& rated_volumes,
                                    const PredictionOptions& asked, const MeasuredFigures& figures,
                                    std::string& compute) {
  ValidatedPrediction one;
  one.backend = "model";
  PredictionOptions options = asked;
  options.backend = Backend::model;
  options.attribute = AttributeBy::kernels;
  Prediction prediction = predict_by_model(rated_volumes, options);
  add_intervals(prediction, rated_volumes, options);
  add_notes(prediction, message_notes(rated_volumes, prediction.bases));
  compare_whole(one, prediction, figures);
  one.mapping = prediction.mapping_sentence;
  compute = prediction.bases.front().compute.sentence;
  const auto range = model_range(rated_volumes, options, prediction.bases.front().compute);
  compare_parts(one, prediction.result.lanes.front(), range, figures);
  one.measured_computation = with_measured_computation(made, options, figures);
  if (!figures.kernels.empty())
    one.kernels = compared_kernels(
        prediction.result,
        kernel_spreads(asked.machine, prediction.bases.front().compute, made.volumes->run().kernels.size()), figures,
        *made.volumes, made.kernels);
  options.attribute = AttributeBy::calls;
  one.calls = compared_calls(predict_by_model(rated_volumes, options).result, range, figures);
  return one;
}

ValidatedPrediction validated_smpi(const trace::Source& rated_volumes, const PredictionOptions& asked,
                                   const MeasuredFigures& figures) {
  ValidatedPrediction one;
  one.backend = "smpi";
  PredictionOptions options = asked;
  options.backend = Backend::smpi;
  options.attribute = AttributeBy::calls;
  Prediction prediction = predict(rated_volumes, options);
  add_intervals(prediction, rated_volumes, options);
  add_notes(prediction, message_notes(rated_volumes, prediction.bases));
  compare_whole(one, prediction, figures);
  one.mapping = prediction.mapping_sentence;
  const std::map<std::string, double> parts = parts_by_name(
      prediction.result, [&](std::uint32_t call) { return prediction.result.attribution.calls.at(call); });
  replay::LaneResult lane = prediction.result.lanes.front();
  const auto computing = parts.find("computation");
  for (replay::RankTimes& times : lane.ranks)
    times.compute = computing == parts.end() ? 0 : computing->second;
  const auto range = model_range(rated_volumes, options, prediction.bases.front().compute);
  compare_parts(one, lane, range, figures);
  one.calls = compared_calls(prediction.result, range, figures);
  return one;
}

double units_per_rank(const std::vector<analysis::KernelFigures>& kernels, trace::Rank ranks) {
  double sum = 0;
  for (const analysis::KernelFigures& kernel : kernels)
    sum += kernel.volume;
  return sum / std::max<double>(1, ranks);
}

/// What a rank spends on tests that found nothing is its waiting as a rule, which the prediction has; a program that
/// tests between pieces of its work spends it however long it waits.
std::string polling_note(double polling, double makespan) {
  constexpr double worth_a_note = 0.05;
  if (polling < worth_a_note * makespan) return {};
  return fmt::format(
      "{:.1f} % of the launches' time ({} of a rank) are tests and probes that found nothing. No recording "
      "holds them: the prediction has them as far as they wait for what comes, and is too short where "
      "the program tests between pieces of its work",
      100 * polling / makespan, human_seconds(polling));
}

} // namespace

Validation validate(const ValidationRequest& request) {
  require_machine_and_rates(request);
  PredictionOptions asked = request.machine;
  asked.trace = request.trace.empty() ? "the recording" : request.trace;
  for (const std::string& platform : asked.platforms)
    (void)platform_file(platform);
  const replay::ComputeRates rates = require_readable(asked.machine);
  std::vector<replay::MeasuredInstance> instances = rates.instances;
  if (rates.measured) instances.push_back(*rates.measured);
  const Recordings made = recordings(request, volumes_counter(instances));
  const trace::Run& launched = made.launches.front()->run();
  Validation result;
  result.program = fs::path(launched.provenance.program).filename().string();
  result.command = request.command.empty() ? "launches kept in " + request.from.string() : in_one_line(request.command);
  result.ranks = launched.size;
  std::tie(result.kind, result.why) = instances.empty() ? kind_of_given_rate(asked.machine, rates)
                                                        : prediction_kind(instances, made.volumes->run(), launched,
                                                                          units_per_rank(made.kernels, launched.size));
  const MeasuredFigures figures = measured_figures(made);
  result.makespans = figures.makespans;
  result.noise = made.noise;
  const auto rated_volumes = rated(open_trace(made.recording, {}), asked.machine);
  result.interval_by = asked.machine.rates.empty() && !asked.machine.costs.empty() ? "its costs" : "its rates";
  if (asked.machine.mapping == "auto" && asked.platforms.empty()) asked.machine.mapping = "recorded";
  result.predictions.push_back(validated_model(made, *rated_volumes, asked, figures, result.compute));
  if (!asked.platforms.empty()) result.predictions.push_back(validated_smpi(*rated_volumes, asked, figures));
  if (!figures.difference.empty())
    result.notes.push_back("nothing is said by kernel, since the launches differ from the recording: " +
                           figures.difference);
  result.polling = analysis::median(figures.polling);
  if (std::string polls = polling_note(result.polling, analysis::median(figures.makespans)); !polls.empty())
    result.notes.push_back(std::move(polls));
  if (result.noise)
    if (const std::string noisy = noise_warning(*result.noise, noise_purpose); !noisy.empty())
      result.notes.push_back(noisy);
  if (const std::string folded = why_folded(launched); !folded.empty()) result.notes.push_back(folded);
  if (result.makespans.size() == 1)
    result.notes.push_back("one launch: no spread is known, so that every error counts, however small");
  else if (result.makespans.size() < 5)
    result.notes.push_back(fmt::format("{} launches: intervals of fewer than 5 say little, and that a prediction lies "
                                       "within one as little",
                                       result.makespans.size()));
  return result;
}

} // namespace timeless::tools
