#include "trace/archive/definitions.h"

#include "trace/archive/format.h"
#include "trace/error.h"

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_message.hpp>

#include <algorithm>
#include <functional>
#include <utility>

// Field numbers are those of docs/definitions.proto.
namespace timeless::trace {

namespace {

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
enum class CounterField : protozero::pbf_tag_type { name = 1, version = 2, unit = 3, exactness = 4, threads = 5 };
enum class ProvenanceField : protozero::pbf_tag_type {
  tool_version = 1,
  mpi_library = 2,
  program = 3,
  date = 4,
  run_identity = 5,
};
enum class HostField : protozero::pbf_tag_type { name = 1, cpu_model = 2 };
enum class CommunicatorField : protozero::pbf_tag_type { members = 1, remote_members = 2, identity = 3 };
enum class RankRunField : protozero::pbf_tag_type { first = 1, stride = 2, count = 3 };
enum class KernelField : protozero::pbf_tag_type {
  begin_module = 1,
  begin_offset = 2,
  end_module = 3,
  end_offset = 4,
  begin_caller = 5,
  end_caller = 6,
};
enum class CallerField : protozero::pbf_tag_type { module = 1, offset = 2, caller = 3 };
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
enum class ProfileField : protozero::pbf_tag_type { kernel = 1, bursts = 2, sums = 3 };
enum class CallCountField : protozero::pbf_tag_type { name = 1, count = 2 };
enum class NumbersField : protozero::pbf_tag_type { rank = 1, communicators = 2, kernels = 3, regions = 10 };

// A field of another wire type than ours is no field of ours: it is skipped like an unknown one.
template <typename Field>
constexpr std::uint32_t varint(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
template <typename Field>
constexpr std::uint32_t fixed64(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::fixed64);
}
template <typename Field>
constexpr std::uint32_t delimited(Field field) {
  return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

[[noreturn]] void fail(const std::string& what) {
  throw Error(Failure::invalid_input, what, "definitions");
}

void encode(const Counter& counter, protozero::pbf_builder<CounterField> out) {
  out.add_string(CounterField::name, counter.name);
  out.add_string(CounterField::version, counter.version);
  out.add_uint32(CounterField::unit, static_cast<std::uint32_t>(counter.unit));
  out.add_uint32(CounterField::exactness, static_cast<std::uint32_t>(counter.exactness));
  out.add_string(CounterField::threads, counter.threads);
}

void encode(const Provenance& provenance, protozero::pbf_builder<ProvenanceField> out) {
  out.add_string(ProvenanceField::tool_version, provenance.tool_version);
  out.add_string(ProvenanceField::mpi_library, provenance.mpi_library);
  out.add_string(ProvenanceField::program, provenance.program);
  out.add_string(ProvenanceField::date, provenance.date);
  out.add_fixed64(ProvenanceField::run_identity, provenance.run_identity);
}

void encode(const Host& host, protozero::pbf_builder<HostField> out) {
  out.add_string(HostField::name, host.name);
  out.add_string(HostField::cpu_model, host.cpu_model);
}

/// Where the run of equal strides that begins at `begin` ends. Foreign members are runs of their own, of stride 0.
std::size_t end_of_run(const std::vector<Rank>& members, std::size_t begin, Rank stride) {
  const bool foreign = members[begin] == foreign_rank;
  std::size_t end = begin + 1;
  while (end < members.size() && (members[end] == foreign_rank) == foreign && members[end] - members[end - 1] == stride)
    ++end;
  return end;
}

/// Writes members as runs first, first + stride, ...: rows, columns and the world are one run each.
template <typename Parent, typename Field>
void encode_members(const std::vector<Rank>& members, Parent& parent, Field field) {
  for (std::size_t i = 0; i < members.size();) {
    const Rank stride = i + 1 < members.size() ? members[i + 1] - members[i] : 1;
    const std::size_t end = end_of_run(members, i, stride);
    protozero::pbf_builder<RankRunField> run(parent, field);
    run.add_sint32(RankRunField::first, members[i]);
    run.add_sint32(RankRunField::stride, stride);
    run.add_uint32(RankRunField::count, static_cast<std::uint32_t>(end - i));
    i = end;
  }
}

void encode(const Communicator& communicator, protozero::pbf_builder<CommunicatorField> out) {
  encode_members(communicator.members, out, CommunicatorField::members);
  encode_members(communicator.remote_members, out, CommunicatorField::remote_members);
  out.add_fixed64(CommunicatorField::identity, communicator.identity);
}

/// A caller's number as it is stored: one more, so that 0 is none.
std::uint32_t stored(CallerId caller) {
  return caller == no_caller ? 0 : caller + 1;
}

CallerId caller_number(std::uint32_t stored) {
  return stored == 0 ? no_caller : stored - 1;
}

/// Paths as they have always been, and beside them, in the same order, what came later.
void encode(const std::vector<Module>& modules, protozero::pbf_builder<DefinitionsField>& out) {
  for (const Module& module : modules)
    out.add_string(DefinitionsField::modules, module.path);
  if (std::ranges::all_of(modules, &std::string::empty, &Module::build_id)) return;
  for (const Module& module : modules)
    out.add_bytes(DefinitionsField::module_build_ids, module.build_id);
}

void encode(const Caller& caller, protozero::pbf_builder<CallerField> out) {
  out.add_uint32(CallerField::module, caller.site.module);
  out.add_uint64(CallerField::offset, caller.site.offset);
  if (caller.caller != no_caller) out.add_uint32(CallerField::caller, stored(caller.caller));
}

void encode(const Kernel& kernel, protozero::pbf_builder<KernelField> out) {
  out.add_uint32(KernelField::begin_module, kernel.begin.module);
  out.add_uint64(KernelField::begin_offset, kernel.begin.offset);
  out.add_uint32(KernelField::end_module, kernel.end.module);
  out.add_uint64(KernelField::end_offset, kernel.end.offset);
  if (kernel.begin_caller != no_caller) out.add_uint32(KernelField::begin_caller, stored(kernel.begin_caller));
  if (kernel.end_caller != no_caller) out.add_uint32(KernelField::end_caller, stored(kernel.end_caller));
}

void encode(const RankRecord& record, protozero::pbf_builder<RankField> out) {
  out.add_uint32(RankField::rank, static_cast<std::uint32_t>(record.rank));
  out.add_uint32(RankField::host, record.host);
  out.add_uint64(RankField::skew_per_call, record.skew_per_call);
  out.add_uint32(RankField::ending, static_cast<std::uint32_t>(record.ending));
  out.add_string(RankField::ending_reason, record.ending_reason);
  out.add_uint64(RankField::actions, record.actions);
  for (const auto& [name, count] : record.unrecorded_calls) {
    protozero::pbf_builder<CallCountField> call(out, RankField::unrecorded_calls);
    call.add_string(CallCountField::name, name);
    call.add_uint64(CallCountField::count, count);
  }
  for (const std::string& note : record.notes)
    out.add_string(RankField::notes, note);
  if (record.recorded_time > 0) out.add_uint64(RankField::recorded_time, record.recorded_time);
  if (record.peak_memory > 0) out.add_uint64(RankField::peak_memory, record.peak_memory);
  for (const KernelProfile& each : record.profile) {
    protozero::pbf_builder<ProfileField> profile(out, RankField::profile);
    profile.add_uint32(ProfileField::kernel, each.kernel);
    profile.add_uint64(ProfileField::bursts, each.bursts);
    profile.add_packed_uint64(ProfileField::sums, each.sums.begin(), each.sums.end());
  }
}

void encode(const RankNumbers& numbers, protozero::pbf_builder<NumbersField> out) {
  out.add_uint32(NumbersField::rank, static_cast<std::uint32_t>(numbers.rank));
  out.add_packed_uint32(NumbersField::communicators, numbers.communicators.begin(), numbers.communicators.end());
  out.add_packed_uint32(NumbersField::kernels, numbers.kernels.begin(), numbers.kernels.end());
  out.add_packed_uint32(NumbersField::regions, numbers.regions.begin(), numbers.regions.end());
}

std::string text(protozero::data_view view) {
  return {view.data(), view.size()};
}

template <typename Enum>
Enum enumerator(std::uint32_t value, Enum last) {
  if (value > static_cast<std::uint32_t>(last)) fail("an enumerator this version does not know");
  return static_cast<Enum>(value);
}

Rank rank_number(std::uint32_t value) {
  if (value >= static_cast<std::uint32_t>(max_ranks)) fail("a rank beyond what a run can have");
  return static_cast<Rank>(value);
}

Counter decode_counter(protozero::pbf_message<CounterField> in) {
  Counter counter;
  while (in.next())
    switch (in.tag_and_type()) {
    case delimited(CounterField::name):
      counter.name = text(in.get_view());
      break;
    case delimited(CounterField::version):
      counter.version = text(in.get_view());
      break;
    case varint(CounterField::unit):
      counter.unit = enumerator(in.get_uint32(), VolumeUnit::events);
      break;
    case varint(CounterField::exactness):
      counter.exactness = enumerator(in.get_uint32(), Exactness::inexact);
      break;
    case delimited(CounterField::threads):
      counter.threads = text(in.get_view());
      break;
    default:
      in.skip();
    }
  return counter;
}

Provenance decode_provenance(protozero::pbf_message<ProvenanceField> in) {
  Provenance provenance;
  while (in.next())
    switch (in.tag_and_type()) {
    case delimited(ProvenanceField::tool_version):
      provenance.tool_version = text(in.get_view());
      break;
    case delimited(ProvenanceField::mpi_library):
      provenance.mpi_library = text(in.get_view());
      break;
    case delimited(ProvenanceField::program):
      provenance.program = text(in.get_view());
      break;
    case delimited(ProvenanceField::date):
      provenance.date = text(in.get_view());
      break;
    case fixed64(ProvenanceField::run_identity):
      provenance.run_identity = in.get_fixed64();
      break;
    default:
      in.skip();
    }
  return provenance;
}

Host decode_host(protozero::pbf_message<HostField> in) {
  Host host;
  while (in.next())
    switch (in.tag_and_type()) {
    case delimited(HostField::name):
      host.name = text(in.get_view());
      break;
    case delimited(HostField::cpu_model):
      host.cpu_model = text(in.get_view());
      break;
    default:
      in.skip();
    }
  return host;
}

void decode_members(protozero::pbf_message<RankRunField> in, std::vector<Rank>& members, std::size_t& budget) {
  std::int64_t first = 0;
  std::int64_t stride = 1;
  std::uint32_t count = 0;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(RankRunField::first):
      first = in.get_sint32();
      break;
    case varint(RankRunField::stride):
      stride = in.get_sint32();
      break;
    case varint(RankRunField::count):
      count = in.get_uint32();
      break;
    default:
      in.skip();
    }
  if (count == 0 || count > budget) fail("communicators with more members than a run can have");
  budget -= count;
  if (first == foreign_rank) {
    members.insert(members.end(), count, foreign_rank);
    return;
  }
  const std::int64_t last = first + stride * (std::int64_t{count} - 1);
  if (std::min(first, last) < 0 || std::max(first, last) >= max_ranks) fail("a communicator's member is no rank");
  for (std::uint32_t i = 0; i < count; ++i)
    members.push_back(static_cast<Rank>(first + stride * i));
}

Communicator decode_communicator(protozero::pbf_message<CommunicatorField> in, std::size_t& budget) {
  Communicator communicator;
  while (in.next())
    switch (in.tag_and_type()) {
    case delimited(CommunicatorField::members):
      decode_members(in.get_message(), communicator.members, budget);
      break;
    case delimited(CommunicatorField::remote_members):
      decode_members(in.get_message(), communicator.remote_members, budget);
      break;
    case fixed64(CommunicatorField::identity):
      communicator.identity = in.get_fixed64();
      break;
    default:
      in.skip();
    }
  return communicator;
}

Caller decode_caller(protozero::pbf_message<CallerField> in) {
  Caller caller;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(CallerField::module):
      caller.site.module = in.get_uint32();
      break;
    case varint(CallerField::offset):
      caller.site.offset = in.get_uint64();
      break;
    case varint(CallerField::caller):
      caller.caller = caller_number(in.get_uint32());
      break;
    default:
      in.skip();
    }
  return caller;
}

Kernel decode_kernel(protozero::pbf_message<KernelField> in) {
  Kernel kernel;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(KernelField::begin_module):
      kernel.begin.module = in.get_uint32();
      break;
    case varint(KernelField::begin_offset):
      kernel.begin.offset = in.get_uint64();
      break;
    case varint(KernelField::end_module):
      kernel.end.module = in.get_uint32();
      break;
    case varint(KernelField::end_offset):
      kernel.end.offset = in.get_uint64();
      break;
    case varint(KernelField::begin_caller):
      kernel.begin_caller = caller_number(in.get_uint32());
      break;
    case varint(KernelField::end_caller):
      kernel.end_caller = caller_number(in.get_uint32());
      break;
    default:
      in.skip();
    }
  return kernel;
}

