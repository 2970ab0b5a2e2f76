#pragma once

#include "gather/parts/run_part.h"
#include "gather/parts/same_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::gather {

/// An input's numbers in terms of the united run's.
struct InputNumbers {
  std::vector<trace::CommunicatorId> communicators;
  std::vector<trace::KernelId> kernels;
  std::vector<trace::RegionId> regions;
};

/// What archives of one run say of it together, with common numbers.
struct UnitedRun {
  trace::Run run;
  /// For each of run.ranks: its own numbers in terms of the run's; empty lists where they are the same.
  std::vector<trace::RankNumbers> numbers;
  /// For each of run.ranks: which input holds its actions, and which file that is.
  std::vector<std::size_t> inputs;
  std::vector<std::string> labels;
  std::vector<InputNumbers> input_numbers; ///< for each input, in the order added
};

/// Unites what archives of one run define: rank files, or parts already united from some.
///
/// Communicators are the same when their identities are, modules when their paths and build ids are, callers and
/// kernels when their call sites and callers are, regions when their names are, hosts when all is. The numbers given
/// depend on the ranks only, not on how the ranks stand in the inputs:
/// things are numbered as the ranks, by rising rank, first name them in the order of their own numbers. So uniting in
/// steps gives what uniting at once gives. An intercommunicator, which either side records with its own group as
/// `members`, becomes one, whose `members` are the group with the lowest world rank.
///
/// Memory: the united definitions and the ranks' number lists.
class RunUnion {
public:
  /// Adds a part. Throws Error(invalid_input) when it is of another run, of another counter, holds a rank already
  /// there, or contradicts what is known.
  void add(RunPart part);

  /// Returns the united run; empties the union. Throws Error(invalid_input) when nothing was added.
  UnitedRun finish();

private:
  struct Input {
    std::string label;
    InputNumbers numbers; ///< in terms of ours until finish() renumbers
  };
  struct RankEntry {
    trace::RankRecord record;
    std::size_t input = 0;
    std::string label;
    trace::RankNumbers numbers; ///< the rank's number -> the input's
  };
  struct Numberings;
  void finish_rank(trace::Rank rank, RankEntry& entry, Numberings& numberings, UnitedRun& united) const;
  void finish_places(trace::Run& run);
  void add_communicators(const trace::Run& run, Input& input);
  void add_kernels(const trace::Run& run, Input& input);
  void add_regions(const trace::Run& run, Input& input);
  void add_ranks(RunPart& part, std::size_t input);
  trace::CommunicatorId communicator(trace::Communicator communicator, const std::string& label);

  std::vector<Input> inputs_;
  SameRun same_run_;
  std::uint64_t volume_error_ = 0;
  std::map<trace::Rank, RankEntry> ranks_;
  std::vector<trace::Host> hosts_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> host_numbers_;
  std::vector<trace::Communicator> communicators_;
  std::vector<std::size_t> communicator_inputs_; ///< which input named it first
  std::unordered_map<std::uint64_t, trace::CommunicatorId> communicator_numbers_;
  std::vector<trace::Module> modules_;
  std::map<trace::Module, std::uint32_t> module_numbers_;
  std::vector<trace::Caller> callers_;
  std::map<trace::Caller, trace::CallerId> caller_numbers_;
  std::vector<trace::Kernel> kernels_;
  std::map<trace::Kernel, trace::KernelId> kernel_numbers_;
  std::vector<std::string> regions_;
  std::unordered_map<std::string, trace::RegionId> region_numbers_;
};

/// Returns a united run as a part of a larger one: for the next RunUnion.
RunPart part_of(UnitedRun united);

} // namespace timeless::gather
