#include "analysis/trace/measured.h"

#include <algorithm>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionKind;

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-9;
}

/// Returns the seconds that the rank itself computed in a block's bursts, by the counter walltime.
double computed(const trace::ActionBlock& block) {
  std::uint64_t nanoseconds = 0;
  trace::for_each_action(block, [&](const Action& action, std::uint64_t volume) {
    if (action.kind == ActionKind::compute) nanoseconds += volume;
  });
  return seconds(nanoseconds);
}

/// Adds a block's times; returns when the last of its actions had ended.
double add_block(const trace::ActionBlock& block, Measured& measured) {
  std::uint64_t last = 0;
  for (std::size_t position = 0; position < block.times().size(); ++position) {
    const Action& action = block.dictionary()[block.sequence()[position]];
    const trace::ActionTimes times = block.times()[position];
    const double duration = seconds(times.exit - times.entry);
    last = std::max(last, times.exit);
    if (family(action.kind) == trace::ActionFamily::computation) {
      measured.computing += duration;
    } else if (is_call(action.kind)) {
      MeasuredCall& call = measured.calls[mpi_name(action)];
      ++call.count;
      call.seconds += duration;
      call.longest = std::max(call.longest, duration);
      measured.in_calls += duration;
    }
  }
  return seconds(last);
}

} // namespace

std::optional<Measured> measured(const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  if (!has_times(source)) return std::nullopt;
  Measured result;
  const bool by_clock = source.run().counter.name == "walltime";
  double computing = 0; // by the clock
  std::vector<double> ends;
  std::uint64_t actions = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    double end = 0;
    bool timed = record.actions == 0;
    while (stream->next(block)) {
      stream->read_times(block);
      timed = timed || !block.times().empty();
      end = std::max(end, add_block(block, result));
      if (by_clock && !block.times().empty()) computing += computed(block);
      actions += block.size();
      if (progress) progress(actions);
    }
    if (!timed) {
      result.ranks_without.push_back(record.rank);
      continue;
    }
    const double recorded = record.recorded_time > 0 ? seconds(record.recorded_time) : end;
    ends.push_back(recorded);
    result.elsewhere += recorded;
  }
  result.elsewhere = std::max(0.0, result.elsewhere - result.computing - result.in_calls);
  if (by_clock) {
    result.polling = std::max(0.0, result.computing - computing);
    result.computing -= *result.polling;
  }
  result.per_rank = spread(ends);
  result.end = result.per_rank.most;
  return result;
}

std::optional<double> measured_time(const trace::Run& run) {
  std::uint64_t longest = 0;
  for (const trace::RankRecord& record : run.ranks) {
    if (record.recorded_time == 0) return std::nullopt;
    longest = std::max(longest, record.recorded_time);
  }
  if (!run.complete()) return std::nullopt;
  return seconds(longest);
}

std::string why_incomparable(const trace::Run& run) {
  if (run.counter.name == "icount") return "the program ran under Valgrind, several times slower than by itself";
  return {};
}

std::optional<double> comparable_time(const trace::Run& run) {
  return why_incomparable(run).empty() ? measured_time(run) : std::nullopt;
}

std::optional<double> over_measured(double makespan, const trace::Run& run) {
  const std::optional<double> seconds = comparable_time(run);
  return seconds ? std::optional(makespan / *seconds) : std::nullopt;
}

} // namespace timeless::analysis