void decode_call_count(protozero::pbf_message<CallCountField> in, RankRecord& record) {
  std::string name;
  std::uint64_t count = 0;
  while (in.next())
    switch (in.tag_and_type()) {
    case delimited(CallCountField::name):
      name = text(in.get_view());
      break;
    case varint(CallCountField::count):
      count = in.get_uint64();
      break;
    default:
      in.skip();
    }
  record.unrecorded_calls[name] += count;
}

KernelProfile decode_profile(protozero::pbf_message<ProfileField> in) {
  KernelProfile profile;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(ProfileField::kernel):
      profile.kernel = in.get_uint32();
      break;
    case varint(ProfileField::bursts):
      profile.bursts = in.get_uint64();
      break;
    case delimited(ProfileField::sums):
      for (const std::uint64_t sum : in.get_packed_uint64())
        profile.sums.push_back(sum);
      break;
    default:
      in.skip();
    }
  return profile;
}

RankRecord decode_rank(protozero::pbf_message<RankField> in) {
  RankRecord record;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(RankField::rank):
      record.rank = rank_number(in.get_uint32());
      break;
    case varint(RankField::host):
      record.host = in.get_uint32();
      break;
    case varint(RankField::skew_per_call):
      record.skew_per_call = in.get_uint64();
      break;
    case varint(RankField::ending):
      record.ending = enumerator(in.get_uint32(), Ending::stopped);
      break;
    case delimited(RankField::ending_reason):
      record.ending_reason = text(in.get_view());
      break;
    case varint(RankField::actions):
      record.actions = in.get_uint64();
      break;
    case delimited(RankField::unrecorded_calls):
      decode_call_count(in.get_message(), record);
      break;
    case delimited(RankField::notes):
      record.notes.push_back(text(in.get_view()));
      break;
    case varint(RankField::recorded_time):
      record.recorded_time = in.get_uint64();
      break;
    case varint(RankField::peak_memory):
      record.peak_memory = in.get_uint64();
      break;
    case delimited(RankField::profile):
      record.profile.push_back(decode_profile(in.get_message()));
      break;
    default:
      in.skip();
    }
  return record;
}

