#include "tools/info/matrix.h"

#include "analysis/traffic.h"
#include "tools/cli/console.h"
#include "tools/cli/trace_input.h"

#include "replay/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace timeless::tools {

namespace {

nlohmann::ordered_json matrix_json(const Traffic& found) {
  auto json = nlohmann::ordered_json::array();
  for (const auto& [path, figures] : found)
    json.push_back({{"communicator", path.communicator},
                    {"source", path.source},
                    {"destination", path.destination},
                    {"kind", name(path.kind)},
                    {"messages", figures.messages},
                    {"bytes", figures.bytes}});
  return json;
}

void print_matrix(const Traffic& found) {
  constexpr std::size_t most = 40;
  std::vector<std::pair<TrafficPath, TrafficFigures>> largest(found.begin(), found.end());
  std::ranges::stable_sort(largest, std::greater{}, [](const auto& one) { return one.second.bytes; });
  fmt::print("\n");
  print_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", "from", "to", "by", "communicator", "messages", "bytes");
  for (std::size_t i = 0; i < std::min(largest.size(), most); ++i) {
    const auto& [path, figures] = largest[i];
    print_line("{:>8} {:>8}  {:<11}{:>13}{:>12}{:>12}", path.source, path.destination, name(path.kind),
               path.communicator, human_count(static_cast<double>(figures.messages)),
               human_bytes(static_cast<double>(figures.bytes)));
  }
  if (largest.size() > most) print_line("and {} more pairs (all with --csv or --json)", largest.size() - most);
}

} // namespace

void show_matrix(const InfoRequest& request, const trace::Source& source, nlohmann::ordered_json& json) {
  Traffic found;
  {
    Progress progress("reading", total_actions(source.run()));
    found = traffic(source, request.collectives ? replay::lowering(source.run()) : trace::formats::Lowering(),
                    [&](std::uint64_t done) { progress.update(done); });
  }
  if (request.as_data())
    json["matrix"] = matrix_json(found);
  else
    print_matrix(found);
}

} // namespace timeless::tools
