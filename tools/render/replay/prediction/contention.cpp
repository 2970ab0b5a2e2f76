#include "tools/render/replay/prediction/contention.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"
#include "tools/render/replay/prediction/full_links.h"
#include "tools/render/replay/prediction/kernel_ends.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> cells(std::vector<std::string> first, const analysis::TimeWithAndWithout& time) {
  first.insert(first.end(), {human_seconds(time.model), human_seconds(time.smpi),
                             difference_text(time.model, time.smpi), change_text(time.model, time.smpi)});
  return first;
}

std::vector<std::string> header(std::vector<std::string> first) {
  first.insert(first.end(), {"model", "SMPI", "difference", "%"});
  return first;
}

std::string short_kernel_text(std::uint32_t kernel) {
  if (kernel == replay::no_subject) return "before the first";
  return kernel == replay::other_subjects ? "others" : std::to_string(kernel);
}

std::string kernel_text(std::uint32_t kernel, const symbols::KernelEndsById& kernels) {
  if (kernel == replay::no_subject || kernel == replay::other_subjects) return short_kernel_text(kernel);
  const auto ends = kernels.find(kernel);
  const std::string number = std::to_string(kernel);
  if (ends == kernels.end() || (ends->second.from.empty() && ends->second.to.empty())) return number;
  return number + ": " + symbols::end_in_words(ends->second.from) + " to " + symbols::end_in_words(ends->second.to);
}

std::size_t listed(std::size_t all, const ListingOptions& options) {
  return options.top == 0 ? all : std::min(all, options.top);
}

std::string kernels_table(const analysis::Contention& contention, const symbols::KernelEndsById& kernels,
                          const ListingOptions& options) {
  // A recording without computation has none: all of it would be "before the first".
  const auto no_kernel = [](const analysis::KernelContention& one) { return one.kernel == replay::no_subject; };
  if (std::ranges::all_of(contention.kernels, no_kernel)) return "";
  Table table(header({"kernel, to the next (mean of a rank)"}));
  const std::size_t lines = listed(contention.kernels.size(), options);
  for (std::size_t i = 0; i < lines; ++i)
    table.add(cells({kernel_text(contention.kernels[i].kernel, kernels)}, contention.kernels[i].time));
  std::string text = "\n" + table.text();
  if (lines < contention.kernels.size()) text += fmt::format("and {} more\n", contention.kernels.size() - lines);
  return text;
}

/// The ranks that differ most, or all.
std::string ranks_table(const analysis::Contention& contention, const ListingOptions& options) {
  std::vector<std::size_t> order(contention.ranks.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    order[rank] = rank;
  if (!options.per_rank)
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t rank) { return std::abs(contention.ranks[rank].difference()); });
  const std::size_t lines = options.per_rank ? order.size() : listed(order.size(), options);
  Table table(header({"rank"}));
  for (std::size_t i = 0; i < lines; ++i)
    table.add(cells({std::to_string(order[i])}, contention.ranks[order[i]]));
  std::string text = "\n" + table.text();
  if (lines < order.size()) text += fmt::format("and {} more\n", order.size() - lines);
  return text;
}

std::string links_table(const analysis::Contention& contention, const ListingOptions& options) {
  if (!contention.links) return "";
  std::vector<FullLinkLine> lines;
  for (const replay::FullLink& link : *contention.links) {
    FullLinkLine& line = lines.emplace_back(FullLinkLine{&link, {}});
    for (const auto& [kernel, slowed] : link.kernels)
      line.kernels.emplace_back(short_kernel_text(kernel), slowed.seconds);
  }
  return full_links_table("link that was full", lines, contention.makespan.smpi, listed(lines.size(), options));
}

ordered_json links_json(const analysis::Contention& contention, const symbols::KernelEndsById& kernels) {
  ordered_json links = ordered_json::array();
  for (const replay::FullLink& link : *contention.links) {
    ordered_json by_kernel = ordered_json::array();
    for (const auto& [kernel, slowed] : link.kernels) {
      ordered_json one{{"kernel", kernel == replay::no_subject ? ordered_json() : ordered_json(kernel)}};
      add_ends(one, kernels, kernel);
      one["messages"] = slowed.messages;
      one["slowed_seconds"] = slowed.seconds;
      by_kernel.push_back(std::move(one));
    }
    ordered_json one = full_link_json(link);
    one["by_kernel"] = std::move(by_kernel);
    links.push_back(std::move(one));
  }
  return links;
}

void add_times(ordered_json& json, const analysis::TimeWithAndWithout& time) {
  json["model_seconds"] = time.model;
  json["smpi_seconds"] = time.smpi;
  json["difference_seconds"] = time.difference();
}

} // namespace

std::string to_text(const analysis::Contention& contention, const std::string& configuration,
                    const symbols::KernelEndsById& kernels, const ListingOptions& options) {
  Table table(header({"longer in SMPI: contention, other collective algorithms"}));
  table.add(cells({configuration}, contention.makespan));
  return "\n" + table.text() + kernels_table(contention, kernels, options) + ranks_table(contention, options) +
         links_table(contention, options);
}

ordered_json to_json(const analysis::Contention& contention, const symbols::KernelEndsById& kernels) {
  ordered_json json;
  add_times(json, contention.makespan);
  json["ranks"] = ordered_json::array();
  for (std::size_t rank = 0; rank < contention.ranks.size(); ++rank) {
    json["ranks"].push_back({{"rank", rank}});
    add_times(json["ranks"].back(), contention.ranks[rank]);
  }
  json["by_kernel"] = ordered_json::array();
  for (const analysis::KernelContention& kernel : contention.kernels) {
    ordered_json one;
    if (kernel.kernel == replay::other_subjects)
      one["others"] = true;
    else
      one["kernel"] = kernel.kernel == replay::no_subject ? ordered_json() : ordered_json(kernel.kernel);
    add_ends(one, kernels, kernel.kernel);
    one["count"] = kernel.count;
    add_times(one, kernel.time);
    json["by_kernel"].push_back(std::move(one));
  }
  if (contention.links) json["links"] = links_json(contention, kernels);
  return json;
}

} // namespace timeless::tools
