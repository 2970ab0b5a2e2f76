#include "tools/answers/archive_parts.h"
#include "tools/answers/measured.h"
#include "tools/answers/regions.h"
#include "tools/answers/standing.h"
#include "tools/answers/summary.h"
#include "tools/answers/traffic.h"
#include "tools/console.h"
#include "tools/csv.h"
#include "tools/kernel_listing.h"
#include "tools/profile_listing.h"
#include "tools/region_listing.h"
#include "tools/time_listing.h"
#include "tools/trace_input.h"
#include "tools/verbs/verbs.h"

#include "gather/rank_files.h"
#include "gather/rank_ranges.h"
#include "replay/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

using trace::Run;

struct Options {
  std::string trace;
  std::string from;
  bool json = false;
  bool brief = false;
  bool kernels = false;
  std::size_t top = 20;
  std::vector<std::string> symbols;
  bool regions = false;
  bool profile = false;
  bool matrix = false;
  bool collectives = false;
  bool csv = false;

  /// Both are made of the same answer.
  bool as_data() const { return json || csv; }
};

std::string counter_text(const Run& run) {
  const trace::Counter& counter = run.counter;
  if (counter.unit == trace::VolumeUnit::none) return "none: no computation was recorded";
  return fmt::format("{}{}: {}, {}; threads: {}", counter.name,
                     counter.version.empty() ? "" : " (" + counter.version + ")", name(counter.unit),
                     name(counter.exactness), counter.threads);
}

std::vector<std::string> host_texts(const Run& run) {
  std::vector<std::string> texts;
  for (std::size_t host = 0; host < run.hosts.size(); ++host) {
    std::vector<trace::Rank> ranks;
    for (const trace::RankRecord& record : run.ranks)
      if (record.host == host) ranks.push_back(record.rank);
    const trace::Host& machine = run.hosts[host];
    texts.push_back(fmt::format("{}{}: rank{} {}", machine.name,
                                machine.cpu_model.empty() ? "" : " (" + machine.cpu_model + ")",
                                ranks.size() == 1 ? "" : "s", gather::rank_ranges(ranks)));
  }
  return texts;
}

void print_hosts(const Run& run) {
  constexpr std::size_t most = 8;
  const std::vector<std::string> texts = host_texts(run);
  for (std::size_t i = 0; i < std::min(texts.size(), most); ++i)
    print_line("{:<15}{}", i == 0 ? "hosts" : "", texts[i]);
  if (texts.size() > most) print_line("{:<15}and {} more hosts", "", texts.size() - most);
}

/// What is noted of ranks' recordings, and of which.
std::map<std::string, std::vector<trace::Rank>> notes(const Run& run) {
  std::map<std::string, std::vector<trace::Rank>> notes;
  for (const trace::RankRecord& record : run.ranks)
    for (const std::string& note : record.notes)
      notes[note].push_back(record.rank);
  return notes;
}

void print_head(const Options& options, const Run& run) {
  const std::string lack = incompleteness(run);
  print_line("{}: {} ranks of {}, {}", options.trace, run.size,
             run.provenance.program.empty() ? "an unknown program" : run.provenance.program,
             lack.empty() ? "complete" : "INCOMPLETE: " + lack);
  print_line("{:<15}{}{}{}", "recorded", run.provenance.date, run.provenance.tool_version.empty() ? "" : " by ",
             run.provenance.tool_version);
  if (!run.provenance.mpi_library.empty()) print_line("{:<15}{}", "MPI library", run.provenance.mpi_library);
  print_line("{:<15}{}", "counter", counter_text(run));
  if (run.volume_error > 0) print_line("{:<15}{}", "volumes", rounding(run));
  print_hosts(run);
  for (const std::string& world : spawned_worlds(options.trace))
    print_line("{:<15}{}: processes that these have started, a run of its own", "spawned", world);
  print_line("{:<15}{}", "communicators", run.communicators.size());
  for (const auto& [note, ranks] : notes(run))
    print_line("{:<15}rank{} {}: {}", "NOTE", ranks.size() == 1 ? "" : "s", gather::rank_ranges(ranks), note);
  print_line("{:<15}{}", "kernels", run.kernels.size());
}

std::string spread_text(const Spread& spread) {
  return fmt::format("per rank {} (least {}, most {})", human_count(spread.mean), human_count(spread.least),
                     human_count(spread.most));
}

