#include "tools/render/machines/compute_basis.h"

namespace timeless::tools {

nlohmann::ordered_json to_json(const ComputeBasis& compute) {
  nlohmann::ordered_json json{{"from", compute.from}, {"least_per_second", nullptr}, {"most_per_second", nullptr}};
  if (compute.least > 0) {
    json["least_per_second"] = compute.least;
    json["most_per_second"] = compute.most;
  }
  return json;
}

} // namespace timeless::tools
