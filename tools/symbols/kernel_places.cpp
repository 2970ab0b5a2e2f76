#include "tools/symbols/kernel_places.h"

#include "base/files/temporary_file.h"
#include "tools/symbols/names.h"

#include <fmt/format.h>

#include <cstddef>

namespace timeless::tools::symbols {

using trace::CallerId;
using trace::CallSite;
using trace::KernelId;

namespace {

constexpr std::size_t widest_name = 60;
/// Callers shown of one place: an archive may claim any number.
constexpr std::size_t most_callers = 32;

} // namespace

std::string end_in_words(const std::string& end) {
  return end.empty() ? "no known place" : end;
}

bool knows_place(const trace::Run& run, const CallSite& site) {
  return !run.modules.at(site.module).path.empty();
}

/// The C library's functions around the program's first, and _start, which calls these, say nothing.
void KernelPlaces::leave_out_start(std::vector<CallSite>& sites) const {
  const auto in_c_library = [&](const CallSite& site) {
    return file_name(run_.modules.at(site.module).path).starts_with("libc.so");
  };
  std::size_t kept = sites.size();
  if (kept > 2 && in_c_library(sites[kept - 2])) {
    const std::string function = symboliser_.place(sites.back()).function;
    if (function.empty() || function == "_start") --kept;
  }
  while (kept > 1 && in_c_library(sites[kept - 1]))
    --kept;
  sites.resize(kept);
}

CallPath KernelPlaces::path(const CallSite& site, CallerId caller) const {
  CallPath path{.sites = {site}, .places = {}};
  for (; caller != trace::no_caller && path.sites.size() <= most_callers; caller = run_.callers[caller].caller)
    path.sites.push_back(run_.callers[caller].site);
  leave_out_start(path.sites);
  for (const CallSite& each : path.sites) {
    path.places.push_back(symboliser_.place(each));
    if (path.places.back().function == "main" || path.places.back().inlined_into == "main") break;
  }
  path.sites.resize(path.places.size());
  return path;
}

CallPath KernelPlaces::begin_path(KernelId kernel) const {
  return path(run_.kernels[kernel].begin, run_.kernels[kernel].begin_caller);
}

CallPath KernelPlaces::end_path(KernelId kernel) const {
  return path(run_.kernels[kernel].end, run_.kernels[kernel].end_caller);
}

/// Returns "sweep (wave.f90:12)", "exchange (halo.h:7) inlined into step", "libsolver.so+0x1234".
std::string KernelPlaces::place_text(const CallSite& site, const SourcePlace& place) const {
  const std::string& module = run_.modules.at(site.module).path;
  if (place.function.empty() && place.file.empty()) return fmt::format("{}+{:#x}", file_name(module), site.offset);
  std::string text = place.function.empty() ? "?" : shortened_name(place.function, widest_name);
  if (!place.file.empty()) text += fmt::format(" ({}:{})", file_name(place.file), place.line);
  if (!place.inlined_into.empty()) text += " inlined into " + shortened_name(place.inlined_into, widest_name);
  if (module != run_.provenance.program) text += " of " + file_name(module);
  return text;
}

std::string KernelPlaces::end_text(const std::string& call, const CallPath& path) const {
  if (!knows_place(run_, path.sites.front())) return call;
  std::string text;
  for (std::size_t i = 0; i < path.sites.size(); ++i) {
    if (i > 0) text += " < ";
    text += place_text(path.sites[i], path.places[i]);
  }
  return call.empty() ? text : fmt::format("{} in {}", call, text);
}

KernelEnds KernelPlaces::ends(KernelId kernel) const {
  return {.from = end_text(kernels_[kernel].begin_call, begin_path(kernel)),
          .to = end_text(kernels_[kernel].end_call, end_path(kernel))};
}

std::string KernelPlaces::text(KernelId kernel) const {
  const auto [from, to] = ends(kernel);
  if (from.empty() && to.empty()) return {};
  return end_in_words(from) + " to " + end_in_words(to);
}

} // namespace timeless::tools::symbols
