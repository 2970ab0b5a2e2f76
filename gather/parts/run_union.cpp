#include "gather/parts/run_union.h"

#include "gather/parts/numbering.h"

#include "base/error.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <ranges>
#include <utility>

namespace timeless::gather {

using trace::CommunicatorId;
using trace::KernelId;
using trace::Rank;
using trace::Run;

namespace {

/// Returns the lowest world rank of a group; of members of another world there is none.
Rank lowest(const std::vector<Rank>& group) {
  Rank least = std::numeric_limits<Rank>::max();
  for (const Rank member : group)
    if (member != trace::foreign_rank) least = std::min(least, member);
  return least;
}

/// Turns an intercommunicator the way both sides agree on: `members` are the group with the lowest world rank.
void orient(trace::Communicator& communicator) {
  if (communicator.remote_members.empty() || communicator.members.empty()) return;
  if (lowest(communicator.remote_members) < lowest(communicator.members))
    std::swap(communicator.members, communicator.remote_members);
}

} // namespace

CommunicatorId RunUnion::communicator(trace::Communicator communicator, const std::string& label) {
  orient(communicator);
  const auto next = static_cast<CommunicatorId>(communicators_.size());
  const auto [found, added] = communicator_numbers_.try_emplace(communicator.identity, next);
  if (added) {
    communicators_.push_back(std::move(communicator));
    communicator_inputs_.push_back(inputs_.size());
  } else if (communicators_[found->second] != communicator) {
    const std::size_t other = communicator_inputs_[found->second];
    throw Error(Failure::invalid_input, "two communicators with one identity but other members",
                (other < inputs_.size() ? inputs_[other].label + " and " : "") + label,
                "the files do not belong together, or the recorder has a fault worth reporting");
  }
  return found->second;
}

void RunUnion::add_communicators(const Run& run, Input& input) {
  for (const trace::Communicator& each : run.communicators)
    input.numbers.communicators.push_back(communicator(each, input.label));
  if (!input.numbers.communicators.empty() && input.numbers.communicators.front() != trace::world_communicator)
    throw Error(Failure::invalid_input, "the files disagree on MPI_COMM_WORLD",
                (inputs_.empty() ? "" : inputs_.front().label + " and ") + input.label);
}

namespace {

/// Returns the number of a value among those known, and enters it if it is new.
template <typename Value>
std::uint32_t number_of(const Value& value, std::vector<Value>& known, std::map<Value, std::uint32_t>& numbers) {
  const auto [found, added] = numbers.try_emplace(value, static_cast<std::uint32_t>(known.size()));
  if (added) known.push_back(value);
  return found->second;
}

trace::CallerId renumbered(trace::CallerId caller, const std::vector<trace::CallerId>& callers) {
  return caller == trace::no_caller ? caller : callers.at(caller);
}

} // namespace

void RunUnion::add_kernels(const Run& run, Input& input) {
  std::vector<std::uint32_t> modules;
  for (const trace::Module& module : run.modules)
    modules.push_back(number_of(module, modules_, module_numbers_));
  std::vector<trace::CallerId> callers;
  for (trace::Caller caller : run.callers) {
    caller.site.module = modules.at(caller.site.module);
    caller.caller = renumbered(caller.caller, callers);
    callers.push_back(number_of(caller, callers_, caller_numbers_));
  }
  for (trace::Kernel kernel : run.kernels) {
    kernel.begin.module = modules.at(kernel.begin.module);
    kernel.end.module = modules.at(kernel.end.module);
    kernel.begin_caller = renumbered(kernel.begin_caller, callers);
    kernel.end_caller = renumbered(kernel.end_caller, callers);
    input.numbers.kernels.push_back(number_of(kernel, kernels_, kernel_numbers_));
  }
}

void RunUnion::add_regions(const Run& run, Input& input) {
  for (const std::string& name : run.regions) {
    const auto [found, added] = region_numbers_.try_emplace(name, static_cast<trace::RegionId>(regions_.size()));
    if (added) regions_.push_back(name);
    input.numbers.regions.push_back(found->second);
  }
}

void RunUnion::add_ranks(RunPart& part, std::size_t input) {
  for (std::size_t i = 0; i < part.run.ranks.size(); ++i) {
    trace::RankRecord& record = part.run.ranks[i];
    const trace::Host& host = part.run.hosts.at(record.host);
    const auto [number, added] =
        host_numbers_.try_emplace({host.name, host.cpu_model}, static_cast<std::uint32_t>(hosts_.size()));
    if (added) hosts_.push_back(host);
    record.host = number->second;
    const Rank rank = record.rank;
    ranks_.emplace(rank, RankEntry{std::move(record), input, std::move(part.labels[i]), std::move(part.numbers[i])});
  }
}

void RunUnion::add(RunPart part) {
  same_run_.add(part.run, part.labels);
  volume_error_ = std::max(volume_error_, part.run.volume_error);
  Input input{.label = part.labels.front(), .numbers = {}};
  add_communicators(part.run, input);
  add_kernels(part.run, input);
  add_regions(part.run, input);
  inputs_.push_back(std::move(input));
  add_ranks(part, inputs_.size() - 1);
}

namespace {

/// Numbers a caller, and before it whom it was called by: a caller's number is above that of its own.
trace::CallerId with_callers(trace::CallerId ours, const std::vector<trace::Caller>& callers, Numbering& numbering) {
  if (ours == trace::no_caller) return ours;
  std::vector<trace::CallerId> path;
  for (trace::CallerId each = ours; each != trace::no_caller && !numbering.has(each); each = callers.at(each).caller)
    path.push_back(each);
  for (const trace::CallerId each : std::views::reverse(path))
    numbering(each);
  return numbering(ours);
}

/// Returns a rank's numbers in terms of the run's: through the input's (where `own` says how) and ours.
std::vector<std::uint32_t> through(const std::vector<std::uint32_t>& own, const std::vector<std::uint32_t>& input,
                                   Numbering& numbering) {
  std::vector<std::uint32_t> result;
  if (own.empty()) {
    for (const std::uint32_t ours : input)
      result.push_back(numbering(ours));
  } else {
    for (const std::uint32_t number : own)
      result.push_back(numbering(input.at(number)));
  }
  return result;
}

/// Empties a list that says that every one of the run's `count` numbers is itself.
void forget_identity(std::vector<std::uint32_t>& list, std::size_t count) {
  bool same = list.size() == count;
  for (std::uint32_t i = 0; same && i < list.size(); ++i)
    same = list[i] == i;
  if (same) list = {};
}

/// Moves what a table holds of a run to the run, by the run's numbers.
template <typename Known>
std::vector<Known> in_order(std::vector<Known>& ours, const Numbering& numbering) {
  std::vector<Known> ordered;
  ordered.reserve(numbering.order().size());
  for (const std::uint32_t number : numbering.order())
    ordered.push_back(std::move(ours[number]));
  return ordered;
}

void renumber(std::vector<std::uint32_t>& ours, Numbering& numbering) {
  std::ranges::transform(ours, ours.begin(), std::ref(numbering));
}

} // namespace

/// The run's numbers of what ranks name.
struct RunUnion::Numberings {
  explicit Numberings(const RunUnion& all)
      : hosts(all.hosts_.size()), communicators(all.communicators_.size()), kernels(all.kernels_.size()),
        regions(all.regions_.size()) {}

