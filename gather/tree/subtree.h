#pragma once

#include "gather/parts/assembly.h"
#include "gather/parts/inventory.h"
#include "gather/parts/run_union.h"
#include "gather/parts/structures.h"
#include "gather/tree/team.h"
#include "gather/tree/tree.h"

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
  /// Returns the children, in the order of their steps, that hold anything.
  std::vector<int> children(const std::vector<TreeStep>& plan) const;
};

/// Unites the parts on their way up the tree, at each process; collective. Process 0 has it all in the end. Takes the
/// inventories' parts. Memory: the united definitions of the subtree, and some dozen bytes for each of its ranks.
/// Throws as RunUnion does, the same on all.
Subtree unite(const Team& team, const std::vector<TreeStep>& plan, std::vector<Inventory>& inventories);

/// A rank that a process gathers, and what it has to know for that.
struct RankTask {
  RankPlace place;
  trace::RankNumbers numbers;                   ///< what its kernels and regions are in the archive
  std::vector<WantedStructure> structures = {}; ///< that no lower rank has
};

/// Sends what process 0 knows of all ranks to those that gather them, without their structures yet; collective.
/// `at_first` are the places of all ranks. Returns this process's ranks, rising.
std::vector<RankTask> spread(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                             const std::vector<RankPlace>& at_first);

/// Numbers the structures of all ranks; collective. `names` are, for each of this process's ranks, those of its
/// structures. They go up the tree, where equal ones meet; process 0 numbers them, and the tasks get those that their
/// ranks are to deliver. Returns the numbering at process 0, nothing elsewhere. Memory: the names that differ in the
/// subtree, and some bytes for each of its ranks.
StructureNumbering share_structures(const Team& team, const std::vector<TreeStep>& plan, const Subtree& subtree,
                                    const std::vector<std::vector<StructureName>>& names, std::vector<RankTask>& tasks);

} // namespace timeless::gather
