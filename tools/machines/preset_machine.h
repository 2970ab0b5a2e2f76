#pragma once

#include "tools/cli/cli11_fwd.h"
#include "tools/machines/machine_basis.h"

#include "replay/network/compute_rates.h"
#include "replay/network/presets.h"
#include "replay/simgrid/mapping.h"
#include "trace/model/run.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace timeless::tools {

/// The least and the most time that computation takes, over that by its rate.
struct RateSpread {
  double fastest = 1;
  double slowest = 1;
  bool known = true; ///< false: a single launch, which says nothing of others
};

/// What a file of measured rates says of a run, whose volumes have been rated by it (replay/network/rated_source.h).
struct CalibratedCompute {
  std::string sentence; ///< for a reader
  double borrowed = 0;  ///< share of the volume that has no rate of its own
  double mean_rate = 0; ///< units per second of the run as a whole; 0 where it computes nothing
  /// The time of all computation by the launch that was fastest and by the slowest, over that by the rates; what is
  /// borrowed as far off as PresetMachineOptions::rate_within says.
  double fastest = 1;
  double slowest = 1;
  bool launches_in_range = false;  ///< their spread is in that: there are two launches or more
  bool rescaling_in_range = false; ///< what a machine's costs misjudge of other working sets is in that
  bool fits = true;                ///< visits are of sizes that were measured, and launches were not disturbed
  std::vector<std::string> notes;
  std::vector<std::uint64_t> ranks_per_node; ///< of each input that was calibrated
  std::vector<RateSpread> kernels;           ///< likewise of each kernel by itself, by KernelId
};

/// The networks that classify, sweep and report compare where nobody names a machine; the first is what the others are
/// compared with.
inline const std::vector<std::string> usual_networks{"e10g", "e100g", "qdr", "e1g"};

/// What a person may say of a machine that is a network preset rather than a platform file.
struct PresetMachineOptions {
  std::vector<std::string> networks = {};
  bool networks_named = false;         ///< by a person; else they are the default
  std::vector<std::string> where = {}; ///< networks by their figures, "10Gb/s,5us"; see take_machines()
  std::string mapping = "auto";
  std::string hostfile = {};
  double compute_rate = 0;                 ///< instructions per second; 0: assumed_instruction_rate
  double rate_within = 2;                  ///< rates that were not measured are right to this factor, either way
  std::string rates = {};                  ///< a file of rates by host and kernel
  bool rates_noisy = false;                ///< the host was, when they were measured; see rated()
  std::optional<std::uint64_t> noise = {}; ///< the seed of the visits' times, drawn from what was measured
  /// By the launches alone, where the file has one rate for everything; see rated().
  std::optional<RateSpread> whole_rate = {};
  std::string whole_rate_of = {}; ///< what that was measured on, and when; empty where nobody says
  std::shared_ptr<const CalibratedCompute> calibrated = {}; ///< where the file of rates was measured; see rated()
  std::string costs = {};                                   ///< a machine file, whose costs stand for rates

  /// Returns true where files say how fast ranks compute.
  bool speeds_from_file() const { return !rates.empty() || !costs.empty(); }
};

/// Gives a verb the option --network, lists of names for take_machines(); its default is what `options` has.
void add_network_option(CLI::App& command, PresetMachineOptions& options, const std::string& description);
/// Gives a verb the option --platform, or of other `names`, which may be repeated: lists of names for take_machines().
void add_platform_option(CLI::App& command, std::vector<std::string>& platforms,
                         const std::string& names = "--platform");
/// Gives a verb the option --where, which may be repeated.
void add_where_option(CLI::App& command, PresetMachineOptions& options);
/// Splits the lists of names, puts the networks by their figures behind those by name, and takes out machines that are
/// named twice, with a warning. Default networks go where a person named other machines.
void take_machines(PresetMachineOptions& options, std::vector<std::string>& platforms);
/// Gives a verb the options --mapping, --hostfile, --compute-rate, --rates and --machine.
void add_placement_options(CLI::App& command, PresetMachineOptions& options);

/// Gives a verb whose answers are weighed the options --worth, the least saving worth having, and --rate-within.
void add_worth_options(CLI::App& command, double& worth, PresetMachineOptions& options);

/// How fast the nodes of a machine compute.
struct ComputeSpeeds {
  std::vector<double> seconds_per_unit; ///< by node
  std::vector<double> kernel_factors;   ///< see replay::kernel_factors
  std::string sentence;                 ///< for a reader
  bool calibrated = false;              ///< measured for this program
  bool assumed = false;                 ///< by other kernels of the file alone
  std::string from;                     ///< the option that gave them
  std::string unit = "instructions";    ///< as in ComputeBasis
  double mean_rate = 0;                 ///< as in CalibratedCompute; 0 where ranks are told apart by their nodes

  /// Returns the basis of ranks on these nodes.
  ComputeBasis basis(std::span<const std::uint32_t> node_of_rank) const;
};

/// Throws Error(usage) where the options say twice how fast ranks compute; `rates` are those of their file, if any.
void require_one_speed(const PresetMachineOptions& options, const replay::ComputeRates& rates);

/// Returns what a file of rates, or a machine file, says of a run on these nodes; `otherwise` is the seconds per unit
/// of nodes that rates do not speak of, by node. Throws Error(usage) for options that contradict each other or the
/// trace.
ComputeSpeeds compute_speeds(const trace::Run& run, const PresetMachineOptions& options, const replay::Mapping& mapping,
                             const std::vector<double>& otherwise);

/// Where the ranks of a run are on a preset machine, and how fast they compute, with the sentences that tell a reader.
struct PresetMachine {
  replay::Placement placement;
  std::vector<std::string> nodes; ///< names, by rank: those a rates file knows hosts by
  std::string mapping_sentence;
  ComputeBasis compute;
  std::vector<std::string> notes;
};

/// Throws Error(usage) for options that make no sense.
PresetMachine make_preset_machine(const trace::Run& run, const PresetMachineOptions& options);

} // namespace timeless::tools
