#include "analysis/calibration/network/loggp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

namespace timeless::analysis {

namespace {

using ping::Experiment;

const Series* find(const std::map<SeriesKey, Series>& series, LinkKind kind, Experiment experiment) {
  const auto found = series.find({kind, experiment});
  return found == series.end() || found->second.samples.empty() ? nullptr : &found->second;
}

std::vector<SizePoint> points_of(const Series& series, double factor, std::uint64_t most_bytes = ~std::uint64_t{0}) {
  std::vector<SizePoint> points;
  for (const Sample& sample : series.samples)
    if (sample.bytes <= most_bytes) points.push_back({sample.launch, sample.bytes, sample.seconds * factor});
  return points;
}

/// (PRTT(n) - PRTT(1)) / (n - 1): what a message adds to a train without gaps (Hoefler, Lichei and Rehm: Low-overhead
/// LogGP parameter assessment for modern interconnection networks, 2007).
Curve intervals_of(const Series& trains, std::span<const std::uint64_t> breaks) {
  std::vector<SizePoint> alone;
  for (const Sample& sample : trains.samples)
    if (sample.messages == 1) alone.push_back({sample.launch, sample.bytes, sample.seconds});
  const Curve one = fit_curve(alone, trains.spread, breaks);
  if (!one) return {};
  std::vector<SizePoint> points;
  for (const Sample& sample : trains.samples)
    if (sample.messages > 1 && sample.gap == 0)
      points.push_back({sample.launch, sample.bytes,
                        (sample.seconds - one(static_cast<double>(sample.bytes))) / (sample.messages - 1)});
  return fit_curve(points, trains.spread, breaks);
}

void fit_hockney(LinkCurves& curves, std::vector<SizePoint> halves) {
  std::erase_if(halves, [](const SizePoint& one) { return one.seconds <= 0; });
  set_launch_factors(halves);
  std::vector<Point> points;
  std::vector<LaunchPoint> of_launches;
  for (const SizePoint& one : halves) {
    const auto bytes = static_cast<double>(one.bytes);
    points.push_back({bytes, one.of_middle_launch()});
    of_launches.push_back({one.launch, {bytes, one.seconds}});
  }
  curves.hockney = robust_line(points);
  double squares = 0;
  for (const LaunchPoint& one : of_launches)
    squares += std::pow(curves.hockney(one.point.x) / one.point.y - 1, 2);
  curves.hockney_rms = std::sqrt(squares / static_cast<double>(points.size()));
  std::tie(curves.hockney_intercept, curves.hockney_slope) =
      intervals_of(curves.hockney, part_lines(of_launches, curves.hockney));
}

void count(LinkCurves& curves, const Series& series) {
  curves.samples += series.samples.size();
  curves.warm_up += series.warm_up;
  curves.drifts = curves.drifts || series.drifts;
}

/// Messages beyond the sizes measured follow the last line, which would let them pass in no time if it did not rise: a
/// line of its own for the largest size, from the origin, is theirs.
void let_last_line_rise(LinkCurves& curves) {
  std::vector<CurvePiece>& pieces = curves.half_round_trip.pieces;
  const std::uint64_t largest = pieces.back().up_to;
  const auto bytes = static_cast<double>(largest);
  constexpr double rounding = 1e-9;
  if (pieces.back().line.slope * bytes > rounding * pieces.back().line.intercept || largest == 0) return;
  CurvePiece beyond = pieces.back();
  const auto from_origin = [&](const Line& line) { return Line{.intercept = 0, .slope = line(bytes) / bytes}; };
  for (Line& line : beyond.parts.lines)
    line = from_origin(line);
  beyond.parts.most_intercept = beyond.parts.most_slope = std::nullopt;
  beyond.line = from_origin(beyond.line);
  std::tie(beyond.intercept, beyond.slope) = intervals_of(beyond.line, beyond.parts);
  const std::uint64_t before = pieces.size() > 1 ? pieces[pieces.size() - 2].up_to : curves.half_round_trip.smallest;
  if (before + 1 < largest) {
    pieces.back().up_to = largest - 1;
    pieces.push_back(std::move(beyond));
  } else {
    pieces.back() = std::move(beyond);
  }
  curves.flat_end = true;
}

} // namespace

std::optional<LinkCurves> link_curves(const std::map<SeriesKey, Series>& series, LinkKind kind) {
  const Series* round_trips = find(series, kind, Experiment::round_trip);
  if (round_trips == nullptr) return std::nullopt;
  LinkCurves curves;
  curves.kind = kind;
  if (const Series* delayed = find(series, kind, Experiment::delayed_send)) curves.send_limit = eager_limit(*delayed);
  if (const Series* delayed = find(series, kind, Experiment::delayed_isend)) curves.isend_limit = eager_limit(*delayed);
  const std::uint64_t eager = curves.eager();
  std::set<std::uint64_t> known;
  if (curves.send_limit && curves.send_limit->below) known.insert(eager);
  const std::vector<std::uint64_t> breaks(known.begin(), known.end());
  const std::vector<SizePoint> halves = points_of(*round_trips, 0.5);
  count(curves, *round_trips);
  curves.half_round_trip = fit_curve(halves, round_trips->spread, breaks);
  if (!curves.half_round_trip) return std::nullopt;
  let_last_line_rise(curves);
  curves.half_round_trips = halves;
  fit_hockney(curves, halves);
  // What waits for its receive is no overhead; without a limit, all may be such.
  if (const Series* sends = find(series, kind, Experiment::send)) {
    curves.send = fit_curve(points_of(*sends, 1, eager), sends->spread);
    count(curves, *sends);
  }
  if (const Series* sends = find(series, kind, Experiment::isend)) {
    curves.isend = fit_curve(points_of(*sends, 1), sends->spread, breaks);
    count(curves, *sends);
  }
  if (const Series* receives = find(series, kind, Experiment::receive)) {
    curves.receive = fit_curve(points_of(*receives, 1, eager), receives->spread);
    count(curves, *receives);
  }
  if (const Series* trains = find(series, kind, Experiment::train)) {
    curves.interval = intervals_of(*trains, breaks);
    count(curves, *trains);
  }
  if (const Series* overlap = find(series, kind, Experiment::overlap))
    curves.left_after_overlap = left_after_overlap(*overlap, curves.half_round_trip, eager);
  return curves;
}

double LogGpSegment::operator()(double bytes) const {
  const double latencies = eager ? 1 : 1 + handshake_latencies;
  return (eager ? send : isend)(bytes) + latencies * latency + handshake + bytes * byte_time + receive(bytes);
}

namespace {

/// The sizes after which one of the curves changes. Breaks that different curves have at nearly the same size are one.
std::vector<std::uint64_t> ends_of(const LinkCurves& curves, std::uint64_t eager_limit) {
  constexpr double nearly = 1.1;
  std::set<std::uint64_t> fixed{eager_limit};
  if (curves.send_limit && curves.send_limit->below) fixed.insert(curves.eager());
  fixed.erase(0);
  std::vector<std::uint64_t> ends(fixed.begin(), fixed.end());
  for (const Curve* curve : {&curves.half_round_trip, &curves.send, &curves.isend, &curves.receive})
    for (std::size_t piece = 0; piece + 1 < curve->pieces.size(); ++piece) {
      const std::uint64_t up_to = curve->pieces[piece].up_to;
      const bool known = std::ranges::any_of(ends, [&](std::uint64_t one) {
        const auto [small, large] = std::minmax(one, up_to);
        return static_cast<double>(large) <= nearly * static_cast<double>(small);
      });
      if (!known) ends.push_back(up_to);
    }
  std::erase_if(ends, [&](std::uint64_t one) { return one >= curves.half_round_trip.largest; });
  ends.push_back(curves.half_round_trip.largest);
  std::ranges::sort(ends);
  return ends;
}

/// The line of a curve for most of the sizes between two.
Line line_of(const Curve& curve, double from, double to) {
  if (!curve) return {};
  return curve.of(std::sqrt(std::max(from, 1.0) * to)).line;
}

/// Takes what two ends share out of `whole`, which goes to the rest: first the sender's, then the receiver's.
struct Division {
  double first = 0;
  double second = 0;
  double rest = 0;
  bool cut = false;
};

Division divide(double whole, double first, double second, double least_rest = 0) {
  const double room = std::max(whole - least_rest, 0.0);
  Division parts{.first = std::min(first, room)};
  parts.second = std::min(second, room - parts.first);
  parts.rest = std::max(whole - parts.first - parts.second, 0.0);
  constexpr double noise = 0.05; // of the whole
  parts.cut = parts.first + parts.second < first + second - noise * whole;
  return parts;
}

LogGpSegment eager_segment(const LinkCurves& curves, double from, double to) {
  const double middle = std::sqrt(std::max(from, 1.0) * to);
  const Line whole = line_of(curves.half_round_trip, from, to);
  const bool machine_waits = middle > static_cast<double>(curves.eager()) && curves.send_limit;
  const Line isend = line_of(curves.isend, from, to);
  const Line send = machine_waits || !curves.send ? isend : line_of(curves.send, from, to);
  Line receive = machine_waits ? Line{} : line_of(curves.receive, from, to);
  LogGpSegment segment;
  // What was sent long before takes as long as if it were sent only now.
  constexpr double all_of_it = 0.95;
  segment.pulled =
      curves.receive && receive(middle) > all_of_it * (whole(middle) - send(middle)) && receive(middle) > send(middle);
  if (segment.pulled) receive = {};
  Division bytes = divide(whole.slope, send.slope, receive.slope);
  if (curves.interval && !machine_waits) {
    const Line interval = line_of(curves.interval, from, to);
    constexpr double more = 1.1;
    const bool port_bound = interval(middle) > more * std::max(send(middle), receive(middle));
    if (port_bound) {
      // What the trains show of the link is not the ends', which go on while it is busy.
      constexpr double clearly = 0.8;
      if (bytes.rest < clearly * interval.slope)
        bytes = divide(whole.slope, send.slope, receive.slope, std::min(interval.slope, whole.slope));
      segment.gap = std::max(interval(middle) - bytes.rest * middle, 0.0);
    }
  }
  const Division fixed = divide(whole.intercept, send.intercept, receive.intercept);
  segment.send = {fixed.first, bytes.first};
  segment.receive = {fixed.second, bytes.second};
  // Never more than the blocking one, which holds it.
  segment.isend =
      curves.isend ? Line{std::min(isend.intercept, fixed.first), std::min(isend.slope, bytes.first)} : segment.send;
  segment.latency = fixed.rest;
  segment.byte_time = bytes.rest;
  segment.overheads_cut = bytes.cut || fixed.cut;
  return segment;
}

/// The message travels once both ends are there: of the processors, only the request is known.
LogGpSegment waiting_segment(const LinkCurves& curves, double from, double to, double latency) {
  const Line whole = line_of(curves.half_round_trip, from, to);
  const Line request = line_of(curves.isend, from, to);
  LogGpSegment segment;
  segment.eager = false;
  const Division fixed = divide(whole.intercept, request.intercept, 0);
  const Division bytes = divide(whole.slope, request.slope, 0);
  segment.send = {fixed.first, bytes.first};
  segment.isend = segment.send;
  segment.byte_time = bytes.rest;
  segment.latency = std::min(latency, fixed.rest / (1 + handshake_latencies));
  segment.handshake = std::max(fixed.rest - (1 + handshake_latencies) * segment.latency, 0.0);
  segment.overheads_cut = fixed.cut || bytes.cut;
  return segment;
}

} // namespace

std::vector<LogGpSegment> loggp_segments(const LinkCurves& curves, std::uint64_t eager_limit) {
  std::vector<LogGpSegment> segments;
  double from = 0;
  for (const std::uint64_t end : ends_of(curves, eager_limit)) {
    const auto to = static_cast<double>(end);
    const bool eager = end <= eager_limit;
    const double latency =
        segments.empty() ? curves.half_round_trip.pieces.front().line.intercept : segments.front().latency;
    LogGpSegment segment = eager ? eager_segment(curves, from, to) : waiting_segment(curves, from, to, latency);
    segment.up_to = end;
    segments.push_back(segment);
    from = to;
  }
  return segments;
}

namespace {

/// The curves whose lines make segments.
std::array<Curve*, 5> curves_of(LinkCurves& curves) {
  return {&curves.half_round_trip, &curves.send, &curves.isend, &curves.receive, &curves.interval};
}

/// The same curves with the largest intercept, or slope, that the measurements allow wherever they give 0.
LinkCurves of_extreme(LinkCurves curves, std::optional<Line> PartLines::*extreme) {
  for (Curve* curve : curves_of(curves))
    for (CurvePiece& piece : curve->pieces)
      if (const std::optional<Line>& line = piece.parts.*extreme) piece.line = *line;
  return curves;
}

/// The same curves with the lines that one part of the measurements gives.
LinkCurves of_part(LinkCurves curves, std::size_t part) {
  for (Curve* curve : curves_of(curves))
    for (CurvePiece& piece : curve->pieces)
      if (const std::vector<Line>& lines = piece.parts.lines; !lines.empty()) piece.line = lines[part % lines.size()];
  return curves;
}

/// What the measurements give of a segment by their parts, and at their extremes.
struct PartSegments {
  std::vector<LogGpSegment> parts;
  std::vector<LogGpSegment> extremes;
};

/// Sets both ends of one number's interval; `get` returns the number's place in a segment.
template <typename Get>
void set_interval(SegmentInterval& found, PartSegments& of, const Get& get) {
  std::vector<double> numbers;
  for (LogGpSegment& one : of.parts)
    numbers.push_back(get(one));
  Interval range = interval_of(get(found.low), numbers, found.over).range;
  for (LogGpSegment& one : of.extremes)
    range = {std::min(range.low, get(one)), std::max(range.high, get(one))};
  get(found.low) = range.low;
  get(found.high) = range.high;
}

void set_intervals(SegmentInterval& found, PartSegments& of) {
  for (Line LogGpSegment::*const line : {&LogGpSegment::send, &LogGpSegment::isend, &LogGpSegment::receive}) {
    set_interval(found, of, [&](LogGpSegment& one) -> double& { return (one.*line).intercept; });
    set_interval(found, of, [&](LogGpSegment& one) -> double& { return (one.*line).slope; });
  }
  for (double LogGpSegment::*const number :
       {&LogGpSegment::latency, &LogGpSegment::byte_time, &LogGpSegment::handshake})
    set_interval(found, of, [&](LogGpSegment& one) -> double& { return one.*number; });
  if (!found.low.gap) return;
  const auto without_gap = [](const LogGpSegment& one) { return !one.gap; };
  std::erase_if(of.parts, without_gap);
  std::erase_if(of.extremes, without_gap);
  if (of.parts.size() < 2)
    found.low.gap = found.high.gap = std::nullopt; // nobody knows it
  else
    set_interval(found, of, [](LogGpSegment& one) -> double& { return *one.gap; });
}

} // namespace

std::vector<SegmentInterval> loggp_intervals(const LinkCurves& curves, std::uint64_t eager_limit) {
  LinkCurves all = curves;
  all.half_round_trips.clear(); // as large as what was measured, and no line depends on them
  std::size_t parts = 0;
  Over over = Over::launches;
  for (const Curve* curve : curves_of(all))
    for (const CurvePiece& piece : curve->pieces) {
      parts = std::max(parts, piece.parts.lines.size());
      if (piece.parts.over == Over::repetitions) over = Over::repetitions;
    }
  std::vector<SegmentInterval> found;
  for (const LogGpSegment& segment : loggp_segments(all, eager_limit))
    found.push_back({.low = segment, .high = segment, .over = over, .parts = parts});
  std::vector<PartSegments> of(found.size());
  const auto add = [&](const LinkCurves& changed, std::vector<LogGpSegment> PartSegments::*to) {
    const std::vector<LogGpSegment> segments = loggp_segments(changed, eager_limit);
    for (std::size_t place = 0; place < found.size(); ++place)
      (of[place].*to).push_back(segments.at(place));
  };
  for (std::size_t part = 0; part < parts; ++part)
    add(of_part(all, part), &PartSegments::parts);
  for (std::optional<Line> PartLines::*const extreme : {&PartLines::most_intercept, &PartLines::most_slope})
    add(of_extreme(all, extreme), &PartSegments::extremes);
  for (std::size_t place = 0; place < found.size(); ++place)
    set_intervals(found[place], of[place]);
  return found;
}

} // namespace timeless::analysis
