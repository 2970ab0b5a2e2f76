#pragma once

#include "analysis/classification.h"
#include "analysis/efficiencies.h"
#include "replay/result/result.h"

#include <optional>
#include <string>

namespace timeless::analysis {

/// What would make a program faster on a network, whatever its class.
struct Remedy {
  enum class Kind : std::uint8_t {
    latency,
    bandwidth,
    network,    ///< both
    processors, ///< faster ones
    balance,    ///< work that is shared out more evenly; nothing to buy
    none,       ///< copies, overheads and files are most of the time
  };
  Kind kind = Kind::none;
  // How many times as fast:
  double latency = 1;    ///< with an eighth of the latency
  double bandwidth = 1;  ///< with eight times the bandwidth
  double network = 1;    ///< with both
  double processors = 1; ///< with processors twice as fast, at most: by the critical path's computation
  double balance = 1;    ///< if nobody waited for others' computation and messages cost what they do, about
};

/// Compares what each would gain twice as good: half the latency, twice the bandwidth (both replayed), processors twice
/// as fast. For the last the critical path gives a bound: of a makespan that is a convex function of the computation's
/// factor, halving the factor saves at most half of the path's computation (docs/model.md, Answers). The network is
/// said to be both where the smaller gain of its two parts is more than half of the larger one. Balance comes before
/// processors where evening out the work, all else as it is, would gain a quarter and more than a better network.
Remedy remedy(const Evidence& evidence, const Efficiencies& efficiencies, const replay::Sensitivity& path);

/// "latency", "bandwidth", "network", "processors", "balance", "none".
const char* name(Remedy::Kind kind);
/// One sentence with its figures: "1.21x from an eighth of the latency, 1.02x from eight times the bandwidth, at
/// most 1.10x from processors twice as fast: latency is what to buy".
std::string sentence(const Remedy& remedy);

} // namespace timeless::analysis
