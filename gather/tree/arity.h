#pragma once

#include <utility>
#include <vector>

/// Which arity a gathering tree should have.
namespace timeless::gather {

/// What a short measurement told of the machine.
struct Speeds {
  double latency = 0; ///< seconds for a small message
  /// Bytes a second into the first process, by how many send to it at once; rising numbers, from 1.
  std::vector<std::pair<int, double>> into_first = {};
  double disk = 0; ///< bytes a second to the first process's disk
};

/// Returns how long gathering so many bytes takes, in seconds. With N processes, arity k, ceil(log_{k+1} N) = s levels,
/// latency L, rate R(k) into a process from k others, the disk's rate W and messages of c bytes:
///
///     T(k) = bytes / min(W, R(k)) + s (L + c / R(1)) + 2 s k L
///
/// The first process's disk and link set the pace of the stream; its first message comes after one hop a level; and
/// before it, on each level k messages come one after the other with what the rank files define, and as many go down.
/// R is taken to be linear between what was measured and constant beyond.
double gathering_time(int processes, int arity, double bytes, const Speeds& speeds);

/// Returns the arity of the least time, the smallest of those within 2 % of it. Throws Error(usage) for less than 1
/// process.
int best_arity(int processes, double bytes, const Speeds& speeds);

} // namespace timeless::gather
