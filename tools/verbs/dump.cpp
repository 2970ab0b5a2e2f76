#include "tools/cli/console.h"
#include "tools/cli/json_text.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/trace/action.h"
#include "tools/verbs/verbs.h"

#include "base/error.h"
#include "base/rank_ranges.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Action;
using trace::Run;

struct DumpOptions {
  std::string trace;
  TraceFormat from;
  std::vector<std::string> ranks; ///< ranges
  std::uint64_t first = 0;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  bool times = false;
  bool json = false;
  bool csv = false;
};

void print_action(const DumpOptions& options, const ActionAnswer& answer) {
  if (options.csv)
    fmt::print("{}", to_csv(answer));
  else if (options.json)
    fmt::print("{}\n", json_text(to_json(answer)));
  else
    fmt::print("{}", to_text(answer));
}

/// How much is printed, on a terminal that the output does not go to.
class DumpProgress {
public:
  DumpProgress(const DumpOptions& options, const Run& run, const std::vector<trace::Rank>& ranks) {
    if (::isatty(STDOUT_FILENO) != 0) return;
    std::uint64_t total = 0;
    for (const trace::Rank rank : ranks)
      total += std::min(run.find(rank)->actions, end_of(options));
    bar_.emplace("dumping " + options.trace, total);
  }
  void add(std::uint64_t actions) {
    done_ += actions;
    if (bar_) bar_->update(done_);
  }
  /// Of a rank, the first action that is not printed.
  static std::uint64_t end_of(const DumpOptions& options) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return options.count > most - options.first ? most : options.first + options.count;
  }

private:
  std::optional<Progress> bar_;
  std::uint64_t done_ = 0;
};

void dump_rank(const DumpOptions& options, const trace::Source& source, trace::Rank rank, DumpProgress& progress) {
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  std::uint64_t ordinal = 0;
  const std::uint64_t end = DumpProgress::end_of(options);
  while (ordinal < end && stream->next(block)) {
    const std::uint64_t before = ordinal;
    if (options.times) stream->read_times(block);
    if (options.times && block.times().empty() && ordinal == 0)
      print_warning(fmt::format("rank {} has no times: what is left of it comes from its journal", rank));
    for_each_action(block, [&, position = std::size_t{0}](const Action& action, std::uint64_t volume) mutable {
      const trace::ActionTimes* times = block.times().empty() ? nullptr : &block.times()[position];
      if (ordinal >= options.first && ordinal < end)
        print_action(options, {source.run(), rank, ordinal, action, volume, times});
      ++ordinal;
      ++position;
    });
    progress.add(std::min(ordinal, end) - before);
    if (std::ferror(stdout) != 0) return;
  }
}

/// Returns all there are, where none are asked for.
std::vector<trace::Rank> asked_ranks(const DumpOptions& options, const Run& run) {
  std::vector<trace::Rank> ranks;
  for (const std::string& range : options.ranks)
    for (const auto& [first, last] : read_rank_ranges(range, run.size, "--rank"))
      for (trace::Rank rank = first; rank <= last; ++rank) {
        if (run.find(rank) == nullptr)
          throw Error(Failure::usage, fmt::format("the trace does not hold rank {}", rank), options.trace,
                      fmt::format("it is a run of {} ranks; timeless info shows which are present", run.size));
        ranks.push_back(rank);
      }
  if (options.ranks.empty())
    for (const trace::RankRecord& record : run.ranks)
      ranks.push_back(record.rank);
  return ranks;
}

int dump(const DumpOptions& options) {
  const auto source = open_trace(options.trace, options.from);
  const std::vector<trace::Rank> ranks = asked_ranks(options, source->run());
  if (options.times && !has_times(*source))
    throw Error(Failure::usage, "no times were recorded", options.trace, "record with --timestamps to have some");
  if (options.json) fmt::print("{}\n", nlohmann::ordered_json{{"schema", "timeless.dump/2"}}.dump());
  if (options.csv) fmt::print("{}", action_csv_head());
  {
    DumpProgress progress(options, source->run(), ranks);
    for (const trace::Rank rank : ranks)
      dump_rank(options, *source, rank, progress);
  }
  const std::string lack = incompleteness(source->run());
  if (lack.empty()) return exit_ok;
  print_warning("the trace is incomplete: " + lack);
  return static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_dump(CLI::App& command) {
  auto options = std::make_shared<DumpOptions>();
  add_trace_argument(command, options->trace, options->from);
  begin_group(command, "What is printed");
  command.add_option("--rank", options->ranks, "Only these ranks, such as 0-3,8")
      ->type_name("RANKS")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->default_str("");
  command.add_option("--first", options->first, "Start each rank at this action, counted from 0")->check(any_count());
  command.add_option("--count", options->count, "At most this many actions of each rank")
      ->check(any_count())
      ->default_str("all");
  command.add_flag("--times", options->times,
                   "Also when each action was entered and left, in ns since its rank's MPI_Init (record --timestamps)");
  begin_group(command, "Output");
  auto* const json = command.add_flag("--json", options->json, "Print one JSON object a line (schema timeless.dump/2)");
  command
      .add_flag("--csv", options->csv, "Print comma-separated values, one action a line, below a head that names them")
      ->excludes(json);
  command.footer(
      "A line is: rank, action's ordinal, call, then its fields by name; bytes are bytes, volumes in the\n"
      "trace's unit, peers in the communicator; a neighbourhood collective receives from its sources and sends to\n"
      "its destinations, -1 for nobody.\n"
      "Example: timeless dump run.tia --rank 0 --count 20");
  return [options] { return dump(*options); };
}

} // namespace timeless::tools
