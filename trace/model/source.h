#pragma once

#include "trace/model/action_block.h"
#include "trace/model/run.h"

#include <memory>

namespace timeless::trace {

/// The actions of one rank, in order, block by block.
class RankStream {
public:
  virtual ~RankStream() = default;

  /// Reads the next block into `block`, replacing what it held; false at the end of the rank's actions.
  /// Communicators and kernels are numbered as in Source::run(). Throws Error where the source is damaged.
  virtual bool next(ActionBlock& block) = 0;

  /// Goes on at this action of the rank, of those that next() has not given yet, so that next() gives it first; false
  /// where the stream has no other way than to be read. Throws as next() does.
  virtual bool skip_to(std::uint64_t /*action*/) { return false; }

  /// Gives the block last read its times (ActionBlock::times), where the source has them. Throws as next() does.
  virtual void read_times(ActionBlock& /*block*/) const {}
};

/// Where a run's actions come from: an archive, a memory image, a foreign format.
///
/// A source streams: its memory is bounded by the number of ranks open at a time, not by the length of the run.
/// Streams, also of the same rank, may be read in any interleaving. Threads may open and read streams of one source at
/// the same time, each stream by one thread.
class Source {
public:
  virtual ~Source() = default;
  virtual const Run& run() const = 0;
  /// Opens the actions of a rank that the run holds.
  virtual std::unique_ptr<RankStream> open(Rank rank) const = 0;
};

/// Returns true when the source has measured times, though ranks that did not end by themselves may lack theirs.
bool has_times(const Source& source);

} // namespace timeless::trace
