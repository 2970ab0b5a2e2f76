#include "tools/render/replay/prediction/full_links.h"

#include "tools/cli/console.h"
#include "tools/cli/table.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace timeless::tools {

namespace {

/// Returns when a link was full: "1.2 ms to 3.4 ms", "1.2 ms to 9.8 ms, 3 times".
std::string when_text(const std::vector<replay::Period>& periods) {
  if (periods.empty()) return "";
  std::string text = fmt::format("{} to {}", human_seconds(periods.front().begin), human_seconds(periods.back().end));
  if (periods.size() > 1) text += fmt::format(", in {} parts", periods.size());
  return text;
}

/// Returns "3: 80 %, 1: 20 %", the most first, without those of less than 1 %.
std::string shares_text(std::vector<std::pair<std::string, double>> kernels, double all) {
  std::ranges::stable_sort(kernels, std::ranges::greater{}, [](const auto& kernel) { return kernel.second; });
  constexpr std::size_t named = 3;
  constexpr double least = 0.01;
  std::string text;
  for (std::size_t i = 0; i < kernels.size() && kernels[i].second >= least * all; ++i) {
    if (i == named) return text + ", ...";
    text += fmt::format("{}{}: {:.0f} %", i == 0 ? "" : ", ", kernels[i].first,
                        all > 0 ? 100 * kernels[i].second / all : 0);
  }
  return text;
}

} // namespace

std::string full_links_table(const std::string& title, const std::vector<FullLinkLine>& links, double seconds,
                             std::size_t most) {
  if (links.empty()) return "";
  Table table({title, "full for", "% of the run", "messages", "at once", "longer, their sum", "when", "by kernel"});
  const std::size_t lines = std::min(most == 0 ? links.size() : most, links.size());
  for (std::size_t i = 0; i < lines; ++i) {
    const replay::FullLink& link = *links[i].link;
    table.add({link.name, human_seconds(link.seconds), percent_text(link.seconds, seconds),
               count_text(link.slowed.messages), count_text(link.most_at_once), human_seconds(link.slowed.seconds),
               when_text(link.periods), shares_text(links[i].kernels, link.slowed.seconds)});
  }
  std::string text = "\n" + table.text();
  if (lines < links.size()) text += fmt::format("and {} more\n", links.size() - lines);
  return text;
}

nlohmann::ordered_json full_link_json(const replay::FullLink& link) {
  nlohmann::ordered_json periods = nlohmann::ordered_json::array();
  for (const replay::Period& period : link.periods)
    periods.push_back({{"begin_seconds", period.begin}, {"end_seconds", period.end}});
  return {{"link", link.name},
          {"bytes_per_second", link.bandwidth},
          {"full_seconds", link.seconds},
          {"messages", link.slowed.messages},
          {"most_at_once", link.most_at_once},
          {"slowed_seconds", link.slowed.seconds},
          {"periods", std::move(periods)}};
}

replay::FullLink read_full_link(const nlohmann::json& json) {
  replay::FullLink link{.name = json.at("link").get<std::string>(),
                        .bandwidth = json.at("bytes_per_second").get<double>(),
                        .seconds = json.at("full_seconds").get<double>(),
                        .slowed = {.messages = json.at("messages").get<std::uint64_t>(),
                                   .seconds = json.at("slowed_seconds").get<double>()},
                        .most_at_once = json.at("most_at_once").get<std::uint64_t>()};
  for (const nlohmann::json& period : json.at("periods"))
    link.periods.push_back({period.at("begin_seconds").get<double>(), period.at("end_seconds").get<double>()});
  return link;
}

} // namespace timeless::tools
