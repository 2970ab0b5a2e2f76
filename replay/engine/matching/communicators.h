#pragma once

#include "trace/model/run.h"

#include <cstdint>
#include <span>
#include <vector>

namespace timeless::replay {

/// A run's communicators as the replay needs them: who belongs to one, and at which place.
///
/// An intercommunicator is one communicator of both groups, whichever side recorded it.
class Communicators {
public:
  /// Throws Error(invalid_input) when a communicator lists a rank the run does not have, or one rank twice.
  explicit Communicators(const trace::Run& run);

  /// What a rank of a communicator sees of it.
  struct View {
    trace::CommunicatorId id = trace::world_communicator; ///< the same for all its members
    std::span<const trace::Rank> peers;                   ///< world ranks that the ranks in actions stand for
    std::uint32_t member = 0;                             ///< this rank's place among members(id)
  };
  /// Throws Error(invalid_input) when there is no such communicator or the rank is none of its members.
  View view(trace::CommunicatorId id, trace::Rank rank) const;

  /// Returns all members, as world ranks or foreign_rank; both groups of an intercommunicator.
  std::span<const trace::Rank> members(trace::CommunicatorId id) const { return members_[id]; }
  bool inter(trace::CommunicatorId id) const { return groups_[id] != 0; }
  /// Returns how many of an intercommunicator's members are of its first group; 0 for other communicators.
  std::uint32_t first_group(trace::CommunicatorId id) const { return static_cast<std::uint32_t>(groups_[id]); }
  /// Returns true when some members belong to another MPI_COMM_WORLD, which is not replayed.
  bool foreign(trace::CommunicatorId id) const { return id < foreign_.size() && foreign_[id]; }
  std::size_t size() const { return members_.size(); }

private:
  struct RankMember {
    trace::Rank rank;
    std::uint32_t member;
  };

  void enter(const trace::Communicator& communicator, trace::Rank size, std::vector<std::uint32_t>& seen);

  std::vector<std::vector<trace::Rank>> members_;
  std::vector<std::size_t> groups_;             ///< members of the first group of an intercommunicator, else 0
  std::vector<std::vector<RankMember>> places_; ///< by rising rank; empty when rank r is member r
  std::vector<trace::CommunicatorId> canonical_;
  std::vector<bool> foreign_;
};

/// Returns the world rank that a rank in an action stands for; `what` it is, for the message of Error(invalid_input)
/// when it is none.
trace::Rank world_rank(const Communicators::View& view, trace::Rank peer, const char* what);

} // namespace timeless::replay
