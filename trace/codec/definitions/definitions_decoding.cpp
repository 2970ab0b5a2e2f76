#include "base/error.h"
#include "trace/codec/definitions/definition_fields.h"
#include "trace/codec/definitions/definitions.h"
#include "trace/codec/format.h"

#include <protozero/pbf_message.hpp>

#include <utility>

namespace timeless::trace {

using namespace fields;

namespace {

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

[[noreturn]] void malformed(const std::string& what) {
  throw Error(Failure::invalid_input, what, "definitions");
}

std::string text(protozero::data_view view) {
  return {view.data(), view.size()};
}

template <typename Enum>
Enum enumerator(std::uint32_t value, Enum last) {
  if (value > static_cast<std::uint32_t>(last)) malformed("an enumerator this version does not know");
  return static_cast<Enum>(value);
}

Rank rank_number(std::uint32_t value) {
  if (value >= static_cast<std::uint32_t>(max_ranks)) malformed("a rank beyond what a run can have");
  return static_cast<Rank>(value);
}

/// Returns the number of one that is stored: one more, so that 0 is none.
CallerId caller_number(std::uint32_t stored) {
  return stored == 0 ? no_caller : stored - 1;
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
    case delimited(ProvenanceField::extrapolated):
      provenance.extrapolated = text(in.get_view());
      break;
    case delimited(ProvenanceField::command):
      provenance.command.push_back(text(in.get_view()));
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
  if (count == 0 || count > budget) malformed("communicators with more members than a run can have");
  budget -= count;
  if (first == foreign_rank) {
    members.insert(members.end(), count, foreign_rank);
    return;
  }
  const std::int64_t last = first + stride * (std::int64_t{count} - 1);
  if (std::min(first, last) < 0 || std::max(first, last) >= max_ranks) malformed("a communicator's member is no rank");
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
    case delimited(CommunicatorField::grid):
      for (const std::uint32_t dimension : in.get_packed_uint32())
        communicator.grid.push_back({.extent = dimension / 2, .periodic = dimension % 2 != 0});
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

/// Decodes the field that comes next if it describes the whole run; false for another.
bool decode_of_run(protozero::pbf_message<DefinitionsField>& in, Definitions& definitions) {
  switch (in.tag_and_type()) {
  case varint(DefinitionsField::size):
    definitions.size = rank_number(in.get_uint32());
    return true;
  case delimited(DefinitionsField::counter):
    definitions.counter = decode_counter(in.get_message());
    return true;
  case delimited(DefinitionsField::provenance):
    definitions.provenance = decode_provenance(in.get_message());
    return true;
  case varint(DefinitionsField::volume_error):
    definitions.volume_error = in.get_uint64();
    return true;
  case delimited(DefinitionsField::profile_events):
    definitions.profile_events.push_back(text(in.get_view()));
    return true;
  default:
    return false;
  }
}

Definitions decode(protozero::pbf_message<DefinitionsField> in) {
  Definitions definitions;
  std::size_t member_budget = max_members;
  std::vector<std::string> build_ids;
  while (in.next()) {
    if (decode_of_run(in, definitions)) continue;
    switch (in.tag_and_type()) {
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
    default:
      in.skip();
    }
  }
  if (build_ids.size() > definitions.modules.size()) malformed("more build ids than modules");
  for (std::size_t i = 0; i < build_ids.size(); ++i)
    definitions.modules[i].build_id = std::move(build_ids[i]);
  return definitions;
}

} // namespace

Definitions decode_definitions(std::string_view bytes) {
  try {
    return decode(protozero::pbf_message<DefinitionsField>(bytes.data(), bytes.size()));
  } catch (const protozero::exception& problem) {
    malformed(std::string("malformed message, ") + problem.what());
  }
}

} // namespace timeless::trace
