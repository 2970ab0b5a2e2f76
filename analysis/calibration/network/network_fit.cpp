#include "analysis/calibration/network/network_fit.h"

#include "analysis/statistics/clocks.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace timeless::analysis {

namespace {

using ping::Experiment;

const Series* series_in(const std::map<SeriesKey, Series>& series, LinkKind kind, Experiment experiment) {
  const auto found = series.find({kind, experiment});
  return found == series.end() ? nullptr : &found->second;
}

const char* words(LinkKind kind) {
  return kind == LinkKind::within_node ? "within a node" : "between nodes";
}

/// The limit that messages are described with; nothing where no message waited.
std::optional<std::uint64_t> limit_of(const LinkCurves& curves) {
  if (!curves.send_limit || !curves.send_limit->below) return std::nullopt;
  return curves.eager();
}

FittedLink fitted(const LinkCurves& curves) {
  const std::uint64_t limit = limit_of(curves).value_or(std::numeric_limits<std::uint64_t>::max());
  return {curves, loggp_segments(curves, limit), loggp_intervals(curves, limit)};
}

/// Sizes at which most half round trips lie on one side of their fit, and far from it.
void note_poor_sizes(const LinkCurves& curves, std::vector<std::string>& notes) {
  constexpr double far_off = 0.25;
  constexpr std::size_t least_of_a_class = 4;
  for (const MeasuredSizes& one : classes_by_size(curves.half_round_trips, curves.half_round_trip))
    if (one.points >= least_of_a_class && (one.low > far_off || one.high < -far_off))
      notes.push_back(fmt::format(
          "half round trips {} of {} to {} bytes take {:.0f} % {} than their fit says: a longer "
          "budget tells more sizes apart",
          words(curves.kind), one.from, one.to, 100 * std::abs(one.residual), one.residual > 0 ? "longer" : "less"));
}

/// A spinning rank keeps the processor that the other one waits for, until its time slice ends.
void note_turns(const LinkCurves& curves, std::vector<std::string>& notes) {
  const double slice = curves.kind == LinkKind::within_node ? 2e-4 : 2e-3; // shorter than any; longer than networks
  const double small = curves.half_round_trip(static_cast<double>(curves.half_round_trip.smallest));
  if (small > slice)
    notes.push_back(fmt::format("a small message {} takes {:.3g} ms, as long as ranks wait that take turns on a "
                                "processor: see that each has one of its own, and measure again",
                                words(curves.kind), 1e3 * small));
}

void note_link(const std::optional<LinkCurves>& curves, LinkKind kind, std::vector<std::string>& notes) {
  const std::string where = words(kind);
  if (!curves) {
    notes.push_back(kind == LinkKind::between_nodes
                        ? "nothing was measured between nodes: the figures within the node stand for it"
                        : "nothing was measured within a node: the figures between nodes stand for it, even where a "
                          "rank sends to itself");
    return;
  }
  constexpr double poor = 0.25;
  if (curves->half_round_trip.median_error > poor)
    notes.push_back(fmt::format("half round trips {} are {:.0f} % off their fit in the median: the machine was not at "
                                "rest, or the budget too short",
                                where, 100 * curves->half_round_trip.median_error));
  note_poor_sizes(*curves, notes);
  note_turns(*curves, notes);
  if (curves->flat_end)
    notes.push_back(
        fmt::format("the largest messages {} took as long whatever their size: larger ones are taken to pass "
                    "as many bytes a second as the largest",
                    where));
  if (!curves->send_limit)
    notes.push_back(fmt::format("no eager limit was measured {}: all messages are taken to be eager", where));
  else if (!curves->send_limit->below)
    notes.push_back(fmt::format("no message waited for its receive {}, up to {} bytes: no eager limit is known", where,
                                curves->send_limit->at_least));
  else if (!curves->send_limit->exact())
    notes.push_back(fmt::format("the eager limit {} lies between {} and {} bytes; the search was cut short", where,
                                curves->send_limit->at_least, *curves->send_limit->below));
  if (curves->send_limit && curves->isend_limit && curves->send_limit->below && curves->isend_limit->below &&
      curves->send_limit->at_least != curves->isend_limit->at_least)
    notes.push_back(
        fmt::format("{}, nonblocking sends are eager up to {} bytes, blocking ones up to {}: the files have "
                    "the latter for both",
                    where, curves->isend_limit->at_least, curves->send_limit->at_least));
  if (!curves->send) notes.push_back(fmt::format("too few sends {}: their overhead is not known", where));
  if (!curves->receive) notes.push_back(fmt::format("too few receives {}: their overhead is not known", where));
  if (!curves->interval) notes.push_back(fmt::format("too few trains of messages {}: no gap is known", where));
  if (curves->drifts)
    notes.push_back(fmt::format("measurements {} drifted all along: the machine was not at rest", where));
}

/// Sizes are drawn at random up to the largest: with enough time, one of at least half of it is among them.
void note_largest(const std::optional<LinkCurves>& curves, const ping::Raw& raw, std::vector<std::string>& notes) {
  if (!curves) return;
  const std::uint64_t asked = std::ranges::max(raw.launches, {}, &ping::MeasurementContext::most_bytes).most_bytes;
  const std::uint64_t largest = curves->half_round_trip.largest;
  if (largest >= asked / 2) return;
  notes.push_back(fmt::format("messages {} were measured up to {} bytes, and {} were asked for: what larger ones take "
                              "is extrapolated; a longer budget reaches more",
                              words(curves->kind), largest, asked));
}

/// `calibrate network` ends each launch with how long it took.
void note_launch_without_end(const ping::Raw& raw, std::vector<std::string>& notes) {
  const bool by_calibrate = std::ranges::any_of(raw.launches, [](const ping::MeasurementContext& one) {
    return std::isfinite(one.elapsed) || !one.noise.empty();
  });
  if (by_calibrate && !std::isfinite(raw.launches.back().elapsed))
    notes.push_back(fmt::format("launch {} did not come to its end, or the file was cut there: what it had measured "
                                "counts",
                                raw.launches.size()));
}

void note_limits(const NetworkFit& fit, std::vector<std::string>& notes) {
  if (!fit.between_nodes || !fit.within_node) return;
  const auto between = limit_of(fit.between_nodes->curves);
  const auto within = limit_of(fit.within_node->curves);
  if (between == within) return;
  const auto text = [](std::optional<std::uint64_t> limit) {
    return limit ? fmt::format("{} bytes", *limit) : "no limit";
  };
  notes.push_back(
      fmt::format("the eager limit is {} between nodes and {} within one: a platform file has the former for both",
                  text(between), text(within)));
}

/// Collectives whose ranks did not begin together say nothing of how long they take.
void note_common_starts(const ping::Raw& raw, std::vector<std::string>& notes) {
  if (raw.without_common_start == 0) return;
  std::size_t measured = 0;
  for (const ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment >= Experiment::barrier && line.measurement.rank == 0) ++measured;
  notes.push_back(fmt::format("{} of {} timings of collectives are left out: ranks came late to their common start, as "
                              "they do where they share processors, are interrupted, or a clock is set",
                              raw.without_common_start, raw.without_common_start + measured));
}

const LogGpSegment& segment_of(const FittedLink& link, std::uint64_t bytes) {
  const auto found = std::ranges::find_if(link.segments, [&](const LogGpSegment& one) { return bytes <= one.up_to; });
  return found == link.segments.end() ? link.segments.back() : *found;
}

/// What a message takes but for its bytes on the link: the ends of one that waits have no bytes of their own there.
double beside_bytes(const FittedLink& link, std::uint64_t bytes) {
  const LogGpSegment& segment = segment_of(link, bytes);
  const auto size = static_cast<double>(bytes);
  return segment(size) - size * (segment.byte_time + (segment.eager ? 0 : segment.send.slope));
}

/// The nodes of ranks are those of the first launch that has as many.
std::vector<CollectiveChoice> choices_of(const NetworkFit& fit, const std::map<SeriesKey, Series>& series) {
  const std::vector<int>& nodes =
      std::ranges::max(fit.launches, {}, [](const ping::MeasurementContext& one) { return one.nodes.size(); }).nodes;
  const FittedLink& near = fit.within_node ? *fit.within_node : fit.main_link();
  const FittedMachine machine{
      .message = [&](std::uint32_t from, std::uint32_t to, std::uint64_t bytes) -> const LogGpSegment& {
        return segment_of(nodes[from] == nodes[to] ? near : fit.main_link(), bytes);
      },
      .reduction_byte_time = fit.reduction ? 1 / fit.reduction->bytes_per_second : 0};
  return collective_choices(series, machine);
}

/// One direction is that of `pairs` where several ranks a node were measured, else of half a round trip.
void fit_both_ways(NetworkFit& fit, const std::map<SeriesKey, Series>& series) {
  const auto half = [](const FittedLink& link) {
    return [&link](std::uint64_t bytes) { return link.curves.half_round_trip(static_cast<double>(bytes)); };
  };
  if (const Series* near = series_in(series, LinkKind::within_node, Experiment::exchanges); near && fit.within_node)
    fit.both_ways_within_node = both_ways(*near, 1, half(*fit.within_node));
  const Series* far = series_in(series, LinkKind::between_nodes, Experiment::exchanges);
  if (far == nullptr || !fit.between_nodes || far->samples.empty()) return;
  const std::uint32_t at_once = std::max(far->samples.front().ranks / 2, 1U);
  if (at_once > 1 && fit.node_port)
    fit.both_ways_between_nodes = both_ways(*far, at_once, [&](std::uint64_t bytes) {
      return static_cast<double>(bytes) * at_once / fit.node_port->rate.bytes_per_second;
    });
  else
    fit.both_ways_between_nodes = both_ways(*far, at_once, half(*fit.between_nodes));
}

/// Of each rank, measurements begin one after the other, and end before the launch does.
void demand_steady_clocks(const ping::Raw& raw, const std::string& where) {
  std::map<std::pair<std::size_t, std::int32_t>, double> latest; // by launch and rank
  for (const ping::Raw::Line& line : raw.lines) {
    const ping::Measurement& one = line.measurement;
    double& before = latest[{line.launch, one.rank}];
    if (one.start < before)
      throw Error(Failure::invalid_input,
                  fmt::format("the clock of rank {} went back from {} to {} seconds in launch {}", one.rank, before,
                              one.start, line.launch + 1),
                  where, "measure again, on a machine whose clock nobody sets");
    before = one.start;
    const double end = one.start + one.seconds;
    const double elapsed = raw.launches[line.launch].elapsed;
    if (jumped_ahead(end, elapsed))
      throw Error(
          Failure::invalid_input,
          fmt::format("the clock of rank {} jumped: it went on by {:.3f} seconds in launch {}, which took {:.3f}",
                      one.rank, end, line.launch + 1, elapsed),
          where, "measure again, on a machine whose clock nobody sets");
  }
}

/// Of the launches of one calibration, each has a seed of its own; others may begin in the same second on other hosts.
void demand_launches_once(const ping::Raw& raw, const std::string& where) {
  const auto same = [](const ping::MeasurementContext& one, const ping::MeasurementContext& other) {
    return one.seed == other.seed && one.date == other.date && one.hosts == other.hosts;
  };
  for (std::size_t later = 1; later < raw.launches.size(); ++later)
    for (std::size_t one = 0; one < later; ++one)
      if (same(raw.launches[one], raw.launches[later]))
        throw Error(Failure::invalid_input,
                    fmt::format("launches {} and {} are the same: of {}, with seed {}", one + 1, later + 1,
                                raw.launches[one].date, raw.launches[one].seed),
                    where, "put each raw file in once");
}

[[noreturn]] void fail_without_round_trips(const std::map<SeriesKey, Series>& series, const std::string& where) {
  constexpr std::size_t least = 6;
  for (const LinkKind kind : {LinkKind::between_nodes, LinkKind::within_node}) {
    const Series* round_trips = series_in(series, kind, Experiment::round_trip);
    if (round_trips == nullptr || round_trips->samples.size() < least) continue;
    const auto timed = std::ranges::count_if(round_trips->samples, [](const Sample& one) { return one.seconds > 0; });
    if (static_cast<std::size_t>(timed) >= least) continue;
    throw Error(Failure::invalid_input,
                fmt::format("{} of {} round trips {} took any time: nothing can be fitted to them", timed,
                            round_trips->samples.size(), words(kind)),
                where, "measure again, where MPI_Wtime tells times that short");
  }
  throw Error(Failure::invalid_input,
              "fewer than six round trips were measured, without outliers: nothing can be fitted to them", where,
              "measure for longer, with --budget");
}

void demand_sizes(const std::optional<LinkCurves>& curves, const std::string& where) {
  if (!curves || curves->half_round_trip.smallest < curves->half_round_trip.largest) return;
  throw Error(Failure::invalid_input,
              fmt::format("all round trips {} have {} bytes: what a byte takes cannot be told", words(curves->kind),
                          curves->half_round_trip.largest),
              where, "measure with larger messages, too (--max-bytes)");
}

} // namespace

