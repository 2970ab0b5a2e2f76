#include "replay/smpi/observations.h"

#include "base/error.h"

namespace timeless::replay::smpi {

Observations::Observations(Observer& observer, const trace::Source& source)
    : observer_(observer), source_(source), ranks_(static_cast<std::size_t>(source.run().size)) {}

void Observations::put(ByteWriter& words, trace::Rank rank, double begin, double end) {
  words.put(static_cast<std::uint64_t>(rank));
  words.put(begin);
  words.put(end);
}

void Observations::take_all(std::string_view bytes) {
  ByteReader words(bytes, ByteReader::From::process);
  while (!words.empty()) {
    const auto rank = static_cast<trace::Rank>(words.number());
    const double begin = words.real();
    observe(rank, begin, words.real());
  }
}

void Observations::observe(trace::Rank rank, double begin, double end) {
  RankCursor& cursor = ranks_.at(static_cast<std::size_t>(rank));
  if (!cursor.stream) cursor.stream = source_.open(rank);
  while (cursor.next == cursor.block.size()) {
    if (!cursor.stream->next(cursor.block))
      throw Error(Failure::runtime, "the simulation's process reports more actions than there are");
    cursor.next = 0;
    cursor.volume = 0;
  }
  const trace::Action& action = cursor.block.dictionary()[cursor.block.sequence()[cursor.next++]];
  const std::uint64_t volume = trace::has_volume(action.kind) ? cursor.block.volumes()[cursor.volume++] : 0;
  if (action.kind == trace::ActionKind::thread) cursor.thread = action.peer;
  observer_.observe({.rank = rank,
                     .thread = cursor.thread,
                     .ordinal = cursor.ordinal++,
                     .action = action,
                     .volume = volume,
                     .start = begin,
                     .end = end});
}

} // namespace timeless::replay::smpi
