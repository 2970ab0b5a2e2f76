#include "tools/replaying/calibrated.h"

#include "analysis/trace/kernel_figures.h"
#include "analysis/trace/message_sizes.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/rate_range.h"
#include "tools/replaying/reservations.h"
#include "tools/replaying/served_platforms.h"
#include "tools/symbols/place_labels.h"

#include "base/error.h"
#include "replay/network/compute_costs.h"
#include "replay/network/compute_rates.h"
#include "replay/network/rated_source.h"
#include "trace/model/memory_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::KernelFigures;
using replay::KernelTiming;
using replay::MeasuredInstance;

std::vector<KernelFigures> figures_of(const trace::Source& source) {
  Progress progress("reading the kernels", total_actions(source.run()));
  return analysis::kernel_figures(source, [&](std::uint64_t done) { progress.update(done); });
}

/// Rates are found again in another build by the places' order, as far as the program's file is there.
std::vector<std::string> places_of(const trace::Run& run, const std::vector<MeasuredInstance>& instances) {
  const bool another = std::ranges::any_of(
      instances, [&](const MeasuredInstance& instance) { return replay::of_another_build(instance, run); });
  if (!another) return std::vector<std::string>(run.kernels.size());
  symbols::Symboliser symboliser(run, {});
  return symbols::place_labels(run, symboliser);
}

void require_same_counter(const trace::Run& run, const std::vector<MeasuredInstance>& instances,
                          const std::string& file) {
  for (const MeasuredInstance& instance : instances)
    if (!instance.counter.empty() && instance.counter != run.counter.name)
      throw Error(
          Failure::usage,
          fmt::format("rates for volumes counted by {}, and a trace counted by {}", instance.counter, run.counter.name),
          file, "calibrate with a recording by the trace's counter: two counters count different things");
}

/// What the timings make of a run.
struct Totals {
  double volume = 0;
  double own = 0;            ///< of the volume, in kernels with rates of their own
  double borrowed = 0;       ///< of the seconds, in the others
  double outside = 0;        ///< in kernels whose visits are of a size that was not measured, nor rescaled to
  double rescaled = 0;       ///< in kernels whose rates are those of the run's working sets
  double misjudged_less = 0; ///< of the seconds: by how much less rescaled kernels may take, where costs misjudge them
  double misjudged_more = 0; ///< by how much more
  double seconds = 0;
  std::vector<double> launches; ///< of the seconds, those of kernels with rates of their own, by each launch alone
};

/// By what factor costs may misjudge a kernel's working set, no more than the whole change: `misjudged` of others.
double misjudged_of(const KernelTiming& timing, double misjudged) {
  if (!(timing.rescaling > 0)) return 1;
  return std::min(misjudged, std::max(timing.rescaling, 1 / timing.rescaling));
}

/// What a kernel's visits take by its rate and by each launch alone, as in totals(), but of one kernel.
RateSpread spread_of(const KernelTiming& timing, const KernelFigures& figures, double misjudged, double rate_within) {
  if (!timing.own) return {1 / rate_within, rate_within};
  const double fixed = timing.fixed_seconds * static_cast<double>(figures.visits);
  const double bursts = figures.volume * timing.seconds_per_unit;
  const double factor = misjudged_of(timing, misjudged);
  const bool spread_is_known = timing.launches.size() > 1 || factor > 1;
  if (!spread_is_known) return {.fastest = 1, .slowest = 1, .known = false};
  if (!(fixed + bursts > 0)) return {};
  std::vector<double> launches{fixed + bursts};
  for (const double seconds_per_unit : timing.launches)
    launches.push_back(fixed + figures.volume * seconds_per_unit);
  const auto [least, most] = std::ranges::minmax(launches);
  return {std::max((least - bursts * (1 - 1 / factor)) / (fixed + bursts), 1e-3),
          (most + bursts * (factor - 1)) / (fixed + bursts)};
}

