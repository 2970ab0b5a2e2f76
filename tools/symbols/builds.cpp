#include "tools/symbols/builds.h"

#include "analysis/trace/program_names.h"
#include "base/error.h"
#include "base/files/temporary_file.h"
#include "tools/symbols/symboliser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace timeless::tools::symbols {

namespace {

/// Function, function that it is inlined into, name of the file, and line.
using PlaceInSource = std::tuple<std::string, std::string, std::string, int>;

/// A site in any run: its module, and the offset in it.
using SiteOfModule = std::pair<trace::Module, std::uint64_t>;

/// A run with other sites.
class RelocatedSource : public trace::Source {
public:
  RelocatedSource(std::unique_ptr<trace::Source> source, trace::Run run)
      : source_(std::move(source)), run_(std::move(run)) {}
  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override { return source_->open(rank); }

private:
  std::unique_ptr<trace::Source> source_;
  trace::Run run_;
};

bool in_program(const trace::Run& run, const trace::CallSite& site) {
  return site.module < run.modules.size() && run.modules[site.module].path == run.provenance.program;
}

std::string build_of_program(const trace::Run& run) {
  const auto found = std::ranges::find(run.modules, run.provenance.program, &trace::Module::path);
  return found == run.modules.end() ? "" : found->build_id;
}

/// Returns how the executables are called beside each other; nothing where that is not one name for several builds.
std::string name_of_builds(const std::vector<NamedSource>& recordings) {
  std::vector<analysis::NamedProgram> programs;
  std::set<std::string> files;
  std::set<std::string> builds;
  for (const NamedSource& one : recordings) {
    const trace::Run& run = one.source->run();
    programs.push_back({file_name(run.provenance.program), run.size});
    files.insert(programs.back().name);
    builds.insert(build_of_program(run));
  }
  const std::vector<std::string> names = analysis::program_names(programs);
  const bool one_name = std::ranges::all_of(names, [&](const std::string& name) { return name == names.front(); });
  return one_name && files.size() > 1 && builds.size() > 1 ? names.front() : "";
}

/// Finds for the sites of runs those of the first run that has the same place in the source.
class CommonSites {
public:
  explicit CommonSites(std::vector<std::filesystem::path> directories) : directories_(std::move(directories)) {}

  /// Returns a run with the sites of the runs before it, and the name of their program.
  trace::Run relocated(const NamedSource& recording) {
    const trace::Run& run = recording.source->run();
    Symboliser symboliser(run, directories_);
    trace::Run result = run;
    std::set<PlaceInSource> ends;
    std::size_t shared = 0;
    for (trace::Kernel& kernel : result.kernels)
      for (trace::CallSite* site : {&kernel.begin, &kernel.end}) {
        if (!in_program(run, *site)) continue;
        const PlaceInSource place = place_of(symboliser, *site);
        if (std::get<2>(place).empty()) refuse_without_lines(recording, symboliser);
        if (ends.insert(place).second && known_.contains(place)) ++shared;
        relocate(*site, place, run, result);
      }
    if (!known_before_.empty() && 2 * shared < ends.size()) refuse_other_source(recording, shared, ends.size());
    for (trace::Caller& caller : result.callers)
      if (in_program(run, caller.site)) relocate(caller.site, place_of(symboliser, caller.site), run, result);
    if (known_before_.empty()) {
      known_before_ = recording.name;
      program_ = run.provenance.program;
    }
    result.provenance.program = program_;
    return result;
  }

private:
  /// Returns where a site is. Directories are left out: sources may be copied for each build.
  static PlaceInSource place_of(Symboliser& symboliser, const trace::CallSite& site) {
    const SourcePlace place = symboliser.place(site);
    return {place.function, place.inlined_into, file_name(place.file), place.line};
  }

  /// Sets a site of `result` to the first one of that place.
  void relocate(trace::CallSite& site, const PlaceInSource& place, const trace::Run& run, trace::Run& result) {
    const SiteOfModule own{run.modules[site.module], site.offset};
    const bool nameless = std::get<0>(place).empty() && std::get<2>(place).empty();
    const auto& [module, offset] = nameless ? own : known_.try_emplace(place, own).first->second;
    auto found = std::ranges::find(result.modules, module);
    if (found == result.modules.end()) found = result.modules.insert(found, module);
    site = {static_cast<std::uint32_t>(found - result.modules.begin()), offset};
  }

  [[noreturn]] static void refuse_without_lines(const NamedSource& recording, const Symboliser& symboliser) {
    const std::vector<std::string> notices = symboliser.notices();
    const std::string program = file_name(recording.source->run().provenance.program);
    throw Error(
        Failure::invalid_input,
        fmt::format("each number of ranks has its own executable, whose places can only be compared by source "
                    "line, and {}",
                    notices.empty() ? program + " has no source lines" : fmt::to_string(fmt::join(notices, "; "))),
        recording.name,
        notices.empty() ? "build all of them with -g, and record again"
                        : "name the directory of the executables that were recorded with --symbols");
  }

  [[noreturn]] void refuse_other_source(const NamedSource& recording, std::size_t shared, std::size_t all) const {
    throw Error(
        Failure::invalid_input,
        fmt::format("each number of ranks has its own executable, and of {} places of MPI calls in {} only {} are "
                    "on the same lines as in {}",
                    all, file_name(recording.source->run().provenance.program), shared, file_name(program_)),
        fmt::format("{} and {}", known_before_, recording.name),
        "build all of them from the same source, and record again");
  }

  std::vector<std::filesystem::path> directories_;
  std::map<PlaceInSource, SiteOfModule> known_;
  std::string known_before_; ///< the recording whose sites were the first
  std::string program_;      ///< its program
};

} // namespace

JoinedBuilds join_builds(std::vector<NamedSource>& recordings, const std::vector<std::string>& symbols) {
  JoinedBuilds joined;
  if (recordings.empty()) return joined;
  joined.program = name_of_builds(recordings);
  if (joined.program.empty()) return joined;
  std::vector<NamedSource*> largest_first;
  for (NamedSource& one : recordings) {
    joined.executables.push_back(file_name(one.source->run().provenance.program));
    largest_first.push_back(&one);
  }
  std::ranges::stable_sort(largest_first, std::greater{},
                           [](const NamedSource* one) { return one->source->run().size; });
  CommonSites sites({symbols.begin(), symbols.end()});
  for (NamedSource* one : largest_first) {
    trace::Run run = sites.relocated(*one);
    one->source = std::make_unique<RelocatedSource>(std::move(one->source), std::move(run));
  }
  return joined;
}

std::string in_words(const JoinedBuilds& joined) {
  if (joined.program.empty()) return {};
  return fmt::format(
      "{} are taken for one program, {}, built for each number of ranks: places are compared by function "
      "and source line",
      fmt::join(joined.executables, ", "), joined.program);
}

} // namespace timeless::tools::symbols
