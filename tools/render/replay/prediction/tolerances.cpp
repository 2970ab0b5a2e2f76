#include "tools/render/replay/prediction/tolerances.h"

#include "tools/cli/console.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
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

/// What even a cost of none would save, in per cent.
double limit(const analysis::ToleranceAnswer& answer) {
  return answer.makespan > 0 && answer.makespan_without ? 100 * (1 - *answer.makespan_without / answer.makespan) : 0;
}

/// "x1.234", "/3.1 to /3.2", "none does: at most 3.1 %".
std::string gain_text(const analysis::ToleranceAnswer& answer, std::size_t number, char sign) {
  const analysis::Tolerance& one = answer.tolerances[number];
  if (one.beyond) return fmt::format("none does: at most {:.3g} %", limit(answer));
  const std::string mark = one.certified ? "" : "about ";
  if (!(one.least > 0)) return fmt::format("{}beyond {}{:.4g}", mark, sign, 1 / one.most);
  const double least = 1 / one.most;
  const double most = 1 / one.least;
  // What is enough, in as many digits as the bracket has.
  if (most - least < 5e-3 * (most - 1)) return fmt::format("{}{}{:.4g}", mark, sign, most);
  return fmt::format("{}{}{:.6g} to {}{:.6g}", mark, sign, least, sign, most);
}

std::string doubts_text(const analysis::LaneTolerance& tolerance) {
  std::string text;
  const std::pair<const char*, const analysis::ToleranceAnswer*> answers[] = {
      {"latency", &tolerance.latency}, {"byte time", &tolerance.bandwidth}, {"computation time", &tolerance.compute}};
  for (const auto& [cost, answer] : answers)
    if (!answer->not_convex_because.empty())
      text += text_paragraph("", fmt::format("of {}: from {} samples, without proof: {}", cost, answer->samples,
                                             answer->not_convex_because));
  return text;
}

void add_certainty(ordered_json& json, const analysis::ToleranceAnswer& answer) {
  json["certified"] = answer.not_convex_because.empty();
  if (!answer.not_convex_because.empty()) json["not_certified_because"] = answer.not_convex_because;
  json["samples"] = answer.samples;
}

ordered_json gain_json(const analysis::ToleranceAnswer& answer) {
  ordered_json json;
  add_certainty(json, answer);
  json["limit"] = limit(answer) / 100;
  json["improvements"] = ordered_json::array();
  for (const analysis::Tolerance& one : answer.tolerances)
    json["improvements"].push_back({{"gain", -one.growth},
                                    {"reached", !one.beyond},
                                    {"least", one.most > 0 ? ordered_json(1 / one.most) : ordered_json()},
                                    {"most", one.least > 0 ? ordered_json(1 / one.least) : ordered_json()}});
  return json;
}

ordered_json answer_json(const analysis::ToleranceAnswer& answer) {
  ordered_json json;
  add_certainty(json, answer);
  json["factors"] = ordered_json::array();
  for (const analysis::Tolerance& tolerance : answer.tolerances)
    json["factors"].push_back({{"growth", tolerance.growth},
                               {"least", tolerance.least},
                               {"most", std::isinf(tolerance.most) ? ordered_json() : ordered_json(tolerance.most)},
                               {"beyond", tolerance.beyond}});
  return json;
}

} // namespace

namespace {

using TextOf = std::string (*)(const analysis::ToleranceAnswer& answer, std::size_t number, char sign);

/// A row for each growth and rate; `signs` are of the three costs.
std::string answers_text(std::vector<std::string> header, std::span<const ToleranceAtRate> answers, TextOf text_of,
                         const char* signs) {
  Table table(std::move(header));
  const std::size_t growths = answers.empty() ? 0 : answers.front().tolerance->latency.tolerances.size();
  for (std::size_t i = 0; i < growths; ++i)
    for (const auto& [rate, one] : answers) {
      const std::string growth = fmt::format("{:g} %", 100 * std::abs(one->latency.tolerances[i].growth));
      table.add({rate.empty() ? growth : growth + " " + rate, text_of(one->latency, i, signs[0]),
                 text_of(one->bandwidth, i, signs[1]), text_of(one->compute, i, signs[2])});
    }
  return "\n" + table.text() + (answers.empty() ? "" : doubts_text(*answers.front().tolerance));
}

} // namespace

std::string tolerance_text(const std::string& configuration, std::span<const ToleranceAtRate> tolerances) {
  const auto text_of = [](const analysis::ToleranceAnswer& answer, std::size_t number, char) {
    return factor_text(answer.tolerances[number]);
  };
  return answers_text({configuration + " takes longer by", "at a latency", "at a byte time", "at a computation time"},
                      tolerances, text_of, "xxx");
}

std::string gains_text(const std::string& configuration, std::span<const ToleranceAtRate> gains) {
  return answers_text({configuration + " takes less by", "at a latency", "at a bandwidth", "with processors"}, gains,
                      gain_text, "/xx");
}

std::string tolerances_text(const Prediction& prediction) {
  std::string text;
  for (std::size_t lane = 0; lane < prediction.tolerances.size(); ++lane) {
    const ToleranceAtRate one{{}, &prediction.tolerances[lane]};
    if (!prediction.result.lanes[lane].deadlock)
      text += tolerance_text(prediction.result.lanes[lane].name, std::span(&one, 1));
  }
  return text;
}

ordered_json gains_json(const analysis::LaneTolerance& gains) {
  return {{"latency", gain_json(gains.latency)},
          {"bandwidth", gain_json(gains.bandwidth)},
          {"cpu", gain_json(gains.compute)}};
}

ordered_json to_json(const analysis::LaneTolerance& tolerance) {
  return {{"latency", answer_json(tolerance.latency)},
          {"byte_time", answer_json(tolerance.bandwidth)},
          {"compute", answer_json(tolerance.compute)}};
}

} // namespace timeless::tools