RankNumbers decode_numbers(protozero::pbf_message<NumbersField> in) {
  RankNumbers numbers;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(NumbersField::rank):
      numbers.rank = rank_number(in.get_uint32());
      break;
    case delimited(NumbersField::communicators):
      for (const std::uint32_t id : in.get_packed_uint32())
        numbers.communicators.push_back(id);
      break;
    case delimited(NumbersField::kernels):
      for (const std::uint32_t id : in.get_packed_uint32())
        numbers.kernels.push_back(id);
      break;
    case delimited(NumbersField::regions):
      for (const std::uint32_t id : in.get_packed_uint32())
        numbers.regions.push_back(id);
      break;
    default:
      in.skip();
    }
  return numbers;
}

Definitions decode(protozero::pbf_message<DefinitionsField> in) {
  Definitions definitions;
  std::size_t member_budget = max_members;
  std::vector<std::string> build_ids;
  while (in.next())
    switch (in.tag_and_type()) {
    case varint(DefinitionsField::size):
      definitions.size = rank_number(in.get_uint32());
      break;
    case delimited(DefinitionsField::counter):
      definitions.counter = decode_counter(in.get_message());
      break;
    case delimited(DefinitionsField::provenance):
      definitions.provenance = decode_provenance(in.get_message());
      break;
    case delimited(DefinitionsField::hosts):
      definitions.hosts.push_back(decode_host(in.get_message()));
      break;
    case delimited(DefinitionsField::communicators):
      definitions.communicators.push_back(decode_communicator(in.get_message(), member_budget));
      break;
    case delimited(DefinitionsField::modules):
      definitions.modules.push_back({.path = text(in.get_view())});
      break;
    case delimited(DefinitionsField::kernels):
      definitions.kernels.push_back(decode_kernel(in.get_message()));
      break;
    case delimited(DefinitionsField::ranks):
      definitions.ranks.push_back(decode_rank(in.get_message()));
      break;
    case delimited(DefinitionsField::numbers):
      definitions.numbers.push_back(decode_numbers(in.get_message()));
      break;
    case delimited(DefinitionsField::module_build_ids):
      build_ids.push_back(text(in.get_view()));
      break;
    case delimited(DefinitionsField::callers):
      definitions.callers.push_back(decode_caller(in.get_message()));
      break;
    case delimited(DefinitionsField::regions):
      definitions.regions.push_back(text(in.get_view()));
      break;
    case varint(DefinitionsField::volume_error):
      definitions.volume_error = in.get_uint64();
      break;
    case delimited(DefinitionsField::profile_events):
      definitions.profile_events.push_back(text(in.get_view()));
      break;
    default:
      in.skip();
    }
  if (build_ids.size() > definitions.modules.size()) fail("more build ids than modules");
  for (std::size_t i = 0; i < build_ids.size(); ++i)
    definitions.modules[i].build_id = std::move(build_ids[i]);
  return definitions;
}

