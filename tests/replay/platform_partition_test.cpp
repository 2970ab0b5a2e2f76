// Networks of platforms, shared by threads: what the network finds out as it is asked must not depend on who asks.
#include "machines.h"
#include "random_program.h"

#include "replay/replay.h"
#include "replay/simgrid/simgrid_network.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::replay::test::platform_partition_test {
namespace {

/// Hosts with a route each that is a little longer the further they are apart, and overheads at every size.
class Row : public Platform {
public:
  Row(std::size_t hosts, Bytes asynchronous_below, Bytes detached_below) {
    for (std::size_t host = 0; host < hosts; ++host)
      hosts_.push_back({.name = "host-" + std::to_string(host), .speed = 1e9});
    settings_.latency_factor = PiecewiseSetting::parse("0:1.5;1000:2", "factor");
    settings_.send_overhead = settings_.isend_overhead = PiecewiseSetting::parse("0:1e-6:1e-10", "overhead");
    settings_.receive_overhead = PiecewiseSetting::parse("0:2e-6:1e-10;4000:3e-6:2e-10", "overhead");
    settings_.asynchronous_below = asynchronous_below;
    settings_.detached_below = detached_below;
  }

  const std::filesystem::path& file() const override { return file_; }
  std::span<const PlatformHost> hosts() const override { return hosts_; }
  const SmpiSettings& settings() const override { return settings_; }
  Route route(std::size_t from, std::size_t to) const override {
    const auto apart = static_cast<double>(from > to ? from - to : to - from);
    return {.latency = 1e-6 * (1 + apart), .bandwidth = 1e9, .loopback = from == to};
  }
  const std::vector<std::string>& notes() const override { return notes_; }

private:
  std::filesystem::path file_ = "row.xml";
  std::vector<PlatformHost> hosts_;
  SmpiSettings settings_;
  std::vector<std::string> notes_;
};

TEST(PlatformLanes, any_number_of_threads_gives_the_same_bits) {
  for (std::uint64_t seed = 6500; seed < 6540; ++seed) {
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 120});
    const Row platform(6, seed % 3 * 500, 300'000);
    Mapping mapping;
    for (Rank rank = 0; rank < program.run().size; ++rank)
      mapping.node_of_rank.push_back(static_cast<std::uint32_t>(rank));
    SimgridNetworkOptions scaled;
    scaled.units_per_second = 1e9;
    scaled.lanes.clear();
    for (int lane = 0; lane < 32; ++lane)
      scaled.lanes.push_back({.bandwidth = 1 + 0.125 * lane, .latency = 1 + 0.0625 * lane});
    std::vector<Result> results;
    for (const std::uint32_t threads : {1U, 2U, 4U}) {
      // Each asks a network of its own for the first time.
      const Network network = simgrid_network(platform, program.run(), mapping, scaled);
      ReplayOptions options;
      options.threads = threads;
      options.collectives = seed % 2 == 0 ? CollectiveModel::schedule : CollectiveModel::mpich;
      results.push_back(replay(program, network, options));
    }
    for (const Result& result : results)
      for (std::size_t lane = 0; lane < scaled.lanes.size(); ++lane)
        ASSERT_TRUE(same_bits(result.lanes[lane], results[0].lanes[lane])) << "seed " << seed << ", lane " << lane;
  }
}

} // namespace
} // namespace timeless::replay::test::platform_partition_test
