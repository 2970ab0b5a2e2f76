#include "tools/cli/console.h"
#include "tools/cli/csv.h"
#include "tools/cli/trace_input.h"
#include "tools/verbs/verbs.h"

#include "base/escaping.h"
#include "trace/model/collective_bytes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Action;
using trace::ActionKind;
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

/// One action and what a line says of it.
struct Line {
  trace::Rank rank = 0;
  std::uint64_t ordinal = 0;
  const Action& action;
  std::uint64_t volume = 0;
  const trace::ActionTimes* times = nullptr; ///< null when not asked for, or not known
};

/// A number, or the word for what MPI has a constant for.
nlohmann::ordered_json peer_json(trace::Rank peer) {
  if (peer == trace::any_rank) return "any";
  if (peer == trace::root_of_remote_group) return "root";
  if (peer == trace::no_rank) return "none";
  return peer;
}

nlohmann::ordered_json tag_json(trace::Tag tag) {
  if (tag == trace::any_tag) return "any";
  return tag;
}

/// Ranks that take part: of a neighbourhood collective, whose tag counts its sources, those it receives from and those
/// it sends to.
void add_ranks(const Action& action, nlohmann::ordered_json& json) {
  const std::size_t sources = action.tag > 0 ? static_cast<std::size_t>(action.tag - 1) : 0;
  if (!trace::neighbourhood(action.kind) || action.tag <= 0 || sources > action.ranks.size()) {
    if (!action.ranks.empty()) json["ranks"] = action.ranks;
    return;
  }
  json["sources"] = action.ranks.first(sources);
  json["destinations"] = action.ranks.subspan(sources);
}

/// The fields an action uses, in the order of Action, as (name, value).
nlohmann::ordered_json fields(const Run& run, const Line& line) {
  const Action& action = line.action;
  auto json = nlohmann::ordered_json::object();
  if (has_volume(action.kind)) {
    json["volume"] = line.volume;
    json["kernel"] = action.kernel;
    return json;
  }
  const trace::ActionFamily of = family(action.kind);
  if (names_communicator(action.kind)) json["communicator"] = action.communicator;
  const trace::UsedSizes sizes = used_sizes(action, run, line.rank);
  const bool exchange = exchanges_messages(action.kind);
  if (exchange || rooted(action.kind) || action.peer != trace::no_rank) json["peer"] = peer_json(action.peer);
  if (of == trace::ActionFamily::point_to_point || action.kind == ActionKind::resolved)
    json["tag"] = tag_json(action.tag);
  if (sizes.bytes || action.bytes != 0) json["bytes"] = action.bytes;
  if (exchange) {
    json["receive_peer"] = peer_json(action.receive_peer);
    json["receive_tag"] = tag_json(action.receive_tag);
  }
  if (sizes.receive_bytes || action.receive_bytes != 0) json["receive_bytes"] = action.receive_bytes;
  if (action.element_bytes != 0) json["element_bytes"] = action.element_bytes;
  if (action.request != trace::no_request) json["request"] = action.request;
  if (action.new_communicator != trace::no_communicator) json["new_communicator"] = action.new_communicator;
  if (!action.requests.empty()) json["requests"] = action.requests;
  if (!action.counts.empty()) json["counts"] = action.counts;
  if (!action.receive_counts.empty()) json["receive_counts"] = action.receive_counts;
  if (action.region != trace::no_region) json["region"] = run.regions.at(action.region);
  add_ranks(action, json);
  return json;
}

std::vector<std::string> flag_names(const Action& action) {
  static constexpr std::pair<trace::ActionFlag, const char*> names[] = {
      {trace::flag_persistent, "persistent"},
      {trace::flag_matched, "matched"},
      {trace::flag_in_place, "in_place"},
      {trace::flag_user_operation, "user_operation"},
      {trace::flag_noncommutative, "noncommutative"},
      {trace::flag_wildcard, "wildcard"},
      {trace::flag_exclusive, "exclusive"},
      {trace::flag_no_check, "no_check"},
      {trace::flag_no_precede, "no_precede"},
      {trace::flag_no_succeed, "no_succeed"},
      {trace::flag_replace, "replace"},
      {trace::flag_no_operation, "no_operation"},
      {trace::flag_truncated, "truncated"},
  };
  std::vector<std::string> present;
  for (const auto& [flag, name] : names)
    if ((action.flags & flag) != 0) present.emplace_back(name);
  return present;
}

