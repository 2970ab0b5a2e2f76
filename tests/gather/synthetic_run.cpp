#include "tests/gather/synthetic_run.h"

#include "trace/archive/writer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>

namespace timeless::test {

using trace::ActionKind;
using trace::Rank;

namespace {

std::vector<Rank> ranks_with(Rank size, const std::function<bool(Rank)>& chosen) {
  std::vector<Rank> ranks;
  for (Rank rank = 0; rank < size; ++rank)
    if (chosen(rank)) ranks.push_back(rank);
  return ranks;
}

/// Returns each rank's communicators: world, self, and in an order that depends on the rank the ranks of its parity,
/// its neighbours in pairs, and everybody backwards.
std::vector<trace::Communicator> communicators_of(const SyntheticRun& run, Rank rank) {
  std::vector<Rank> backwards = ranks_with(run.size, [](Rank) { return true; });
  const std::vector<Rank> world = backwards;
  std::ranges::reverse(backwards);
  const auto number = [](Rank value) { return static_cast<std::uint64_t>(value); };
  std::vector<trace::Communicator> created = {
      {.members = ranks_with(run.size, [&](Rank other) { return other % 2 == rank % 2; }),
       .remote_members = {},
       .identity = 3000 + number(rank % 2)},
      {.members = ranks_with(run.size, [&](Rank other) { return other / 2 == rank / 2; }),
       .remote_members = {},
       .identity = 4000 + number(rank / 2)},
      {.members = backwards, .remote_members = {}, .identity = 5000}};
  std::ranges::rotate(created, created.begin() + rank % 3);
  std::vector<trace::Communicator> all = {{.members = world, .remote_members = {}, .identity = 1},
                                          {.members = {rank}, .remote_members = {}, .identity = 2000 + number(rank)}};
  all.insert(all.end(), created.begin(), created.end());
  return all;
}

trace::Definitions definitions_of(const SyntheticRun& run, Rank rank) {
  trace::Definitions definitions;
  definitions.size = run.size;
  definitions.counter = run.counter;
  definitions.provenance = trace::Provenance{.tool_version = "timeless test",
                                             .mpi_library = "none",
                                             .program = "/bin/program-of-" + std::to_string(rank),
                                             .date = "2026-01-01T00:00:00Z",
                                             .run_identity = run.identity};
  definitions.hosts = {{.name = "node" + std::to_string(rank / run.ranks_per_host), .cpu_model = "some CPU"}};
  definitions.communicators = communicators_of(run, rank);
  definitions.modules = {{.path = "/bin/program", .build_id = "made by a linker"},
                         {.path = "/lib/libsolver.so"},
                         {.path = "/lib/libunused.so"}};
  // main, and two functions it calls.
  definitions.callers = {{.site = {.module = 0, .offset = 100}},
                         {.site = {.module = 0, .offset = 200}, .caller = 0},
                         {.site = {.module = 1, .offset = 300}, .caller = 0}};
  definitions.kernels = {{.begin = {.module = 0, .offset = 16}, .end = {.module = 0, .offset = 32}, .end_caller = 1},
                         {.begin = {.module = 0, .offset = 16}, .end = {.module = 0, .offset = 32}, .end_caller = 2},
                         {.begin = {.module = 0, .offset = 32}, .end = {.module = 1, .offset = 8}, .begin_caller = 0}};
  if (rank % 2 == 1) {
    std::swap(definitions.modules[0], definitions.modules[1]);
    std::swap(definitions.callers[1], definitions.callers[2]);
    for (trace::Caller& caller : definitions.callers)
      caller.site.module = 1 - caller.site.module;
    for (trace::Kernel& kernel : definitions.kernels) {
      kernel.begin.module = 1 - kernel.begin.module;
      kernel.end.module = 1 - kernel.end.module;
      if (kernel.end_caller != trace::no_caller) kernel.end_caller = 3 - kernel.end_caller;
    }
    std::swap(definitions.kernels[0], definitions.kernels[2]);
  }
  // One kernel that only this rank has.
  definitions.kernels.push_back({{.module = 2, .offset = 1}, {.module = 2, .offset = 100 + std::uint64_t(rank)}});
  if (rank % 3 == 2) {
    definitions.kernels.back().begin.module = 0;
    definitions.kernels.back().end.module = 0;
    definitions.modules.pop_back();
  }
  definitions.regions = {"setup", "solve", "only rank " + std::to_string(rank)};
  std::ranges::rotate(definitions.regions, definitions.regions.begin() + rank % 3);
  definitions.profile_events = {"CYCLES", "MISSES"};
  definitions.ranks = {{.rank = rank, .skew_per_call = 11}};
  return definitions;
}

Rank place_in(const trace::Communicator& communicator, Rank rank) {
  return static_cast<Rank>(std::ranges::find(communicator.members, rank) - communicator.members.begin());
}

/// A message to the next member, one from the previous, and an allreduce.
void add_ring(const trace::Communicator& communicator, trace::CommunicatorId id, Rank rank, int round,
              trace::ActionBlock& block) {
  const auto size = static_cast<Rank>(communicator.members.size());
  const Rank place = place_in(communicator, rank);
  const auto bytes = [&](Rank sender) { return static_cast<trace::Bytes>(8 * (sender + 1) + round % 5); };
  block.append({.kind = ActionKind::receive,
                .communicator = id,
                .peer = (place + size - 1) % size,
                .tag = round % 3,
                .bytes = bytes((place + size - 1) % size),
                .request = 0});
  block.append({.kind = ActionKind::send,
                .communicator = id,
                .peer = (place + 1) % size,
                .tag = round % 3,
                .bytes = bytes(place)});
  const trace::RequestId request = 0;
  block.append({.kind = ActionKind::wait, .requests = {&request, 1}});
  block.append({.kind = ActionKind::allreduce, .communicator = id, .bytes = 8, .element_bytes = 8});
}

/// Returns the communicators in the order all ranks use them, as this rank numbers them.
std::vector<trace::CommunicatorId> order_of_use(const std::vector<trace::Communicator>& communicators) {
  std::vector<trace::CommunicatorId> order(communicators.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](trace::CommunicatorId id) { return communicators[id].identity; });
  return order;
}

} // namespace

