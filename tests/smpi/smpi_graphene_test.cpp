#include "tests/smpi/machine.h"

#include <gtest/gtest.h>

#include <ostream>
#include <tuple>

namespace timeless::replay {
namespace {

using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& graphene() {
  return machine(TIMELESS_PLATFORMS "/graphene.xml");
}

// SMPI's clock is a double that adds latency, transfer and overheads in its own order: agreement to rounding.
constexpr double rounding = 2e-13;

struct Pair {
  const char* name;
  std::uint32_t from;
  std::uint32_t to;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.name;
}

class LoneMessage : public testing::TestWithParam<std::tuple<Pair, Bytes>> {};

TEST_P(LoneMessage, costs_in_the_model_what_SMPI_measures) {
  const auto [pair, bytes] = GetParam();
  const MemorySource program = one_message(bytes);
  const Mapping mapping = placed({pair.from, pair.to});
  const double measured = smpi_ends(program, graphene(), mapping)[1];
  EXPECT_NEAR(model_ends(program, graphene(), mapping)[1] / measured, 1, rounding);
}

TEST_P(LoneMessage, costs_the_same_on_a_scaled_network) {
  const auto [pair, bytes] = GetParam();
  const MemorySource program = one_message(bytes);
  const Mapping mapping = placed({pair.from, pair.to});
  const Scaling scaling{.bandwidth = 8, .latency = 0.25};
  const double measured = smpi_ends(program, graphene(), mapping, {.scaling = scaling})[1];
  EXPECT_NEAR(model_ends(program, graphene(), mapping, {.lanes = {scaling}})[1] / measured, 1, rounding);
}

// Around every threshold of the file, as it stands (overheads) and less SMPI's 16 bytes (factors).
INSTANTIATE_TEST_SUITE_P(
    around_every_threshold, LoneMessage,
    testing::Combine(
        testing::Values(Pair{"within_a_cabinet", 0, 1}, Pair{"between_cabinets", 0, 140}, Pair{"within_a_host", 7, 7}),
        testing::Values(0, 1, 8, 1403, 1404, 1405, 1419, 1420, 1421, 32751, 32752, 32753, 32767, 32768, 32769, 65519,
                        65520, 65521, 65535, 65536, 65537, 327663, 327664, 327665, 327679, 327680, 327681, 10'000'000)),
    [](const auto& each) {
      return std::string(std::get<0>(each.param).name) + "_" + std::to_string(std::get<1>(each.param));
    });

TEST(Graphene, has_the_published_hosts_in_the_order_people_count_them) {
  ASSERT_EQ(graphene().hosts().size(), 144U);
  EXPECT_EQ(graphene().hosts()[1].name, "graphene-2.nancy.grid5000.fr");
  EXPECT_EQ(graphene().hosts()[9].name, "graphene-10.nancy.grid5000.fr");
  EXPECT_EQ(graphene().hosts()[143].cores, 4);
}

TEST(Graphene, routes_between_cabinets_cross_two_backbones) {
  EXPECT_NEAR(graphene().route(0, 1).latency, 30e-6, 1e-12);
  EXPECT_NEAR(graphene().route(0, 140).latency, 33e-6, 1e-12);
  EXPECT_DOUBLE_EQ(graphene().route(0, 140).bandwidth, 125e6);
  EXPECT_TRUE(graphene().route(5, 5).loopback);
  EXPECT_DOUBLE_EQ(graphene().route(5, 5).bandwidth, 6e9);
}

TEST(Graphene, sender_pays_its_overhead_only_for_messages_it_need_not_wait_for) {
  EXPECT_NEAR(smpi_ends(one_message(1000), graphene(), placed({0, 1}))[0], 8.93009e-06 + 1000 * 7.654382e-10, 1e-15);
  const std::vector<double> met = smpi_ends(one_message(327680), graphene(), placed({0, 1}));
  EXPECT_EQ(met[0], met[1]);
}

TEST(Graphene, synchronous_messages_and_large_ones_keep_their_sender_in_both) {
  for (const trace::SendMode mode : {trace::SendMode::synchronous, trace::SendMode::standard})
    for (const Bytes bytes : {Bytes{1000}, Bytes{40000}, Bytes{327679}, Bytes{327680}, Bytes{1'000'000}}) {
      MemorySource program(2);
      program.add(0, {.kind = ActionKind::send, .mode = mode, .peer = 1, .bytes = bytes});
      program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
      program.finalize();
      const std::vector<double> measured = smpi_ends(program, graphene(), placed({0, 1}));
      const std::vector<double> modelled = model_ends(program, graphene(), placed({0, 1}));
      for (const std::size_t rank : {0U, 1U})
        EXPECT_NEAR(modelled[rank] / measured[rank], 1, rounding) << bytes << " bytes, rank " << rank;
    }
}

TEST(Graphene, nonblocking_send_pays_its_overhead_at_every_size) {
  for (const Bytes bytes : {Bytes{1000}, Bytes{40000}, Bytes{200000}}) {
    MemorySource program(2);
    program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = bytes, .request = 0});
    const trace::RequestId request = 0;
    program.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
    program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = bytes});
    program.finalize();
    const std::vector<double> measured = smpi_ends(program, graphene(), placed({0, 1}));
    EXPECT_NEAR(measured[0], graphene().settings().isend_overhead.seconds(static_cast<double>(bytes)), 1e-15);
    EXPECT_NEAR(model_ends(program, graphene(), placed({0, 1}))[0] / measured[0], 1, rounding);
  }
}

TEST(Graphene, two_flows_on_one_link_take_longer_in_SMPI_than_in_the_model) {
  MemorySource program(3);
  for (const trace::Rank to : {1, 2}) {
    program.add(0, {.kind = ActionKind::send, .peer = to, .bytes = 60000, .request = static_cast<unsigned>(to)});
    program.add(to, {.kind = ActionKind::receive, .peer = 0, .bytes = 60000});
  }
  program.finalize();
  const double contended = smpi_ends(program, graphene(), placed({0, 1, 2}))[2];
  const double alone = model_ends(program, graphene(), placed({0, 1, 2}))[2];
  EXPECT_GT(contended, 1.2 * alone);
}

TEST(Graphene, computation_takes_its_volume_at_the_hosts_speed_or_the_given_rate) {
  MemorySource program(1);
  program.compute(0, 3'680'000'000);
  program.finalize();
  EXPECT_NEAR(smpi_ends(program, graphene(), placed({0}))[0], 1, 1e-12);
  EXPECT_NEAR(smpi_ends(program, graphene(), placed({0}), {.units_per_second = 1e9})[0], 3.68, 1e-12);
  EXPECT_NEAR(smpi_ends(program, graphene(), placed({0}), {.scaling = {.compute = 0.5}})[0], 0.5, 1e-12);
  EXPECT_NEAR(model_ends(program, graphene(), placed({0}))[0], 1, 1e-12);
  program.description().counter.unit = trace::VolumeUnit::nanoseconds;
  EXPECT_NEAR(smpi_ends(program, graphene(), placed({0}))[0], 3.68, 1e-12);
}

TEST(Graphene, ranks_beyond_a_hosts_cores_share_them_in_SMPI) {
  MemorySource program(8);
  for (trace::Rank rank = 0; rank < 8; ++rank)
    program.compute(rank, 3'680'000'000);
  program.finalize();
  const std::vector<double> ends = smpi_ends(program, graphene(), placed(std::vector<std::uint32_t>(8, 0)));
  EXPECT_NEAR(ends[7], 2, 1e-9);
}

} // namespace
} // namespace timeless::replay
