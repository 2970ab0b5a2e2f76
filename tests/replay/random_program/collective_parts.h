#pragma once

#include "trace/model/action.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeless::replay::test::programs {

// A multiple of all numbers of members up to 8, and of twice that, so that n (p-1)/p and n/2 are whole.
inline constexpr trace::Bytes collective_unit = 1680;

/// A collective, and what decides its members' parts of it.
struct RandomCollective {
  trace::Action action; ///< its peer is the root's place among all members
  std::uint64_t parts = 0;
  bool neighbours_known = false;
};

/// One member's part of a collective: what it records, with fields and lists as trace::Action has them.
class MemberPart {
public:
  /// Decides the part of the member at this place among `all`, the first `first` of which are the communicator's own
  /// group; the others are the remote group, if there is one.
  MemberPart(const RandomCollective& collective, std::size_t all, std::size_t first, std::size_t here);
  /// Returns the action; its lists are this part's.
  trace::Action action() const;

private:
  struct Places {
    std::size_t begin;
    std::size_t end;
  };

  trace::Bytes units(std::size_t from, std::size_t to, std::uint64_t limit) const;
  trace::Rank root_as_seen() const;
  bool takes_part() const { return !two_groups_ || is_root_ || action_.peer >= 0; }
  trace::Bytes rooted_size() const;
  void decide_sizes();
  void decide_reduced_sizes();
  void add_neighbours(std::size_t members);

  const RandomCollective& collective_;
  trace::Action action_;
  std::size_t first_; ///< members of the first group
  std::size_t here_;
  bool two_groups_;
  bool is_root_;
  Places own_;   ///< the member's group
  Places peers_; ///< whom it communicates with: the other group, or all
  std::vector<trace::Bytes> counts_;
  std::vector<trace::Bytes> receive_counts_;
  std::vector<trace::Rank> neighbours_;
};

} // namespace timeless::replay::test::programs
