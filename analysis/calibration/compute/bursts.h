#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <memory>

namespace timeless::analysis {

/// What a rank computed between two calls: at most one burst.
struct Burst {
  trace::KernelId kernel = trace::no_kernel; ///< none where nothing was computed
  std::uint64_t volume = 0;                  ///< of the calling thread, or of the worker thread that did most
  std::uint64_t nanoseconds = 0;             ///< between its recorded times; 0 where there are none
};

/// The calls of a rank in order, and begins and ends of regions, each with the computation before it. What is said of
/// a receive later is no call: where it stands may differ from run to run.
class BurstReader {
public:
  /// Throws as Source::open() does.
  BurstReader(const trace::Source& source, trace::Rank rank) : stream_(source.open(rank)) {}

  /// Goes to the next call; false where there is none. Throws as RankStream::next() does.
  bool next();
  const trace::Action& action() const { return *action_; }
  const Burst& burst() const { return burst_; }
  /// Returns the call's place among the rank's actions, from 0.
  std::uint64_t ordinal() const { return actions_ == 0 ? 0 : actions_ - 1; }

private:
  std::unique_ptr<trace::RankStream> stream_;
  trace::ActionBlock block_;
  std::size_t position_ = 0;
  std::size_t volume_ = 0;
  std::uint64_t actions_ = 0;
  const trace::Action* action_ = nullptr;
  Burst burst_;
};

} // namespace timeless::analysis
