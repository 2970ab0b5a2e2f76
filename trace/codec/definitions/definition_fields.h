#pragma once

#include <protozero/pbf_message.hpp>

#include <cstdint>

/// The fields of definitions: their numbers are those of docs/definitions.proto.
namespace timeless::trace::fields {

/// The fields of all definitions of a run. The numbers are those of docs/archive-format.md, as are all below.
enum class DefinitionsField : protozero::pbf_tag_type {
  size = 1,
  counter = 2,
  provenance = 3,
  hosts = 4,
  communicators = 5,
  modules = 6,
  kernels = 7,
  ranks = 8,
  numbers = 9,
  module_build_ids = 10,
  callers = 11,
  volume_error = 12,
  regions = 20,
  profile_events = 21,
};

/// The fields of trace::Counter.
enum class CounterField : protozero::pbf_tag_type { name = 1, version = 2, unit = 3, exactness = 4, threads = 5 };

/// The fields of trace::Provenance.
enum class ProvenanceField : protozero::pbf_tag_type {
  tool_version = 1,
  mpi_library = 2,
  program = 3,
  date = 4,
  run_identity = 5,
  extrapolated = 6,
  command = 7,
};

/// The fields of trace::Host.
enum class HostField : protozero::pbf_tag_type { name = 1, cpu_model = 2 };

/// The fields of trace::Communicator.
enum class CommunicatorField : protozero::pbf_tag_type { members = 1, remote_members = 2, identity = 3, grid = 4 };

/// The fields of ranks at equal distances: members of a communicator.
enum class RankRunField : protozero::pbf_tag_type { first = 1, stride = 2, count = 3 };

/// The fields of trace::Kernel.
enum class KernelField : protozero::pbf_tag_type {
  begin_module = 1,
  begin_offset = 2,
  end_module = 3,
  end_offset = 4,
  begin_caller = 5,
  end_caller = 6,
};

/// The fields of a caller of a call site.
enum class CallerField : protozero::pbf_tag_type { module = 1, offset = 2, caller = 3 };

/// The fields of trace::RankRecord.
enum class RankField : protozero::pbf_tag_type {
  rank = 1,
  host = 2,
  skew_per_call = 3,
  ending = 4,
  ending_reason = 5,
  actions = 6,
  unrecorded_calls = 7,
  notes = 30,
  recorded_time = 20,
  profile = 21,
  peak_memory = 22,
};

/// The fields of a kernel's profiled events.
enum class ProfileField : protozero::pbf_tag_type { kernel = 1, bursts = 2, sums = 3 };

/// The fields of how often a call was made that is not recorded.
enum class CallCountField : protozero::pbf_tag_type { name = 1, count = 2 };

/// The fields of how a rank numbers what the run has in common.
enum class NumbersField : protozero::pbf_tag_type { rank = 1, communicators = 2, kernels = 3, regions = 10 };

} // namespace timeless::trace::fields
