#pragma once

#include "analysis/wavefront/wavefront.h"
#include "trace/model/memory_source.h"

namespace timeless::analysis {

/// What the equations of a wavefront describe, as actions that can be replayed: in every slice a processor receives
/// from the north, then from the west, works, sends to the south, then to the east; iterations of a sweep from the
/// north west and one back. Volumes are nanoseconds, rounded. Its memory is that of one iteration.
class WavefrontProgram : public trace::Source {
public:
  /// Throws as require_possible().
  explicit WavefrontProgram(const Wavefront& wavefront);

  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  Wavefront wavefront_;
  trace::MemorySource iteration_;
  trace::Run run_;
};

} // namespace timeless::analysis
