#include "trace/model/memory_source.h"

#include "base/error.h"

#include <numeric>
#include <string>
#include <utility>

namespace timeless::trace {

namespace {

/// Copies a rank's blocks out, one by one.
class MemoryStream : public RankStream {
public:
  explicit MemoryStream(const std::vector<ActionBlock>& blocks) : blocks_(blocks) {}

  bool next(ActionBlock& block) override {
    if (position_ == blocks_.size()) return false;
    const ActionBlock& stored = blocks_[position_++];
    block.clear();
    for (const Action& action : stored.dictionary())
      block.add_entry(action);
    block.assign({stored.sequence().begin(), stored.sequence().end()},
                 {stored.volumes().begin(), stored.volumes().end()});
    return true;
  }

  void read_times(ActionBlock& block) const override {
    const auto times = blocks_[position_ - 1].times();
    block.assign_times({times.begin(), times.end()});
  }

private:
  const std::vector<ActionBlock>& blocks_;
  std::size_t position_ = 0;
};

} // namespace

MemorySource::MemorySource(Rank size, std::size_t actions_per_block)
    : actions_per_block_(actions_per_block), blocks_(static_cast<std::size_t>(size)) {
  run_.size = size;
  run_.counter = {.name = "memory", .version = {}, .unit = VolumeUnit::instructions, .exactness = Exactness::exact};
  std::vector<Rank> world(static_cast<std::size_t>(size));
  std::iota(world.begin(), world.end(), 0);
  for (const Rank rank : world) {
    run_.hosts.push_back({.name = "host-" + std::to_string(rank), .cpu_model = {}});
    run_.ranks.push_back({.rank = rank, .host = static_cast<std::uint32_t>(rank)});
  }
  add_communicator(std::move(world));
  run_.modules.push_back({.path = "program"});
  add_kernel({});
}

CommunicatorId MemorySource::add_communicator(std::vector<Rank> members, std::vector<Rank> remote_members) {
  const auto id = static_cast<CommunicatorId>(run_.communicators.size());
  run_.communicators.push_back(
      {.members = std::move(members), .remote_members = std::move(remote_members), .identity = id});
  return id;
}

KernelId MemorySource::add_kernel(Kernel kernel) {
  run_.kernels.push_back(kernel);
  return static_cast<KernelId>(run_.kernels.size() - 1);
}

ActionBlock& MemorySource::room(Rank rank) {
  auto& blocks = blocks_.at(static_cast<std::size_t>(rank));
  if (blocks.empty() || blocks.back().size() >= actions_per_block_) blocks.emplace_back();
  ++run_.ranks.at(static_cast<std::size_t>(rank)).actions;
  return blocks.back();
}

void MemorySource::add(Rank rank, const Action& action) {
  room(rank).append(action);
}

void MemorySource::compute(Rank rank, std::uint64_t volume, KernelId kernel) {
  room(rank).append_compute(kernel, volume);
}

void MemorySource::volume(Rank rank, ActionKind kind, std::uint64_t volume, KernelId kernel) {
  room(rank).append_volume(kind, kernel, volume);
}

void MemorySource::times(Rank rank, ActionTimes times) {
  blocks_.at(static_cast<std::size_t>(rank)).back().add_times(times);
}

void MemorySource::finalize() {
  for (RankRecord& record : run_.ranks) {
    add(record.rank, {.kind = ActionKind::finalize});
    record.ending = Ending::finalized;
  }
}

std::unique_ptr<RankStream> MemorySource::open(Rank rank) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= blocks_.size())
    throw Error(Failure::invalid_input, "no such rank", "rank " + std::to_string(rank));
  return std::make_unique<MemoryStream>(blocks_[static_cast<std::size_t>(rank)]);
}

} // namespace timeless::trace
