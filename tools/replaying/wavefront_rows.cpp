#include "tools/replaying/wavefront_rows.h"

#include "analysis/trace/measured.h"
#include "analysis/wavefront/wavefront_pattern.h"
#include "analysis/wavefront/wavefront_program.h"
#include "base/parsing.h"
#include "base/units.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/machines/named_networks.h"
#include "tools/replaying/calibrated.h"
#include "tools/replaying/prediction.h"

#include "replay/network/machine_network.h"
#include "replay/replay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <string_view>
#include <utility>

namespace timeless::tools {

namespace {

using analysis::Wavefront;

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view what,
                         std::string_view advice) {
  throw Error(Failure::usage, fmt::format("'{}' is {}", text, what), std::string(option), std::string(advice));
}

/// A number from 1 on.
std::optional<std::uint32_t> number_in(std::string_view text) {
  const auto value = whole_number<std::uint32_t>(text);
  if (value == 0U) return {};
  return value;
}

std::array<std::uint32_t, 3> grid_in(const std::string& text) {
  constexpr std::uint32_t most = 100'000; // along an edge: planes are counted one by one
  std::array<std::uint32_t, 3> points{};
  const std::vector<std::string_view> parts = split(text, 'x');
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::optional<std::uint32_t> edge =
        parts.size() == points.size() ? number_in(parts[i]) : std::optional<std::uint32_t>();
    if (!edge || *edge > most)
      refuse("--grid", text, "no grid", "write three numbers of points, up to 100000: 64x64x64");
    points.at(i) = *edge;
  }
  return points;
}

double time_in(const std::string& option, std::string_view text) {
  constexpr double longest = 1e9; // thirty years: sums of these are numbers
  const std::optional<double> seconds = seconds_in(text);
  if (!seconds) refuse(option, text, "no time", "write a time such as 3.22us or 1.5s");
  if (*seconds > longest) refuse(option, text, "longer than any run", "write a time up to 1e9s");
  return *seconds;
}

/// What a point takes, and which of it is the paper's.
struct PointWork {
  analysis::WavefrontWork work;
  std::vector<std::string> assumed{"blts", "buts", "jacld", "jacu"};

  double* named(std::string_view name) {
    double* const times[] = {&work.lower, &work.upper, &work.lower_jacobian, &work.upper_jacobian};
    static constexpr std::array<std::string_view, 4> names{"blts", "buts", "jacld", "jacu"};
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? nullptr : times[found - names.begin()];
  }
};

PointWork work_in(const std::string& text) {
  PointWork all;
  if (text.empty()) return all;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    double* const value = all.named(name);
    if (value == nullptr)
      refuse("--work", part, "no work", "write blts=3.22us,buts=2.85us,jacld=4.19us,jacu=4.07us, or some of these");
    *value = time_in("--work", part.substr(std::min(equals + 1, part.size())));
    if (std::erase(all.assumed, name) == 0) refuse("--work", part, "given twice", "give each of them once");
  }
  return all;
}

std::map<trace::Rank, double> measured_in(const std::string& text) {
  std::map<trace::Rank, double> measured;
  if (text.empty()) return measured;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::optional<std::uint32_t> ranks = number_in(part.substr(0, equals));
    if (!ranks || equals == part.size()) refuse("--measured", part, "no measurement", "write RANKS=TIME: 2=13.4s");
    const double seconds = time_in("--measured", part.substr(equals + 1));
    if (!(seconds > 0)) refuse("--measured", part, "no measurement", "a run takes longer than nothing");
    if (!measured.emplace(static_cast<trace::Rank>(*ranks), seconds).second)
      refuse("--measured", part, "given twice", "give one time for a number of ranks: their median");
  }
  return measured;
}

/// The most even grid, with no fewer columns than rows.
std::pair<std::uint32_t, std::uint32_t> most_even(std::uint32_t ranks) {
  auto rows = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(ranks)));
  while (ranks % rows != 0)
    --rows;
  return {ranks / rows, rows};
}

