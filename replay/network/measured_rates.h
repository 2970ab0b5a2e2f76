#pragma once

#include "replay/network/compute_costs.h"
#include "trace/model/run.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace timeless::replay {

class Description;

/// What a kernel's visits took over what its rate gives them, at the quantiles 0.01, 0.1, 0.2, ... 0.9, 0.99.
using RelativeTimes = std::array<double, 11>;

/// A kernel as a calibration measured it: a visit of v units takes fixed_seconds + v / units_per_second.
struct MeasuredKernel {
  std::string name;   ///< "module+offset..module+offset"
  std::string places; ///< the same as functions of the program, to find it in another build; may be empty
  double units_per_second = 0;
  double fixed_seconds = 0;
  std::vector<double> launches; ///< the rate by each launch alone
  double units_per_visit = 0;
  bool own = false; ///< measured well enough for a rate of its own
  RelativeTimes relative_times{};
  std::vector<double> memory = {}; ///< what was counted of trace::memory_events(); empty without a profile
};

/// A program, on some input, that was calibrated.
struct MeasuredInstance {
  std::string name;
  std::string program = {};
  std::string date = {};
  std::string cpu = {};
  std::string counter = {}; ///< what counted the volumes
  std::vector<std::string> hosts = {};
  std::uint64_t ranks = 0;
  std::uint64_t ranks_per_node = 0;
  std::uint64_t launches = 0;           ///< by both clocks
  std::uint64_t walltime_launches = 0;  ///< of them by the time that passes; 0 with the other: not said
  std::uint64_t cputime_launches = 0;   ///< by processor time
  double units_per_second = 0;          ///< of kernels without a rate
  double units_per_rank = 0;            ///< that were computed
  double explained = 1;                 ///< seconds that the rates give all visits, over those measured
  std::vector<std::string> builds = {}; ///< "module build-id-in-hexadecimal"
  std::vector<MeasuredKernel> kernels = {};
};

/// Returns one end of a kernel as MeasuredKernel::name has it: "module+offset"; empty where the module is not known.
std::string place_name(const trace::Run& run, const trace::CallSite& site);

/// Returns a module as MeasuredInstance::builds has it; empty where its build is not known.
std::string build_name(const trace::Module& module);

/// Reads the list at "instances". Throws as Description does.
std::vector<MeasuredInstance> read_instances(const Description& whole);

/// Reads what "measurement" says of one rate for everything: an instance without kernels. Throws likewise.
MeasuredInstance read_measurement(const Description& whole);

/// Returns true where the instance's program or a library of it is not the build that the run has.
bool of_another_build(const MeasuredInstance& instance, const trace::Run& run);

/// How long the visits of a kernel of a run take.
struct KernelTiming {
  double fixed_seconds = 0;
  double seconds_per_unit = 0;
  bool own = false;     ///< by a rate of its own, not by that of the rest
  bool outside = false; ///< its visits are larger or smaller than any that were measured
  double rescaling = 0; ///< by what a machine's costs give its working set over those that were measured; 0: not so
  RelativeTimes relative_times{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<double> launches = {}; ///< seconds per unit by each launch alone
};

/// What is known of a kernel of the run to be timed.
struct KernelOfRun {
  double units_per_visit = 0;
  std::string places = {};         ///< as in MeasuredKernel
  std::vector<double> memory = {}; ///< likewise
};

/// Returns the timings of a run's kernels, by KernelId, from instances of its program.
///
/// A kernel is the one of the same places in the same build, else the one of the same `places`. Where several instances
/// have it, its rate is that of the size of its visits: between two sizes on the line of log rate over log size, beyond
/// them that of the nearest. Where its visits are of one size in all of them, what a rank computes in all is the size.
/// Kernels without a rate get that of the instance whose units per rank are nearest.
///
/// With a machine, a kernel's seconds per unit are multiplied by what the machine's costs give a unit of the kernel in
/// the run over what they give it in the instance, each with the instance's ranks on a node: the rate comes from
/// measurement, and the machine says only by how much another working set changes it. That is left out for kernels
/// without a profile of memory, here or there.
std::vector<KernelTiming> timings(const std::vector<MeasuredInstance>& instances, const trace::Run& run,
                                  std::span<const KernelOfRun> kernels, double units_per_rank,
                                  const MachineCosts* machine = nullptr);

} // namespace timeless::replay
