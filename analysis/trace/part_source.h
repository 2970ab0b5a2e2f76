#pragma once

#include "trace/model/source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace timeless::analysis {

/// Tells of a rank's actions, each in its turn, in which part of the run it lies; nothing for a mark that lies in none.
using PartFollower = std::function<std::optional<std::uint32_t>(const trace::Action&)>;
/// Begins to follow a rank.
using RunDivision = std::function<PartFollower()>;

/// A part of a run: a run of its own, in which the ranks do nothing else.
///
/// Of requests only those are completed that were begun in the part. A message that has one end in the part and the
/// other outside of it is not whole: a replay may find that nobody receives it, or wait for it in vain.
class PartSource : public trace::Source {
public:
  /// Takes the part of this number. The run must outlive it.
  PartSource(const trace::Source& whole, RunDivision division, std::uint32_t part)
      : whole_(whole), division_(std::move(division)), part_(part) {}

  const trace::Run& run() const override { return whole_.run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  const trace::Source& whole_;
  RunDivision division_;
  std::uint32_t part_;
};

/// Divides a run by the outermost region that its actions lie in, those of regions within it included: the part's
/// number is the region's, or no_region for what lies in none.
PartFollower by_region();

/// Returns the regions that some rank enters from outside of any, in the order of their numbers. Reads the run once.
std::vector<trace::RegionId> outermost_regions(const trace::Source& source);

} // namespace timeless::analysis
