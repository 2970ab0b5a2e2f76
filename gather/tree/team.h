#pragma once

#include "base/error.h"

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::gather {

/// The processes that gather, one per node, as one party: they exchange texts and share their failures.
///
/// All members call what is collective in the same order. The other processes of a node are no members, and call none
/// of it.
class Team {
public:
  /// Makes the team of the nodes; collective over `everybody`: the lowest rank of each node becomes a member, the first
  /// of all member 0. Nodes are those whose processes share memory; where `node_name` is not empty (on all processes),
  /// those of one name.
  Team(MPI_Comm everybody, const std::string& node_name);
  /// Returns the team of processes of which each is known to be a node of its own; collective. All are members, by
  /// their ranks. Uses `nodes` itself, which has to outlive the team.
  static Team of_nodes(MPI_Comm nodes);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Returns false on the other processes of a node; they must not call anything below.
  bool member() const { return team_ != MPI_COMM_NULL; }
  int number() const { return number_; }
  int size() const { return size_; }
  MPI_Comm communicator() const { return team_; }
  /// Returns a communicator of the same processes, for messages that must not meet the others.
  MPI_Comm words() const { return words_; }
  const std::string& host() const { return host_; }

  /// Collects every member's text, by number, at member 0, nothing elsewhere; collective.
  std::vector<std::string> collect(std::string_view text) const;
  /// Gives each member the text that member 0 has for it, by number; collective.
  std::string distribute(const std::vector<std::string>& texts) const;
  /// Returns the sum of all members' numbers on member 0; collective.
  std::uint64_t sum(std::uint64_t number) const;
  /// Returns member 0's number on every member; collective.
  int from_first(int number) const;
  /// Returns that member's text on every member; collective.
  std::string from(int member, std::string text) const;

  /// Runs every member's own `work`; collective. When any throws, all throw the Error of the lowest of those, with its
  /// host named unless the place it tells begins with that already, or `names_hosts` says that it tells hosts. What
  /// `work` sends and receives must come to an end even if another member's work has failed.
  void together(const std::function<void()>& work, bool names_hosts = false) const;

private:
  /// Takes a communicator of members; a team of nobody when it is null.
  Team(std::string host, MPI_Comm members, bool owned);

  MPI_Comm team_ = MPI_COMM_NULL;
  MPI_Comm words_ = MPI_COMM_NULL;
  bool owned_ = true; ///< team_ is to be freed
  int number_ = 0;
  int size_ = 0;
  std::string host_;
};

} // namespace timeless::gather