/// What the ranks had resident at most; empty where that is not known of any.
std::string memory_text(const Run& run) {
  const trace::RankRecord* most = nullptr;
  std::uint64_t least = 0;
  for (const trace::RankRecord& record : run.ranks) {
    if (record.peak_memory == 0) continue;
    if (most == nullptr || record.peak_memory < least) least = record.peak_memory;
    if (most == nullptr || record.peak_memory > most->peak_memory) most = &record;
  }
  if (most == nullptr) return "";
  return fmt::format("per rank at most {} (rank {}), at least {}", human_bytes(static_cast<double>(most->peak_memory)),
                     most->rank, human_bytes(static_cast<double>(least)));
}

/// What takes the room on disk.
std::string parts_text(const ArchiveParts& parts) {
  std::string text;
  const auto add = [&text](const char* what, std::uint64_t bytes) {
    if (bytes > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, human_bytes(static_cast<double>(bytes)));
  };
  add("structure", parts.structure);
  add("volumes", parts.volumes);
  add("actions", parts.actions);
  add("times", parts.times);
  add("definitions", parts.definitions);
  add("headers and index", parts.framing);
  return text;
}

void print_figures(const Options& options, const trace::Source& source, const Summary& summary) {
  const Run& run = source.run();
  const auto bytes = static_cast<double>(trace_bytes(options.trace, source));
  print_line("{:<15}{}, {}", "actions", human_count(static_cast<double>(summary.actions)),
             spread_text(summary.actions_per_rank));
  if (run.counter.unit != trace::VolumeUnit::none)
    print_line("{:<15}{} {}, {}", "computation", human_count(summary.volume), name(run.counter.unit),
               spread_text(summary.volume_per_rank));
  if (summary.workers > 0) {
    print_line("{:<15}{} {} beside it, {}", "worker threads", human_count(summary.workers), name(run.counter.unit),
               spread_text(summary.workers_per_rank));
    print_line("{:<15}by the largest of each burst, {}", "", spread_text(summary.largest_worker_per_rank));
  }
  print_line("{:<15}{} point to point, {}", "messages", human_count(static_cast<double>(summary.messages)),
             human_bytes(static_cast<double>(summary.message_bytes)));
  if (const std::string memory = memory_text(run); !memory.empty()) print_line("{:<15}{}", "memory", memory);
  print_line("{:<15}{}, {:.2f} bytes per action", "on disk", human_bytes(bytes),
             summary.actions == 0 ? 0 : bytes / static_cast<double>(summary.actions));
  if (options.from.empty()) print_line("{:<15}{}", "", parts_text(archive_parts(options.trace)));
  for (const auto& [call, count] : summary.unrecorded_calls)
    print_line("{:<15}{} called {} times: not in the trace, so not in any replay", "NOT RECORDED", call, count);
}

void print_calls(const Summary& summary) {
  std::vector<std::pair<std::string, CallSummary>> calls(summary.calls.begin(), summary.calls.end());
  std::ranges::stable_sort(calls, std::greater{}, [](const auto& call) { return call.second.count; });
  const auto moved = [](std::uint64_t bytes) { return bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes)); };
  Table table({"call", "count", "bytes sent", "received"});
  for (const auto& [call, figures] : calls)
    table.add({call, std::to_string(figures.count), moved(figures.bytes), moved(figures.bytes_received)});
  fmt::print("\n{}", table.text());
}

nlohmann::ordered_json spread_json(const Spread& spread) {
  return {{"least", spread.least}, {"mean", spread.mean}, {"most", spread.most}};
}

nlohmann::ordered_json head_json(const Options& options, const Run& run) {
  nlohmann::ordered_json json;
  json["trace"] = options.trace;
  json["ranks"] = run.size;
  json["complete"] = run.complete();
  json["incomplete_because"] = incompleteness(run);
  json["missing_ranks"] = run.missing_ranks();
  json["provenance"] = {{"tool_version", run.provenance.tool_version},
                        {"mpi_library", run.provenance.mpi_library},
                        {"program", run.provenance.program},
                        {"date", run.provenance.date}};
  json["counter"] = {{"name", run.counter.name},
                     {"version", run.counter.version},
                     {"unit", name(run.counter.unit)},
                     {"exactness", name(run.counter.exactness)},
                     {"threads", run.counter.threads}};
  json["volume_error"] = volume_error(run);
  for (const trace::Host& host : run.hosts)
    json["hosts"].push_back({{"name", host.name}, {"cpu_model", host.cpu_model}});
  for (const trace::RankRecord& record : run.ranks)
    json["rank_records"].push_back({{"rank", record.rank},
                                    {"host", record.host},
                                    {"actions", record.actions},
                                    {"ending", name(record.ending)},
                                    {"ending_reason", record.ending_reason},
                                    {"notes", record.notes},
                                    {"skew_per_call", record.skew_per_call},
                                    {"peak_memory", record.peak_memory}});
  for (const trace::Communicator& communicator : run.communicators)
    json["communicators"].push_back({{"members", communicator.members.size()},
                                     {"remote_members", communicator.remote_members.size()},
                                     {"foreign_members", communicator.foreign_members()}});
  json["spawned_worlds"] = spawned_worlds(options.trace);
  json["kernel_count"] = run.kernels.size();
  return json;
}

