#include "tools/replaying/contention_report.h"

#include "tools/cli/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace timeless::tools {

using nlohmann::ordered_json;

namespace {

std::string change(const TimeWithAndWithout& time) {
  return time.model > 0 ? fmt::format("{:+.1f}", 100 * time.difference() / time.model) : "";
}

std::string difference(const TimeWithAndWithout& time) {
  return (time.difference() < 0 ? "-" : "+") + human_seconds(std::abs(time.difference()));
}

std::vector<std::string> cells(std::vector<std::string> first, const TimeWithAndWithout& time) {
  first.insert(first.end(), {human_seconds(time.model), human_seconds(time.smpi), difference(time), change(time)});
  return first;
}

std::vector<std::string> header(std::vector<std::string> first) {
  first.insert(first.end(), {"model", "SMPI", "difference", "%"});
  return first;
}

std::string kernel_text(std::uint32_t kernel, const AnswerOptions& options) {
  if (kernel == replay::no_subject) return "before the first";
  if (kernel == replay::other_subjects) return "others";
  const auto ends = options.kernels.find(kernel);
  const std::string number = std::to_string(kernel);
  if (ends == options.kernels.end() || (ends->second.from.empty() && ends->second.to.empty())) return number;
  return number + ": " + symbols::end_in_words(ends->second.from) + " to " + symbols::end_in_words(ends->second.to);
}

std::size_t listed(std::size_t all, const AnswerOptions& options) {
  return options.top == 0 ? all : std::min(all, options.top);
}

std::string kernels_table(const Contention& contention, const AnswerOptions& options) {
  // A recording without computation has none: all of it would be "before the first".
  const auto no_kernel = [](const KernelContention& one) { return one.kernel == replay::no_subject; };
  if (std::ranges::all_of(contention.kernels, no_kernel)) return "";
  Table table(header({"kernel, to the next (mean of a rank)"}));
  const std::size_t lines = listed(contention.kernels.size(), options);
  for (std::size_t i = 0; i < lines; ++i)
    table.add(cells({kernel_text(contention.kernels[i].kernel, options)}, contention.kernels[i].time));
  std::string text = "\n" + table.text();
  if (lines < contention.kernels.size()) text += fmt::format("and {} more\n", contention.kernels.size() - lines);
  return text;
}

/// The ranks that differ most, or all.
std::string ranks_table(const Contention& contention, const AnswerOptions& options) {
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

void add(ordered_json& json, const TimeWithAndWithout& time) {
  json["model_seconds"] = time.model;
  json["smpi_seconds"] = time.smpi;
  json["difference_seconds"] = time.difference();
}

} // namespace

std::string contention_text(const Prediction& prediction, const AnswerOptions& options) {
  std::string text;
  for (std::size_t i = 0; i < prediction.contentions.size(); ++i) {
    if (!prediction.contentions[i]) continue;
    const Contention& contention = *prediction.contentions[i];
    Table table(header({"longer in SMPI: contention, other collective algorithms"}));
    table.add(cells({prediction.result.lanes.at(i).name}, contention.makespan));
    text += "\n" + table.text() + kernels_table(contention, options) + ranks_table(contention, options);
  }
  return text;
}

ordered_json contention_json(const Prediction& prediction, std::size_t configuration, const AnswerOptions& options) {
  const Contention& contention = prediction.contentions.at(configuration).value();
  ordered_json json;
  add(json, contention.makespan);
  json["ranks"] = ordered_json::array();
  for (std::size_t rank = 0; rank < contention.ranks.size(); ++rank) {
    json["ranks"].push_back({{"rank", rank}});
    add(json["ranks"].back(), contention.ranks[rank]);
  }
  json["by_kernel"] = ordered_json::array();
  for (const KernelContention& kernel : contention.kernels) {
    ordered_json one;
    if (kernel.kernel == replay::other_subjects)
      one["others"] = true;
    else
      one["kernel"] = kernel.kernel == replay::no_subject ? ordered_json() : ordered_json(kernel.kernel);
    if (const auto ends = options.kernels.find(kernel.kernel); ends != options.kernels.end())
      add_ends(one, ends->second);
    one["count"] = kernel.count;
    add(one, kernel.time);
    json["by_kernel"].push_back(std::move(one));
  }
  return json;
}

} // namespace timeless::tools