Totals totals(const std::vector<KernelTiming>& timings, const std::vector<KernelFigures>& figures, double misjudged) {
  Totals all;
  std::size_t launches = std::numeric_limits<std::size_t>::max();
  for (const KernelTiming& timing : timings)
    if (!timing.launches.empty()) launches = std::min(launches, timing.launches.size());
  if (launches != std::numeric_limits<std::size_t>::max()) all.launches.resize(launches);
  for (std::size_t kernel = 0; kernel < timings.size(); ++kernel) {
    const KernelTiming& timing = timings[kernel];
    const double volume = figures[kernel].volume;
    const double fixed = timing.fixed_seconds * static_cast<double>(figures[kernel].visits);
    all.volume += volume;
    if (timing.own) all.own += volume;
    if (timing.rescaling > 0) all.rescaled += volume;
    if (timing.outside && timing.rescaling == 0) all.outside += volume;
    const double seconds = fixed + volume * timing.seconds_per_unit;
    all.seconds += seconds;
    if (timing.rescaling > 0) {
      const double factor = misjudged_of(timing, misjudged);
      all.misjudged_less += (seconds - fixed) * (1 - 1 / factor);
      all.misjudged_more += (seconds - fixed) * (factor - 1);
    }
    if (!timing.own) {
      all.borrowed += seconds;
      continue;
    }
    for (std::size_t i = 0; i < all.launches.size(); ++i)
      all.launches[i] += timing.launches.empty() ? seconds : fixed + volume * timing.launches[i];
  }
  return all;
}

/// A rate is by the launches of one clock, never of both.
std::string launches_text(const MeasuredInstance& instance) {
  const auto [walltime, cputime] = std::pair(instance.walltime_launches, instance.cputime_launches);
  const char* ending = walltime == 1 ? "" : "es";
  if (walltime > 0 && cputime > 0)
    return walltime == cputime ? fmt::format("{} launch{} by each clock", walltime, ending)
                               : fmt::format("{} launch{} by walltime and {} by cputime", walltime, ending, cputime);
  return fmt::format("{} launch{}", instance.launches, instance.launches == 1 ? "" : "es");
}

std::string instance_text(const MeasuredInstance& instance) {
  std::string text = instance.name;
  if (instance.date.size() >= 10) text += ", " + instance.date.substr(0, 10);
  if (!instance.hosts.empty()) text += " on " + instance.hosts.front();
  if (instance.hosts.size() > 1) text += fmt::format(" and {} more", instance.hosts.size() - 1);
  if (!instance.cpu.empty()) text += " (" + instance.cpu + ")";
  return text + fmt::format(", {} rank{} a node, {}", instance.ranks_per_node, instance.ranks_per_node == 1 ? "" : "s",
                            launches_text(instance));
}

/// What visits take whose times are drawn, in the mean, over what the rates give them.
double drawn_over_rated(const std::vector<KernelTiming>& timings, const std::vector<KernelFigures>& figures) {
  constexpr int draws = 1000;
  double rated = 0;
  double drawn = 0;
  for (std::size_t kernel = 0; kernel < timings.size(); ++kernel) {
    const KernelTiming& timing = timings[kernel];
    const double seconds = timing.fixed_seconds * static_cast<double>(figures[kernel].visits) +
                           figures[kernel].volume * timing.seconds_per_unit;
    double mean = 0;
    for (int draw = 0; draw < draws; ++draw)
      mean += replay::relative_time(timing.relative_times, (draw + 0.5) / draws) / draws;
    rated += seconds;
    drawn += mean * seconds;
  }
  return rated > 0 ? drawn / rated : 1;
}

/// The costs that rates are rescaled by, where a machine is named beside measured rates.
std::optional<replay::MachineCosts> rescaling_machine(const PresetMachineOptions& asked, const trace::Run& run,
                                                      const std::vector<MeasuredInstance>& instances) {
  if (asked.costs.empty()) return std::nullopt;
  if (run.profile_events != trace::memory_events())
    throw Error(Failure::usage, "the trace has no profile of memory, so nothing says what other working sets cost",
                asked.costs, "record with `timeless record --profile memory`, or leave out --machine");
  const bool counted = std::ranges::any_of(instances, [](const MeasuredInstance& instance) {
    return std::ranges::any_of(instance.kernels, [](const auto& kernel) { return !kernel.memory.empty(); });
  });
  if (!counted)
    throw Error(Failure::usage, "the rates have no profile of memory, so nothing says what other working sets cost",
                asked.rates,
                "calibrate with a recording by `timeless record --profile memory`, or leave out --machine");
  return replay::read_machine(asked.costs);
}

