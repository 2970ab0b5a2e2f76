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
/// Streams throw NotUnderstood for a rank whose partners or tags the extrapolation names in two ways, or none.
class ExtrapolatedSource : public trace::Source {
public:
  /// Makes the run from what is extrapolated and the largest run, whose program, counter and places it has; `words` is
  /// what its provenance says of how it was made.
  ExtrapolatedSource(Extrapolation extrapolation, const trace::Run& largest, std::string words);

  const trace::Run& run() const override { return run_; }
  std::unique_ptr<trace::RankStream> open(trace::Rank rank) const override;

  const Extrapolation& extrapolation() const { return extrapolation_; }

  /// Drops what partners cannot be to ranks since it names none of the target for some rank of a class. Throws
  /// NotUnderstood, with the call and the kernel before it, where nothing is left, or a rank's partner or tag is named
  /// in two ways.
  void settle_partners();

private:
  class Stream;

  void add_communicators();
  CommunicatorView view(trace::CommunicatorId shared, trace::Rank rank, std::uint64_t trip) const;
  trace::Rank only_peer(const PeerRelation& relation, const CommunicatorView& view, const trace::Action& action) const;
  trace::Tag only_tag(const CountRelation& relation, trace::Rank rank, std::uint64_t trip,
                      const trace::Action& action) const;
  void drop_impossible(TargetAction& target, trace::Rank rank, std::uint64_t trip) const;
  void demand_partners(const TargetAction& target, trace::Rank rank, std::uint64_t trip) const;

  Extrapolation extrapolation_;
  trace::Run run_;
  std::vector<std::size_t> class_of_;                             ///< by rank
  std::vector<std::vector<trace::CommunicatorId>> communicators_; ///< by number as in SharedAction, then by rank
};

} // namespace timeless::analysis
