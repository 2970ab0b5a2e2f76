#pragma once

#include "trace/model/source.h"

#include <vector>

namespace timeless::trace {

/// A run held in memory: for tests, for generated programs and for formats that must be read whole.
///
///     MemorySource program(2);
///     program.compute(0, 1000);
///     program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8});
///     program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 8});
///     program.finalize();
class MemorySource : public Source {
public:
  /// Makes a run of `size` ranks, all present, on one host each, counting exact instructions, with MPI_COMM_WORLD only.
  explicit MemorySource(Rank size, std::size_t actions_per_block = 4096);

  /// Returns the run's description, to be changed at will before it is read.
  Run& description() { return run_; }
  /// Adds a communicator; returns its id.
  CommunicatorId add_communicator(std::vector<Rank> members, std::vector<Rank> remote_members = {});
  KernelId add_kernel(Kernel kernel);

  void add(Rank rank, const Action& action);
  void compute(Rank rank, std::uint64_t volume, KernelId kernel = 0);
  /// Appends an action of a kind that has a volume.
  void volume(Rank rank, ActionKind kind, std::uint64_t volume, KernelId kernel = no_kernel);
  /// Says when the action added last of this rank was entered and left.
  void times(Rank rank, ActionTimes times);
  /// Ends every rank: a finalize action, Ending::finalized.
  void finalize();

  const Run& run() const override { return run_; }
  std::unique_ptr<RankStream> open(Rank rank) const override;

private:
  ActionBlock& room(Rank rank);

  Run run_;
  std::size_t actions_per_block_;
  std::vector<std::vector<ActionBlock>> blocks_;
};

} // namespace timeless::trace
