#include "tests/smpi/machine.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::MemorySource;

const SimgridPlatform& shared() {
  return machine(TIMELESS_TEST_PLATFORMS "/shared.xml");
}

constexpr std::uint32_t a = 0;
constexpr std::uint32_t b = 1;
constexpr std::uint32_t c = 2;
constexpr std::uint32_t d = 3;

/// One message of 1 MB in SMPI: above the limit from which both ends meet, so its receive is posted when it starts.
double measured(std::uint32_t from, std::uint32_t to) {
  return smpi_ends(one_message(1'000'000), shared(), placed({from, to}))[1];
}

double modelled(std::uint32_t from, std::uint32_t to) {
  return model_ends(one_message(1'000'000), shared(), placed({from, to}))[1];
}

TEST(SharedLinks, a_lone_message_loses_a_twentieth_to_its_acknowledgements) {
  EXPECT_NEAR(shared().route(a, b).bandwidth, 100e6 / 1.05, 1);
  EXPECT_NEAR(modelled(a, b) / measured(a, b), 1, 1e-9);
}

TEST(SharedLinks, a_fat_pipe_is_all_the_messages_own) {
  EXPECT_DOUBLE_EQ(shared().route(a, c).bandwidth, 100e6);
  EXPECT_NEAR(modelled(a, c) / measured(a, c), 1, 1e-9);
}

TEST(SharedLinks, a_link_crossed_twice_gives_half) {
  EXPECT_DOUBLE_EQ(shared().route(b, c).bandwidth, 50e6);
  EXPECT_NEAR(modelled(b, c) / measured(b, c), 1, 1e-9);
}

TEST(SharedLinks, a_duplex_link_keeps_acknowledgements_apart) {
  EXPECT_DOUBLE_EQ(shared().route(b, d).bandwidth, 100e6);
  EXPECT_NEAR(modelled(b, d) / measured(b, d), 1, 1e-9);
}

TEST(SharedLinks, the_tightest_of_several_links_counts) {
  EXPECT_NEAR(shared().route(c, d).bandwidth, 100e6 / 1.05, 1);
  EXPECT_NEAR(modelled(c, d) / measured(c, d), 1, 1e-9);
}

TEST(SharedLinks, a_long_way_is_limited_by_the_window_of_TCP) {
  // 4 MiB in flight over 2 x 100 ms: 21 MB/s of the link's 100.
  EXPECT_NEAR(measured(a, d), 0.1 + 1'000'016 * 0.2 / 4194304, 1e-9);
  EXPECT_NEAR(modelled(a, d) / measured(a, d), 1, 1e-9);
}

TEST(SharedLinks, hosts_without_a_loopback_get_SimGrids_own) {
  EXPECT_TRUE(shared().route(a, a).loopback);
  EXPECT_NEAR(modelled(a, a) / measured(a, a), 1, 1e-9);
}

TEST(SharedLinks, messages_that_wait_for_their_receive_in_SMPI_do_so_in_the_model) {
  MemorySource program(2);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 1000});
  program.compute(1, 2'000'000);
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 1000});
  program.finalize();
  const Mapping mapping = placed({a, b});
  const double sent = 10e-6 + 1016 * 1.05 / 100e6;
  EXPECT_NEAR(smpi_ends(program, shared(), mapping)[1], 0.001 + sent, 1e-9);
  const Network network = simgrid_network(shared(), program.run(), mapping);
  EXPECT_NEAR(replay(program, network).lanes[0].ranks[1].end, 0.001 + sent, 1e-9);
}

TEST(SharedLinks, collectives_are_costed_on_their_slowest_route) {
  MemorySource program(4);
  program.finalize();
  const Network network = simgrid_network(shared(), program.run(), placed({a, b, c, d}));
  const std::vector<std::uint32_t> near{a, b, c};
  const std::vector<std::uint32_t> all{a, b, c, d};
  EXPECT_EQ(network.links->collective_link(all), network.links->link(a, d));
  EXPECT_NE(network.links->collective_link(near), network.links->link(a, d));
}

TEST(SharedLinks, a_second_platform_in_one_process_is_refused) {
  shared();
  try {
    SimgridPlatform::load(TIMELESS_PLATFORMS "/flat.xml");
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::usage);
    EXPECT_NE(std::string(error.what()).find("one platform per process"), std::string::npos);
  }
}

TEST(SharedLinks, hosts_keep_their_own_speeds) {
  MemorySource program(2);
  program.compute(0, 1'000'000);
  program.compute(1, 1'000'000);
  program.finalize();
  for (const auto& ends :
       {smpi_ends(program, shared(), placed({a, b})), model_ends(program, shared(), placed({a, b}))}) {
    EXPECT_NEAR(ends[0], 1e-3, 1e-12);
    EXPECT_NEAR(ends[1], 0.5e-3, 1e-12);
  }
}

} // namespace
} // namespace timeless::replay
