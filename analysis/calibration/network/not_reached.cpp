#include "analysis/calibration/network/not_reached.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

using Notes = std::vector<std::string>;

/// Sizes at which most half round trips lie on one side of their fit, and far from it. Of the largest, for which all
/// larger messages are taken, two in a row are enough to be said.
void note_poor_sizes(const LinkCurves& curves, Notes& notes) {
  constexpr double far_off = 0.25;
  constexpr std::size_t least_of_a_class = 4;
  const auto note = [&](std::uint64_t from, std::uint64_t to, double residual) {
    notes.push_back(fmt::format("half round trips {} of {} to {} bytes take {:.0f} % {} than their fit says: a longer "
                                "budget tells more sizes apart",
                                words_of(curves.kind), from, to, 100 * std::abs(residual),
                                residual > 0 ? "longer" : "less"));
  };
  const Curve& curve = curves.half_round_trip;
  for (const MeasuredSizes& one : classes_by_size(curves.half_round_trips, curve)) {
    if (one.points < least_of_a_class || (one.low <= far_off && one.high >= -far_off)) continue;
    note(one.from, one.to, one.residual);
    if (one.to == curve.largest) return;
  }
  const auto residual = [&](const SizePoint& one) { return one.seconds / curve(static_cast<double>(one.bytes)) - 1; };
  std::vector<SizePoint> largest(std::min<std::size_t>(2, curves.half_round_trips.size()));
  std::ranges::partial_sort_copy(curves.half_round_trips, largest, std::ranges::greater{}, &SizePoint::bytes,
                                 &SizePoint::bytes);
  if (largest.size() == 2 && std::min(residual(largest[0]), residual(largest[1])) > far_off)
    note(largest[1].bytes, largest[0].bytes, (residual(largest[0]) + residual(largest[1])) / 2);
}

/// A spinning rank keeps the processor that the other one waits for, until its time slice ends.
void note_turns(const LinkCurves& curves, Notes& notes) {
  const double slice = curves.kind == LinkKind::within_node ? 2e-4 : 2e-3; // shorter than any; longer than networks
  const double small = curves.half_round_trip(static_cast<double>(curves.half_round_trip.smallest));
  if (small > slice)
    notes.push_back(fmt::format("a small message {} takes {:.3g} ms, as long as ranks wait that take turns on a "
                                "processor: see that each has one of its own, and measure again",
                                words_of(curves.kind), 1e3 * small));
}

/// Two digits behind the point, none from 100 on.
std::string factor_text(double factor) {
  constexpr double large = 100;
  return factor < large ? fmt::format("{:.2f}", factor) : fmt::format("{:.0f}", factor);
}

/// "0.82 times (launch 1), 1.19 to 1.25 times (launch 2)".
std::string factors_text(const LaunchFactors& factors) {
  constexpr std::size_t most = 8;
  constexpr double alike = 1.02;
  std::string text;
  std::size_t named = 0;
  for (const auto& [launch, range] : factors) {
    if (named++ == most) break;
    const bool one = range.high < alike * range.low;
    const std::string factor = one ? factor_text(std::sqrt(range.low * range.high))
                                   : fmt::format("{} to {}", factor_text(range.low), factor_text(range.high));
    text += fmt::format("{}{} times (launch {})", text.empty() ? "" : ", ", factor, launch + 1);
  }
  return factors.size() > most ? text + fmt::format(" and other times in {} more", factors.size() - most) : text;
}

void note_launches(const LinkCurves& curves, Notes& notes) {
  std::string first;
  std::vector<std::string> others;
  for (const auto& [name, curve] : {std::pair{"half round trips", &curves.half_round_trip},
                                    {"MPI_Send", &curves.send},
                                    {"MPI_Isend", &curves.isend},
                                    {"MPI_Recv", &curves.receive},
                                    {"messages of a train", &curves.interval}}) {
    if (curve->launches.empty()) continue;
    if (first.empty())
      first = fmt::format("{} took {} as long as in the middle one", name, factors_text(curve->launches));
    else
      others.emplace_back(name);
  }
  if (first.empty()) return;
  notes.push_back(fmt::format(
      "launches {} (by date) differ by more than repetitions within one: {}{}; the fit is of the "
      "middle one, and intervals hold the others",
      words_of(curves.kind), first, others.empty() ? "" : fmt::format(" (differ, too: {})", fmt::join(others, ", "))));
}

