#pragma once

#include "trace/model/memory_source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace timeless::bench {

/// A program again and again, volumes and all, and one MPI_Finalize. It takes the memory of one iteration.
class IteratedProgram : public trace::Source {
public:
  /// Repeats the actions of a program but for each rank's last, which is its MPI_Finalize.
  IteratedProgram(const trace::MemorySource& iteration, std::uint64_t iterations);

  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  trace::Run run_;
  std::uint64_t iterations_;
  std::vector<trace::ActionBlock> ranks_; ///< an iteration each
};

} // namespace timeless::bench