  Numbering hosts;
  Numbering communicators;
  Numbering kernels;
  Numbering regions;
};

UnitedRun RunUnion::finish() {
  if (same_run_.empty()) throw Error(Failure::invalid_input, "no archives to gather");
  UnitedRun united;
  Run& run = united.run;
  run.size = same_run_.size();
  run.counter = same_run_.counter();
  run.provenance = same_run_.provenance();
  run.profile_events = same_run_.profile_events();
  run.volume_error = volume_error_;

  Numberings numberings(*this);
  for (auto& [rank, entry] : ranks_)
    finish_rank(rank, entry, numberings, united);
  for (Input& input : inputs_) {
    renumber(input.numbers.communicators, numberings.communicators);
    renumber(input.numbers.kernels, numberings.kernels);
    renumber(input.numbers.regions, numberings.regions);
    united.input_numbers.push_back(std::move(input.numbers));
  }
  run.hosts = in_order(hosts_, numberings.hosts);
  run.communicators = in_order(communicators_, numberings.communicators);
  run.regions = in_order(regions_, numberings.regions);
  run.kernels = in_order(kernels_, numberings.kernels);
  finish_places(run);
  for (trace::RankNumbers& numbers : united.numbers) {
    forget_identity(numbers.communicators, run.communicators.size());
    forget_identity(numbers.kernels, run.kernels.size());
    forget_identity(numbers.regions, run.regions.size());
  }
  *this = RunUnion();
  return united;
}

/// Numbers what a rank names, and moves the rank to the run.
void RunUnion::finish_rank(Rank rank, RankEntry& entry, Numberings& numberings, UnitedRun& united) const {
  const InputNumbers& input = inputs_[entry.input].numbers;
  entry.record.host = numberings.hosts(entry.record.host);
  trace::RankNumbers numbers{.rank = rank, .communicators = {}, .kernels = {}, .regions = {}};
  numbers.communicators = through(entry.numbers.communicators, input.communicators, numberings.communicators);
  // A rank without actions names no kernel. Its empty list would say that it names all that its input knows.
  if (entry.record.actions > 0) {
    numbers.kernels = through(entry.numbers.kernels, input.kernels, numberings.kernels);
    numbers.regions = through(entry.numbers.regions, input.regions, numberings.regions);
  }
  for (trace::KernelProfile& profile : entry.record.profile)
    profile.kernel = numberings.kernels(input.kernels.at(profile.kernel));
  std::ranges::sort(entry.record.profile, {}, &trace::KernelProfile::kernel);
  united.numbers.push_back(std::move(numbers));
  united.inputs.push_back(entry.input);
  united.labels.push_back(std::move(entry.label));
  united.run.ranks.push_back(std::move(entry.record));
}

/// Numbers the modules and callers that the run's kernels name, and moves them to the run.
void RunUnion::finish_places(Run& run) {
  Numbering modules(modules_.size());
  Numbering callers(callers_.size());
  for (trace::Kernel& kernel : run.kernels) {
    kernel.begin.module = modules(kernel.begin.module);
    kernel.end.module = modules(kernel.end.module);
    kernel.begin_caller = with_callers(kernel.begin_caller, callers_, callers);
    kernel.end_caller = with_callers(kernel.end_caller, callers_, callers);
  }
  run.callers = in_order(callers_, callers);
  for (trace::Caller& caller : run.callers) {
    caller.site.module = modules(caller.site.module);
    if (caller.caller != trace::no_caller) caller.caller = callers(caller.caller);
  }
  run.modules = in_order(modules_, modules);
}

RunPart part_of(UnitedRun united) {
  return {.run = std::move(united.run), .numbers = std::move(united.numbers), .labels = std::move(united.labels)};
}

} // namespace timeless::gather
