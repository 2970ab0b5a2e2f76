#include "analysis/comparison.h"

#include "base/units.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace timeless::analysis {

namespace {

/// Adds a rank's times, to be divided by the number of ranks.
class MeasuredRank {
public:
  MeasuredRank(std::map<std::int64_t, TimedPart>& kernels, std::map<std::string, TimedPart>& calls)
      : kernels_(kernels), calls_(calls) {}

  void add(const trace::ActionBlock& block) {
    const auto times = block.times();
    for (std::size_t position = 0; position < times.size(); ++position)
      add(block.dictionary()[block.sequence()[position]], times[position]);
  }

  double end() const { return static_cast<double>(end_) * 1e-9; }

private:
  void add(const trace::Action& action, trace::ActionTimes times) {
    if (action.kind == trace::ActionKind::compute) {
      kernel_ = action.kernel == trace::no_kernel ? before_first_kernel : std::int64_t{action.kernel};
      ++kernels_[kernel_].count;
    }
    // What lies between two actions is the later one's: calls of threads may overlap, and add nothing then.
    if (times.exit > end_) {
      kernels_[kernel_].seconds += static_cast<double>(times.exit - end_) * 1e-9;
      end_ = times.exit;
    }
    const bool computation = trace::has_volume(action.kind);
    if (!computation && !trace::is_call(action.kind)) return;
    TimedPart& call = calls_[computation ? "computation" : trace::mpi_name(action)];
    ++call.count;
    call.seconds += static_cast<double>(times.exit - times.entry) * 1e-9;
  }

  std::map<std::int64_t, TimedPart>& kernels_;
  std::map<std::string, TimedPart>& calls_;
  std::int64_t kernel_ = before_first_kernel;
  std::uint64_t end_ = 0;
};

/// Returns "3.68 G/s (platform)", "recorded times".
std::string text(const TimedResult::Rate& rate) {
  if (rate.least == 0) return rate.from;
  const std::string least = human_count(rate.least) + "/s";
  const std::string figures = rate.least == rate.most ? least : least + " to " + human_count(rate.most) + "/s";
  return figures + " (" + rate.from + ")";
}

/// Returns what two results rest on that is not the same in both.
std::vector<std::string> different_bases(const TimedResult& first, const TimedResult& second) {
  std::vector<std::string> notes;
  if (first.rate && second.rate && (first.rate->least != second.rate->least || first.rate->most != second.rate->most))
    notes.push_back("computation rests on different rates: A " + text(*first.rate) + ", B " + text(*second.rate) +
                    "; give both the same --compute-rate to compare networks");
  if (!first.overheads.empty() && !second.overheads.empty() && first.overheads != second.overheads)
    notes.push_back("what processors spend on messages rests on different bases: A " + first.overheads + ", B " +
                    second.overheads);
  return notes;
}

template <typename Parts>
void divide(Parts& parts, double ranks) {
  for (auto& [key, part] : parts)
    part.seconds /= std::max(ranks, 1.0);
}

bool all_named(const std::map<std::int64_t, TimedPart>& kernels) {
  return std::ranges::all_of(kernels, [](const auto& entry) { return entry.first < 0 || !entry.second.name.empty(); });
}

std::string name_of(std::int64_t kernel, const TimedPart& part, bool by_name) {
  if (kernel == before_first_kernel) return "before the first";
  if (kernel == other_kernels) return "others";
  return by_name ? part.name : "kernel " + std::to_string(kernel);
}

std::vector<ComparedTime> sorted(const std::map<std::string, ComparedTime>& times) {
  std::vector<ComparedTime> list;
  for (const auto& [name, time] : times)
    list.push_back(time);
  std::ranges::stable_sort(list, std::ranges::greater{},
                           [](const ComparedTime& time) { return std::abs(time.difference()); });
  return list;
}

void add(std::map<std::string, ComparedTime>& times, const std::string& name, double ComparedTime::*side,
         double seconds) {
  ComparedTime& time = times[name];
  time.name = name;
  time.*side += seconds;
}

} // namespace

TimedResult measured_result(const trace::Source& source, const std::string& file,
                            const std::function<void(std::uint64_t)>& progress) {
  if (!trace::has_times(source))
    throw Error(Failure::invalid_input, "no times were recorded with this trace", file,
                "record with --timestamps, or name a result of timeless replay --json");
  TimedResult result;
  result.trace = file;
  result.label = file + ": measured";
  result.kernels.emplace();
  result.calls.emplace();
  std::uint64_t actions = 0;
  std::size_t without = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    MeasuredRank rank(*result.kernels, *result.calls);
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    bool timed = record.actions == 0;
    while (stream->next(block)) {
      stream->read_times(block);
      timed = timed || !block.times().empty();
      rank.add(block);
      actions += block.size();
      if (progress) progress(actions);
    }
    without += timed ? 0 : 1;
    result.ranks.push_back(rank.end());
    result.makespan = std::max(result.makespan, rank.end());
  }
  if (without > 0)
    result.notes.push_back(file + " has no times of " + std::to_string(without) + " of " +
                           std::to_string(result.ranks.size()) + " ranks, which were killed: they count as 0");
  divide(*result.kernels, static_cast<double>(result.ranks.size()));
  divide(*result.calls, static_cast<double>(result.ranks.size()));
  return result;
}

Comparison compare(const TimedResult& first, const TimedResult& second) {
  Comparison comparison;
  comparison.notes = first.notes;
  if (second.trace != first.trace || second.label != first.label)
    comparison.notes.insert(comparison.notes.end(), second.notes.begin(), second.notes.end());
  std::ranges::move(different_bases(first, second), std::back_inserter(comparison.notes));
  comparison.makespan = {"total", first.makespan, second.makespan};
  if (first.ranks.size() == second.ranks.size()) {
    for (std::size_t rank = 0; rank < first.ranks.size(); ++rank)
      comparison.ranks.push_back({"rank " + std::to_string(rank), first.ranks[rank], second.ranks[rank]});
  } else {
    comparison.notes.push_back("the ranks are not compared: there are " + std::to_string(first.ranks.size()) + " and " +
                               std::to_string(second.ranks.size()));
  }
  std::map<std::string, ComparedTime> kernels;
  std::map<std::string, ComparedTime> calls;
  if (first.kernels && second.kernels) {
    const bool by_name = all_named(*first.kernels) && all_named(*second.kernels);
    if (!by_name && first.trace != second.trace)
      comparison.notes.push_back("kernels are taken for the same by their numbers, which another recording may give "
                                 "otherwise");
    for (const auto& [number, part] : *first.kernels)
      add(kernels, name_of(number, part, by_name), &ComparedTime::first, part.seconds);
    for (const auto& [number, part] : *second.kernels)
      add(kernels, name_of(number, part, by_name), &ComparedTime::second, part.seconds);
  }
  if (first.calls && second.calls) {
    for (const auto& [name, part] : *first.calls)
      add(calls, name, &ComparedTime::first, part.seconds);
    for (const auto& [name, part] : *second.calls)
      add(calls, name, &ComparedTime::second, part.seconds);
  }
  comparison.kernels = sorted(kernels);
  comparison.calls = sorted(calls);
  if (comparison.kernels.empty() && comparison.calls.empty())
    comparison.notes.emplace_back("neither kernels nor calls are in both results: replay with --by kernel, or --by "
                                  "call; replayed so, SMPI's says which links were full, too");
  return comparison;
}

} // namespace timeless::analysis
