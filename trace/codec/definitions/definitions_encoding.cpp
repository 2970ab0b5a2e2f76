#include "trace/codec/definitions/definition_fields.h"
#include "trace/codec/definitions/definitions.h"

#include <protozero/pbf_builder.hpp>

#include <algorithm>

namespace timeless::trace {

using namespace fields;

namespace {

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
  if (!provenance.extrapolated.empty()) out.add_string(ProvenanceField::extrapolated, provenance.extrapolated);
  for (const std::string& word : provenance.command)
    out.add_string(ProvenanceField::command, word);
}

void encode(const Host& host, protozero::pbf_builder<HostField> out) {
  out.add_string(HostField::name, host.name);
  out.add_string(HostField::cpu_model, host.cpu_model);
}

/// Returns where the run of equal strides that begins at `begin` ends. Foreign members are runs of their own, of stride
/// 0.
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
  if (communicator.grid.empty()) return;
  protozero::packed_field_uint32 grid(out, static_cast<protozero::pbf_tag_type>(CommunicatorField::grid));
  for (const GridDimension& dimension : communicator.grid)
    grid.add_element(2 * dimension.extent + (dimension.periodic ? 1 : 0));
}

/// Returns a caller's number as it is stored: one more, so that 0 is none.
std::uint32_t stored(CallerId caller) {
  return caller == no_caller ? 0 : caller + 1;
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

} // namespace

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

} // namespace timeless::trace
