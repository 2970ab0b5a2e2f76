#include "tools/render/machines/compute_basis.h"

#include "tools/cli/console.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace timeless::tools {

std::string speed_words(const ComputeBasis& compute, double speed) {
  return compute.one_rate() ? human_count(compute.least * speed) + "/s" : fmt::format("{:.3g} times the speed", speed);
}

nlohmann::ordered_json rate_json(const std::string& from, double least, double most) {
  nlohmann::ordered_json json{{"from", from}, {"least_per_second", nullptr}, {"most_per_second", nullptr}};
  if (least > 0) {
    json["least_per_second"] = least;
    json["most_per_second"] = most;
  }
  return json;
}

nlohmann::ordered_json to_json(const ComputeBasis& compute) {
  return rate_json(compute.from, compute.least, compute.most);
}

} // namespace timeless::tools