constexpr std::uint32_t most_processors = 1U << 16U; // a replay of so many takes a minute or so

/// By number of ranks: "2,4,8x2".
std::map<trace::Rank, std::pair<std::uint32_t, std::uint32_t>> shapes_in(const std::string& text) {
  std::map<trace::Rank, std::pair<std::uint32_t, std::uint32_t>> shapes;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> edges = split(part, 'x');
    const std::optional<std::uint32_t> first = number_in(edges.front());
    const std::optional<std::uint32_t> second = edges.size() == 2 ? number_in(edges.back()) : 1U;
    if (!first || !second || edges.size() > 2 || std::uint64_t{*first} * *second > most_processors)
      refuse("--ranks", part, "no number of ranks",
             fmt::format("write numbers up to {}, or COLUMNSxROWS: 2,4,8x2", most_processors));
    const auto shape = edges.size() == 2 ? std::pair(*first, *second) : most_even(*first);
    if (!shapes.emplace(static_cast<trace::Rank>(shape.first * shape.second), shape).second)
      refuse("--ranks", part, "given twice", "give each number of ranks once, in one shape");
  }
  return shapes;
}

double replayed_program(const Wavefront& wavefront, const replay::NetworkDescription& network) {
  const analysis::WavefrontProgram program(wavefront);
  replay::Placement placement = replay::one_rank_per_node(program.run().size, 1e-9);
  for (std::uint32_t& node : placement.node_of_rank)
    node /= wavefront.ranks_per_node;
  Progress progress(fmt::format("replaying {} ranks", program.run().size), total_actions(program.run()));
  replay::ReplayOptions options;
  options.progress = [&](std::uint64_t done, std::uint64_t) { progress.update(done); };
  return replay::replay(program, replay::machine_network({replay::lane(network)}, placement), options)
      .lanes[0]
      .makespan;
}

struct Recorded {
  double makespan = 0;
  std::optional<double> measured;
  std::string compute;
  bool comparable = true;
};

Recorded replayed_recording(std::unique_ptr<trace::Source> recording, const std::string& trace,
                            const WavefrontRequest& request) {
  PredictionOptions options;
  options.trace = trace;
  options.from = request.from;
  options.machine.networks = {request.network};
  options.machine.mapping = fmt::format("block:{}", request.ranks_per_node);
  options.machine.compute_rate = request.compute_rate;
  options.machine.rates = request.rates;
  const std::unique_ptr<trace::Source> source = rated(std::move(recording), options.machine);
  const Prediction prediction = predict_on_networks(*source, options);
  const replay::LaneResult& lane = prediction.result.lanes.at(0);
  if (lane.deadlock)
    throw Error(Failure::invalid_input, "the recording does not come to its end on this network", trace,
                "see what timeless replay says of it");
  const ComputeBasis& compute = prediction.bases.front().compute;
  return {lane.makespan, analysis::comparable_time(source->run()),
          (compute.assumed ? "ASSUMED: " : "") + compute.sentence, true};
}

} // namespace

double WavefrontRow::error_of(double seconds) const {
  return seconds / measured.value_or(comparable_recording().value_or(program)) - 1;
}

