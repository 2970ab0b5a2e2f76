#pragma once

#include "base/bytes.h"
#include "replay/engine/bus/bus.h"

#include <cstdint>

/// What the processes of a replay tell each other beside the records of their engines: batches of their own, each with
/// a word first. Engines' records have a number in the upper half of that word, these have none.
namespace timeless::replay {

/// From process 0.
enum class Order : std::uint64_t {
  ask = 1,  ///< say again once there is nothing to do
  stand,    ///< nobody has anything to do; do ranks stand at a cut?
  count,    ///< all stand at a cut, or some: this is how; compare where that follows
  go_on,    ///< from a cut: this is how all compare
  ended,    ///< nobody has anything to do; how does each stand?
  give_up,  ///< go on without the strictest lanes
  report,   ///< say what the replay has given
  path_end, ///< how does the path to the end of this rank end?
  path_to,  ///< and the path to this place?
  again,    ///< begin again, in this way
  stop,     ///< it is over, one way or the other
};

/// To process 0.
enum class Answer : std::uint64_t {
  said = 101, ///< batches sent and received by engines; the sender has nothing to do
  standing,   ///< to `stand`
  comparison, ///< to `count`
  ending,     ///< to `ended`
  times,      ///< to `report`: those of some ranks
  findings,   ///< to `report`: the last of it
  path,       ///< to `path_end` and `path_to`
  waits,      ///< the replay needs the rendezvous path
  no_cuts,    ///< there can be no cuts, for this reason
  failed,     ///< what went wrong
  stopped,    ///< to `stop`
};

/// Returns whether the first word of a batch is an answer; it is an order otherwise.
inline bool is_answer(std::uint64_t word) {
  return word >= static_cast<std::uint64_t>(Answer::said);
}

/// Returns a batch that begins with an order or an answer, to be written further.
template <typename Word>
ByteWriter writer_of(Word word) {
  ByteWriter words;
  words.put(static_cast<std::uint64_t>(word));
  return words;
}

template <typename Word>
Batch batch_of(Word word) {
  return writer_of(word).take();
}

} // namespace timeless::replay