void add_figures(nlohmann::ordered_json& json, const Options& options, const trace::Source& source,
                 const Summary& summary) {
  json["bytes_on_disk"] = trace_bytes(options.trace, source);
  const ArchiveParts parts = options.from.empty() ? archive_parts(options.trace) : ArchiveParts{};
  json["bytes_of"] = {{"structure", parts.structure}, {"volumes", parts.volumes},         {"actions", parts.actions},
                      {"times", parts.times},         {"definitions", parts.definitions}, {"framing", parts.framing}};
  json["actions"] = summary.actions;
  json["actions_per_rank"] = spread_json(summary.actions_per_rank);
  json["volume"] = summary.volume;
  json["volume_per_rank"] = spread_json(summary.volume_per_rank);
  json["workers"] = {{"volume", summary.workers},
                     {"volume_per_rank", spread_json(summary.workers_per_rank)},
                     {"largest_per_rank", spread_json(summary.largest_worker_per_rank)}};
  json["messages"] = summary.messages;
  json["message_bytes"] = summary.message_bytes;
  json["calls"] = nlohmann::ordered_json::object();
  for (const auto& [call, figures] : summary.calls)
    json["calls"][call] = {
        {"count", figures.count}, {"bytes", figures.bytes}, {"bytes_received", figures.bytes_received}};
  json["unrecorded_calls"] = summary.unrecorded_calls;
}

