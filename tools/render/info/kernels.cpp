#include "tools/render/info/kernels.h"

#include "tools/cli/console.h"
#include "tools/render/figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using symbols::KernelListing;
using symbols::ListedKernel;
using symbols::SourcePlace;
using trace::CallSite;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

ordered_json place_json(const trace::Run& run, const CallSite& site, const SourcePlace& place) {
  if (!symbols::knows_place(run, site)) return {{"module", nullptr}, {"offset", nullptr}};
  const trace::Module& module = run.modules.at(site.module);
  ordered_json json = {{"module", module.path}, {"offset", site.offset}};
  if (!module.build_id.empty()) json["build_id"] = symbols::hexadecimal(module.build_id);
  if (!place.function.empty()) json["function"] = place.function;
  if (!place.inlined_into.empty()) json["inlined_into"] = place.inlined_into;
  if (!place.file.empty()) {
    json["file"] = place.file;
    json["line"] = place.line;
  }
  return json;
}

ordered_json end_json(const trace::Run& run, const std::string& call, const symbols::CallPath& path) {
  ordered_json json;
  json["call"] = call.empty() ? ordered_json() : ordered_json(call);
  json.update(place_json(run, path.sites.front(), path.places.front()));
  json["callers"] = ordered_json::array();
  for (std::size_t i = 1; i < path.sites.size(); ++i)
    json["callers"].push_back(place_json(run, path.sites[i], path.places[i]));
  return json;
}

} // namespace

std::string to_text(const KernelListing& listing, const trace::Run& run) {
  if (run.counter.unit == trace::VolumeUnit::none) return "no kernels: no computation was recorded\n";
  const bool workers =
      std::ranges::any_of(listing.kernels, [](const ListedKernel& each) { return each.figures.workers > 0; });
  std::vector<std::string> header = {
      "kernel", "share %", name(run.counter.unit), "visits", "mean", "least", "most", "CV %", "ranks", "per rank"};
  if (workers) header.emplace_back("by workers");
  Table table(header);
  for (const ListedKernel& kernel : listing.kernels) {
    const analysis::KernelFigures& figures = kernel.figures;
    std::vector<std::string> row = {
        std::to_string(kernel.kernel),
        percent_text(kernel.share),
        human_count(figures.volume),
        std::to_string(figures.visits),
        human_count(figures.mean),
        human_count(figures.least),
        human_count(figures.most),
        percent_text(figures.variation()),
        std::to_string(figures.ranks),
        fmt::format("{} to {}", human_count(figures.least_of_rank), human_count(figures.most_of_rank))};
    if (workers) row.push_back(human_count(figures.workers));
    table.add(std::move(row));
  }
  const std::vector<std::string> lines = lines_of(table.text());
  std::string text = lines.front() + "\n";
  for (std::size_t i = 0; i < listing.kernels.size(); ++i) {
    const auto& [from, to] = listing.kernels[i].ends;
    text += lines[i + 1] + "\n" + text_paragraph("      from ", symbols::end_in_words(from)) +
            text_paragraph("      to   ", symbols::end_in_words(to));
  }
  if (listing.visited > listing.kernels.size())
    text += text_line("  and {} more kernels: --top 0 lists all", listing.visited - listing.kernels.size());
  return text;
}

ordered_json to_json(const KernelListing& listing, const trace::Run& run) {
  ordered_json json = ordered_json::array();
  for (const ListedKernel& kernel : listing.kernels) {
    const analysis::KernelFigures& figures = kernel.figures;
    json.push_back({{"kernel", kernel.kernel},
                    {"from", end_json(run, figures.begin_call, kernel.begin)},
                    {"to", end_json(run, figures.end_call, kernel.end)},
                    {"visits", figures.visits},
                    {"volume", figures.volume},
                    {"workers", figures.workers},
                    {"share", kernel.share},
                    {"mean", figures.mean},
                    {"least", figures.least},
                    {"most", figures.most},
                    {"variation", figures.variation()},
                    {"ranks",
                     {{"count", figures.ranks},
                      {"least", figures.least_of_rank},
                      {"mean", figures.ranks == 0 ? 0 : figures.volume / static_cast<double>(figures.ranks)},
                      {"most", figures.most_of_rank}}}});
  }
  return json;
}

} // namespace timeless::tools