void note_link(const std::optional<FittedLink>& link, LinkKind kind, Notes& notes) {
  const std::string where = words_of(kind);
  if (!link) {
    notes.push_back(kind == LinkKind::between_nodes
                        ? "nothing was measured between nodes: the figures within the node stand for it"
                        : "nothing was measured within a node: the figures between nodes stand for it, even where a "
                          "rank sends to itself");
    return;
  }
  const LinkCurves& curves = link->curves;
  constexpr double poor = 0.25;
  if (curves.half_round_trip.median_error > poor)
    notes.push_back(fmt::format("half round trips {} are {:.0f} % off their fit in the median: the machine was not at "
                                "rest, or the budget too short",
                                where, 100 * curves.half_round_trip.median_error));
  note_launches(curves, notes);
  note_poor_sizes(curves, notes);
  note_turns(curves, notes);
  if (curves.flat_end)
    notes.push_back(
        fmt::format("the largest messages {} took as long whatever their size: larger ones are taken to pass "
                    "as many bytes a second as the largest",
                    where));
  if (!curves.send_limit)
    notes.push_back(fmt::format("no eager limit was measured {}: all messages are taken to be eager", where));
  else if (!curves.send_limit->below)
    notes.push_back(fmt::format("no message waited for its receive {}, up to {} bytes: no eager limit is known", where,
                                curves.send_limit->at_least));
  else if (!curves.send_limit->exact())
    notes.push_back(fmt::format("the eager limit {} lies between {} and {} bytes; the search was cut short", where,
                                curves.send_limit->at_least, *curves.send_limit->below));
  if (curves.send_limit && curves.isend_limit && curves.send_limit->below && curves.isend_limit->below &&
      curves.send_limit->at_least != curves.isend_limit->at_least)
    notes.push_back(
        fmt::format("{}, nonblocking sends are eager up to {} bytes, blocking ones up to {}: the files have "
                    "the latter for both",
                    where, curves.isend_limit->at_least, curves.send_limit->at_least));
  if (!curves.send) notes.push_back(fmt::format("too few sends {}: their overhead is not known", where));
  if (!curves.receive) notes.push_back(fmt::format("too few receives {}: their overhead is not known", where));
  if (!curves.interval) notes.push_back(fmt::format("too few trains of messages {}: no gap is known", where));
  if (curves.drifts)
    notes.push_back(fmt::format("measurements {} drifted all along: the machine was not at rest", where));
}

/// Sizes are drawn at random up to the largest: with enough time, one of at least half of it is among them.
void note_largest(const std::optional<FittedLink>& link, const ping::Raw& raw, Notes& notes) {
  if (!link) return;
  const LinkCurves& curves = link->curves;
  const std::uint64_t asked = std::ranges::max(raw.launches, {}, &ping::MeasurementContext::most_bytes).most_bytes;
  const std::uint64_t largest = curves.half_round_trip.largest;
  if (largest >= asked / 2) return;
  notes.push_back(fmt::format("messages {} were measured up to {} bytes, and {} were asked for: what larger ones take "
                              "is extrapolated; a longer budget reaches more",
                              words_of(curves.kind), largest, asked));
}

/// `calibrate network` ends each launch with how long it took.
void note_launch_without_end(const ping::Raw& raw, Notes& notes) {
  const bool by_calibrate = std::ranges::any_of(raw.launches, [](const ping::MeasurementContext& one) {
    return std::isfinite(one.elapsed) || !one.noise.empty();
  });
  if (by_calibrate && !std::isfinite(raw.launches.back().elapsed))
    notes.push_back(fmt::format("launch {} did not come to its end, or the file was cut there: what it had measured "
                                "counts",
                                raw.launches.size()));
}

