#pragma once

#include "trace/model/source.h"

#include <memory>
#include <vector>

namespace timeless::analysis {

/// The part of a run that lies in one region, regions within it included, or that lies in none: a run of its own, in
/// which the ranks do nothing else.
///
/// Of requests only those are completed that were begun in the part. A message that has one end in the part and the
/// other outside of it is not whole: a replay may find that nobody receives it, or wait for it in vain.
class RegionSource : public trace::Source {
public:
  /// Takes the outermost region of this number, or no_region for what lies in none. The run must outlive it.
  RegionSource(const trace::Source& whole, trace::RegionId region) : whole_(whole), region_(region) {}

  const trace::Run& run() const override { return whole_.run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  const trace::Source& whole_;
  trace::RegionId region_;
};

/// Returns the regions that some rank enters from outside of any, in the order of their numbers. Reads the run once.
std::vector<trace::RegionId> outermost_regions(const trace::Source& source);

} // namespace timeless::analysis
