#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"
#include "tools/info/actions.h"
#include "tools/info/columns.h"
#include "tools/info/head.h"
#include "tools/info/kernels.h"
#include "tools/info/matrix.h"
#include "tools/info/rank_statuses.h"
#include "tools/render/profile_listing.h"
#include "tools/render/region_listing.h"
#include "tools/verbs/verbs.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace timeless::tools {

namespace {

void show_regions(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json) {
  std::vector<RegionFigures> regions;
  {
    Progress progress("reading", total_actions(source.run()));
    regions = region_figures(source, [&](std::uint64_t done) { progress.update(done); });
  }
  if (request.as_data())
    json["regions"] = listing_json(source.run(), regions);
  else
    fmt::print("\n{}", listing_text(source.run(), regions));
}

void show_profile(const InfoRequest& request, const trace::Run& run, nlohmann::ordered_json& json) {
  if (request.as_data())
    json["profile"] = profile_json(run);
  else
    fmt::print("\n{}", profile_text(run));
}

int show(const InfoRequest& request) {
  const auto source = open_trace(request.trace, request.from);
  nlohmann::ordered_json json;
  if (request.as_data())
    json = head_json(request, source->run());
  else
    print_head(request, source->run());
  if (request.kernels)
    show_kernels(request, *source, json);
  else if (request.regions)
    show_regions(request, *source, json);
  else if (request.profile)
    show_profile(request, source->run(), json);
  else if (request.matrix)
    show_matrix(request, *source, json);
  else if (!request.brief)
    show_actions(request, *source, json);
  const std::vector<RankStatus> status = rank_statuses_of(request, *source);
  if (request.as_data()) {
    json["not_finalized"] = rank_statuses_json(status);
    if (request.csv)
      print_csv(request, json);
    else
      print_json("info", 2, json);
  } else if (!request.kernels && !request.regions && !request.profile && !request.matrix) {
    print_rank_statuses(status);
  }
  return source->run().complete() ? exit_ok : static_cast<int>(Failure::partial);
}

} // namespace

VerbAction add_info(CLI::App& command) {
  auto request = std::make_shared<InfoRequest>();
  add_trace_argument(command, request->trace, request->from);
  command.add_flag("--brief", request->brief, "Only what the trace says of itself, without reading its actions");
  auto* const kernels = command.add_flag("--kernels", request->kernels,
                                         "List the kernels, the stretches of code between two MPI calls, those that "
                                         "compute most first: where in the source "
                                         "they begin and end, how much they compute, and how evenly");
  command.add_option("--top", request->top, "How many kernels to list; 0 for all")->needs(kernels);
  command
      .add_option("--symbols", request->symbols,
                  "A directory to look for the program, its libraries and their debug files in, if they are not where "
                  "they were recorded; may be repeated")
      ->needs(kernels)
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->check(CLI::ExistingDirectory);
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
