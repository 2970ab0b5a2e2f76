#pragma once

#include "trace/model/action_block.h"
#include "tracer/common/stamp.h"
#include "tracer/storage/journal.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace timeless::tracer {

/// Where an action stands in what has been recorded.
struct ActionPosition {
  static constexpr std::uint64_t nowhere = ~std::uint64_t{0};
  /// Recorded, but out of reach: among the actions of one of several threads.
  static constexpr std::uint64_t elsewhere = nowhere - 1;
  std::uint64_t block = nowhere; ///< ordinal of its block
  std::uint32_t position = 0;    ///< in the block
  bool exists() const { return block != nowhere; }
};

/// The actions not yet written, in blocks: the one being filled and, before it, full ones that hold a receive of which
/// it is not known yet what it receives. Blocks leave in order, each as soon as nothing in it or before it waits, and
/// at the latest when `blocks_held` others stand behind it.
///
/// With a journal, all that is held stands in its logs too; what does not fit there is written at once.
class BlockQueue {
public:
  using Write = std::function<void(const trace::ActionBlock&)>;

  /// Begins an empty queue. When `write` throws, the block stays in the queue.
  BlockQueue(std::size_t actions_per_block, std::size_t blocks_held, Write write);
  using Define = std::function<void()>;
  /// Keeps this journal from now on; to be called before the first action. `define` is called before an action is noted
  /// that may use what is newly defined.
  void keep(Journal& journal, Define define);

  /// Gives the next action its times (see Stamp).
  void stamp(trace::ActionTimes times) { stamp_.set(times); }
  /// Adds an action; an unsettled one may still be replaced before its block is written, and delays that.
  ActionPosition append(const trace::Action& action, bool unsettled = false);
  /// Adds an action of a kind that has a volume.
  void append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume);

  /// Returns true while the action at this place has not been written.
  bool holds(ActionPosition place) const {
    return place.exists() && place.block != ActionPosition::elsewhere && place.block >= first_;
  }
  /// Replaces an action that is still held.
  void replace(ActionPosition place, const trace::Action& action);
  /// Adds a flag to an action that is still held.
  void add_flag(ActionPosition place, trace::ActionFlag flag);
  /// Says of an unsettled action that nothing more will be learnt of it.
  void settle(ActionPosition place);
  /// Notes definitions in the journal, before what uses them. False when there is no journal, or no room.
  bool define(std::string_view definitions);
  /// Writes everything, settled or not.
  void flush();

private:
  struct Held {
    trace::ActionBlock block;
    BlockLog log;
    std::uint32_t unsettled = 0;
  };

  void stamp_last();
  Held& at(ActionPosition place) { return held_[static_cast<std::size_t>(place.block - first_)]; }
  /// Notes in the journal what was appended last.
  void note(Held& last, std::size_t known, std::uint64_t volume);
  void begin_block();
  void close_if_full();
  void write_first();
  void write_settled();

  std::size_t actions_per_block_;
  std::size_t blocks_held_;
  Write write_;
  std::vector<Held> held_; ///< never empty: the last is the one being filled
  std::vector<Held> spare_;
  std::uint64_t first_ = 0;        ///< ordinal of held_.front()
  std::uint64_t first_action_ = 0; ///< ordinal of the first action of held_.back()
  std::size_t list_bytes_ = 0;
  Journal* journal_ = nullptr;
  Define define_;
  bool overflowed_ = false; ///< something held is not in the journal
  Stamp stamp_;
};

} // namespace timeless::tracer