/// Nothing of fewer than two launches.
std::optional<RateSpread> range_of_launches(const replay::ComputeRates& rates) {
  if (rates.launches.size() < 2 || !rates.units_per_second) return std::nullopt;
  const auto [slowest, fastest] = std::ranges::minmax(rates.launches);
  const double taken = *rates.units_per_second;
  return RateSpread{std::min(1.0, taken / fastest), std::max(1.0, taken / slowest)};
}

CalibratedCompute said(const replay::ComputeRates& rates, const Totals& all, const PresetMachineOptions& asked,
                       double misjudged) {
  constexpr double enough = 0.9;
  CalibratedCompute calibrated;
  const double own = all.volume > 0 ? all.own / all.volume : 1;
  calibrated.borrowed = 1 - own;
  std::string from;
  for (const MeasuredInstance& instance : rates.instances) {
    from += (from.empty() ? "" : "; ") + instance_text(instance);
    calibrated.ranks_per_node.push_back(instance.ranks_per_node);
  }
  calibrated.sentence =
      own > 0 ? fmt::format("calibrated: {:.1f} % by kernels' own rates; {} ({})", 100 * own, rates.file.string(), from)
              : fmt::format("no kernel here has a rate of its own, all count by the typical one of {} ({})",
                            rates.file.string(), from);
  if (!asked.costs.empty())
    calibrated.sentence += fmt::format("; {:.1f} % rescaled to its working sets by {}",
                                       all.volume > 0 ? 100 * all.rescaled / all.volume : 0, asked.costs);
  calibrated.rescaling_in_range = all.rescaled > 0 && misjudged > 1;
  calibrated.launches_in_range = all.launches.size() > 1;
  if (all.launches.size() == 1)
    calibrated.notes.emplace_back(
        "the rates, or those by one clock, are from one launch: their spread is not known, and in no interval");
  // Of one launch, what a few borrowed kernels may take would pass for all that is uncertain.
  const bool any_range = calibrated.launches_in_range || calibrated.rescaling_in_range || own < enough;
  if (all.seconds > 0) calibrated.mean_rate = all.volume / all.seconds;
  if (all.seconds > 0 && any_range) {
    const double own_seconds = all.seconds - all.borrowed;
    std::vector<double> launches = all.launches;
    launches.push_back(own_seconds); // rates of all launches together may lie outside of each one's
    const auto [least, most] = std::ranges::minmax(launches);
    const double fastest = least + all.borrowed / asked.rate_within - all.misjudged_less;
    calibrated.fastest = std::max(fastest / all.seconds, 1e-3); // both at once, and never below nothing
    calibrated.slowest = (most + all.borrowed * asked.rate_within + all.misjudged_more) / all.seconds;
  }
  if (all.rescaled > 0 && misjudged <= 1)
    calibrated.notes.push_back(fmt::format("the interval is of the rates alone: {} does not say by how much its costs "
                                           "misjudge other working sets",
                                           asked.costs));
  if (own < enough)
    calibrated.notes.push_back(fmt::format("{:.1f} % of what is computed has no rate of its own, and counts by that of "
                                           "the calibrated program: another build, input or path through it",
                                           100 * (1 - own)));
  const bool other_sizes = all.outside > (1 - enough) * all.volume;
  if (other_sizes)
    calibrated.notes.push_back(
        fmt::format("{:.1f} % of what is computed is in visits of other sizes than were "
                    "measured: their rates are those of the nearest size, though caches may hold "
                    "less or more of them",
                    100 * all.outside / all.volume));
  const auto disturbed = [](const MeasuredInstance& instance) { return instance.explained < enough; };
  calibrated.fits = !other_sizes && std::ranges::none_of(rates.instances, disturbed);
  for (const MeasuredInstance& instance : rates.instances)
    if (disturbed(instance))
      calibrated.notes.push_back(fmt::format("the rates of {} give its visits only {:.1f} % of the time measured: the "
                                             "launches were disturbed, and times without disturbance are predicted",
                                             instance.name, 100 * instance.explained));
  return calibrated;
}