std::vector<std::uint64_t> profile_of(Rank rank, const trace::Kernel& kernel) {
  return {kernel.end.offset, static_cast<std::uint64_t>(rank)};
}

std::filesystem::path write_rank_file(const SyntheticRun& run, Rank rank, const std::filesystem::path& directory,
                                      const RankFileVariation& variation) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%06d.tia", rank);
  const std::filesystem::path path = directory / name;
  trace::Definitions definitions = definitions_of(run, rank);
  if (variation.change) variation.change(definitions);

  trace::ArchiveWriter writer(path);
  writer.define(definitions);
  std::uint64_t actions = 0;
  trace::ActionBlock block;
  const auto flush = [&] {
    for (std::size_t i = 0; run.timed && i < block.size(); ++i)
      block.add_times({10 * (actions + i) + static_cast<std::uint64_t>(rank), 10 * (actions + i) + 9});
    actions += block.size();
    writer.write(rank, block);
    block.clear();
  };
  std::mt19937_64 random(static_cast<std::uint64_t>(rank));
  for (int round = 0; round < run.rounds; ++round) {
    const auto kernel = static_cast<trace::KernelId>(static_cast<std::size_t>(round) % definitions.kernels.size());
    block.append_compute(kernel, 1000U + static_cast<unsigned>(round) * static_cast<unsigned>(rank + 1));
    for (int i = 0; i < run.noise; ++i)
      block.append_compute(kernel, random());
    const auto region = static_cast<trace::RegionId>(static_cast<std::size_t>(round) % definitions.regions.size());
    block.append({.kind = ActionKind::region_begin, .region = region});
    for (const trace::CommunicatorId id : order_of_use(definitions.communicators))
      add_ring(definitions.communicators[id], id, rank, round, block);
    block.append({.kind = ActionKind::region_end, .region = region});
    if (block.size() >= run.actions_per_block) flush();
  }
  if (variation.finalize) block.append({.kind = ActionKind::finalize});
  flush();
  trace::RankRecord record = definitions.ranks.front();
  record.actions = actions;
  record.unrecorded_calls = {{"MPI_Put", 3}};
  for (trace::KernelId kernel = 0; kernel < definitions.kernels.size(); ++kernel)
    record.profile.push_back({.kernel = kernel, .bursts = 1, .sums = profile_of(rank, definitions.kernels[kernel])});
  if (variation.finalize) record.ending = trace::Ending::finalized;
  if (!variation.stopped_because.empty()) {
    record.ending = trace::Ending::stopped;
    record.ending_reason = variation.stopped_because;
  }
  if (variation.finalize || record.ending == trace::Ending::stopped) {
    trace::Definitions last;
    last.ranks = {record};
    writer.define(last);
  }
  if (variation.finish) writer.finish();
  return path;
}

std::vector<std::filesystem::path> write_rank_files(const SyntheticRun& run, const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> paths;
  for (Rank rank = 0; rank < run.size; ++rank)
    paths.push_back(write_rank_file(run, rank, directory));
  return paths;
}

namespace {

std::string words(const trace::Run& run, trace::CommunicatorId id) {
  if (id == trace::no_communicator) return "none";
  const trace::Communicator& communicator = run.communicators.at(id);
  std::string text = std::to_string(communicator.identity) + "{";
  for (const Rank member : communicator.members)
    text += std::to_string(member) + " ";
  return text + "}";
}

std::string words(const trace::Run& run, const trace::CallSite& site, trace::CallerId caller) {
  const trace::Module& module = run.modules.at(site.module);
  std::string text = module.path + "(" + module.build_id + ")+" + std::to_string(site.offset);
  if (caller != trace::no_caller)
    text += " called from " + words(run, run.callers.at(caller).site, run.callers.at(caller).caller);
  return text;
}

} // namespace

std::vector<std::string> actions_in_words(const trace::Source& source, Rank rank) {
  const trace::Run& run = source.run();
  std::vector<std::string> result;
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  while (stream->next(block))
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      std::string text = trace::mpi_name(action) + " in " + words(run, action.communicator) + " peer " +
                         std::to_string(action.peer) + " tag " + std::to_string(action.tag) + " bytes " +
                         std::to_string(action.bytes) + " volume " + std::to_string(volume);
      if (action.kernel != trace::no_kernel) {
        const trace::Kernel& kernel = run.kernels.at(action.kernel);
        text += " between " + words(run, kernel.begin, kernel.begin_caller) + " and " +
                words(run, kernel.end, kernel.end_caller);
      }
      if (action.region != trace::no_region) text += " region " + run.regions.at(action.region);
      for (const trace::RequestId request : action.requests)
        text += " request " + std::to_string(request);
      result.push_back(std::move(text));
    });
  return result;
}

std::vector<std::pair<std::string, std::string>> contents(const std::filesystem::path& directory) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    std::string bytes;
    if (entry.is_regular_file()) {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.assign(std::istreambuf_iterator<char>(file), {});
    }
    result.emplace_back(entry.path().string(), std::move(bytes));
  }
  std::ranges::sort(result);
  return result;
}

} // namespace timeless::test
