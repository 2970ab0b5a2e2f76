#include "tools/render/replay/tolerances.h"

#include "tools/cli/console.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
/// "x1.234", "x1.23 to x1.25", "beyond x1024".
std::string factor_text(const analysis::Tolerance& tolerance) {
  if (tolerance.beyond) return fmt::format("beyond x{:.4g}", tolerance.least);
  const std::string mark = tolerance.certified ? "" : "about ";
  const double width = tolerance.most - tolerance.least;
  // As many digits as the bracket has.
  if (width < 2e-3 * (tolerance.least - 1)) {
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(tolerance.least - 1))), 1, 9);
    return fmt::format("{}x{:.{}f}", mark, tolerance.least, digits);
  }
  return fmt::format("{}x{:.6g} to x{:.6g}", mark, tolerance.least, tolerance.most);
}

ordered_json answer_json(const analysis::ToleranceAnswer& answer) {
  ordered_json json;
  json["certified"] = answer.not_convex_because.empty();
  if (!answer.not_convex_because.empty()) json["not_certified_because"] = answer.not_convex_because;
  json["samples"] = answer.samples;
  json["factors"] = ordered_json::array();
  for (const analysis::Tolerance& tolerance : answer.tolerances)
    json["factors"].push_back({{"growth", tolerance.growth},
                               {"least", tolerance.least},
                               {"most", std::isinf(tolerance.most) ? ordered_json() : ordered_json(tolerance.most)},
                               {"beyond", tolerance.beyond}});
  return json;
}

} // namespace

std::string tolerances_text(const Prediction& prediction) {
  std::string text;
  for (std::size_t lane = 0; lane < prediction.tolerances.size(); ++lane) {
    if (prediction.result.lanes[lane].deadlock) continue;
    const LaneTolerance& tolerance = prediction.tolerances[lane];
    Table table({prediction.result.lanes[lane].name + " takes longer by", "at a latency", "at a byte time",
                 "at a computation time"});
    for (std::size_t i = 0; i < tolerance.latency.tolerances.size(); ++i)
      table.add({fmt::format("{:g} %", 100 * tolerance.latency.tolerances[i].growth),
                 factor_text(tolerance.latency.tolerances[i]), factor_text(tolerance.bandwidth.tolerances[i]),
                 factor_text(tolerance.compute.tolerances[i])});
    text += "\n" + table.text();
    const std::pair<const char*, const analysis::ToleranceAnswer*> answers[] = {
        {"latency", &tolerance.latency}, {"byte time", &tolerance.bandwidth}, {"computation time", &tolerance.compute}};
    for (const auto& [cost, answer] : answers)
      if (!answer->not_convex_because.empty())
        text +=
            text_line("of {}: from {} samples, without proof: {}", cost, answer->samples, answer->not_convex_because);
  }
  return text;
}

ordered_json to_json(const LaneTolerance& tolerance) {
  return {{"latency", answer_json(tolerance.latency)},
          {"byte_time", answer_json(tolerance.bandwidth)},
          {"compute", answer_json(tolerance.compute)}};
}

} // namespace timeless::tools
