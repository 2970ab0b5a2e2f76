// Prints how many messages and bytes each rank of a recorded run sent to each other, and what each computed.
// Usage: communication_matrix run.tia
#include <base/error.h>
#include <trace/archive/reader.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <vector>

namespace {

using namespace timeless;

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// By the receiver's rank in MPI_COMM_WORLD.
using Row = std::map<trace::Rank, Traffic>;

/// The rank in MPI_COMM_WORLD of an action's peer, which is a rank of the action's communicator: of the other group,
/// when that is an intercommunicator.
trace::Rank world_rank(const trace::Run& run, const trace::Action& action) {
  const trace::Communicator& communicator = run.communicators.at(action.communicator);
  const std::vector<trace::Rank>& peers =
      communicator.remote_members.empty() ? communicator.members : communicator.remote_members;
  return peers.at(static_cast<std::size_t>(action.peer));
}

bool sends(const trace::Action& action) {
  return sends_message(action.kind) && action.peer != trace::no_rank; // MPI_PROC_NULL receives nothing
}

/// Adds what one block of actions says. Equal actions share an entry of the block's dictionary: count them first.
void add(const trace::Run& run, const trace::ActionBlock& block, Row& row) {
  std::vector<std::uint64_t> counts(block.dictionary().size());
  for (const std::uint32_t entry : block.sequence())
    ++counts[entry];
  for (std::size_t entry = 0; entry < counts.size(); ++entry) {
    const trace::Action& action = block.dictionary()[entry];
    if (counts[entry] == 0 || !sends(action)) continue;
    Traffic& traffic = row[world_rank(run, action)];
    traffic.messages += counts[entry];
    traffic.bytes += counts[entry] * action.bytes;
  }
}

std::uint64_t computed(const trace::ActionBlock& block) {
  std::uint64_t volume = 0;
  for_each_action(block, [&](const trace::Action& action, std::uint64_t each) {
    if (action.kind == trace::ActionKind::compute) volume += each;
  });
  return volume;
}

void print(const trace::ArchiveReader& archive) {
  const trace::Run& run = archive.run();
  std::printf("%d ranks of %s, counter %s\n", run.size, run.provenance.program.c_str(), run.counter.name.c_str());
  trace::ActionBlock block; // reused: memory does not grow with the run
  for (const trace::RankRecord& record : run.ranks) {
    Row row;
    std::uint64_t volume = 0;
    for (const auto stream = archive.open(record.rank); stream->next(block);) {
      add(run, block, row);
      volume += computed(block);
    }
    std::printf("rank %d computes %llu %s\n", record.rank, static_cast<unsigned long long>(volume),
                name(run.counter.unit));
    for (const auto& [receiver, traffic] : row) // foreign_rank, -4: in another MPI_COMM_WORLD
      std::printf("  to %d: %llu messages, %llu bytes\n", receiver, static_cast<unsigned long long>(traffic.messages),
                  static_cast<unsigned long long>(traffic.bytes));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: communication_matrix run.tia\n");
    return 2;
  }
  try {
    print(trace::ArchiveReader(argv[1]));
    return 0;
  } catch (const Error& error) { // what happened, where, and what to do
    std::fprintf(stderr, "communication_matrix: %s\n", error.what());
    return static_cast<int>(error.failure());
  }
}
