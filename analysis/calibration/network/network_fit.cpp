#include "analysis/calibration/network/network_fit.h"

#include "analysis/calibration/network/not_reached.h"
#include "analysis/statistics/clocks.h"
#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace timeless::analysis {

namespace {

using ping::Experiment;

const Series* series_in(const std::map<SeriesKey, Series>& series, LinkKind kind, Experiment experiment) {
  const auto found = series.find({kind, experiment});
  return found == series.end() ? nullptr : &found->second;
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
  const std::uint32_t at_once = far->samples.front().at_once;
  if (at_once > 1 && fit.node_port)
    fit.both_ways_between_nodes = both_ways(*far, at_once, [&](std::uint64_t bytes) {
      return static_cast<double>(bytes) * at_once / fit.node_port->rate.bytes_per_second;
    });
  else
    fit.both_ways_between_nodes = both_ways(*far, at_once, half(*fit.between_nodes));
}

/// Of each rank, measurements begin one after the other, and the last ends no longer after the first begins than the
/// launch took. What the clock did before the first one harms none.
void demand_steady_clocks(const ping::Raw& raw, const std::string& where) {
  struct Time {
    double start = 0;
    double seconds = 0;
  };
  std::map<std::pair<std::size_t, std::int32_t>, double> begins; // by launch and rank
  std::map<std::pair<std::size_t, std::int32_t>, Time> latest;   // likewise
  for (const ping::Raw::Line& line : raw.lines) {
    const ping::Measurement& one = line.measurement;
    const Time before = std::exchange(latest[{line.launch, one.rank}], {one.start, one.seconds});
    if (one.start == before.start && before.seconds > 0)
      throw Error(Failure::invalid_input,
                  fmt::format("rank {} began two measurements at once, {} seconds after launch {} began", one.rank,
                              one.start, line.launch + 1),
                  where, "put each line in once");
    if (one.start < before.start)
      throw Error(Failure::invalid_input,
                  fmt::format("the clock of rank {} went back from {} to {} seconds in launch {}", one.rank,
                              before.start, one.start, line.launch + 1),
                  where, "measure again, on a machine whose clock nobody sets");
    const double begin = begins.try_emplace({line.launch, one.rank}, one.start).first->second;
    const double passed = one.start - begin + one.seconds;
    const double elapsed = raw.launches[line.launch].elapsed;
    if (jumped_ahead(passed, elapsed))
      throw Error(
          Failure::invalid_input,
          fmt::format("the clock of rank {} jumped: it went on by {:.6g} seconds in launch {}, which took {:.6g}",
                      one.rank, passed, line.launch + 1, elapsed),
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

/// Whatever file was put first, figures are the same.
ping::Raw by_date(const ping::Raw& raw) {
  std::vector<std::size_t> order(raw.launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t place) {
    const ping::MeasurementContext& one = raw.launches[place];
    return std::tie(one.date, one.seed, one.hosts); // of no two launches the same
  });
  ping::Raw sorted = raw;
  std::vector<std::size_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    sorted.launches[place] = raw.launches[order[place]];
    places[order[place]] = place;
  }
  for (ping::Raw::Line& line : sorted.lines)
    line.launch = places[line.launch];
  std::ranges::stable_sort(sorted.lines, {}, &ping::Raw::Line::launch);
  std::ranges::sort(sorted.cut);
  return sorted;
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
                            round_trips->samples.size(), words_of(kind)),
                where, "measure again, where MPI_Wtime tells times that short");
  }
  throw Error(Failure::invalid_input,
              "fewer than six round trips were measured, without outliers: nothing can be fitted to them", where,
              "measure for longer, with --budget");
}

void demand_sizes(const std::optional<LinkCurves>& curves, const std::string& where) {
  if (!curves || curves->half_round_trip.smallest < curves->half_round_trip.largest) return;
  throw Error(Failure::invalid_input,
              fmt::format("all round trips {} have {} bytes: what a byte takes cannot be told", words_of(curves->kind),
                          curves->half_round_trip.largest),
              where, "measure with larger messages, too (--max-bytes)");
}

} // namespace

NetworkFit fit_network(const ping::Raw& measured, const std::string& where) {
  demand_launches_once(measured, where);
  demand_steady_clocks(measured, where);
  const ping::Raw raw = by_date(measured);
  const auto series = series_of(raw);
  NetworkFit fit;
  fit.launches = raw.launches;
  fit.measurements = raw.lines.size();
  auto between = link_curves(series, LinkKind::between_nodes);
  auto within = link_curves(series, LinkKind::within_node);
  if (!between && !within) fail_without_round_trips(series, where);
  demand_sizes(between, where);
  demand_sizes(within, where);
  fit.eager_limit = limit_of(between ? *between : *within);
  fit.eager_limit_within_node = within ? limit_of(*within) : fit.eager_limit;
  if (between) fit.between_nodes = fitted(*between);
  if (within) fit.within_node = fitted(*within);
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
  fit.not_reached = not_reached(fit, raw);
  return fit;
}

} // namespace timeless::analysis
