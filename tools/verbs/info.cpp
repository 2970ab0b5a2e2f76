#include "tools/cli/console.h"
#include "tools/cli/option_checks.h"
#include "tools/cli/option_groups.h"
#include "tools/cli/trace_input.h"
#include "tools/render/answer.h"
#include "tools/render/info/trace_info.h"
#include "tools/symbols/kernel_listing.h"
#include "tools/verbs/verbs.h"

#include "gather/parts/rank_files.h"
#include "replay/lowering.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

/// What is asked of a trace.
struct InfoRequest {
  std::string trace;
  TraceFormat from;
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
};

/// Returns the result of `read`, which is given a function to call with the actions that it has read.
template <typename Read>
auto with_progress(const char* label, const trace::Source& source, Read read) {
  Progress progress(label, total_actions(source.run()));
  return read([&](std::uint64_t done) { progress.update(done); });
}

symbols::KernelListing listed_kernels(const InfoRequest& request, const trace::Source& source) {
  const auto figures = with_progress("reading", source,
                                     [&](const auto& progress) { return analysis::kernel_figures(source, progress); });
  symbols::Symboliser symboliser(source.run(), {request.symbols.begin(), request.symbols.end()});
  return symbols::list_kernels(source.run(), figures, request.top, symboliser);
}

void read_totals(const InfoRequest& request, const trace::Source& source, TraceInfo& info) {
  info.totals.emplace();
  info.totals->summary =
      with_progress("reading", source, [&](const auto& progress) { return analysis::summarise(source, progress); });
  info.totals->bytes_on_disk = trace_bytes(request.trace, source);
  if (request.from.ours()) info.totals->parts = analysis::archive_parts(request.trace);
  info.measured = with_progress("reading times", source,
                                [&](const auto& progress) { return analysis::measured(source, progress); });
}

/// Returns the ranks' own files at a path, by rank.
std::map<trace::Rank, std::filesystem::path> rank_files_of(const InfoRequest& request, const trace::Run& run) {
  std::map<trace::Rank, std::filesystem::path> files;
  if (!request.from.ours()) return files;
  const std::filesystem::path path = request.trace;
  std::error_code none;
  if (std::filesystem::is_directory(path, none))
    for (const gather::RankFile& file : gather::list_rank_files(path))
      files[file.rank] = file.path;
  else if (run.ranks.size() == 1)
    files[run.ranks.front().rank] = path;
  return files;
}

TraceInfo read_info(const InfoRequest& request, const trace::Source& source) {
  const trace::Run& run = source.run();
  TraceInfo info{.head = {request.trace, run, spawned_worlds(request.trace)}};
  if (request.kernels)
    info.kernels = listed_kernels(request, source);
  else if (request.regions)
    info.regions = with_progress("reading", source,
                                 [&](const auto& progress) { return analysis::region_figures(source, progress); });
  else if (request.profile)
    info.profile = analysis::profile_of(run);
  else if (request.matrix)
    info.traffic = with_progress("reading", source, [&](const auto& progress) {
      return analysis::traffic(source, request.collectives ? replay::lowering(run) : trace::formats::Lowering(),
                               progress);
    });
  else if (!request.brief)
    read_totals(request, source, info);
  info.not_finalized = analysis::rank_statuses(source, rank_files_of(request, run), request.brief);
  return info;
}

int show(const InfoRequest& request) {
  const auto source = open_trace(request.trace, request.from);
  const TraceInfo info = read_info(request, *source);
  if (request.csv)
    fmt::print("{}", to_csv(info));
  else
    print_answer("info", 2, info, request.json);
  if (info.kernels)
    for (const std::string& notice : info.kernels->notices)
      print_warning(notice);
  return source->run().complete() ? exit_ok : static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_info(CLI::App& command) {
  auto request = std::make_shared<InfoRequest>();
  add_trace_argument(command, request->trace, request->from);
  begin_group(command, "Answers");
  command.add_flag("--brief", request->brief, "Only what the trace says of itself, without reading its actions");
  auto* const kernels = command.add_flag("--kernels", request->kernels,
                                         "List the kernels, the segments of code between two MPI calls, those that "
                                         "compute most first: where in the source "
                                         "they begin and end, how much they compute, and how evenly");
  command.add_option("--top", request->top, "How many kernels to list; 0 for all")
      ->check(count_from(0))
      ->needs(kernels);
  add_symbols_option(command, request->symbols)->needs(kernels);
  command.add_flag("--regions", request->regions, "List the program's regions: what it computes and sends in each")
      ->excludes(kernels);
  command
      .add_flag("--profile", request->profile,
                "List what the kernels have counted of the events that the trace was recorded with (record --profile)")
      ->excludes(kernels)
      ->excludes("--regions");
  auto* const matrix =
      command
          .add_flag("--matrix", request->matrix,
                    "List who sends whom how many messages and bytes, in which communicator; the rest is 0")
          ->excludes(kernels)
          ->excludes("--regions")
          ->excludes("--profile");
  command
      .add_flag("--with-collectives", request->collectives,
                "Also the messages within collectives, as MPICH's algorithms have them")
      ->needs(matrix);
  begin_group(command, "Output");
  auto* const json = command.add_flag("--json", request->json, "Print JSON (schema timeless.info/2)");
  command
      .add_flag("--csv", request->csv,
                "Print comma-separated values: the listing asked for, else all there is, by its path in the JSON")
      ->excludes(json);
  command.footer("Exit status: 0, 6 when the trace is incomplete, 3 when it cannot be read.\n"
                 "Example: timeless info run.tia --kernels --top 5");
  return [request] { return show(*request); };
}

} // namespace timeless::tools