void show_times(const Options& options, const trace::Source& source, nlohmann::ordered_json& json) {
  std::optional<Measured> times;
  {
    Progress progress("reading times", total_actions(source.run()));
    times = measured(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (!times) return;
  if (options.as_data())
    json["measured"] = listing_json(source.run(), *times);
  else
    fmt::print("\n{}", listing_text(source.run(), *times));
}

void show_actions(const Options& options, const trace::Source& source, nlohmann::ordered_json& json) {
  Summary summary;
  {
    Progress progress("reading", total_actions(source.run()));
    summary = summarise(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (options.as_data()) {
    add_figures(json, options, source, summary);
  } else {
    print_figures(options, source, summary);
    print_calls(summary);
  }
  show_times(options, source, json);
}

void print_listing(const KernelListing& listing, std::size_t visited) {
  if (listing.run.counter.unit == trace::VolumeUnit::none) {
    fmt::print("\n");
    print_line("no kernels: no computation was recorded");
    return;
  }
  fmt::print("\n{}", listing_text(listing));
  if (visited > listing.listed.size())
    print_line("  and {} more kernels: --top 0 lists all", visited - listing.listed.size());
}

void show_kernels(const Options& options, const trace::Source& source, nlohmann::ordered_json& json) {
  const Run& run = source.run();
  std::vector<KernelFigures> kernels;
  {
    Progress progress("reading", total_actions(run));
    kernels = kernel_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  std::vector<trace::KernelId> listed = heaviest(kernels);
  const std::size_t visited = listed.size();
  if (options.top > 0) listed.resize(std::min(listed.size(), options.top));
  symbols::Symboliser symboliser(run, {options.symbols.begin(), options.symbols.end()});
  const KernelListing listing{run, kernels, listed, symboliser};
  if (options.as_data()) {
    json["kernels_visited"] = visited;
    json["kernels"] = listing_json(listing);
    json["notices"] = symboliser.notices();
  } else {
    print_listing(listing, visited);
  }
  for (const std::string& notice : symboliser.notices())
    print_warning(notice);
}

/// The ranks' own files at a path, by rank.
std::map<trace::Rank, std::filesystem::path> rank_files(const Options& options, const Run& run) {
  std::map<trace::Rank, std::filesystem::path> files;
  if (!options.from.empty()) return files;
  const std::filesystem::path path = options.trace;
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    for (const gather::RankFile& file : gather::list_rank_files(path))
      files[file.rank] = file.path;
  else if (run.ranks.size() == 1)
    files[run.ranks.front().rank] = path;
  return files;
}

void print_standings(const std::vector<RankStanding>& all) {
  if (all.empty()) return;
  constexpr std::size_t most = 16;
  fmt::print("\n");
  print_line("where the ranks stand that have not finalized");
  for (const CallGroup& group : group_by_call(all))
    print_line("  {:<28} rank{} {}", group.where, group.ranks.size() == 1 ? "" : "s", gather::rank_ranges(group.ranks));
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) {
    const RankStanding& rank = all[i];
    print_line("rank {}: {} actions, {} MPI calls; {}", rank.rank, rank.actions, rank.calls,
               rank.reason.empty() ? "no word of its end" : rank.reason);
    for (const CallInProgress& in : rank.in)
      print_line("  {:<6}{}{}{}{}{}", "in", in.call, in.with.empty() ? "" : " ", in.with,
                 in.site.empty() ? "" : ", called at ", in.site);
    if (!rank.last_action.empty()) print_line("  {:<6}{}", "last", rank.last_action);
    for (const std::string& request : rank.requests)
      print_line("  {:<6}{}", "open", request);
    if (rank.open_requests > rank.requests.size())
      print_line("  {:<6}and {} more requests", "", rank.open_requests - rank.requests.size());
  }
  if (all.size() > most) print_line("and {} more ranks (all with --json)", all.size() - most);
}

nlohmann::ordered_json standings_json(const std::vector<RankStanding>& all) {
  auto json = nlohmann::ordered_json::array();
  for (const RankStanding& rank : all) {
    auto in = nlohmann::ordered_json::array();
    for (const CallInProgress& call : rank.in)
      in.push_back({{"call", call.call}, {"with", call.with}, {"site", call.site}});
    json.push_back({{"rank", rank.rank},
                    {"ending", name(rank.ending)},
                    {"ending_reason", rank.reason},
                    {"actions", rank.actions},
                    {"mpi_calls", rank.calls},
                    {"in", in},
                    {"last_action", rank.last_action},
                    {"open_requests", rank.open_requests},
                    {"oldest_open_requests", rank.requests}});
  }
  return json;
}

void show_regions(const Options& options, const trace::Source& source, nlohmann::ordered_json& json) {
  std::vector<RegionFigures> regions;
  {
    Progress progress("reading", total_actions(source.run()));
    regions = region_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (options.as_data())
    json["regions"] = listing_json(source.run(), regions);
  else
    fmt::print("\n{}", listing_text(source.run(), regions));
}

void show_profile(const Options& options, const Run& run, nlohmann::ordered_json& json) {
  if (options.as_data())
    json["profile"] = profile_json(run);
  else
    fmt::print("\n{}", profile_text(run));
}

nlohmann::ordered_json matrix_json(const Traffic& found) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [path, figures] : found)
    json.push_back({{"communicator", path.communicator},
                    {"source", path.source},
                    {"destination", path.destination},
                    {"kind", name(path.kind)},
                    {"messages", figures.messages},
                    {"bytes", figures.bytes}});
  return json;
}

void print_matrix(const Traffic& found) {
  constexpr std::size_t most = 40;
  std::vector<std::pair<TrafficPath, TrafficFigures>> largest(found.begin(), found.end());
  std::ranges::stable_sort(largest, std::greater{}, [](const auto& one) { return one.second.bytes; });
  fmt::print("\n");
  print_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", "from", "to", "by", "communicator", "messages", "bytes");
  for (std::size_t i = 0; i < std::min(largest.size(), most); ++i) {
    const auto& [path, figures] = largest[i];
    print_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", path.source, path.destination, name(path.kind),
               path.communicator, human_count(static_cast<double>(figures.messages)),
               human_bytes(static_cast<double>(figures.bytes)));
  }
  if (largest.size() > most) print_line("and {} more pairs (all with --csv or --json)", largest.size() - most);
}

void show_matrix(const Options& options, const trace::Source& source, nlohmann::ordered_json& json) {
  Traffic found;
  {
    Progress progress("reading", total_actions(source.run()));
    found = traffic(source, options.collectives ? replay::lowering(source.run()) : trace::formats::Lowering(),
                    [&](std::uint64_t done) { progress.update(done); });
  }
  if (options.as_data())
    json["matrix"] = matrix_json(found);
  else
    print_matrix(found);
}

void print_rows(const nlohmann::ordered_json& rows, std::span<const std::string_view> columns) {
  fmt::print("{}", csv_head(columns));
  for (const auto& row : rows)
    fmt::print("{}", csv_row(row, columns));
}

/// A row for each kernel and event.
nlohmann::ordered_json profile_rows(const nlohmann::ordered_json& profile) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& kernel : profile.at("kernels"))
    for (const auto& [event, counted] : kernel.at("events").items()) {
      auto row = kernel;
      row["event"] = event;
      row.update(counted);
      rows.push_back(std::move(row));
    }
  return rows;
}

