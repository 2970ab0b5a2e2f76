#include "tools/render/calibration/compute.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace timeless::tools {

namespace {

using analysis::KernelSpeed;

std::vector<trace::KernelId> longest(const analysis::ComputeSpeeds& speeds) {
  std::vector<trace::KernelId> ids;
  for (trace::KernelId id = 0; id < speeds.kernels.size(); ++id)
    if (speeds.kernels[id].visits > 0) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater{}, [&](trace::KernelId id) { return speeds.kernels[id].seconds; });
  return ids;
}

double total(const ComputeAnswer& answer, double KernelSpeed::*figure) {
  double sum = 0;
  for (const KernelSpeed& speed : answer.speeds.kernels)
    sum += speed.*figure;
  return sum;
}

std::string interval_text(const analysis::Interval& interval) {
  return human_count(interval.low) + " to " + human_count(interval.high);
}

std::string kernels_text(const ComputeAnswer& answer) {
  const double seconds = total(answer, &KernelSpeed::seconds);
  Table table({"kernel", "time %", "visits", "a visit", answer.unit + "/s", "launches", "fixed", "spread %", "rate"});
  const std::vector<trace::KernelId> ids = longest(answer.speeds);
  const std::size_t listed = answer.top == 0 ? ids.size() : std::min(answer.top, ids.size());
  std::string places;
  for (std::size_t i = 0; i < listed; ++i) {
    const KernelSpeed& speed = answer.speeds.kernels[ids[i]];
    const double visit = speed.visits > 0 ? speed.seconds / static_cast<double>(speed.visits) : 0;
    table.add({std::to_string(ids[i]), percent_text(speed.seconds, seconds), count_text(speed.visits),
               human_seconds(visit), human_count(speed.units_per_second),
               speed.launches.size() > 1 ? interval_text(speed.interval) : "one",
               speed.fixed_seconds > 0 ? human_seconds(speed.fixed_seconds) : "",
               speed.spread ? percent_text(*speed.spread) : "-",
               speed.units_per_second == 0 ? "none"
               : speed.own()               ? "own"
                                           : "pooled"});
    if (!answer.kernels[ids[i]].empty()) places += text_line("  {:<5} {}", ids[i], answer.kernels[ids[i]]);
  }
  std::string text = table.text();
  if (listed < ids.size()) text += text_line("  and {} more (--top)", ids.size() - listed);
  return text + "\n" + places + "\n";
}

} // namespace

nlohmann::ordered_json to_json(const ComputeAnswer& answer) {
  nlohmann::ordered_json json{
      {"trace", answer.trace},
      {"file", answer.file},
      {"unit", answer.unit},
      {"ranks_per_node", answer.ranks_per_node},
      {"launches", {{"walltime", answer.walltime_launches}, {"cputime", answer.cputime_launches}}},
      {"coverage", answer.speeds.coverage},
      {"explained", answer.speeds.explained()},
      {"units_per_second", answer.speeds.units_per_second},
      {"whole",
       {{"units_per_second", answer.whole.units_per_second},
        {"launches", answer.whole.launches},
        {"spread", answer.whole.launches.size() > 1 ? nlohmann::ordered_json(answer.whole.spread) : nullptr}}},
      {"noise", nullptr},
      {"not_reached", answer.not_reached}};
  if (answer.noise) json["noise"] = to_json(*answer.noise);
  json["kernels"] = nlohmann::ordered_json::array();
  for (const trace::KernelId id : longest(answer.speeds)) {
    const KernelSpeed& speed = answer.speeds.kernels[id];
    json["kernels"].push_back({{"kernel", id},
                               {"places", answer.kernels[id]},
                               {"seconds", speed.seconds},
                               {"visits", speed.visits},
                               {"units_per_second", speed.units_per_second},
                               {"interval", nullptr},
                               {"fixed_seconds", speed.fixed_seconds},
                               {"spread", known(speed.spread)},
                               {"weight", speed.weight},
                               {"own", speed.own()},
                               {"explained", speed.explained}});
    if (speed.launches.size() > 1) json["kernels"].back()["interval"] = {speed.interval.low, speed.interval.high};
  }
  return json;
}

std::string to_text(const ComputeAnswer& answer) {
  std::string text = answer.one_rate ? "" : kernels_text(answer);
  text += text_fact(10, "launches", "{} by the time that passes, {} by processor time; {} rank{} a node",
                    answer.walltime_launches, answer.cputime_launches, answer.ranks_per_node,
                    plural(answer.ranks_per_node));
  if (!answer.one_rate) {
    text += text_fact(
        10, "coverage", "{} % of the {} are in kernels with a rate of their own; the rest counts by {} {}/s",
        percent_text(answer.speeds.coverage), answer.unit, human_count(answer.speeds.units_per_second), answer.unit);
    text += text_fact(10, "explained", "{} % of the time measured is what the rates give all visits",
                      percent_text(answer.speeds.explained()));
  }
  const bool spread = answer.whole.launches.size() > 1;
  text +=
      text_fact(10, "whole", "{} {}/s, if there were one rate for everything; {}",
                human_count(answer.whole.units_per_second), answer.unit,
                spread ? percent_text(answer.whole.spread) + " % between launches" : "one launch: no spread is known");
  if (answer.noise)
    if (const std::string warning = noise_warning(*answer.noise); !warning.empty())
      text += text_fact(10, "note", "{}", warning);
  for (const std::string& sentence : answer.not_reached)
    text += text_fact(10, "note", "{}", sentence);
  return text +
         text_line("{:<10}{}; next: timeless replay {} --rates {}", "written", answer.file, answer.trace, answer.file);
}

void ComputeAnswers::add(const ComputeAnswer& answer) {
  json_.push_back(to_json(answer));
  if (!text_.empty()) text_ += "\n";
  text_ += to_text(answer);
}

nlohmann::ordered_json to_json(const ComputeAnswers& answers) {
  if (answers.json_.size() == 1) return answers.json_.front();
  return {{"inputs", answers.json_}};
}

std::string to_text(const ComputeAnswers& answers) {
  return answers.text_;
}

} // namespace timeless::tools
