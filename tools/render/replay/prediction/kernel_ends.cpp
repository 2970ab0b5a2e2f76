#include "tools/render/replay/prediction/kernel_ends.h"

#include "tools/cli/console.h"

#include <nlohmann/json.hpp>

namespace timeless::tools {

void add_ends(nlohmann::ordered_json& json, const symbols::KernelEndsById& kernels, std::uint32_t kernel) {
  const auto ends = kernels.find(kernel);
  if (ends == kernels.end()) return;
  const auto [from, to] = ends->second;
  json["from"] = from.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(from);
  json["to"] = to.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(to);
}

std::string ends_below(const symbols::KernelEndsById& kernels, std::uint32_t kernel) {
  const auto ends = kernels.find(kernel);
  if (ends == kernels.end()) return {};
  return text_paragraph("      from ", symbols::end_in_words(ends->second.from)) +
         text_paragraph("      to   ", symbols::end_in_words(ends->second.to));
}

} // namespace timeless::tools