/// In time that goes with the members, not with the run: a definition may hold millions of small communicators.
void check_members(const std::vector<Rank>& members, Rank size) {
  std::vector<Rank> ours;
  ours.reserve(members.size());
  for (const Rank member : members) {
    if (member == foreign_rank) continue;
    if (member < 0 || member >= size) fail("a communicator's member is no rank of the run");
    ours.push_back(member);
  }
  if (!std::ranges::is_sorted(ours)) std::ranges::sort(ours);
  if (std::ranges::adjacent_find(ours) != ours.end()) fail("a communicator with the same member twice");
}

void apply_size(const Definitions& definitions, Run& run) {
  if (definitions.size) {
    if (*definitions.size <= 0) fail("a run of no ranks");
    if (run.size != 0 && run.size != *definitions.size) fail("two different numbers of ranks");
    run.size = *definitions.size;
  }
  if (run.size == 0) fail("the number of ranks is not given");
}

void apply_communicators(const Definitions& definitions, Run& run) {
  std::size_t members = 0;
  for (const Communicator& communicator : run.communicators)
    members += communicator.members.size() + communicator.remote_members.size();
  for (const Communicator& communicator : definitions.communicators) {
    members += communicator.members.size() + communicator.remote_members.size();
    if (members > max_members) fail("communicators with more members than a run can have");
    check_members(communicator.members, run.size);
    check_members(communicator.remote_members, run.size);
    run.communicators.push_back(communicator);
  }
}

