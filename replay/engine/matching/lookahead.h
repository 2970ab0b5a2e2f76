#pragma once

#include "replay/engine/clocks/rank_range.h"
#include "trace/model/request_outcomes.h"
#include "trace/model/source.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace timeless::replay {

/// Finds, before the replay reaches them, which sends and receives are cancelled later on, and from whom receives from
/// any source have received.
///
/// A receive has its place among the others of its channel from when it is posted, though its source may be learnt
/// later. And where senders wait for receives to be posted, a receive that is cancelled in the end must not let one go
/// on, since another receive takes its message. Looking ahead costs reading the actions of a rank once more: for
/// cancellations at once, of every rank, for sources when a rank first needs one.
class Lookahead {
public:
  /// Reads ahead in the source, which must outlive this. With `rendezvous_path`, cancellations are looked for. Throws
  /// as trace::RequestOutcomeReader does, as do the members that look ahead.
  Lookahead(const trace::Source& source, RankRange local_ranks, bool rendezvous_path);

  /// Returns true when what this action of the process's rank `number` starts is cancelled later. To be asked on the
  /// rendezvous path only.
  bool cancelled(std::uint32_t number, std::uint64_t action) const;
  /// Returns what the receive from any source has received that this action starts; null when that is never learnt.
  const trace::RequestOutcome* resolution(std::uint32_t number, std::uint64_t action);
  /// Looks ahead, so that from here on all that the rank cancels and learns is known to belong to what it has begun.
  const trace::RequestOutcomes& look_ahead(std::uint32_t number);

private:
  const trace::Source* source_;
  RankRange local_ranks_;
  std::vector<std::optional<trace::RequestOutcomes>> ranks_; ///< of those looked at
};

} // namespace timeless::replay