namespace {

using Shapes = std::map<trace::Rank, std::pair<std::uint32_t, std::uint32_t>>;

/// The wavefront that is asked for, but for its processors.
Wavefront asked_wavefront(const WavefrontRequest& request, WavefrontRows& all) {
  PointWork work = work_in(request.work);
  all.assumed_work = std::move(work.assumed);
  Wavefront wavefront{.points = grid_in(request.grid),
                      .ranks_per_node = request.ranks_per_node,
                      .iterations = request.iterations,
                      .bytes_of_point = request.bytes_of_point,
                      .work = work.work};
  if (!request.initialising.empty()) wavefront.initialisation = time_in("--init", request.initialising);
  if (!request.verifying.empty()) wavefront.verification = time_in("--verify", request.verifying);
  return wavefront;
}

/// Refuses what is no wavefront on the processors of `wavefront`, naming those on which it would be one; notes in what
/// it is another than is asked for. Returns whether it is the one.
bool judge(const trace::Source& recording, const std::string& trace, Wavefront wavefront,
           std::vector<std::string>& notes) {
  const analysis::WavefrontPattern pattern = wavefront_pattern(recording, wavefront);
  const std::string why = why_no_wavefront(pattern, wavefront);
  const std::size_t before = notes.size();
  for (const std::string& sentence : why.empty() ? differences_from(pattern, wavefront) : std::vector<std::string>())
    notes.push_back(fmt::format("{}: {}; nothing is compared with it", trace, sentence));
  if (why.empty()) return notes.size() == before;
  std::string advice = "name recordings of a wavefront solver; timeless replay predicts any program";
  const std::uint32_t ranks = wavefront.columns * wavefront.rows;
  for (std::uint32_t rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || rows == wavefront.rows) continue;
    Wavefront other = wavefront;
    other.columns = ranks / rows;
    other.rows = rows;
    if (!why_no_wavefront(wavefront_pattern(recording, other), other).empty()) continue;
    advice =
        fmt::format("its messages are those of {0} columns and {1} rows: write --ranks {0}x{1}", other.columns, rows);
    break;
  }
  throw Error(Failure::invalid_input, "this is no recording of a wavefront: " + why, trace, advice);
}

std::map<trace::Rank, Recorded> replayed_recordings(const WavefrontRequest& request, Wavefront wavefront,
                                                    Shapes& shapes, WavefrontRows& all) {
  std::map<trace::Rank, Recorded> recorded;
  for (const std::string& trace : request.recordings) {
    auto recording = open_trace(trace, request.from);
    const trace::Rank ranks = recording->run().size;
    if (ranks < 2)
      throw Error(Failure::invalid_input, "a recording of one rank: no wavefront passes from rank to rank", trace,
                  "name recordings of two ranks or more");
    if (recorded.contains(ranks))
      throw Error(Failure::usage, fmt::format("a second recording of {} ranks", ranks), trace,
                  "name one recording for a number of ranks");
    const auto& shape = shapes.try_emplace(ranks, most_even(static_cast<std::uint32_t>(ranks))).first->second;
    std::tie(wavefront.columns, wavefront.rows) = shape;
    const bool comparable = judge(*recording, trace, wavefront, all.notes);
    recorded[ranks] = replayed_recording(std::move(recording), trace, request);
    recorded[ranks].comparable = comparable;
    all.compute = recorded[ranks].compute;
  }
  return recorded;
}

} // namespace

WavefrontRows wavefront_rows(const WavefrontRequest& request) {
  WavefrontRows all{
      .network = named_network(request.network), .rows = {}, .compute = {}, .assumed_work = {}, .notes = {}};
  Shapes shapes = shapes_in(request.ranks);
  const std::map<trace::Rank, double> measured = measured_in(request.measured);
  Wavefront wavefront = asked_wavefront(request, all);
  const std::map<trace::Rank, Recorded> recorded = replayed_recordings(request, wavefront, shapes, all);
  for (const auto& [ranks, seconds] : measured)
    shapes.try_emplace(ranks, most_even(static_cast<std::uint32_t>(ranks)));
  for (const auto& [ranks, shape] : shapes) {
    std::tie(wavefront.columns, wavefront.rows) = shape;
    WavefrontRow row{.wavefront = wavefront, .equations = wavefront_times(wavefront, all.network)};
    row.program = replayed_program(wavefront, all.network);
    if (const auto found = recorded.find(ranks); found != recorded.end()) {
      row.recording = found->second.makespan;
      row.comparable = found->second.comparable;
      if (row.comparable) row.measured = found->second.measured;
    }
    if (const auto found = measured.find(ranks); found != measured.end()) row.measured = found->second;
    all.rows.push_back(std::move(row));
  }
  return all;
}

} // namespace timeless::tools
