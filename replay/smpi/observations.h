#pragma once

#include "base/bytes.h"
#include "replay/result/observer.h"
#include "trace/model/source.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace timeless::replay::smpi {

/// What ranks did, on its way from the child to an observer in the parent: the parent has the actions, too.
class Observations {
public:
  /// Keeps observations for an observer. Both must outlive it.
  Observations(Observer& observer, const trace::Source& source);

  /// Adds, in the child, what a rank's next action took.
  static void put(ByteWriter& words, trace::Rank rank, double begin, double end);
  /// Tells the observer, in the parent, of all that was added.
  void take_all(std::string_view bytes);

private:
  struct RankCursor {
    std::unique_ptr<trace::RankStream> stream;
    trace::ActionBlock block;
    std::size_t next = 0;
    std::size_t volume = 0;
    std::uint64_t ordinal = 0;
    trace::Rank thread = 0;
  };

  void observe(trace::Rank rank, double begin, double end);

  Observer& observer_;
  const trace::Source& source_;
  std::vector<RankCursor> ranks_;
};

} // namespace timeless::replay::smpi
