#pragma once

#include "trace/model/action.h"
#include "trace/model/dictionary.h"
#include "trace/model/times.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace timeless::trace {

/// Consecutive actions of one rank: each distinct action once, the order they came in, and the volumes.
///
/// Action i is dictionary[sequence[i]]; the volumes of those actions that have one (see has_volume) stand
/// in `volumes`, in order. Equal actions share one entry, so whatever is derived from an action (a channel, a cost) is
/// derived once per entry and block. The block owns what its actions' spans point to.
class ActionBlock {
public:
  std::span<const Action> dictionary() const { return dictionary_.entries(); }
  std::span<const std::uint32_t> sequence() const { return sequence_; }
  std::span<const std::uint64_t> volumes() const { return volumes_; }
  /// Returns when each action of the sequence was entered and left; empty where that is not known or was not asked for.
  std::span<const ActionTimes> times() const { return times_; }
  bool empty() const { return sequence_.empty(); }
  std::size_t size() const { return sequence_.size(); }

  /// Returns the dictionary index of this action, entering it (with its own copy of its lists) if it is new.
  std::uint32_t intern(const Action& action) {
    mark_.value = 0;
    return dictionary_.intern(action);
  }
  /// Adds an entry to the dictionary without looking for an equal one; for decoders.
  std::uint32_t add_entry(const Action& action) {
    mark_.value = 0;
    return dictionary_.add(action);
  }

  /// Appends an action; returns its position in the sequence. Not for actions with a volume.
  std::size_t append(const Action& action);
  /// Appends an action already in the dictionary; not for one with a volume.
  std::size_t append_entry(std::uint32_t entry);
  /// Appends a compute action with its volume, in the run's unit.
  void append_compute(KernelId kernel, std::uint64_t volume);
  /// Appends an action of a kind that has a volume, with that, in the run's unit.
  void append_volume(ActionKind kind, KernelId kernel, std::uint64_t volume);
  /// Replaces the action at a position, neither with a volume, as when a receive learns its source.
  void replace(std::size_t position, const Action& action);

  /// Empties the block, which from now on uses these entries; for decoders. Returns what dictionary_mark() gives as
  /// long as they stay.
  std::uint64_t use_dictionary(Dictionary dictionary);
  /// Tells dictionaries given by use_dictionary() apart: blocks with the same mark have equal dictionaries, and what
  /// was derived from one holds for the other. 0 for any other dictionary.
  std::uint64_t dictionary_mark() const { return mark_.value; }
  /// Sets the whole sequence and the whole volumes at once; for decoders. The caller has checked them.
  void assign(std::vector<std::uint32_t> sequence, std::vector<std::uint64_t> volumes);
  /// Forgets sequence, volumes and times, but not the dictionary, and makes room for this many actions, to be filled
  /// with entries of it; for decoders. What refill_volumes() makes room for must follow.
  std::span<std::uint32_t> refill(std::size_t actions);
  std::span<std::uint64_t> refill_volumes(std::size_t volumes);

  /// Says when the action appended last was entered and left. To be said of every action of the block, or of none.
  void add_times(ActionTimes times) { times_.push_back(times); }
  /// Sets the times of the whole sequence at once, as many as it is long, or none.
  void assign_times(std::vector<ActionTimes> times) { times_ = std::move(times); }

  /// Rewrites communicators, kernels and regions of the dictionary through id maps, as when a rank's numbers become the
  /// run's. An empty map changes nothing.
  void renumber(std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
                std::span<const RegionId> regions) {
    mark_.value = 0;
    dictionary_.renumber(communicators, kernels, regions);
  }

  /// Empties the block, keeping its memory for the next one.
  void clear();

private:
  std::uint32_t intern_next(const Action& action);

  /// Goes with the dictionary when the block is moved.
  struct Mark {
    std::uint64_t value = 0;
    Mark() = default;
    Mark(Mark&& other) noexcept : value(std::exchange(other.value, 0)) {}
    Mark& operator=(Mark&& other) noexcept {
      value = std::exchange(other.value, 0);
      return *this;
    }
    ~Mark() = default;
  };

  Dictionary dictionary_;
  Mark mark_;
  std::vector<std::uint32_t> followers_; ///< by entry: what came after it the last time
  std::vector<std::uint32_t> sequence_;
  std::vector<std::uint64_t> volumes_;
  std::vector<ActionTimes> times_;
};

/// Calls visit(action, volume) for every action of the block in order; volume is 0 for those that have none.
template <typename Visit>
void for_each_action(const ActionBlock& block, Visit&& visit) {
  const auto dictionary = block.dictionary();
  auto volume = block.volumes().begin();
  for (const std::uint32_t entry : block.sequence()) {
    const Action& action = dictionary[entry];
    visit(action, has_volume(action.kind) ? *volume++ : std::uint64_t{0});
  }
}

/// Returns the part of a block's actions in [begin, end), as a block of its own.
ActionBlock part(const ActionBlock& block, std::size_t begin, std::size_t end);

} // namespace timeless::trace