/// Ranks with equal numbers share a node.
std::vector<std::uint32_t> node_numbers(const MachineBasis& basis) {
  std::map<std::string, std::uint32_t> known;
  std::vector<std::uint32_t> numbers;
  for (const std::string& node : basis.nodes)
    numbers.push_back(known.try_emplace(node, static_cast<std::uint32_t>(known.size())).first->second);
  return numbers;
}

} // namespace

std::vector<std::string> rates_notes(const PresetMachineOptions& machine, std::span<const MachineBasis> bases) {
  std::vector<std::string> notes;
  if (machine.whole_rate)
    notes.emplace_back("the interval is by the launches of one rate for everything: by how much kernels' own rates "
                       "differ from it is not in it");
  if (machine.calibrated) notes = machine.calibrated->notes;
  for (const std::string& file : {machine.rates, machine.costs})
    if (!file.empty()) std::ranges::move(reservations(file).sentences, std::back_inserter(notes));
  if (!machine.calibrated) return notes;
  const std::vector<std::uint64_t>& measured = machine.calibrated->ranks_per_node;
  for (const MachineBasis& basis : bases) {
    const std::uint64_t ranks = replay::most_ranks_of_a_node(node_numbers(basis));
    // Files by hand need not say.
    if (ranks == 0 || std::ranges::find(measured, 0) != measured.end()) continue;
    if (measured.empty() || std::ranges::find(measured, ranks) != measured.end()) continue;
    notes.push_back(fmt::format("{}: {} on a node, and the rates are by {}: those of one node share its caches and "
                                "its memory",
                                basis.name, ranks == 1 ? "1 rank" : fmt::format("up to {} ranks", ranks),
                                fmt::join(std::set(measured.begin(), measured.end()), " or ")));
  }
  return notes;
}

std::vector<std::string> message_notes(const trace::Source& source, std::span<const MachineBasis> bases) {
  constexpr trace::Bytes any = std::numeric_limits<trace::Bytes>::max();
  std::vector<std::string> notes;
  for (const MachineBasis& basis : bases) {
    if (!basis.file.empty()) std::ranges::move(reservations(basis.file).sentences, std::back_inserter(notes));
    if (!basis.measured_between_nodes && !basis.measured_within_node) continue;
    const trace::Bytes between = basis.measured_between_nodes.value_or(any);
    const trace::Bytes within = basis.measured_within_node.value_or(any);
    const analysis::LargeMessages all = analysis::messages_above(source, node_numbers(basis), within, between);
    if (all.large == 0) continue;
    const std::string measured = within == between || within == any || between == any
                                     ? fmt::format("{} bytes", std::min(within, between))
                                     : fmt::format("{} bytes between nodes, {} within one", between, within);
    notes.push_back(fmt::format(
        "{}: {:.3g} % of the messages, with {:.3g} % of the bytes, are larger than any that was measured ({}; the "
        "largest has {}): what they cost is extrapolated",
        basis.name, 100 * static_cast<double>(all.large) / static_cast<double>(all.messages),
        100 * all.large_bytes / all.bytes, measured, all.largest));
  }
  return notes;
}

