#pragma once

#include "base/bytes.h"
#include "replay/engine/ending.h"
#include "replay/engine/outcome.h"
#include "replay/replay.h"

#include <string>
#include <vector>

namespace timeless::replay {

/// Writes what a process's replay says beside the times of its ranks, for CollectedResult::add_summary(). `mine` is
/// what outcome.result() returned.
void write_summary(ByteWriter& words, const Result& mine, Outcome& outcome, const ReplayOptions& options);

/// The result of all processes, as process 0 puts it together.
///
/// begin() with its own, add_times() and add_summary() with what each other process says, complete(), then
/// add_to_path() until end_path() where a critical path is asked for. result() is whole after these.
class CollectedResult {
public:
  CollectedResult(const trace::Run& run, const ReplayOptions& options) : run_(run), options_(options) {}

  /// Begins with what process 0's own replay says; `note` goes with it unless it is empty.
  void begin(Outcome& own, const std::string& note);
  /// Adds the times of some ranks of another process, to the end of the words.
  void add_times(ByteReader& words);
  /// Adds what write_summary() wrote in another process.
  void add_summary(ByteReader& words);
  /// Concludes what all have said but for the critical path.
  void complete();
  /// Adds nodes to the critical path, which is told from its end; end_path() when its beginning has been reached.
  void add_to_path(const std::vector<PathNode>& nodes);
  void end_path();

  /// Returns the rank that ends last, the lowest of them; with ReplayOptions::critical_path.
  const Outcome::LastRank& last() const { return last_; }
  Result& result() { return result_; }

private:
  const trace::Run& run_;
  const ReplayOptions& options_;
  Findings findings_;
  Result result_;
  Outcome::LastRank last_;
  std::vector<PathNode> path_; ///< from its end, as far as it is known
};

} // namespace timeless::replay
