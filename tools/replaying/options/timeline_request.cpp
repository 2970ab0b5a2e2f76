#include "tools/replaying/options/timeline_request.h"
#include "tools/cli/option_groups.h"

#include "base/rank_ranges.h"
#include "tools/cli/option_checks.h"

#include "base/error.h"
#include "base/units.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

namespace timeless::tools {

using replay::timeline::TimelineFormat;
using replay::timeline::TimelineOptions;

namespace {

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && rest == text.data() + text.size();
}

/// "0.5..2", "..2", "0.5.."
void read_window(std::string_view text, TimelineOptions& options) {
  const std::size_t dots = text.find("..");
  const bool parted = dots != std::string_view::npos;
  const std::string_view from = text.substr(0, parted ? dots : 0);
  const std::string_view to = parted ? text.substr(dots + 2) : text;
  if (!parted || (!from.empty() && !read_number(from, options.from)) || (!to.empty() && !read_number(to, options.to)) ||
      !(options.from <= options.to))
    throw Error(Failure::usage, "no window of time: " + std::string(text), "--timeline-window",
                "give seconds such as 0.5..2, or ..2, or 0.5..");
}

} // namespace

void add_timeline_options(CLI::App& command, TimelineRequest& request) {
  begin_group(command, "Timeline");
  command.add_option("--timeline", request.file, "Write what each rank does when, in one configuration, to this file")
      ->check(some_text())
      ->default_str("");
  command
      .add_option("--timeline-format", request.format,
                  "For ui.perfetto.dev, for ViTE, for Vampir and Scalasca (a directory), or as text: comma-separated, "
                  "or a line for each action; simgrid: what SimGrid itself writes of a simulation, for ViTE. By name: "
                  ".csv, .otf2, .paje, .txt; perfetto where the name says nothing")
      ->check(CLI::IsMember({"by name", "perfetto", "paje", "otf2", "csv", "text", "simgrid"}));
  command.add_option("--timeline-window", request.window, "Only actions that touch these seconds, such as 0.5..2")
      ->check(some_text())
      ->default_str("all");
  command.add_option("--timeline-ranks", request.ranks, "Only these ranks, such as 0-3,8")
      ->check(some_text())
      ->default_str("all");
  command.add_option("--timeline-lane", request.lane, "Of the configuration of this name, or number from 0")
      ->check(some_text())
      ->default_str("the first");
  command.add_flag("--force", request.force, "Replace an existing timeline");
}

std::string timeline_format(const TimelineRequest& request) {
  if (request.format != TimelineRequest().format) return request.format;
  std::filesystem::path name = request.file;
  if (!name.has_filename()) name = name.parent_path(); // a directory's, which may end with a slash
  constexpr std::array<std::pair<std::string_view, const char*>, 5> by_end{
      {{".csv", "csv"}, {".otf2", "otf2"}, {".paje", "paje"}, {".trace", "paje"}, {".txt", "text"}}};
  std::string ending = name.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  for (const auto& [end, format] : by_end)
    if (ending == end) return format;
  return "perfetto";
}

WrittenTimeline written(const TimelineRequest& request, std::uint64_t bytes) {
  return {.file = request.file, .format = timeline_format(request), .bytes = bytes};
}

std::vector<std::string> timeline_notes(const TimelineRequest& request, const replay::Result& result) {
  TimelineOptions window;
  if (request.asked() && !request.window.empty()) read_window(request.window, window);
  double end = 0;
  for (const replay::LaneResult& lane : result.lanes) {
    if (lane.deadlock) return {};
    end = std::max(end, lane.makespan);
  }
  if (window.from <= end) return {};
  return {fmt::format("no action is in the timeline: its window begins at {:g} s, the replay ends at {}", window.from,
                      human_seconds(end))};
}

std::string WrittenTimeline::how_to_open() const {
  if (format == "perfetto") return "open it at https://ui.perfetto.dev";
  if (format == "paje" || format == "simgrid") return "open it with ViTE: vite " + file;
  if (format == "otf2") return "open it with Vampir, Scalasca or otf2-print: " + file + "/traces.otf2";
  return format == "csv" ? "comma-separated, a line for each action" : "text, a line for each action";
}

TimelineOptions timeline_options(const TimelineRequest& request, trace::Rank ranks) {
  TimelineOptions options{.file = request.file, .existing = request.existing(), .lane = request.lane};
  const std::string format = timeline_format(request);
  if (format == "paje") options.format = TimelineFormat::paje;
  if (format == "otf2") options.format = TimelineFormat::otf2;
  if (format == "csv") options.format = TimelineFormat::csv;
  if (format == "text") options.format = TimelineFormat::text;
  if (!request.window.empty()) read_window(request.window, options);
  if (!request.ranks.empty()) options.ranks = read_rank_ranges(request.ranks, ranks, "--timeline-ranks");
  if (!request.asked() && !(request.window.empty() && request.ranks.empty() && request.lane.empty()))
    throw Error(Failure::usage, "a timeline is described, but none is asked for", "--timeline-...",
                "name its file with --timeline");
  return options;
}

} // namespace timeless::tools
