#include "tools/advising/examined_case.h"

#include "analysis/trace/part_source.h"
#include "base/error.h"
#include "base/files/temporary_file.h"
#include "base/processor_time.h"
#include "replay/lowering.h"
#include "replay/result/observer.h"
#include "replay/simgrid/simgrid_network.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_platforms.h"
#include "tools/replaying/on_platform.h"
#include "tools/replaying/smpi/smpi_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace timeless::tools {

namespace {

/// Returns what a program is called in a table of programs: the name of its file up to the first dot, in small letters.
std::string short_program_name(const trace::Run& run) {
  std::string name = file_name(run.provenance.program);
  name = name.substr(0, name.find('.'));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.empty() ? "unnamed" : name;
}

/// Sums what the first barrier and the first alltoall of each rank take in the first lane.
class FirstCallObserver : public replay::Observer {
public:
  std::size_t lane(std::span<const std::string> /*lanes*/) override { return 0; }
  void begin(const trace::Run& run) override {
    ranks_ = static_cast<double>(run.size);
    barriers_.clear();
    alltoalls_.clear();
    sums_ = {};
  }
  void observe(const replay::ObservedAction& action) override {
    const trace::ActionKind kind = action.action.kind;
    const bool alltoall = kind == trace::ActionKind::alltoall || kind == trace::ActionKind::alltoallv ||
                          kind == trace::ActionKind::alltoallw;
    if (kind == trace::ActionKind::barrier && barriers_.insert(action.rank).second)
      sums_.barrier += action.end - action.start;
    if (alltoall && alltoalls_.insert(action.rank).second) sums_.alltoall += action.end - action.start;
  }
  analysis::FirstCalls means() const { return {sums_.barrier / ranks_, sums_.alltoall / ranks_}; }

private:
  double ranks_ = 1;
  std::set<trace::Rank> barriers_;
  std::set<trace::Rank> alltoalls_;
  analysis::FirstCalls sums_;
};

/// Returns the link with the most seconds of bytes, of all that the run sends between nodes.
std::optional<analysis::BusiestLink> busiest_link(const replay::SimgridPlatform& platform,
                                                  const analysis::MovedBytes& moved) {
  std::map<std::size_t, analysis::BusiestLink> links;
  for (const auto& [pair, sent] : moved.between_nodes)
    for (const replay::SharedLink& link : platform.shared_links(pair.first, pair.second)) {
      analysis::BusiestLink& one =
          links.try_emplace(link.number, analysis::BusiestLink{.name = link.name}).first->second;
      one.seconds += sent / link.bandwidth;
      one.flows += 1;
    }
  const auto most = std::ranges::max_element(links, {}, [](const auto& link) { return link.second.seconds; });
  return most == links.end() ? std::nullopt : std::optional(most->second);
}

/// Returns bytes per second between the first two nodes that differ.
double link_bandwidth(const replay::SimgridPlatform& platform, std::span<const std::uint32_t> node_of_rank) {
  const auto other =
      std::ranges::find_if(node_of_rank, [&](std::uint32_t node) { return node != node_of_rank.front(); });
  return other == node_of_rank.end() ? 0 : platform.route(node_of_rank.front(), *other).bandwidth;
}

replay::SimgridPlatform load_platform(const PredictionOptions& options) {
  if (options.platforms.size() != 1)
    throw Error(Failure::usage, "advice is of one platform", "--platform",
                "give one, as in --platform graphene (timeless platform list)");
  return replay::SimgridPlatform::load(platform_file(options.platforms.front()), options.settings);
}

/// The run on its platform.
class Examination {
public:
  Examination(const trace::Source& source, const PredictionOptions& options, const replay::SimgridPlatform& platform)
      : source_(source), options_(options), platform_(platform),
        on_(place_on_platform(source.run(), options, platform_)) {}

  /// Finds what the run moves, and over which links: before row().
  void find_traffic() {
    Progress progress("reading " + options_.trace, total_actions(source_.run()));
    const analysis::Traffic traffic =
        analysis::traffic(source_, replay::lowering(source_.run()), [&](std::uint64_t done) { progress.update(done); });
    moved_ = analysis::moved_bytes(traffic, on_.mapping.node_of_rank);
    busiest_ = busiest_link(platform_, moved_);
    bandwidth_ = link_bandwidth(platform_, on_.mapping.node_of_rank);
  }

