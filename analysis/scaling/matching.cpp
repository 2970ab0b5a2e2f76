#include "analysis/scaling/matching.h"

#include "analysis/scaling/input_arguments.h"
#include "analysis/trace/program_names.h"
#include "base/error.h"
#include "base/files/temporary_file.h"
#include "trace/model/memory_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

namespace timeless::analysis {

namespace {

std::string program_name(const trace::Run& run) {
  return file_name(run.provenance.program);
}

/// Returns the build id of the program itself; empty where it is not known.
std::string program_build(const trace::Run& run) {
  for (const trace::Module& module : run.modules)
    if (module.path == run.provenance.program) return module.build_id;
  return "";
}

/// Returns what a run has profiled, as --profile names it.
std::string events_in_words(const trace::Run& run) {
  if (run.profile_events.empty()) return "none";
  return run.profile_events == trace::memory_events() ? "memory"
                                                      : fmt::format("{}", fmt::join(run.profile_events, ","));
}

/// Returns true for a run that knows no program: it was imported.
bool knows_no_program(const trace::Run& run) {
  return std::ranges::all_of(run.modules, [](const trace::Module& module) { return module.path.empty(); });
}

std::string counted(const trace::Run& run) {
  return fmt::format("{} by {}", name(run.counter.unit), run.counter.name);
}

[[noreturn]] void refuse(const std::string& what, const NamedRun& one, const NamedRun& other,
                         const std::string& advice) {
  throw Error(Failure::invalid_input, what, fmt::format("{} and {}", one.name, other.name), advice);
}

/// Returns the names of two runs' programs; nothing where neither is known.
std::vector<std::string> names_of_programs(const trace::Run& one, const trace::Run& two) {
  if (knows_no_program(one) && knows_no_program(two)) return {};
  const NamedProgram programs[] = {{program_name(one), one.size}, {program_name(two), two.size}};
  return program_names(programs);
}

void demand_same_program(const NamedRun& first, const NamedRun& other) {
  const trace::Run& one = *first.run;
  const trace::Run& two = *other.run;
  if (one.provenance.run_identity != 0 && one.provenance.run_identity == two.provenance.run_identity)
    refuse("these are the same recording", first, other, "name each recording once");
  const std::vector<std::string> names = names_of_programs(one, two);
  if (!names.empty() && names[0] != names[1])
    refuse(fmt::format("the runs are of different programs: {} and {}", names[0], names[1]), first, other,
           "record one program with different numbers of ranks");
}

void demand_same_counts(const NamedRun& first, const NamedRun& other) {
  const trace::Run& one = *first.run;
  const trace::Run& two = *other.run;
  const std::vector<std::string> names = names_of_programs(one, two);
  if (counted(one) != counted(two))
    refuse(fmt::format("the runs have counted different things: {} and {}", counted(one), counted(two)), first, other,
           "record all of them with the same --counter");
  if (!names.empty() && program_build(one) != program_build(two))
    refuse(fmt::format("the runs are of different builds of {}", names[0]), first, other,
           "record all of them with the same executable: places in the program are compared by their addresses");
  if (one.profile_events != two.profile_events)
    refuse(
        fmt::format("the runs have profiled different events: {} and {}", events_in_words(one), events_in_words(two)),
        first, other, "record all of them with the same --profile");
}

} // namespace

void demand_one_program(std::span<const NamedRun> runs, bool last_checks) {
  const auto fitted = runs.first(runs.size() - (last_checks ? 1 : 0));
  if (fitted.size() < 3)
    throw Error(Failure::usage,
                fmt::format("{} run{}: a law needs at least three", fitted.size(),
                            fitted.size() == 1 ? " is too few" : "s are too few"),
                {}, "give recordings of three or more numbers of ranks; five tell most laws apart");
  for (const NamedRun& one : runs)
    if (!one.run->provenance.extrapolated.empty())
      throw Error(Failure::invalid_input, "the run is extrapolated: its laws would be those it was made with", one.name,
                  "give recordings only");
  for (const NamedRun& one : runs)
    if (!one.run->complete())
      throw Error(Failure::invalid_input, "the trace is not complete: no law holds for a part of a run", one.name,
                  fmt::format("see what it lacks with: timeless info {} --brief", one.name));
  // Builds are not compared before all programs: what is a build for a number of ranks beside one is another program.
  for (const auto demand : {demand_same_program, demand_same_counts})
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        demand(runs[j], runs[i]);
  std::set<std::pair<double, double>> places;
  std::vector<std::string> names;
  for (const NamedRun& one : fitted) {
    places.emplace(one.place.ranks, one.place.size);
    names.push_back(fmt::format("{} of {:.0f} ranks", one.name, one.place.ranks));
  }
  if (places.size() < 3)
    throw Error(Failure::usage,
                fmt::format("the runs have only {} different number{} of ranks or size{}", places.size(),
                            places.size() == 1 ? "" : "s", places.size() == 1 ? "" : "s"),
                fmt::to_string(fmt::join(names, ", ")),
                "a law needs three; where it is the size that differs, say it with --size-of RUN=N");
}

std::string demand_one_input(std::span<const NamedRun> runs) {
  const InputsOfRuns inputs = inputs_of(runs);
  if (inputs.different)
    throw Error(Failure::invalid_input, fmt::format("the runs have different inputs: {}", inputs.different->what),
                fmt::format("{} and {}", inputs.different->one, inputs.different->other),
                "record one problem on all numbers of ranks; timeless scale takes several sizes with --size-of RUN=N; "
                "give --ignore-arguments where these do not change what is computed");
  return inputs.law;
}

} // namespace timeless::analysis
