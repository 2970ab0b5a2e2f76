#pragma once

#include "analysis/scaling/rank_grid.h"
#include "trace/model/source.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// The figures of one run that may follow laws, under names that another run of the same program has too.
namespace timeless::analysis {

/// A place in a program and its recorded callers, the innermost first: file name or build id of the module, and offset.
using SitePath = std::vector<std::pair<std::string, std::uint64_t>>;

/// A kernel as any run of the same build names it.
struct KernelKey {
  SitePath begin = {};
  SitePath end = {};
  auto operator<=>(const KernelKey&) const = default;
};

/// A call as any run of the same build names it. The place is empty where the recording does not say: no computation
/// was recorded on either side of the call.
struct CallKey {
  std::string call = {}; ///< "Allreduce"
  SitePath place = {};
  auto operator<=>(const CallKey&) const = default;
};

/// A figure of the ranks of a run.
struct OverRanks {
  double mean = 0; ///< over all ranks, also those that have 0
  double most = 0;
};

/// A metric's name, as "instructions", "visits", "PAPI_L3_TCM", "calls", "bytes".
using Metrics = std::map<std::string, OverRanks>;

/// What one run computed in a kernel.
struct KernelOfRun {
  trace::KernelId kernel = trace::no_kernel; ///< in this run
  Metrics metrics = {};                      ///< the unit of the volumes, "visits", and each profiled event
  std::vector<double> by_rank = {};          ///< the volume
};

/// What one run did by a call at one place.
struct CallOfRun {
  Metrics metrics = {};                                    ///< "calls", "bytes" (bytes_sent())
  std::map<std::string, std::vector<double>> by_rank = {}; ///< both
};

/// The figures of one run that laws are fitted to.
struct RunFigures {
  double ranks = 0;
  std::optional<RankGrid> grid = {}; ///< as recorded_grid() has it
  OverRanks volume = {};             ///< of a rank, by all kernels
  std::map<KernelKey, KernelOfRun> kernels = {};
  std::map<CallKey, CallOfRun> calls = {};
  std::map<std::string, Metrics> regions = {};                  ///< by name: the volumes' unit, "visits"
  std::map<std::string, Metrics> functions = {};                ///< likewise: the volumes' unit, see add_functions()
  std::map<KernelKey, std::set<std::string>> functions_of = {}; ///< of the kernels that end in one
  std::map<KernelKey, std::set<std::string>> regions_of = {};   ///< in which all of a kernel is computed
  std::map<std::string, trace::ActionFamily> families = {};     ///< of calls, by name: "Allreduce"
};

/// Returns what any run of the same build calls each kernel of a run.
std::vector<KernelKey> kernel_keys(const trace::Run& run);

/// Adds the figures of functions: what ranks compute in all kernels that end in one, by `names` of kernels, in `unit`.
void add_functions(RunFigures& figures, const std::map<KernelKey, std::string>& names, const std::string& unit);

/// Returns the figures of a run; reads it twice. `progress`, if given, is called now and then with the actions read.
RunFigures run_figures(const trace::Source& source, const std::function<void(std::uint64_t)>& progress = {});

} // namespace timeless::analysis