std::unique_ptr<trace::Source> rated(std::unique_ptr<trace::Source> source, PresetMachineOptions& machine) {
  replay::ComputeRates rates;
  if (!machine.rates.empty()) {
    rates = replay::read_rates(machine.rates);
    machine.rates_noisy = reservations(machine.rates).noisy;
  }
  if (rates.instances.empty()) {
    const bool one_rate = rates.measured || !rates.launches.empty();
    if (machine.noise && one_rate)
      throw Error(Failure::usage,
                  "--noise draws from the times of kernels' visits, and this file has one rate for everything",
                  machine.rates, "calibrate without --whole");
    if (machine.noise)
      throw Error(Failure::usage, "--noise draws from measured rates, and there are none", machine.rates,
                  "give --rates with a file of timeless calibrate compute");
    machine.whole_rate = range_of_launches(rates);
    if (rates.measured) {
      require_same_counter(source->run(), {*rates.measured}, machine.rates);
      machine.whole_rate_of = instance_text(*rates.measured);
    }
    return source;
  }
  const trace::Run& run = source->run();
  require_same_counter(run, rates.instances, machine.rates);
  const std::optional<replay::MachineCosts> costs = rescaling_machine(machine, run, rates.instances);
  const std::vector<KernelFigures> figures = figures_of(*source);
  const std::vector<std::string> places = places_of(run, rates.instances);
  const std::vector<std::vector<double>> memory = replay::counted_of_memory(run);
  std::vector<replay::KernelOfRun> kernels;
  double volume = 0;
  for (std::size_t kernel = 0; kernel < figures.size(); ++kernel) {
    kernels.push_back({.units_per_visit = figures[kernel].mean,
                       .places = places[kernel],
                       .memory = memory.empty() ? std::vector<double>() : memory[kernel]});
    volume += figures[kernel].volume;
  }
  replay::RatedSource::Rates applied;
  applied.kernels =
      replay::timings(rates.instances, run, kernels, volume / std::max<double>(1, run.size), costs ? &*costs : nullptr);
  applied.units_per_second = *rates.units_per_second;
  applied.rest.seconds_per_unit = 1 / applied.units_per_second;
  applied.noise = machine.noise;
  const double misjudged = costs ? misjudged_working_sets(machine.costs).value_or(1) : 1;
  auto calibrated =
      std::make_shared<CalibratedCompute>(said(rates, totals(applied.kernels, figures, misjudged), machine, misjudged));
  for (std::size_t kernel = 0; kernel < applied.kernels.size(); ++kernel)
    calibrated->kernels.push_back(spread_of(applied.kernels[kernel], figures[kernel], misjudged, machine.rate_within));
  if (machine.noise)
    calibrated->notes.push_back(fmt::format(
        "visits are drawn from the times measured, disturbances among them, and take {:.2f} times what the rates give; "
        "the interval is of the launches' rates, medians that know no disturbance, about this draw",
        drawn_over_rated(applied.kernels, figures)));
  machine.calibrated = calibrated;
  return std::make_unique<replay::RatedSource>(std::move(source), std::move(applied));
}

std::optional<analysis::Interval> time_factors(const PresetMachineOptions& machine, const ComputeBasis& compute) {
  if (machine.whole_rate) return analysis::Interval{machine.whole_rate->fastest, machine.whole_rate->slowest};
  if (!machine.calibrated && machine.costs.empty()) return std::nullopt;
  const RateRange range = rate_range(machine, compute);
  if (range.from.empty()) return std::nullopt;
  return analysis::Interval{range.fastest(), range.slowest()};
}

void add_intervals(Prediction& prediction, const trace::Source& source, const PredictionOptions& asked) {
  add_notes(prediction, rates_notes(asked.machine, prediction.bases));
  const auto factors = time_factors(asked.machine, prediction.bases.front().compute);
  if (!factors) return;
  PredictionOptions varied = asked;
  varied.backend = Backend::model;
  varied.observer = nullptr;
  varied.attribute = replay::AttributeBy::nothing;
  varied.critical_path = false;
  varied.tolerance.clear();
  varied.compute.clear();
  for (const double factor : {factors->low, factors->high, 1.0})
    for (const double compute : asked.compute)
      varied.compute.push_back(compute * factor);
  // Platforms by another process, since SimGrid has loaded one in this.
  const std::vector<replay::LaneResult> lanes =
      asked.platforms.empty() ? predict_on_networks(source, varied).result.lanes
                              : predict_on_served_platforms(source, varied, predict_with_model).result.lanes;
  const std::size_t machines = prediction.bases.size();
  const std::size_t of_machine = prediction.result.lanes.size() / machines;
  for (std::size_t lane = 0; lane < prediction.result.lanes.size(); ++lane) {
    const std::size_t first = lane / of_machine * 3 * of_machine + lane % of_machine;
    const double makespan = prediction.result.lanes[lane].makespan;
    const double model = lanes.at(first + 2 * of_machine).makespan;
    const auto scaled = [&](std::size_t place) { return model > 0 ? makespan * lanes.at(place).makespan / model : 0; };
    prediction.intervals.push_back({scaled(first), scaled(first + of_machine)});
  }
}

} // namespace timeless::tools