/// The listing that was asked for as a table, else all there is, by its path in the JSON answer.
void print_csv(const Options& options, const nlohmann::ordered_json& json) {
  static constexpr std::string_view kernels[] = {
      "kernel",      "from.call",   "from.module", "from.offset", "from.function", "from.file", "from.line",
      "to.call",     "to.module",   "to.offset",   "to.function", "to.file",       "to.line",   "visits",
      "volume",      "workers",     "share",       "mean",        "least",         "most",      "variation",
      "ranks.count", "ranks.least", "ranks.mean",  "ranks.most"};
  static constexpr std::string_view regions[] = {"name",
                                                 "ranks",
                                                 "visits",
                                                 "visits_per_rank.least",
                                                 "visits_per_rank.mean",
                                                 "visits_per_rank.most",
                                                 "volume",
                                                 "volume_per_rank.least",
                                                 "volume_per_rank.mean",
                                                 "volume_per_rank.most",
                                                 "calls",
                                                 "bytes"};
  static constexpr std::string_view profile[] = {
      "kernel", "from", "to", "bursts", "event", "sum", "per_rank.least", "per_rank.mean", "per_rank.most"};
  static constexpr std::string_view matrix[] = {"communicator", "source", "destination", "kind", "messages", "bytes"};
  if (options.kernels) return print_rows(json.at("kernels"), kernels);
  if (options.regions) return print_rows(json.at("regions"), regions);
  if (options.profile) return print_rows(profile_rows(json.at("profile")), profile);
  if (options.matrix) return print_rows(json.at("matrix"), matrix);
  fmt::print("{}", csv_paths(json));
}

int show(const Options& options) {
  const auto source = open_trace(options.trace, options.from);
  nlohmann::ordered_json json;
  if (options.as_data())
    json = head_json(options, source->run());
  else
    print_head(options, source->run());
  if (options.kernels)
    show_kernels(options, *source, json);
  else if (options.regions)
    show_regions(options, *source, json);
  else if (options.profile)
    show_profile(options, source->run(), json);
  else if (options.matrix)
    show_matrix(options, *source, json);
  else if (!options.brief)
    show_actions(options, *source, json);
  const Run& run = source->run();
  const std::vector<RankStanding> standing = standings(*source, rank_files(options, run), options.brief);
  if (options.as_data()) {
    json["not_finalized"] = standings_json(standing);
    if (options.csv)
      print_csv(options, json);
    else
      print_json("info", 2, json);
  } else if (!options.kernels && !options.regions && !options.profile && !options.matrix) {
    print_standings(standing);
  }
  return run.complete() ? exit_ok : static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_info(CLI::App& command) {
  auto options = std::make_shared<Options>();
  add_trace_argument(command, options->trace, options->from);
  command.add_flag("--brief", options->brief, "Only what the trace says of itself, without reading its actions");
  auto* const kernels = command.add_flag("--kernels", options->kernels,
                                         "List the kernels, the stretches of code between two MPI calls, those that "
                                         "compute most first: where in the source "
                                         "they begin and end, how much they compute, and how evenly");
  command.add_option("--top", options->top, "How many kernels to list; 0 for all")->needs(kernels);
  command
      .add_option("--symbols", options->symbols,
                  "A directory to look for the program, its libraries and their debug files in, if they are not where "
                  "they were recorded; may be repeated")
      ->needs(kernels)
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory);
  command.add_flag("--regions", options->regions, "List the program's regions: what it computes and sends in each")
      ->excludes(kernels);
  command
      .add_flag("--profile", options->profile,
                "List what the kernels have counted of the events that the trace was recorded with (record --profile)")
      ->excludes(kernels)
      ->excludes("--regions");
  auto* const matrix =
      command
          .add_flag("--matrix", options->matrix,
                    "List who sends whom how many messages and bytes, in which communicator; the rest is 0")
          ->excludes(kernels)
          ->excludes("--regions")
          ->excludes("--profile");
  command
      .add_flag("--with-collectives", options->collectives,
                "Also the messages within collectives, as MPICH's algorithms have them")
      ->needs(matrix);
  auto* const json = command.add_flag("--json", options->json, "Print JSON (schema timeless.info/2)");
  command
      .add_flag("--csv", options->csv,
                "Print comma-separated values: the listing asked for, else all there is, by its path in the JSON")
      ->excludes(json);
  command.footer("Exit status: 0, 6 when the trace is incomplete, 3 when it cannot be read.\n"
                 "Example: timeless info run.tia --kernels --top 5");
  return [options] { return show(*options); };
}

} // namespace timeless::tools
