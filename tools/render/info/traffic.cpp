#include "tools/render/info/traffic.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace timeless::tools {

nlohmann::ordered_json to_json(const analysis::Traffic& traffic) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [path, figures] : traffic)
    json.push_back({{"communicator", path.communicator},
                    {"source", path.source},
                    {"destination", path.destination},
                    {"kind", name(path.kind)},
                    {"messages", figures.messages},
                    {"bytes", figures.bytes}});
  return json;
}

std::string to_text(const analysis::Traffic& traffic) {
  constexpr std::size_t most = 40;
  std::vector<std::pair<analysis::TrafficPath, analysis::TrafficFigures>> largest(traffic.begin(), traffic.end());
  std::ranges::stable_sort(largest, std::greater{}, [](const auto& one) { return one.second.bytes; });
  std::string text =
      text_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", "from", "to", "by", "communicator", "messages", "bytes");
  for (std::size_t i = 0; i < std::min(largest.size(), most); ++i) {
    const auto& [path, figures] = largest[i];
    text += text_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", path.source, path.destination, name(path.kind),
                      path.communicator, count_text(figures.messages), bytes_text(figures.bytes));
  }
  if (largest.size() > most) text += text_line("and {} more pairs (all with --csv or --json)", largest.size() - most);
  return text;
}

} // namespace timeless::tools