void apply_callers(const Definitions& definitions, Run& run) {
  for (const Caller& caller : definitions.callers) {
    if (caller.site.module >= run.modules.size()) fail("a caller in an unknown module");
    // A caller comes before whom it calls: so every chain of them ends.
    if (caller.caller != no_caller && caller.caller >= run.callers.size()) fail("a caller with an unknown caller");
    run.callers.push_back(caller);
  }
}

void apply_kernels(const Definitions& definitions, Run& run) {
  const auto known = [&](CallerId caller) { return caller == no_caller || caller < run.callers.size(); };
  for (const Kernel& kernel : definitions.kernels) {
    if (std::max(kernel.begin.module, kernel.end.module) >= run.modules.size()) fail("a kernel in an unknown module");
    if (!known(kernel.begin_caller) || !known(kernel.end_caller)) fail("a kernel with an unknown caller");
    run.kernels.push_back(kernel);
  }
}

void apply_profile_events(const Definitions& definitions, Run& run) {
  if (definitions.profile_events.empty()) return;
  if (!run.profile_events.empty() && run.profile_events != definitions.profile_events)
    fail("two different lists of profiled events");
  run.profile_events = definitions.profile_events;
}

void check_profile(const RankRecord& record, const Run& run) {
  for (const KernelProfile& profile : record.profile) {
    if (profile.kernel >= run.kernels.size()) fail("a profile of an unknown kernel");
    if (profile.sums.size() != run.profile_events.size()) fail("a profile of other events than the run's");
  }
}

