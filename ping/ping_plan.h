#pragma once

#include "ping/experiments.h"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace timeless::ping {

/// Which messages are measured, and for how long.
struct PlanOptions {
  std::uint64_t most_bytes = std::uint64_t{1} << 24U; ///< the largest message
  double budget = 20;                                 ///< seconds for all
  std::uint64_t seed = 1;                             ///< of sizes and their order
  /// Sizes of which a message in four is; those above most_bytes are of no account.
  std::vector<std::uint64_t> sizes = {};
};

/// Decides which experiment comes next, from what those before gave.
///
/// First the eager limits, since they decide what other figures mean: sends whose receive comes late, by bisection to
/// the byte, for up to half of the time, each order again that gave nothing. Then rounds, until the time is spent: in
/// each, every experiment once for each kind of link, in random order, each with a size of its own drawn log-uniformly,
/// or one of those asked for. So whatever drifts in time, or has to do with one size, touches all experiments alike.
class PingPlan {
public:
  /// Plans for ranks whose `nodes` are by rank. The links measured: from rank 0 to the lowest rank of its node, and of
  /// another node, as far as there are such. Throws Error(usage) with fewer than two ranks, without time, or without
  /// sizes to draw.
  PingPlan(const PlanOptions& options, std::vector<int> nodes);

  /// Returns the next experiment; nothing when the time is spent. `last`: what the one before gave; `now`: seconds
  /// since the first one began.
  std::optional<Order> next(const std::vector<Measurement>& last, double now);

private:
  /// The search for the largest message that does not wait for its receive.
  struct Search {
    Experiment experiment = Experiment::delayed_send;
    int peer = 0;
    std::uint64_t eager = 0;   ///< such a message did not wait
    std::uint64_t waiting = 0; ///< such a message did; 0: none is known
    bool done = false;
  };

  std::optional<Order> next_of_searches(const std::vector<Measurement>& last, double now);
  Order delayed(const Search& search) const;
  std::uint64_t probe(const Search& search) const;
  void begin_round();
  Order drawn(Experiment experiment, int peer);
  std::uint64_t draw_bytes();
  std::uint64_t affordable(Experiment experiment, int peer, std::uint64_t bytes) const;
  std::uint64_t large_bytes() const;
  double estimate(int peer, std::uint64_t bytes) const;
  void learn(const std::vector<Measurement>& measurements);

  PlanOptions options_;
  std::vector<int> nodes_;
  std::vector<int> peers_; ///< of rank 0
  std::vector<Search> searches_;
  std::size_t search_ = 0;
  bool searched_ = false;                         ///< the order before was one of the search
  std::vector<std::pair<Experiment, int>> round_; ///< what is left of it, and with whom
  std::mt19937_64 random_;
  /// The time of a small message there, the shortest measured so far, and of a byte of the last large one.
  struct Rough {
    double latency = 1e-4;
    double byte_time = 1e-9;
    bool large_known = false;
  };
  std::map<int, Rough> rough_; ///< by peer
};

} // namespace timeless::ping
