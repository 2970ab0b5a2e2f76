#include "tools/render/csv.h"
#include "tools/render/scaling/scaled_words.h"
#include "tools/render/scaling/scaling.h"

#include <nlohmann/json.hpp>

#include <array>
#include <string_view>

namespace timeless::tools {

std::string to_csv(const ScalingAnswer& answer) {
  static constexpr std::array<std::string_view, 15> columns{"ranks",     "size",  "kernel",    "from",    "to",
                                                            "share_now", "share", "value_now", "value",   "low",
                                                            "high",      "kind",  "confirmed", "formula", "in_words"};
  const analysis::Scaling& scaling = answer.scaling;
  std::string text = csv_head(columns);
  for (std::size_t target = 0; target < scaling.targets.size(); ++target)
    for (std::size_t i = 0; i < scaling.kernels.size(); ++i) {
      const analysis::ScaledKernel& kernel = scaling.kernels[i];
      const analysis::ScaledFigure& most = kernel.volume().most;
      nlohmann::ordered_json row{{"ranks", scaling.targets[target].ranks}, {"kernel", kernel.kernel},
                                 {"from", answer.kernel_ends[i].from},     {"to", answer.kernel_ends[i].to},
                                 {"share_now", kernel.share_now},          {"share", kernel.shares_there[target]},
                                 {"value_now", most.values.back()},        {"confirmed", kernel.volume().sure()}};
      if (scaling.sizes_given) row["size"] = scaling.targets[target].size;
      const analysis::LawKind kind = kernel.volume().kind();
      row["kind"] = kind == analysis::LawKind::exact         ? "exact"
                    : kind == analysis::LawKind::approximate ? "approximate"
                                                             : "none";
      if (const auto& there = most.there[target]) {
        row["value"] = there->value;
        if (there->bounded) row.update({{"low", there->low}, {"high", there->high}});
      }
      if (const std::string law = kernel.volume().law(); !law.empty()) row["formula"] = law;
      if (!most.fit.laws.empty()) row["in_words"] = growth_in_words(kernel.volume(), scaling, scaling.targets[target]);
      text += csv_row(row, columns);
    }
  return text;
}

} // namespace timeless::tools
