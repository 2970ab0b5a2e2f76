#pragma once

#include <optional>
#include <vector>

/// Who sends to whom when N processes gather to process 0 along a k-nomial tree.
///
/// In step s (from 0) the processes whose number is a multiple of (k+1)^s still hold data; of each k+1 neighbours among
/// them the first receives from the other k. After ceil(log_{k+1} N) steps process 0 holds everything.
/// (Markomanolis, "Performance evaluation and prediction of parallel applications", gathering of the traces: a K-nomial
/// tree reduction of log_{K+1} N steps over N files.)
namespace timeless::gather {

/// What one process does in one step.
struct TreeStep {
  std::optional<int> send_to;
  std::vector<int> receive_from; ///< by rising number, at most the arity
  bool operator==(const TreeStep&) const = default;
};

/// Returns ceil(log_{arity+1} processes): 0 for one process. Throws Error(usage) unless both arguments are at least 1.
int tree_steps(int processes, int arity);

/// Returns what `process` does, step by step: receives, then once a send, then nothing; process 0 never sends. Throws
/// Error(usage) on a process outside 0..processes-1 or an arity below 1.
std::vector<TreeStep> tree_plan(int process, int processes, int arity);

} // namespace timeless::gather
