#pragma once

#include "analysis/extrapolation/extrapolation.h"
#include "trace/model/source.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace timeless::analysis {

/// An extrapolated run, whose ranks' actions are made as they are read: memory for what each class of ranks does, and
/// some bytes for each rank.
///
/// Streams throw Error(missing_capability) for a rank whose partners the extrapolation names in two ways, or none.
class ExtrapolatedSource : public trace::Source {
public:
  /// Makes the run from what is extrapolated and the largest run, whose program, counter and places it has; `words` is
  /// what its provenance says of how it was made.
  ExtrapolatedSource(Extrapolation extrapolation, const trace::Run& largest, std::string words);

  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

  const Extrapolation& extrapolation() const { return extrapolation_; }

private:
  class Stream;

  void add_communicators();

  Extrapolation extrapolation_;
  trace::Run run_;
  std::vector<std::size_t> class_of_;                             ///< by rank
  std::vector<std::vector<trace::CommunicatorId>> communicators_; ///< by number as in SharedAction, then by rank
};

} // namespace timeless::analysis
