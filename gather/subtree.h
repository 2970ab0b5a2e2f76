#pragma once

#include "gather/assembly.h"
#include "gather/run_union.h"
#include "gather/survey.h"
#include "gather/team.h"
#include "gather/tree.h"

#include <cstdint>
#include <vector>

/// What goes up and down a gathering tree before the blocks do.
namespace timeless::gather {

/// The ranks that a process and those below it in the tree hold.
struct Subtree {
  UnitedRun united;               ///< of no ranks when they hold none
  std::vector<RankBlocks> blocks; ///< of united.run.ranks
  std::vector<int> holders;       ///< for each of these: this process, or the child it comes from
  std::uint64_t file_bytes = 0;   ///< of the rank files

  bool empty() const { return united.run.ranks.empty(); }
  /// The children, in the order of their steps, that hold anything.
  std::vector<int> children(const std::vector<TreeStep>& plan) const;
};

/// Collective. The parts go up the tree, united at each process; process 0 has it all in the end. Takes the surveys'
/// parts. Memory: the united definitions of the subtree, and some dozen bytes for each of its ranks.
/// Throws as RunUnion does, the same on all.
Subtree unite(const Team& team, const std::vector<TreeStep>& plan, std::vector<Survey>& surveys);

/// Collective. Where the blocks of this process's own ranks go, from process 0, which knows it for all.
std::vector<RankPlace> spread(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                              std::vector<RankPlace> at_first);

} // namespace timeless::gather
