#pragma once

#include "trace/model/action_block.h"
#include "trace/model/source.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::trace {

/// What later actions say of one that began a request.
struct RequestOutcome {
  std::uint64_t action = 0; ///< the one that began the request: its number among its rank's, from 0
  Bytes bytes = 0;          ///< of what was received; like the three that follow, only when resolved
  CommunicatorId communicator = world_communicator; ///< the receive's
  Rank peer = no_rank;                              ///< never any_rank
  Tag tag = 0;                                      ///< never any_tag
  bool resolved = false;                            ///< a receive that named no source or no tag: what it has received
  bool cancelled = false;                           ///< nothing was sent or received; of a resolved one, too
};

/// Those of one rank.
class RequestOutcomes {
public:
  RequestOutcomes() = default;
  /// Takes at most one outcome of each action, in any order.
  explicit RequestOutcomes(std::vector<RequestOutcome> request_outcomes);

  /// Returns what is said of the action with this number; null when nothing is.
  const RequestOutcome* of(std::uint64_t action) const;

private:
  std::vector<RequestOutcome> by_action_;
};

/// Finds what later actions say of those that began requests, in a rank's blocks as they come.
///
/// A request is under way from the action that begins it to the one that completes or frees it, and what is said of it
/// in between is said of that action. Its number may be used again after that. What can be cancelled, also more than
/// once, is a message or a generalized request; resolved, once and before it is cancelled, a receive in which source or
/// tag is missing, by a source and a tag in its communicator. Whatever else is cancelled or resolved contradicts the
/// trace (trace/check/check.h finds it, too).
///
/// Memory grows with the requests under way at a time and with the request outcomes, not with the length of the trace.
class RequestOutcomeReader {
public:
  explicit RequestOutcomeReader(Rank rank) : rank_(rank) {}

  /// Reads the next block of the rank. Throws Error(invalid_input), naming rank and action, where the trace contradicts
  /// itself.
  void read(const ActionBlock& block);
  /// Returns what the blocks have said. Ends the reading.
  RequestOutcomes finish() { return RequestOutcomes(std::move(found_)); }

private:
  /// What an action does to requests.
  enum class Role : std::uint8_t { none, begins, completes, frees, cancels, resolves };

  /// Of a request.
  struct Begun {
    std::uint64_t action = 0;
    std::size_t found = none;
    CommunicatorId communicator = world_communicator;
    ActionKind kind = ActionKind::send;
    bool under_way = false;
    bool unknown = false; ///< a receive of which source or tag must still be told
  };

  static constexpr std::size_t none = ~std::size_t{0};

  static Role role_of(const Action& action);
  void learn_roles(const ActionBlock& block);
  void look(Role role, const Action& action);
  void begin(const Action& action);
  void end(RequestId request);
  Begun* find_under_way(RequestId request);
  void cancel(RequestId request);
  void resolve(const Action& action);
  RequestOutcome& outcome_of(Begun& begun);
  [[noreturn]] void fail(RequestId request, const std::string& what) const;

  Rank rank_;
  std::uint64_t number_ = 0;                    ///< of the action
  std::vector<Begun> dense_;                    ///< by request, under way or not
  std::unordered_map<RequestId, Begun> sparse_; ///< those under way with larger numbers
  std::vector<RequestOutcome> found_;
  std::vector<Role> roles_; ///< by entry of the dictionary
  bool any_role_ = false;
  std::uint64_t mark_ = 0; ///< of the dictionary with these roles; 0 when it has none
};

/// Reads a rank's actions once. Throws as RequestOutcomeReader and the source do.
RequestOutcomes outcomes_of(const Source& source, Rank rank);

} // namespace timeless::trace
