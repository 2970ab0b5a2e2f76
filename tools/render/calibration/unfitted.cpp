#include "tools/render/calibration/unfitted.h"

#include "analysis/statistics/quantiles.h"
#include "base/units.h"
#include "tools/calibrating/network_text.h"
#include "tools/cli/console.h"
#include "tools/cli/table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <map>

namespace timeless::tools {

std::vector<MeasuredClass> measured_classes(const ping::Raw& raw) {
  constexpr int bits_of_a_class = 2;
  std::vector<MeasuredClass> classes;
  for (const auto& [key, series] : analysis::series_of(raw)) {
    std::map<int, MeasuredClass> by_size;
    for (const analysis::Sample& sample : series.samples) {
      const auto [found, first] = by_size.try_emplace(static_cast<int>(std::bit_width(sample.bytes)) / bits_of_a_class);
      MeasuredClass& one = found->second;
      if (first) one = {.what = name(key.second), .where = words_of(key.first), .from = sample.bytes, .seconds = {}};
      one.from = std::min(one.from, sample.bytes);
      one.to = std::max(one.to, sample.bytes);
      one.seconds.push_back(sample.seconds);
    }
    for (auto& [size, one] : by_size)
      classes.push_back(std::move(one));
  }
  return classes;
}

std::vector<MeasuredClass> measured_classes(const MachineRaw& raw) {
  std::vector<MeasuredClass> classes;
  for (const auto* cases : {&raw.cases, &raw.uncounted})
    for (const analysis::KernelCase& one : *cases)
      for (const auto& [where, seconds] : {std::pair("alone", &one.alone), {"all at once", &one.busy}})
        if (!seconds->empty())
          classes.push_back(
              {.what = one.kernel, .where = where, .from = one.bytes, .to = one.bytes, .seconds = *seconds});
  return classes;
}

nlohmann::ordered_json to_json(const UnfittedAnswer& answer) {
  nlohmann::ordered_json measured = nlohmann::ordered_json::array();
  for (const MeasuredClass& one : answer.measured)
    measured.push_back(
        {{"what", one.what},
         {"where", one.where},
         {"bytes", {one.from, one.to}},
         {"points", one.seconds.size()},
         {"seconds", seven_digits(analysis::median(one.seconds))},
         {"quartiles",
          {seven_digits(analysis::quantile(one.seconds, 0.25)), seven_digits(analysis::quantile(one.seconds, 0.75))}}});
  return {{"file", answer.file}, {"not_fitted", answer.reason}, {"measured", measured}};
}

std::string to_text(const UnfittedAnswer& answer) {
  Table table({"what", "where", "bytes", "points", "median", "lower quarter", "upper quarter"});
  for (const MeasuredClass& one : answer.measured)
    table.add({one.what, one.where, fmt::format("{}-{}", one.from, one.to), std::to_string(one.seconds.size()),
               human_seconds(analysis::median(one.seconds)), human_seconds(analysis::quantile(one.seconds, 0.25)),
               human_seconds(analysis::quantile(one.seconds, 0.75))});
  return text_line("measured, and nothing fitted to it: {}", answer.reason) + "\n" + table.text();
}

} // namespace timeless::tools
