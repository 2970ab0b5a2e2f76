#pragma once

#include "trace/model/run.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::trace {

/// How one rank's own numbers for communicators, kernels and regions, as its blocks use them, map to those of the run.
/// Empty lists mean that they are the same.
struct RankNumbers {
  Rank rank = no_rank;
  std::vector<CommunicatorId> communicators = {};
  std::vector<KernelId> kernels = {};
  std::vector<RegionId> regions = {};
  bool operator==(const RankNumbers&) const = default;
};

/// What a definitions block says: additions to the Run read so far.
///
/// Hosts, communicators, modules, callers, kernels and regions are appended to the run's lists, so their numbers are
/// the order in which they were defined; a rank's record or numbers replace an earlier one of the same rank; the rest
/// is set when given.
struct Definitions {
  std::optional<Rank> size = {};
  std::optional<Counter> counter = {};
  std::optional<Provenance> provenance = {};
  std::vector<Host> hosts = {};
  std::vector<Communicator> communicators = {};
  std::vector<Module> modules = {};
  std::vector<Caller> callers = {};
  std::vector<Kernel> kernels = {};
  std::vector<std::string> regions = {};
  std::vector<std::string> profile_events = {};
  std::uint64_t volume_error = 0; ///< of a run, the largest said of it
  std::vector<RankRecord> ranks = {};
  std::vector<RankNumbers> numbers = {};

  bool empty() const;
  bool operator==(const Definitions&) const = default;
};

/// Returns all of a run, as definitions.
Definitions definitions_of(const Run& run);

/// Adds definitions to a run. Throws Error(invalid_input) when they contradict it (a communicator's member out of
/// range, a kernel or caller of an unknown module, a second, different size or counter).
void apply(const Definitions& definitions, Run& run);

/// Returns the protocol-buffer message of docs/definitions.proto.
std::string encode(const Definitions& definitions);
/// Throws Error(invalid_input) on bytes that are no such message, or too large to be honest.
Definitions decode_definitions(std::string_view bytes);

} // namespace timeless::trace