void apply_ranks(const Definitions& definitions, Run& run) {
  for (const RankRecord& record : definitions.ranks) {
    if (record.rank < 0 || record.rank >= run.size) fail("a rank beyond the size of the run");
    if (record.host >= run.hosts.size()) fail("a rank on an unknown host");
    check_profile(record, run);
    run.ranks.push_back(record);
  }
  if (std::ranges::adjacent_find(run.ranks, std::ranges::greater_equal{}, &RankRecord::rank) == run.ranks.end()) return;
  // Of the records of one rank, the last one counts.
  std::ranges::reverse(run.ranks);
  std::ranges::stable_sort(run.ranks, {}, &RankRecord::rank);
  const auto twice = std::ranges::unique(run.ranks, {}, &RankRecord::rank);
  run.ranks.erase(twice.begin(), twice.end());
}

} // namespace

bool Definitions::empty() const {
  return *this == Definitions{};
}

Definitions definitions_of(const Run& run) {
  return {.size = run.size,
          .counter = run.counter,
          .provenance = run.provenance,
          .hosts = run.hosts,
          .communicators = run.communicators,
          .modules = run.modules,
          .callers = run.callers,
          .kernels = run.kernels,
          .regions = run.regions,
          .profile_events = run.profile_events,
          .volume_error = run.volume_error,
          .ranks = run.ranks,
          .numbers = {}};
}

void apply(const Definitions& definitions, Run& run) {
  const bool first = run.size == 0;
  apply_size(definitions, run);
  if (definitions.counter) {
    if (!first && run.counter != Counter{} && run.counter != *definitions.counter) fail("two different counters");
    run.counter = *definitions.counter;
  }
  if (definitions.provenance) run.provenance = *definitions.provenance;
  run.hosts.insert(run.hosts.end(), definitions.hosts.begin(), definitions.hosts.end());
  apply_communicators(definitions, run);
  run.modules.insert(run.modules.end(), definitions.modules.begin(), definitions.modules.end());
  apply_callers(definitions, run);
  apply_kernels(definitions, run);
  run.regions.insert(run.regions.end(), definitions.regions.begin(), definitions.regions.end());
  apply_profile_events(definitions, run);
  run.volume_error = std::max(run.volume_error, definitions.volume_error);
  apply_ranks(definitions, run);
}

std::string encode(const Definitions& definitions) {
  std::string bytes;
  protozero::pbf_builder<DefinitionsField> out(bytes);
  if (definitions.size) out.add_uint32(DefinitionsField::size, static_cast<std::uint32_t>(*definitions.size));
  if (definitions.counter) encode(*definitions.counter, {out, DefinitionsField::counter});
  if (definitions.provenance) encode(*definitions.provenance, {out, DefinitionsField::provenance});
  for (const Host& host : definitions.hosts)
    encode(host, {out, DefinitionsField::hosts});
  for (const Communicator& communicator : definitions.communicators)
    encode(communicator, {out, DefinitionsField::communicators});
  encode(definitions.modules, out);
  for (const Caller& caller : definitions.callers)
    encode(caller, {out, DefinitionsField::callers});
  for (const Kernel& kernel : definitions.kernels)
    encode(kernel, {out, DefinitionsField::kernels});
  for (const std::string& region : definitions.regions)
    out.add_string(DefinitionsField::regions, region);
  for (const std::string& event : definitions.profile_events)
    out.add_string(DefinitionsField::profile_events, event);
  if (definitions.volume_error > 0) out.add_uint64(DefinitionsField::volume_error, definitions.volume_error);
  for (const RankRecord& record : definitions.ranks)
    encode(record, {out, DefinitionsField::ranks});
  for (const RankNumbers& numbers : definitions.numbers)
    encode(numbers, {out, DefinitionsField::numbers});
  return bytes;
}

Definitions decode_definitions(std::string_view bytes) {
  try {
    return decode(protozero::pbf_message<DefinitionsField>(bytes.data(), bytes.size()));
  } catch (const protozero::exception& problem) {
    fail(std::string("malformed message, ") + problem.what());
  }
}

} // namespace timeless::trace
