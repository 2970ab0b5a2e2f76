#include "trace/codec/definitions/definitions.h"

#include "base/error.h"
#include "trace/codec/format.h"

#include <algorithm>
#include <functional>

namespace timeless::trace {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw Error(Failure::invalid_input, what, "definitions");
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
    if (!communicator.fills_grid()) fail("a grid with more or fewer places than its communicator has members");
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

} // namespace timeless::trace
