#include "tests/trace/samples.h"

#include "trace/archive/writer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace timeless::trace::test {

OwnedAction::OwnedAction(const Action& from, std::uint64_t volume_)
    : action(from), volume(volume_), requests(from.requests.begin(), from.requests.end()),
      counts(from.counts.begin(), from.counts.end()),
      receive_counts(from.receive_counts.begin(), from.receive_counts.end()),
      ranks(from.ranks.begin(), from.ranks.end()) {
  action.ranks = ranks;
  action.requests = requests;
  action.counts = counts;
  action.receive_counts = receive_counts;
}

std::vector<OwnedAction> actions_of(const Source& source, Rank rank) {
  std::vector<OwnedAction> actions;
  const auto stream = source.open(rank);
  ActionBlock block;
  while (stream->next(block))
    for_each_action(block, [&](const Action& action, std::uint64_t volume) { actions.emplace_back(action, volume); });
  return actions;
}

bool same_actions(std::span<const OwnedAction> left, std::span<const OwnedAction> right) {
  return std::ranges::equal(left, right, [](const OwnedAction& a, const OwnedAction& b) {
    return a.action == b.action && a.volume == b.volume;
  });
}

MemorySource varied_run(Rank size, std::size_t rounds, std::size_t actions_per_block) {
  MemorySource run(size, actions_per_block);
  const KernelId sweep = run.add_kernel({{0, 0x1000}, {0, 0x2000}});
  const CommunicatorId half = run.add_communicator(size == 1 ? std::vector<Rank>{0} : std::vector<Rank>{0, size - 1});
  run.description().provenance.program = "/bin/varied";
  run.description().counter.threads = "calling";
  run.description().regions = {"setup", "solve", "output"};
  for (Rank rank = 0; rank < size; ++rank) {
    const std::vector<Bytes> counts(static_cast<std::size_t>(size), Bytes{1} << 40U);
    const std::vector<Rank> group = {0, size - 1};
    const std::vector<Bytes> others = {0, 7, static_cast<Bytes>(rank)};
    for (std::size_t round = 0; round < rounds; ++round) {
      const std::vector<RequestId> requests = {0, 1, static_cast<RequestId>(round % 5)};
      run.compute(rank, 1000 + round * round, sweep);
      run.compute(rank, ~std::uint64_t{0} - round);
      run.volume(rank, ActionKind::workers_sum, 3000 + round, sweep);
      run.volume(rank, ActionKind::workers_maximum, 2000 + round, sweep);
      run.add(rank, {.kind = ActionKind::region_begin, .region = static_cast<RegionId>(round % 3)});
      run.add(rank, {.kind = ActionKind::win_post, .flags = flag_no_check, .communicator = half, .ranks = group});
      run.add(rank, {.kind = ActionKind::send,
                     .mode = SendMode::synchronous,
                     .flags = flag_persistent,
                     .communicator = half,
                     .peer = 1,
                     .tag = 32767,
                     .bytes = 123456789012345,
                     .request = 1});
      run.add(rank,
              {.kind = ActionKind::receive, .flags = flag_wildcard, .peer = any_rank, .tag = any_tag, .request = 0});
      run.add(rank, {.kind = ActionKind::resolved, .peer = 2, .tag = 5, .bytes = 80, .request = 0});
      run.add(rank, {.kind = ActionKind::exchange,
                     .peer = 1,
                     .tag = 3,
                     .bytes = 10 + round,
                     .receive_peer = 0,
                     .receive_tag = 4,
                     .receive_bytes = 20});
      run.add(rank, {.kind = ActionKind::wait_some, .requests = requests});
      run.add(rank, {.kind = ActionKind::allreduce, .flags = flag_user_operation, .bytes = 64, .element_bytes = 8});
      run.add(rank, {.kind = ActionKind::alltoallv, .counts = counts, .receive_counts = others});
      run.add(rank, {.kind = ActionKind::comm_split, .new_communicator = round % 2 == 0 ? half : no_communicator});
    }
  }
  run.finalize();
  return run;
}

void write_archive(const Source& source, const std::filesystem::path& path, bool with_times) {
  ArchiveWriter writer(path);
  writer.define(definitions_of(source.run()));
  for (const RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    ActionBlock block;
    while (stream->next(block)) {
      if (with_times) stream->read_times(block);
      writer.write(record.rank, block);
    }
  }
  writer.finish();
}

std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void name_program(Run& run, const std::string& program, const std::string& build, std::uint64_t identity) {
  run.modules = {{program, build}};
  run.provenance.program = program;
  run.provenance.run_identity = identity;
}

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  // Some file systems wait for the disk when a file is closed that was emptied first.
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

} // namespace timeless::trace::test