  /// Returns the row at a speed of computation: `compute` multiplies its time.
  analysis::AdvisorRow row(double compute) {
    PredictionOptions asked = options_;
    asked.compute = {compute};
    asked.bandwidth = {1, 1.0 / 8};
    asked.latency = {1};
    asked.attribute = replay::AttributeBy::calls;
    FirstCallObserver first;
    asked.observer = &first;
    const replay::Network network =
        replay::simgrid_network(platform_, source_.run(), on_.mapping, network_options(on_, asked));
    Progress progress(fmt::format("replaying {} on {}", options_.trace, name()), total_actions(source_.run()));
    const double before = processor_seconds();
    const replay::Result result = replay::replay(source_, network, replay_options(asked, progress));
    analysis::AdvisorRow row{.program = short_program_name(source_.run()),
                             .trace = file_name(options_.trace),
                             .platform = name(),
                             .mapping = options_.machine.mapping,
                             .compute = 1 / compute,
                             .model_seconds = result.lanes.front().makespan,
                             .model_cpu_seconds = processor_seconds() - before,
                             .actions = result.actions};
    using enum replay::CollectiveModel;
    const replay::Network machine = replay::lanes_of(network, std::array{std::size_t{0}});
    row.features =
        analysis::feature_values({.node_of_rank = on_.mapping.node_of_rank,
                                  .replay = &result,
                                  .stepped_seconds = seconds(machine, schedule, replay::Ports::none),
                                  .ported_seconds = seconds(machine, mpich, replay::Ports::node),
                                  .stepped_and_ported_seconds = seconds(machine, schedule, replay::Ports::node),
                                  .first = first.means(),
                                  .moved = moved_,
                                  .busiest = busiest_,
                                  .link_bandwidth = bandwidth_});
    return row;
  }

  /// Returns the makespan on a machine of one lane, with this model of collectives and these ports.
  double seconds(const replay::Network& machine, replay::CollectiveModel collectives, replay::Ports ports) const {
    PredictionOptions asked = options_;
    asked.observer = nullptr;
    asked.attribute = replay::AttributeBy::nothing;
    asked.collectives = collectives;
    asked.ports = ports;
    Progress progress(fmt::format("replaying {} on {}", options_.trace, name()), total_actions(source_.run()));
    replay::ReplayOptions replaying = replay_options(asked, progress);
    replaying.ideal = false;
    replaying.sensitivities = false;
    replaying.incast = false;
    replaying.jumps = replay::Jumps::none; // what it costs is a figure of the case
    return replay::replay(source_, machine, replaying).lanes.front().makespan;
  }

  void simulate(analysis::AdvisorRow& row, double compute) const {
    const replay::SmpiResult result = simulated(compute, false);
    row.smpi_seconds = result.replay.lanes.front().makespan;
    row.smpi_cpu_seconds = result.cpu_seconds;
  }

  void simulate_unshared(analysis::AdvisorRow& row, double compute) const {
    row.unshared_seconds = simulated(compute, true).replay.lanes.front().makespan;
  }

  replay::SmpiResult simulated(double compute, bool unshared) const {
    replay::SmpiOptions smpi = smpi_options(options_);
    smpi.scaling = {.compute = compute};
    smpi.unshared = unshared;
    smpi.seconds_per_unit = on_.speeds.seconds_per_unit;
    smpi.kernel_factors = on_.speeds.kernel_factors;
    smpi.units_per_second = on_.units_per_second;
    Progress progress(fmt::format("simulating {} on {}", options_.trace, name()), total_actions(source_.run()));
    smpi.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
    return replay::smpi_replay(source_, platform_, on_.mapping, smpi);
  }

  std::string name() const { return platform_.file().stem().string(); }
  const std::optional<analysis::BusiestLink>& busiest() const { return busiest_; }
  const OnPlatform& on() const { return on_; }

private:
  const trace::Source& source_;
  const PredictionOptions& options_;
  const replay::SimgridPlatform& platform_;
  OnPlatform on_;
  analysis::MovedBytes moved_;
  std::optional<analysis::BusiestLink> busiest_;
  double bandwidth_ = 0;
};

} // namespace

ExaminedCase examine_case(const trace::Source& source, const PredictionOptions& options, Simulations simulations) {
  const replay::SimgridPlatform platform = load_platform(options);
  Examination examination(source, options, platform);
  examination.find_traffic();
  ExaminedCase examined{
      .platform = examination.name(), .busiest = examination.busiest(), .notes = examination.on().mapping.notes};
  for (const double compute : options.compute) {
    analysis::AdvisorRow row = examination.row(compute);
    if (simulations != Simulations::none) examination.simulate(row, compute);
    if (simulations == Simulations::shared_and_unshared) examination.simulate_unshared(row, compute);
    examined.rows.push_back(std::move(row));
  }
  return examined;
}

ExaminedCase examine_case_by_parts(const trace::Source& source, const PredictionOptions& options,
                                   const NamedParts& named, std::vector<ExaminedPart>& parts) {
  const replay::SimgridPlatform platform = load_platform(options);
  Examination whole(source, options, platform);
  whole.find_traffic();
  ExaminedCase examined{.platform = whole.name(), .busiest = whole.busiest(), .notes = whole.on().mapping.notes};
  examined.rows.push_back(whole.row(options.compute.front()));
  for (const NamedPart& named_part : named.parts) {
    ExaminedPart& part = parts.emplace_back(ExaminedPart{.name = named_part.name});
    const analysis::PartSource alone(source, named.division, named_part.number);
    try {
      Examination examination(alone, options, platform);
      examination.find_traffic();
      part.row = examination.row(options.compute.front());
    } catch (const Error& error) {
      if (error.failure() != Failure::invalid_input) throw;
      part.because = error.description();
    }
  }
  return examined;
}

void add_unshared_time(analysis::AdvisorRow& row, const trace::Source& source, const PredictionOptions& options) {
  const replay::SimgridPlatform platform = load_platform(options);
  Examination(source, options, platform).simulate_unshared(row, 1 / row.compute);
}

} // namespace timeless::tools
