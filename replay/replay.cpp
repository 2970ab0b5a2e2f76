#include "replay/replay.h"

#include "replay/engine/clocks/eager_limits.h"
#include "replay/engine/clocks/lane_numbers.h"
#include "replay/engine/program/program.h"
#include "replay/engine/steady/cut_agreement.h"
#include "replay/engine/steady/loop_walk.h"
#include "replay/engine/steady/near_volumes.h"
#include "replay/lane_partition.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace timeless::replay {

namespace {

/// Throws unless the run has all ranks. Builds no lists: a hostile size must cost nothing.
void require_all_ranks(const trace::Run& run) {
  if (run.size <= 0) throw Error(Failure::invalid_input, "the run has no ranks");
  trace::Rank expected = 0;
  std::string missing;
  std::size_t named = 0;
  const auto name_until = [&](trace::Rank end) {
    for (; expected < end && named < 16; ++expected, ++named)
      missing += fmt::format("{}{}", named == 0 ? "" : ", ", expected);
  };
  for (const trace::RankRecord& record : run.ranks) {
    if (record.rank < expected && named < 16)
      throw Error(Failure::invalid_input, fmt::format("the run's ranks are not in order at rank {}", record.rank));
    if (record.rank >= run.size)
      throw Error(Failure::invalid_input,
                  fmt::format("the run holds rank {}, but has only {} ranks", record.rank, run.size));
    name_until(record.rank);
    expected = record.rank + 1;
  }
  name_until(run.size);
  const std::size_t absent =
      static_cast<std::size_t>(run.size) - std::min(run.ranks.size(), static_cast<std::size_t>(run.size));
  if (named == 0) return;
  throw Error(Failure::invalid_input,
              fmt::format("{} of {} ranks are missing: {}{}", absent, run.size, missing, absent > named ? ", ..." : ""),
              {}, "gather the traces of all ranks; a replay needs every one");
}

std::uint64_t actions(const trace::Run& run) {
  std::uint64_t total = 0;
  for (const trace::RankRecord& record : run.ranks)
    total += record.actions;
  return total;
}

} // namespace

void require_replayable(const trace::Run& run, const Network& network, const ReplayOptions& options) {
  require_all_ranks(run);
  if (network.lanes.empty())
    throw Error(Failure::usage, "a replay needs at least one network configuration", {},
                "name a network or a platform");
  if (options.handshake && !(*options.handshake >= 0 && std::isfinite(*options.handshake)))
    throw Error(Failure::usage, "a handshake takes a negative number of latencies, or none that is a number", {},
                "give 0 or more");
  if (options.ports != Ports::none && options.completions == CompletionOrder::as_listed)
    throw Error(Failure::usage, "messages come through a port in the order of their arrival, not as they are listed",
                {}, "ask for ports, or for completions as listed");
  const std::string why = options.observer != nullptr ? "a timeline is asked for" : why_every_action(options);
  if (options.iterations > 0 && !why.empty())
    throw Error(Failure::usage, "iterations cannot be added to a replay that plays every action: " + why, {},
                "leave out one of both");
  if (options.iterations > 0 && options.critical_path)
    throw Error(Failure::usage, "a critical path leads through actions that were recorded", {},
                "leave out the iterations that are added, or the critical path");
  if (options.critical_path && (network.lanes.size() != 1 || options.sensitivities || options.ideal))
    throw Error(Failure::usage, "a critical path is one configuration's, replayed for nothing else");
}

namespace {

/// Replays what nearly repeats as if it did, where that lets something be jumped over; else as it was recorded.
Result replay_nearly(const trace::Source& source, const Network& network, ReplayOptions options) {
  const double within = std::exchange(options.within, 0);
  if (options.observer != nullptr) return replay(source, network, options); // who watches every action
  const NearVolumes near(source, network, within, options.iterations > 0);
  Result result = replay(near, network, options); // it knows what changes, whether or not it replaces something
  if (near.iterations() == 0) return result;
  if (!result.steady || result.steady->actions == 0) return replay(source, network, options);
  result.steady->replaced = {.iterations = near.iterations(), .share = within};
  for (std::size_t lane = 0; lane < network.lanes.size(); ++lane) {
    result.lanes[lane].earlier = near.earlier() * network.lanes[lane].compute_scale;
    result.lanes[lane].later = near.later() * network.lanes[lane].compute_scale;
  }
  return result;
}

Jumps chosen_jumps(const trace::Source& source, const ReplayOptions& options) {
  // A tenth of a second: in shorter runs the search costs what it may save.
  constexpr std::uint64_t long_run = std::uint64_t{1} << 22U;
  // States of more leave all caches: a stop costs more than the iteration.
  constexpr trace::Rank most_ranks = 1 << 15;
  const trace::Run& run = source.run();
  const std::uint64_t all = actions(run);
  const bool may = run.counter.exactness == trace::Exactness::exact && run.size <= most_ranks && all >= long_run &&
                   why_every_action(options).empty();
  return may && repeated_actions(source) >= all / 2 ? Jumps::taken : Jumps::none;
}

} // namespace

Result replay_as_chosen(const trace::Source& source, const ReplayOptions& options,
                        const std::function<Result(const ReplayOptions&)>& replay) {
  if (options.jumps != Jumps::where_much_repeats) return replay(options);
  ReplayOptions chosen = options;
  chosen.jumps = chosen_jumps(source, options);
  Result result = replay(chosen);
  if (result.steady && result.steady->actions == 0) result.steady.reset();
  return result;
}

Result replay(const trace::Source& source, const Network& network, const ReplayOptions& options) {
  require_replayable(source.run(), network, options);
  if (options.jumps == Jumps::where_much_repeats)
    return replay_as_chosen(source, options,
                            [&](const ReplayOptions& chosen) { return replay(source, network, chosen); });
  if (options.within > 0 && options.jumps == Jumps::taken) return replay_nearly(source, network, options);
  const std::size_t parts = options.threads > 0 ? options.threads
                                                : worthwhile_partitions(network.lanes.size(), actions(source.run()),
                                                                        std::thread::hardware_concurrency());
  const std::size_t threads = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
  if (const std::vector<Lanes> groups = apart_for_jumps(network, options); !groups.empty())
    return replay_apart(network, options, groups, threads, together(source));
  if (!ordered(eager_limits(network, options)))
    return replay_apart(network, options, each_alone(network), threads, together(source));
  try {
    if (parts > 1 && network.lanes.size() > lane_group) return replay_partitioned(source, network, options, parts);
    return replay_together(source, network, options);
  } catch (const NeedsOneLane&) {
    return replay_apart(network, options, each_alone(network), threads, together(source));
  }
}

} // namespace timeless::replay