void note_limits(const NetworkFit& fit, Notes& notes) {
  if (!fit.between_nodes || !fit.within_node || fit.eager_limit == fit.eager_limit_within_node) return;
  const auto text = [](std::optional<std::uint64_t> limit) {
    return limit ? fmt::format("{} bytes", *limit) : "no limit";
  };
  notes.push_back(
      fmt::format("the eager limit is {} between nodes and {} within one: a platform file has the former for both",
                  text(fit.eager_limit), text(fit.eager_limit_within_node)));
}

/// Collectives whose ranks did not begin together say nothing of how long they take.
void note_common_starts(const ping::Raw& raw, Notes& notes) {
  if (raw.without_common_start == 0) return;
  std::size_t measured = 0;
  for (const ping::Raw::Line& line : raw.lines)
    if (line.measurement.order.experiment >= ping::Experiment::barrier && line.measurement.rank == 0) ++measured;
  notes.push_back(fmt::format("{} of {} timings of collectives are left out: ranks came late to their common start, as "
                              "they do where they share processors, are interrupted, or a clock is set",
                              raw.without_common_start, raw.without_common_start + measured));
}

/// Launches of one kind, within a node or between nodes, on other hosts or with another MPI library are one fit.
void note_mixed_launches(const ping::Raw& raw, Notes& notes) {
  std::map<LinkKind, std::set<std::string>> places;
  std::set<std::string> libraries;
  for (const ping::MeasurementContext& one : raw.launches) {
    const std::set<std::string> hosts(one.hosts.begin(), one.hosts.end());
    const bool one_node = std::ranges::all_of(one.nodes, [&](int node) { return node == one.nodes.front(); });
    places[one_node ? LinkKind::within_node : LinkKind::between_nodes].insert(
        fmt::format("{}", fmt::join(hosts, " and ")));
    libraries.insert(one.library);
  }
  for (const auto& [kind, names] : places)
    if (names.size() > 1)
      notes.push_back(fmt::format("launches {} were on different hosts ({}): one fit is made of all, which holds if "
                                  "the hosts are alike",
                                  words_of(kind), fmt::join(names, "; ")));
  if (libraries.size() > 1)
    notes.push_back(fmt::format("launches had different MPI libraries ({}): one fit is made of all, which holds for "
                                "none of them where they differ",
                                fmt::join(libraries, "; ")));
}

void note_ports(const NetworkFit& fit, Notes& notes) {
  if (fit.between_nodes && !fit.both_ways_between_nodes)
    notes.emplace_back("what a node's port carries in both directions at once was not measured: each is taken to have "
                       "what one has");
  if (fit.between_nodes && fit.node_port && fit.node_port->messages < 2)
    notes.emplace_back("one process on each node: what a node's port carries from several was not measured");
}

} // namespace

std::vector<std::string> not_reached(const NetworkFit& fit, const ping::Raw& raw) {
  Notes notes = raw.cut;
  note_mixed_launches(raw, notes);
  note_link(fit.between_nodes, LinkKind::between_nodes, notes);
  note_link(fit.within_node, LinkKind::within_node, notes);
  note_largest(fit.between_nodes, raw, notes);
  note_largest(fit.within_node, raw, notes);
  note_launch_without_end(raw, notes);
  note_limits(fit, notes);
  if (std::ranges::any_of(fit.launches, [](const ping::MeasurementContext& one) { return one.waiting == "yields"; }))
    notes.emplace_back("ranks that waited gave their processors away (mpi_yield_when_idle): a small message takes half "
                       "of a round trip in a series of them, and up to a whole one alone or in a collective");
  note_common_starts(raw, notes);
  if (!fit.memory_copy) notes.emplace_back("no memory copy of 64 KiB or more was measured");
  if (!fit.reduction) notes.emplace_back("no reduction of 64 KiB or more was measured: its arithmetic is free");
  note_ports(fit, notes);
  return notes;
}

} // namespace timeless::analysis
