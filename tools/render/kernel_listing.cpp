#include "tools/render/kernel_listing.h"

#include "tools/cli/console.h"
#include "tools/symbols/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <utility>

namespace timeless::tools {

namespace {

using nlohmann::ordered_json;
using symbols::SourcePlace;
using trace::CallerId;
using trace::CallSite;
using trace::KernelId;

constexpr std::size_t widest_name = 60;
/// Callers shown of one place: an archive may claim any number.
constexpr std::size_t most_callers = 32;

double total_volume(const std::vector<KernelFigures>& kernels) {
  return std::accumulate(kernels.begin(), kernels.end(), 0.0,
                         [](double sum, const KernelFigures& kernel) { return sum + kernel.volume; });
}

double share(double volume, double total) {
  return total > 0 ? volume / total : 0;
}

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

struct Path {
  std::vector<CallSite> sites; ///< the innermost first
  std::vector<SourcePlace> places;
};

/// Imported runs know which calls were made, not where: their module has no path.
bool knows_place(const KernelListing& listing, const CallSite& site) {
  return !listing.run.modules.at(site.module).path.empty();
}

/// The C library's functions around the program's first, and _start, which calls these, say nothing.
void leave_out_start(const KernelListing& listing, std::vector<CallSite>& sites) {
  const auto in_c_library = [&](const CallSite& site) {
    return file_name(listing.run.modules.at(site.module).path).starts_with("libc.so");
  };
  std::size_t kept = sites.size();
  if (kept > 2 && in_c_library(sites[kept - 2])) {
    const std::string function = listing.symboliser.place(sites.back()).function;
    if (function.empty() || function == "_start") --kept;
  }
  while (kept > 1 && in_c_library(sites[kept - 1]))
    --kept;
  sites.resize(kept);
}

/// A place and those it was called from, no further than main.
Path path_of(const KernelListing& listing, const CallSite& site, CallerId caller) {
  Path path{.sites = {site}, .places = {}};
  for (; caller != trace::no_caller && path.sites.size() <= most_callers; caller = listing.run.callers[caller].caller)
    path.sites.push_back(listing.run.callers[caller].site);
  leave_out_start(listing, path.sites);
  for (const CallSite& each : path.sites) {
    path.places.push_back(listing.symboliser.place(each));
    if (path.places.back().function == "main" || path.places.back().inlined_into == "main") break;
  }
  path.sites.resize(path.places.size());
  return path;
}

/// "sweep (wave.f90:12)", "exchange (halo.h:7) inlined into step", "libsolver.so+0x1234".
std::string place_text(const KernelListing& listing, const CallSite& site, const SourcePlace& place) {
  const std::string& module = listing.run.modules.at(site.module).path;
  if (place.function.empty() && place.file.empty()) return fmt::format("{}+{:#x}", file_name(module), site.offset);
  std::string text = place.function.empty() ? "?" : symbols::shortened_name(place.function, widest_name);
  if (!place.file.empty()) text += fmt::format(" ({}:{})", file_name(place.file), place.line);
  if (!place.inlined_into.empty()) text += " inlined into " + symbols::shortened_name(place.inlined_into, widest_name);
  if (module != listing.run.provenance.program) text += " of " + file_name(module);
  return text;
}

std::string end_text(const KernelListing& listing, const std::string& call, const CallSite& site, CallerId caller) {
  if (!knows_place(listing, site)) return call;
  const Path path = path_of(listing, site, caller);
  std::string text;
  for (std::size_t i = 0; i < path.sites.size(); ++i) {
    if (i > 0) text += " < ";
    text += place_text(listing, path.sites[i], path.places[i]);
  }
  return call.empty() ? text : fmt::format("{} in {}", call, text);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

ordered_json place_json(const KernelListing& listing, const CallSite& site, const SourcePlace& place) {
  if (!knows_place(listing, site)) return {{"module", nullptr}, {"offset", nullptr}};
  const trace::Module& module = listing.run.modules.at(site.module);
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

ordered_json end_json(const KernelListing& listing, const std::string& call, const CallSite& site, CallerId caller) {
  const Path path = path_of(listing, site, caller);
  ordered_json json;
  json["call"] = call.empty() ? ordered_json() : ordered_json(call);
  json.update(place_json(listing, site, path.places.front()));
  json["callers"] = ordered_json::array();
  for (std::size_t i = 1; i < path.sites.size(); ++i)
    json["callers"].push_back(place_json(listing, path.sites[i], path.places[i]));
  return json;
}

} // namespace

std::string listing_text(const KernelListing& listing) {
  const double total = total_volume(listing.kernels);
  const bool workers = std::ranges::any_of(listing.kernels, [](const KernelFigures& each) { return each.workers > 0; });
  std::vector<std::string> header = {
      "kernel", "share %", name(listing.run.counter.unit), "visits", "mean", "least", "most", "CV %",
      "ranks",  "per rank"};
  if (workers) header.emplace_back("by workers");
  Table table(header);
  for (const KernelId id : listing.listed) {
    const KernelFigures& kernel = listing.kernels[id];
    std::vector<std::string> row = {
        std::to_string(id),
        fmt::format("{:.1f}", 100 * share(kernel.volume, total)),
        human_count(kernel.volume),
        std::to_string(kernel.visits),
        human_count(kernel.mean),
        human_count(kernel.least),
        human_count(kernel.most),
        fmt::format("{:.1f}", 100 * kernel.variation()),
        std::to_string(kernel.ranks),
        fmt::format("{} to {}", human_count(kernel.least_of_rank), human_count(kernel.most_of_rank))};
    if (workers) row.push_back(human_count(kernel.workers));
    table.add(std::move(row));
  }
  const std::vector<std::string> lines = lines_of(table.text());
  std::string text = lines.front() + "\n";
  for (std::size_t i = 0; i < listing.listed.size(); ++i) {
    text += lines[i + 1] + "\n";
    text += text_line("      from {}", end_in_words(begin_text(listing, listing.listed[i])));
    text += text_line("      to   {}", end_in_words(end_text(listing, listing.listed[i])));
  }
  return text;
}

std::string begin_text(const KernelListing& listing, KernelId id) {
  const trace::Kernel& kernel = listing.run.kernels[id];
  return end_text(listing, listing.kernels[id].begin_call, kernel.begin, kernel.begin_caller);
}

std::string end_text(const KernelListing& listing, KernelId id) {
  const trace::Kernel& kernel = listing.run.kernels[id];
  return end_text(listing, listing.kernels[id].end_call, kernel.end, kernel.end_caller);
}

std::string kernel_text(const KernelListing& listing, KernelId id) {
  const std::string begin = begin_text(listing, id);
  const std::string end = end_text(listing, id);
  if (begin.empty() && end.empty()) return {};
  return end_in_words(begin) + " to " + end_in_words(end);
}

std::string end_in_words(const std::string& end) {
  return end.empty() ? "no known place" : end;
}

ordered_json listing_json(const KernelListing& listing) {
  const double total = total_volume(listing.kernels);
  ordered_json json = ordered_json::array();
  for (const KernelId id : listing.listed) {
    const trace::Kernel& kernel = listing.run.kernels[id];
    const KernelFigures& figures = listing.kernels[id];
    json.push_back({{"kernel", id},
                    {"from", end_json(listing, figures.begin_call, kernel.begin, kernel.begin_caller)},
                    {"to", end_json(listing, figures.end_call, kernel.end, kernel.end_caller)},
                    {"visits", figures.visits},
                    {"volume", figures.volume},
                    {"workers", figures.workers},
                    {"share", share(figures.volume, total)},
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