void add_times(const Line& line, nlohmann::ordered_json& json) {
  if (line.times == nullptr) return;
  json["entry_ns"] = line.times->entry;
  json["exit_ns"] = line.times->exit;
}

void print_text_line(const Run& run, const Line& line) {
  std::string text = fmt::format("{} {} {}", line.rank, line.ordinal, mpi_name(line.action));
  nlohmann::ordered_json values = fields(run, line);
  add_times(line, values);
  for (const auto& [key, value] : values.items())
    text += fmt::format(" {}={}", key, value.is_string() ? escaped(value.get<std::string>()) : value.dump());
  for (const std::string& flag : flag_names(line.action))
    text += " " + flag;
  fmt::print("{}\n", text);
}

nlohmann::ordered_json line_json(const Run& run, const Line& line) {
  nlohmann::ordered_json json{{"rank", line.rank}, {"action", line.ordinal}, {"call", mpi_name(line.action)}};
  json.update(fields(run, line));
  if (line.action.flags != 0) json["flags"] = flag_names(line.action);
  add_times(line, json);
  return json;
}

void print_json_line(const Run& run, const Line& line) {
  fmt::print("{}\n", line_json(run, line).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

constexpr std::string_view csv_columns[] = {"rank",          "action",      "call",
                                            "volume",        "kernel",      "communicator",
                                            "peer",          "tag",         "bytes",
                                            "receive_peer",  "receive_tag", "receive_bytes",
                                            "element_bytes", "request",     "new_communicator",
                                            "requests",      "counts",      "receive_counts",
                                            "region",        "ranks",       "sources",
                                            "destinations",  "flags",       "entry_ns",
                                            "exit_ns"};

void print_csv_line(const Run& run, const Line& line) {
  fmt::print("{}", csv_row(line_json(run, line), csv_columns));
}

void dump_rank(const DumpOptions& options, const trace::Source& source, trace::Rank rank) {
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  std::uint64_t ordinal = 0;
  const std::uint64_t end = options.count > std::numeric_limits<std::uint64_t>::max() - options.first
                                ? std::numeric_limits<std::uint64_t>::max()
                                : options.first + options.count;
  while (ordinal < end && stream->next(block)) {
    if (options.times) stream->read_times(block);
    if (options.times && block.times().empty() && ordinal == 0)
      print_warning(fmt::format("rank {} has no times: what is left of it comes from its journal", rank));
    for_each_action(block, [&, position = std::size_t{0}](const Action& action, std::uint64_t volume) mutable {
      const trace::ActionTimes* times = block.times().empty() ? nullptr : &block.times()[position];
      if (ordinal >= options.first && ordinal < end)
        (options.csv    ? print_csv_line
         : options.json ? print_json_line
                        : print_text_line)(source.run(), {rank, ordinal, action, volume, times});
      ++ordinal;
      ++position;
    });
    if (std::ferror(stdout) != 0) return;
  }
}

/// All there are, where none are asked for.
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
  if (options.csv) fmt::print("{}", csv_head(csv_columns));
  for (const trace::Rank rank : ranks)
    dump_rank(options, *source, rank);
  const std::string lack = incompleteness(source->run());
  if (lack.empty()) return exit_ok;
  print_warning("the trace is incomplete: " + lack);
  return static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_dump(CLI::App& command) {
  auto options = std::make_shared<DumpOptions>();
  add_trace_argument(command, options->trace, options->from);
  command.add_option("--rank", options->ranks, "Only these ranks, such as 0-3,8")
      ->type_name("RANKS")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--first", options->first, "Start each rank at this action, counted from 0");
  command.add_option("--count", options->count, "At most this many actions of each rank")->default_str("all");
  command.add_flag("--times", options->times,
                   "Also when each action was entered and left, in ns since its rank's MPI_Init (record --timestamps)");
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
