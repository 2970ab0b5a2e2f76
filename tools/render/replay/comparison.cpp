#include "tools/render/replay/comparison.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/machines/compute_basis.h"
#include "tools/render/replay/prediction/full_links.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

std::string compared_table(const std::string& what, const std::vector<analysis::ComparedTime>& times,
                           std::size_t lines) {
  if (times.empty()) return "";
  if (lines == 0 || lines > times.size()) lines = times.size();
  Table rows({what, "A", "B", "B - A", "%"});
  for (std::size_t i = 0; i < lines; ++i)
    rows.add({times[i].name, human_seconds(times[i].first), human_seconds(times[i].second),
              difference_text(times[i].first, times[i].second), change_text(times[i].first, times[i].second)});
  std::string text = "\n" + rows.text();
  if (lines < times.size()) text += fmt::format("and {} more\n", times.size() - lines);
  return text;
}

/// Those that differ most, or all in their order.
std::vector<analysis::ComparedTime> compared_ranks(const analysis::Comparison& comparison, bool all) {
  std::vector<analysis::ComparedTime> times = comparison.ranks;
  if (!all)
    std::ranges::stable_sort(times, std::ranges::greater{},
                             [](const analysis::ComparedTime& time) { return std::abs(time.difference()); });
  return times;
}

ordered_json time_json(const analysis::ComparedTime& time) {
  ordered_json one{{"name", time.name},
                   {"a_seconds", time.first},
                   {"b_seconds", time.second},
                   {"difference_seconds", time.difference()}};
  one["ratio"] = time.first > 0 ? ordered_json(time.second / time.first) : ordered_json();
  return one;
}

ordered_json times_json(const std::vector<analysis::ComparedTime>& times) {
  ordered_json list = ordered_json::array();
  for (const analysis::ComparedTime& time : times)
    list.push_back(time_json(time));
  return list;
}

/// Writes which links slowed a result's messages down, and how far that goes.
std::string compared_links(const char* which, const analysis::TimedResult& result, std::size_t lines) {
  if (!result.links) return "";
  if (result.links->empty()) return "\n" + text_line("No link was full in {}: no message waited for another.", which);
  std::vector<FullLinkLine> links;
  double slowed = 0;
  for (const analysis::TimedLink& one : *result.links) {
    links.push_back({&one.link, {one.kernels.begin(), one.kernels.end()}});
    slowed += one.link.slowed.seconds;
  }
  return full_links_table(std::string("link that was full in ") + which, links, result.makespan, lines) +
         text_line("In {}, messages took {} longer on full links than alone: {} a rank.", which, human_seconds(slowed),
                   human_seconds(slowed / static_cast<double>(std::max<std::size_t>(result.ranks.size(), 1))));
}

ordered_json timed_links_json(const analysis::TimedResult& result) {
  if (!result.links) return {};
  ordered_json links = ordered_json::array();
  for (const analysis::TimedLink& one : *result.links) {
    links.push_back(full_link_json(one.link));
    ordered_json& kernels = links.back()["by_kernel"] = ordered_json::array();
    for (const auto& [name, seconds] : one.kernels)
      kernels.push_back({{"name", name}, {"slowed_seconds", seconds}});
  }
  return links;
}

ordered_json timed_rate_json(const analysis::TimedResult& result) {
  if (!result.rate) return {};
  return rate_json(result.rate->from, result.rate->least, result.rate->most);
}

} // namespace

std::string to_text(const ComparisonAnswer& answer) {
  const auto& [first, second, comparison, listing] = answer;
  std::string text = text_line("A: {}", first.label) + text_line("B: {}", second.label);
  text += compared_table("", {comparison.makespan}, 0);
  text += compared_table("rank ends", compared_ranks(comparison, listing.per_rank), listing.per_rank ? 0 : listing.top);
  text += compared_table("kernel, to the next (mean of a rank)", comparison.kernels, listing.top);
  text += compared_table("call (mean of a rank)", comparison.calls, listing.top);
  text += compared_links("A", first, listing.top) + compared_links("B", second, listing.top);
  if (!comparison.notes.empty()) text += "\n";
  for (const std::string& note : comparison.notes)
    text += text_fact(10, "note", "{}", note);
  return text;
}

ordered_json to_json(const ComparisonAnswer& answer) {
  const auto& [first, second, comparison, listing] = answer;
  return {{"a", first.label},
          {"b", second.label},
          {"a_compute_rate", timed_rate_json(first)},
          {"b_compute_rate", timed_rate_json(second)},
          {"total", time_json(comparison.makespan)},
          {"ranks", times_json(comparison.ranks)},
          {"by_kernel", times_json(comparison.kernels)},
          {"by_call", times_json(comparison.calls)},
          {"a_links", timed_links_json(first)},
          {"b_links", timed_links_json(second)},
          {"notes", comparison.notes}};
}

} // namespace timeless::tools
