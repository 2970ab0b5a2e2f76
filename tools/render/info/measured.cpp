#include "tools/render/info/measured.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include "base/rank_ranges.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace timeless::tools {

std::string to_text(const analysis::Measured& measured, const trace::Run& run) {
  const double polling = measured.polling.value_or(0);
  const double whole = measured.computing + polling + measured.in_calls + measured.elsewhere;
  std::string text = fmt::format("{:<15}{} from MPI_Init to the end, per rank {} (least {}, most {})\n", "measured",
                                 human_seconds(measured.end), human_seconds(measured.per_rank.mean),
                                 human_seconds(measured.per_rank.least), human_seconds(measured.per_rank.most));
  const bool counted = run.counter.unit != trace::VolumeUnit::none;
  const std::string polls =
      measured.polling ? fmt::format("in tests that found nothing {} %, ", percent_text(polling, whole)) : "";
  text += counted
              ? fmt::format("{:<15}computing {} %, {}in MPI {} %, recording and not recorded {} %\n", "",
                            percent_text(measured.computing, whole), polls, percent_text(measured.in_calls, whole),
                            percent_text(measured.elsewhere, whole))
              : fmt::format("{:<15}in MPI {} %, between calls {} %: computing, which was not counted, and recording\n",
                            "", percent_text(measured.in_calls, whole), percent_text(measured.elsewhere, whole));
  if (!measured.ranks_without.empty())
    text += fmt::format("{:<15}no times of rank{} {}: what is left of them comes from journals, which have none\n", "",
                        measured.ranks_without.size() == 1 ? "" : "s", rank_ranges(measured.ranks_without));
  if (const std::string why = analysis::why_incomparable(run); !why.empty())
    text += text_fact(15, "", "no speed of this machine: {}", why);
  std::vector<std::pair<std::string, analysis::MeasuredCall>> calls(measured.calls.begin(), measured.calls.end());
  std::ranges::stable_sort(calls, std::greater{}, [](const auto& call) { return call.second.seconds; });
  Table table({"time in", "calls", "seconds", "of all ranks' %", "mean", "longest"});
  for (const auto& [call, figures] : calls)
    table.add({call, std::to_string(figures.count), fmt::format("{:.6f}", figures.seconds),
               percent_text(figures.seconds, whole),
               human_seconds(figures.seconds / static_cast<double>(figures.count)), human_seconds(figures.longest)});
  return text + "\n" + table.text();
}

nlohmann::ordered_json to_json(const analysis::Measured& measured, const trace::Run& run) {
  nlohmann::ordered_json json;
  json["seconds"] = measured.end;
  json["seconds_per_rank"] = to_json(measured.per_rank);
  json["computing_seconds"] = run.counter.unit != trace::VolumeUnit::none ? nlohmann::ordered_json(measured.computing)
                                                                          : nlohmann::ordered_json();
  json["polling_seconds"] = measured.polling ? nlohmann::ordered_json(*measured.polling) : nlohmann::ordered_json();
  json["in_calls_seconds"] = measured.in_calls;
  json["elsewhere_seconds"] = measured.elsewhere;
  json["ranks_without_times"] = measured.ranks_without;
  json["incomparable_because"] = analysis::why_incomparable(run);
  json["calls"] = nlohmann::ordered_json::object();
  for (const auto& [call, figures] : measured.calls)
    json["calls"][call] = {
        {"count", figures.count}, {"seconds", figures.seconds}, {"longest_seconds", figures.longest}};
  return json;
}

} // namespace timeless::tools
