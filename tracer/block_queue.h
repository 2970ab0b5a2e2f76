#pragma once

#include "trace/action_block.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace timeless::tracer {

/// Where an action stands in what has been recorded.
struct Place {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  /// Recorded, but out of reach: among the actions of one of several threads.
  static constexpr std::uint64_t elsewhere = nowhere - 1;
  std::uint64_t block = nowhere; ///< ordinal of its block
  std::uint32_t position = 0;    ///< in the block
  bool exists() const { return block != nowhere; }
};

/// The actions not yet written, in blocks: the one being filled and, before it, full ones that hold a receive whose
/// source is not known yet. Blocks leave in order, each as soon as nothing in it or before it waits, and at the latest
/// when `blocks_held` others stand behind it.
class BlockQueue {
public:
  using Write = std::function<void(const trace::ActionBlock&)>;

  BlockQueue(std::size_t actions_per_block, std::size_t blocks_held, Write write);

  /// Adds an action; an unsettled one may still be replaced before its block is written, and delays that.
  Place append(const trace::Action& action, bool unsettled = false);
  /// Adds an action of a kind that has a volume.
  void append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);

  /// True while the action at this place has not been written.
  bool holds(Place place) const { return place.exists() && place.block != Place::elsewhere && place.block >= first_; }
  /// Replaces an action that is still held.
  void replace(Place place, const trace::Action& action);
  /// Says of an unsettled action that nothing more will be learnt of it.
  void settle(Place place);
  /// Writes everything, settled or not.
  void flush();

private:
  struct Held {
    trace::ActionBlock block;
    std::uint32_t unsettled = 0;
  };

  Held& at(Place place) { return held_[static_cast<std::size_t>(place.block - first_)]; }
  void close_if_full();
  void write_first();
  void write_settled();

  std::size_t actions_per_block_;
  std::size_t blocks_held_;
  Write write_;
  std::vector<Held> held_; ///< never empty: the last is the one being filled
  std::vector<Held> spare_;
  std::uint64_t first_ = 0; ///< ordinal of held_.front()
  std::size_t list_bytes_ = 0;
};

} // namespace timeless::tracer
