#pragma once

#include "analysis/extrapolation/not_understood.h"
#include "trace/model/source.h"

#include <memory>
#include <optional>

namespace timeless::analysis {

/// A run whose receives from anybody have their messages in the order of the senders' ranks, where the order in which
/// they were recorded is by chance: receives that were posted one after the other, with computations between them only,
/// for the same communicator and tag. What the program asked for fits any order, so this is a run that could have been.
class OrderedArrivals : public trace::Source {
public:
  /// Wraps a source, which must outlive it.
  explicit OrderedArrivals(const trace::Source& source) : source_(&source) {}

  const trace::Run& run() const override { return source_->run(); }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

private:
  const trace::Source* source_;
};

/// Returns the first receive or probe for MPI_ANY_SOURCE or MPI_ANY_TAG of a rank that has further ones with messages
/// of other senders, which are not put in order: what ranks do may depend on who came first. Nothing where no rank has
/// such.
std::optional<PlaceInRuns> receive_by_chance(const trace::Source& source);

} // namespace timeless::analysis