NetworkFit fit_network(const ping::Raw& raw, const std::string& where) {
  demand_launches_once(raw, where);
  demand_steady_clocks(raw, where);
  const auto series = series_of(raw);
  NetworkFit fit;
  fit.launches = raw.launches;
  fit.measurements = raw.lines.size();
  fit.not_reached = raw.cut;
  auto between = link_curves(series, LinkKind::between_nodes);
  auto within = link_curves(series, LinkKind::within_node);
  if (!between && !within) fail_without_round_trips(series, where);
  demand_sizes(between, where);
  demand_sizes(within, where);
  note_link(between, LinkKind::between_nodes, fit.not_reached);
  note_link(within, LinkKind::within_node, fit.not_reached);
  note_largest(between, raw, fit.not_reached);
  note_largest(within, raw, fit.not_reached);
  note_launch_without_end(raw, fit.not_reached);
  fit.eager_limit = limit_of(between ? *between : *within);
  fit.eager_limit_within_node = within ? limit_of(*within) : fit.eager_limit;
  if (between) fit.between_nodes = fitted(*between);
  if (within) fit.within_node = fitted(*within);
  note_limits(fit, fit.not_reached);
  if (const Series* copies = series_in(series, LinkKind::within_node, Experiment::copy))
    fit.memory_copy = rate_of(*copies);
  if (const Series* sums = series_in(series, LinkKind::within_node, Experiment::reduction))
    fit.reduction = rate_of(*sums);
  if (const Series* pairs = series_in(series, LinkKind::between_nodes, Experiment::pairs))
    fit.node_port = node_port(*pairs, [&](std::uint64_t bytes) { return beside_bytes(fit.main_link(), bytes); });
  if (const Series* incast = series_in(series, LinkKind::between_nodes, Experiment::incast))
    fit.receiver_port = receiver_port(*incast);
  fit_both_ways(fit, series);
  fit.collectives = choices_of(fit, series);
  if (std::ranges::any_of(fit.launches, [](const ping::MeasurementContext& one) { return one.waiting == "yields"; }))
    fit.not_reached.emplace_back("ranks that waited gave their processors away (mpi_yield_when_idle): a small message "
                                 "takes half of a round trip "
                                 "in a series of them, and up to a whole one alone or in a collective");
  note_common_starts(raw, fit.not_reached);
  if (!fit.memory_copy) fit.not_reached.emplace_back("no memory copy of 64 KiB or more was measured");
  if (!fit.reduction)
    fit.not_reached.emplace_back("no reduction of 64 KiB or more was measured: its arithmetic is free");
  if (between && !fit.both_ways_between_nodes)
    fit.not_reached.emplace_back(
        "what a node's port carries in both directions at once was not measured: each is taken "
        "to have what one has");
  if (between && fit.node_port && fit.node_port->messages < 2)
    fit.not_reached.emplace_back("one process on each node: what a node's port carries from several was not measured");
  return fit;
}

} // namespace timeless::analysis
