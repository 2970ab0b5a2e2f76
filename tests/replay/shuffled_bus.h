#pragma once

#include "replay/distributed/participant.h"
#include "replay/engine/bus/bus.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <random>
#include <vector>

namespace timeless::replay::test {

/// Buses between several participants of one process. What arrives when, and who goes on when, is drawn from a seed;
/// batches of one sender stay in order.
class ShuffledBuses {
public:
  ShuffledBuses(int processes, std::uint64_t seed);

  Bus& bus(int process) { return buses_[static_cast<std::size_t>(process)]; }
  std::mt19937_64& random() { return random_; }
  /// Returns the number of batches sent so far.
  std::uint64_t sent() const { return sent_; }
  /// Returns the most batches of one process that were on their way at once.
  std::size_t most_on_their_way() const { return most_on_their_way_; }

private:
  class One : public Bus {
  public:
    One(ShuffledBuses& all, int process) : all_(all), process_(process) {}
    int process() const override { return process_; }
    int processes() const override { return static_cast<int>(all_.buses_.size()); }
    void send(int to, Batch batch) override;
    std::optional<Arrival> receive() override;
    bool congested() override;
    void idle() override {}

  private:
    friend class ShuffledBuses;
    ShuffledBuses& all_;
    int process_;
    std::size_t on_their_way_ = 0;
    std::vector<std::deque<Batch>> from_; ///< by sender
  };

  std::mt19937_64 random_;
  std::deque<One> buses_;
  std::uint64_t sent_ = 0;
  std::size_t most_on_their_way_ = 0;
};

/// Replays with so many participants, in an order drawn from the seed; fails the test if that does not end.
Result replay_distributed(const trace::Source& source, const Network& network, const ReplayOptions& options,
                          int processes, std::uint64_t seed);

} // namespace timeless::replay::test
