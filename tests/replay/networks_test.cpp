// What networks say of messages, against replays of a few messages worked out by hand, and of random programs.
#include "machines.h"
#include "random_program.h"
#include "replay/network/machine_network.h"
#include "replay/network/variations.h"
#include "replay/replay.h"
#include "trace/model/memory_source.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace timeless::replay::test::networks_test {
namespace {

using trace::ActionKind;
using trace::MemorySource;

Network machine(Rank ranks, const std::vector<LinkCosts>& links) {
  std::vector<MachineLane> lanes;
  for (const LinkCosts& link : links)
    lanes.push_back({.name = "lane " + std::to_string(lanes.size()), .between_nodes = link, .within_node = link});
  return machine_network(lanes, one_rank_per_node(ranks, 1));
}

void send(MemorySource& program, Rank from, Rank to, Bytes bytes) {
  program.add(from, {.kind = ActionKind::send, .peer = to, .bytes = bytes});
}

void receive(MemorySource& program, Rank from, Rank to, Bytes bytes) {
  program.add(to, {.kind = ActionKind::receive, .peer = from, .bytes = bytes});
}

const LinkCosts loggp{
    {{.up_to = 100, .latency = 5, .byte_time = 2, .send = {1, 0}, .nonblocking_send = {2, 0}, .receive = {3, 0}},
     {.latency = 5, .byte_time = 1, .send = {10, 0}, .nonblocking_send = {20, 0}, .receive = {30, 0.5}}}};

TEST(LogGP, message_takes_the_senders_overhead_then_its_way_then_the_receivers_overhead) {
  for (const auto& [bytes, sender, receiver] :
       {std::tuple{100U, 1.0, 1.0 + 200 + 5 + 3}, {101U, 10.0, 10 + 101 + 5 + 30 + 50.5}}) {
    MemorySource program(2);
    send(program, 0, 1, bytes);
    receive(program, 0, 1, bytes);
    program.finalize();
    const Network network = machine(2, {loggp});
    const LaneResult lane = replay(program, network).lanes.at(0);
    EXPECT_EQ(lane.ranks[0].end, sender);
    EXPECT_EQ(lane.ranks[0].overhead, sender);
    EXPECT_EQ(lane.ranks[1].end, receiver);
    EXPECT_EQ(lane.ranks[1].wait, sender) << "until the message sets off";
    EXPECT_EQ(lane.ranks[1].latency, 5);
  }
}

TEST(LogGP, nonblocking_send_pays_its_own_overhead_and_a_lane_without_any_none) {
  MemorySource program(2);
  const std::vector<trace::RequestId> one{1};
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8, .request = 1});
  program.add(0, {.kind = ActionKind::wait, .requests = one});
  receive(program, 0, 1, 8);
  program.finalize();
  const Network network = machine(2, {loggp, hockney_costs(5, 2)});
  const Result result = replay(program, network);
  EXPECT_EQ(result.lanes[0].ranks[0].end, 2);
  EXPECT_EQ(result.lanes[0].ranks[1].end, 2 + 16 + 5 + 3);
  EXPECT_EQ(result.lanes[1].ranks[0].end, 0);
  EXPECT_EQ(result.lanes[1].ranks[1].end, 21);
}

TEST(LogGP, gap_keeps_the_next_message_until_the_port_is_free_and_not_the_sender) {
  // g = 7, G = 2: messages of 10 bytes set off every 27.
  LinkCosts link = hockney_costs(5, 2);
  link.sizes[0].port = Seconds{7, 2};
  link.sizes[0].send = {1, 0};
  MemorySource program(2);
  for (int i = 0; i < 3; ++i)
    send(program, 0, 1, 10);
  for (int i = 0; i < 3; ++i)
    receive(program, 0, 1, 10);
  program.finalize();
  LinkCosts wide = link;
  wide.sizes[0].port.reset();
  const Network network = machine(2, {link, wide});
  const Result result = replay(program, network);
  EXPECT_EQ(result.lanes[0].ranks[0].end, 3);
  EXPECT_EQ(result.lanes[0].ranks[1].end, 1 + 2 * 27 + 5 + 20);
  EXPECT_EQ(result.lanes[1].ranks[1].end, 3 + 5 + 20) << "a wide port lets all go at once";
}

TEST(LogGP, port_that_has_been_free_for_long_keeps_nothing) {
  LinkCosts link = hockney_costs(5, 2);
  link.sizes[0].port = Seconds{7, 2};
  MemorySource program(2);
  send(program, 0, 1, 10);
  program.compute(0, 1000);
  send(program, 0, 1, 10);
  receive(program, 0, 1, 10);
  receive(program, 0, 1, 10);
  program.finalize();
  const Network network = machine(2, {link});
  EXPECT_EQ(replay(program, network).lanes[0].ranks[1].end, 1000 + 5 + 20);
}

TEST(LogGP, wider_links_free_the_port_sooner_by_as_much_as_the_sensitivity_says) {
  LinkCosts link = hockney_costs(5, 2);
  link.sizes[0].port = Seconds{7, 2};
  MemorySource program(2);
  for (int i = 0; i < 3; ++i)
    send(program, 0, 1, 10);
  for (int i = 0; i < 3; ++i)
    receive(program, 0, 1, 10);
  program.finalize();
  const Network network = machine(2, {link, scaled(link, 2, 1)});
  ReplayOptions options;
  options.sensitivities = true;
  const Result result = replay(program, network, options);
  EXPECT_EQ(result.lanes[0].sensitivity.bandwidth, 3 * 20);
  EXPECT_EQ(result.lanes[0].sensitivity.latency, 5);
  EXPECT_EQ(result.lanes[0].makespan - result.lanes[1].makespan, 3 * 10);
}

/// a = 2, b = 1, and 5 s of a rendezvous that are the processors'; 4 bytes, ready at 3, its receive posted at 10.
LinkCosts agreeing_link() {
  LinkCosts link = hockney_costs(2, 1);
  link.sizes[0].handshake = 5;
  return link;
}

MemorySource late_receive() {
  MemorySource program(2);
  program.compute(0, 3);
  send(program, 0, 1, 4);
  program.compute(1, 10);
  receive(program, 0, 1, 4);
  program.finalize();
  return program;
}

Network agreeing_machine(const std::vector<LinkCosts>& links) {
  std::vector<MachineLane> lanes;
  for (const LinkCosts& link : links)
    lanes.push_back({.name = "", .between_nodes = link, .within_node = link, .eager_limit = 3});
  return machine_network(lanes, one_rank_per_node(2, 1));
}

TEST(Handshake, processors_part_is_waited_for_and_counts_as_no_latency) {
  const Network network = agreeing_machine({agreeing_link(), scaled(agreeing_link(), 1, 10), hockney_costs(2, 1)});
  ReplayOptions options;
  options.sensitivities = true;
  const Result result = replay(late_receive(), network, options);
  for (const RankTimes& rank : result.lanes[0].ranks) {
    EXPECT_EQ(rank.end, 10 + 5 + 3 * 2 + 4);
    EXPECT_EQ(rank.latency, 3 * 2);
    EXPECT_EQ(rank.bandwidth, 4);
    EXPECT_EQ(rank.wait, rank.end - rank.compute - 10);
  }
  EXPECT_EQ(result.lanes[0].sensitivity.latency, 3 * 2);
  EXPECT_EQ(result.lanes[1].makespan - result.lanes[0].makespan, 9 * 3 * 2) << "as the sensitivity says";
  EXPECT_EQ(result.lanes[2].makespan, 10 + 3 * 2 + 4) << "a lane without it notices nothing";
}

TEST(Handshake, processors_part_stays_as_it_is_in_variations_of_the_latency) {
  const Network network = agreeing_machine({agreeing_link()});
  const std::vector<Variation> variations{{.lane = 0, .latency = 0}, {.lane = 0, .latency = 10}};
  const Result result = replay(late_receive(), varied(network, variations));
  EXPECT_EQ(result.lanes[0].makespan, 10 + 5 + 4);
  EXPECT_EQ(result.lanes[1].makespan, 10 + 5 + 3 * 20 + 4);
}

TEST(Handshake, of_the_options_replaces_the_latencies_and_not_the_processors_part) {
  for (const auto& [latencies, end] : {std::pair{2.0, 10 + 5 + 6 + 4}, {0.5, 10 + 5 + 3 + 4}, {0.0, 10 + 5 + 2 + 4}}) {
    const Network network = agreeing_machine({agreeing_link()});
    ReplayOptions options;
    options.handshake = latencies;
    EXPECT_EQ(replay(late_receive(), network, options).lanes[0].makespan, end);
  }
}

// A message of 200 bytes waits for its receive, one of 10 does not; a = 1, G = 1, g = 5: they keep the port for 205 and
// 15.

Network waiting_machine(double handshake_latencies = 0) {
  LinkCosts link = hockney_costs(1, 1);
  link.sizes[0].port = Seconds{5, 1};
  return machine_network({{.name = "",
                           .between_nodes = link,
                           .within_node = link,
                           .eager_limit = 100,
                           .handshake_latencies = handshake_latencies}},
                         one_rank_per_node(3, 1));
}

/// Rank 0 sends to rank 1, then to rank 2, without waiting in between, and they post their receives when they have
/// computed for so long.
std::vector<double> received_at(Bytes first, std::uint64_t first_posted, Bytes second, std::uint64_t second_posted) {
  MemorySource program(3);
  const std::vector<trace::RequestId> both{1, 2};
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = first, .request = 1});
  program.add(0, {.kind = ActionKind::send, .peer = 2, .bytes = second, .request = 2});
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.compute(1, first_posted);
  receive(program, 0, 1, first);
  program.compute(2, second_posted);
  receive(program, 0, 2, second);
  program.finalize();
  const Network network = waiting_machine();
  const LaneResult lane = replay(program, network).lanes.at(0);
  return {lane.ranks[1].end, lane.ranks[2].end};
}

TEST(LogGP, eager_message_does_not_wait_for_one_that_waits_for_its_receive) {
  EXPECT_EQ(received_at(200, 1000, 10, 0), (std::vector<double>{1000 + 201, 11}));
}

TEST(LogGP, message_that_waits_for_its_receive_waits_for_eager_ones_before_it) {
  EXPECT_EQ(received_at(10, 0, 200, 0), (std::vector<double>{11, 15 + 201}));
  EXPECT_EQ(received_at(10, 0, 200, 1000), (std::vector<double>{11, 1000 + 201}));
}

TEST(LogGP, messages_whose_receives_are_posted_early_leave_one_after_the_other) {
  EXPECT_EQ(received_at(200, 0, 200, 0), (std::vector<double>{201, 205 + 201}));
}

TEST(LogGP, messages_whose_receives_are_posted_late_do_not_know_of_each_other) {
  EXPECT_EQ(received_at(200, 1000, 200, 1000), (std::vector<double>{1000 + 201, 1000 + 201}));
}

TEST(LogGP, what_is_sent_after_a_rendezvous_has_been_waited_for_finds_the_port_as_that_left_it) {
  for (const double agreement : {0.0, 2.0}) {
    MemorySource program(3);
    send(program, 0, 1, 200);
    send(program, 0, 2, 10);
    program.compute(1, 1000);
    receive(program, 0, 1, 200);
    receive(program, 0, 2, 10);
    program.finalize();
    const Network network = waiting_machine(agreement);
    const LaneResult lane = replay(program, network).lanes.at(0);
    EXPECT_EQ(lane.ranks[0].end, 1000 + agreement + 201);
    EXPECT_EQ(lane.ranks[2].end, 1000 + agreement + 205 + 11);
  }
}

TEST(LogGP, sender_in_an_eager_lane_does_not_wait_for_its_port_beside_a_lane_that_waits_for_receives) {
  LinkCosts link = hockney_costs(1, 1);
  link.sizes[0].port = Seconds{5, 1};
  const MachineLane eager{.name = "eager", .between_nodes = link, .within_node = link};
  MachineLane waiting = eager;
  waiting.eager_limit = 100;
  MemorySource program(3);
  send(program, 0, 1, 200);
  send(program, 0, 2, 200);
  receive(program, 0, 1, 200);
  receive(program, 0, 2, 200);
  program.finalize();
  const Network network = machine_network({eager, waiting}, one_rank_per_node(3, 1));
  const Result result = replay(program, network);
  EXPECT_EQ(result.lanes[0].ranks[0].end, 0);
  EXPECT_EQ(result.lanes[0].ranks[2].end, 205 + 201);
  // Two latencies to agree, each time: the first one leaves at 2 and is there at 203, but keeps the port until 207.
  EXPECT_EQ(result.lanes[1].ranks[0].end, 207 + 203);
}

TEST(MeasuredTable, message_takes_the_time_of_its_size_latency_first) {
  const LinkCosts table = measured_costs(std::vector<MeasuredTime>{{0, 10}, {100, 20}, {101, 220}, {201, 320}});
  for (const auto& [bytes, seconds] :
       {std::pair{0U, 10.0}, {50U, 15.0}, {100U, 20.0}, {101U, 220.0}, {151U, 270.0}, {1201U, 1320.0}}) {
    MemorySource program(2);
    send(program, 0, 1, bytes);
    receive(program, 0, 1, bytes);
    program.finalize();
    for (const Overlap overlap : {Overlap::latency_first, Overlap::bandwidth_first}) {
      const Network network = machine(2, {table});
      ReplayOptions options;
      options.overlap = overlap;
      const RankTimes times = replay(program, network, options).lanes.at(0).ranks.at(1);
      EXPECT_NEAR(times.end, seconds, 1e-9) << bytes;
      EXPECT_NEAR(times.latency, 10, 1e-9);
      EXPECT_NEAR(times.bandwidth, seconds - 10, 1e-9);
    }
  }
}

TEST(MeasuredTable, collective_pays_for_each_of_its_messages) {
  const LinkCosts table = measured_costs(std::vector<MeasuredTime>{{0, 10}, {8, 18}, {16, 34}, {24, 50}});
  MemorySource program(4);
  for (Rank rank = 0; rank < 4; ++rank)
    program.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = 20});
  program.finalize();
  const Network network = machine(4, {table});
  const LaneResult lane = replay(program, network).lanes.at(0);
  EXPECT_DOUBLE_EQ(lane.makespan, 2 * 42) << "a binomial tree: two messages of 20 bytes, one after the other";
  EXPECT_DOUBLE_EQ(lane.ranks[0].latency, 2 * 10);
}

TEST(MeasuredTable, probe_sees_a_message_before_its_bytes) {
  const LinkCosts table = measured_costs(std::vector<MeasuredTime>{{0, 10}, {100, 20}, {101, 220}, {201, 320}});
  MemorySource whole(2);
  send(whole, 0, 1, 101);
  whole.add(1, {.kind = ActionKind::probe, .peer = 0, .bytes = 101});
  receive(whole, 0, 1, 101);
  whole.finalize();
  const Network network = machine(2, {table});
  const RankTimes times = replay(whole, network).lanes.at(0).ranks.at(1);
  EXPECT_NEAR(times.latency, 10, 1e-9);
  EXPECT_NEAR(times.end, 220, 1e-9);
}

TEST(KernelRates, kernel_of_half_the_rate_takes_twice_the_time_and_the_others_theirs) {
  MemorySource program(1);
  const trace::KernelId slow = program.add_kernel({});
  program.compute(0, 100);
  program.compute(0, 10, slow);
  program.finalize();
  Placement placement = one_rank_per_node(1, 0.5);
  placement.kernel_factors = {1, 2};
  const Network network = machine_network({{.name = "x"}, {.name = "y", .compute_scale = 3}}, placement);
  const Result result = replay(program, network);
  EXPECT_EQ(result.lanes[0].makespan, 50 + 10);
  EXPECT_EQ(result.lanes[0].ranks[0].compute, 60);
  EXPECT_EQ(result.lanes[1].makespan, 180);
}

// ---- choices that the papers leave open

/// Rank 0 waits for a small late message, request 1, and a large early one, request 2, as listed.
RankTimes receiver_of_two(CompletionOrder order, const std::vector<trace::RequestId>& listed = {1, 2}) {
  MemorySource program(3);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 1, .request = 1});
  program.add(0, {.kind = ActionKind::receive, .peer = 2, .bytes = 100, .request = 2});
  program.add(0, {.kind = ActionKind::wait_all, .requests = listed});
  program.compute(1, 30);
  send(program, 1, 0, 1);
  send(program, 2, 0, 100);
  program.finalize();
  const Network network = machine(3, {hockney_costs(5, 1)});
  ReplayOptions options;
  options.completions = order;
  return replay(program, network, options).lanes.at(0).ranks.at(0);
}

TEST(Choices, completions_as_listed_end_at_the_same_time_and_divide_it_otherwise) {
  // The large one arrives at 105, the small one sets off at 30 and arrives at 36.
  const RankTimes by_arrival = receiver_of_two(CompletionOrder::of_arrival);
  const RankTimes as_listed = receiver_of_two(CompletionOrder::as_listed);
  EXPECT_EQ(by_arrival.end, 105);
  EXPECT_EQ(as_listed.end, 105);
  EXPECT_EQ(by_arrival.wait, 30) << "the small one comes first";
  EXPECT_EQ(as_listed.wait, 30);
  EXPECT_EQ(by_arrival.latency, 5);
  EXPECT_EQ(as_listed.bandwidth, 1 + 69);
}

TEST(Choices, completions_as_listed_take_the_large_message_first_when_it_stands_first) {
  const RankTimes times = receiver_of_two(CompletionOrder::as_listed, {2, 1});
  EXPECT_EQ(times.end, 105);
  EXPECT_EQ(times.wait, 0) << "all of the time is the large message's way";
  EXPECT_EQ(times.bandwidth, 100);
}

TEST(Choices, nonblocking_sends_copy_nothing_where_only_blocking_ones_do) {
  MemorySource program(2);
  const std::vector<trace::RequestId> one{1};
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 8, .request = 1});
  program.add(0, {.kind = ActionKind::wait, .requests = one});
  send(program, 0, 1, 4);
  receive(program, 0, 1, 8);
  receive(program, 0, 1, 4);
  program.finalize();
  const Network network = flat_machine(2, {{.memory_copy = 1}});
  ReplayOptions options;
  EXPECT_EQ(replay(program, network, options).lanes[0].ranks[0].memory_copy, 12);
  options.nonblocking_copy = false;
  EXPECT_EQ(replay(program, network, options).lanes[0].ranks[0].memory_copy, 4);
}

TEST(Choices, making_a_communicator_is_free_and_waits_for_nobody_where_asked) {
  MemorySource program(2);
  const trace::CommunicatorId made = program.add_communicator({0, 1});
  program.compute(1, 100);
  for (Rank rank = 0; rank < 2; ++rank)
    program.add(rank, {.kind = ActionKind::comm_dup, .new_communicator = made});
  program.finalize();
  const Network network = flat_machine(2, {{.latency = 10}});
  ReplayOptions options;
  EXPECT_EQ(replay(program, network, options).lanes[0].ranks[0].end, 110);
  options.creation = false;
  EXPECT_EQ(replay(program, network, options).lanes[0].ranks[0].end, 0);
  EXPECT_EQ(replay(program, network, options).lanes[0].ranks[1].end, 100);
}

TEST(Choices, global_clock_begins_with_the_recorded_time_of_the_first_action) {
  MemorySource program(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    const std::uint64_t begin = rank == 0 ? 5'000'000'000 : 2'000'000'000;
    program.compute(rank, 1);
    program.times(rank, {begin, begin + 1'000'000'000});
    program.add(rank, {.kind = ActionKind::barrier});
    program.times(rank, {begin + 1'000'000'000, 9'000'000'000});
  }
  const Network network = flat_machine(2, {{.latency = 10}});
  ReplayOptions options;
  options.clock = StartClock::global;
  const LaneResult lane = replay(program, network, options).lanes.at(0);
  EXPECT_EQ(lane.ranks[0].start, 5);
  EXPECT_EQ(lane.ranks[1].start, 2);
  EXPECT_EQ(lane.ranks[1].wait, 3);
  EXPECT_EQ(lane.ranks[0].end, 16);
  EXPECT_EQ(lane.ranks[1].end, 16);
  options.clock = StartClock::own;
  EXPECT_EQ(replay(program, network, options).lanes.at(0).ranks[0].end, 11);
}

TEST(Choices, global_clock_is_refused_where_the_trace_holds_no_times) {
  MemorySource program(1);
  program.compute(0, 1);
  program.finalize();
  const Network network = flat_machine(1, {{}});
  ReplayOptions options;
  options.clock = StartClock::global;
  try {
    replay(program, network, options);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::usage);
    EXPECT_NE(error.advice().find("--timestamps"), std::string::npos);
  }
}

/// Returns lanes of every sort, with fractions.
MachineLane lane_of_a_sort(std::size_t number) {
  const double odd = static_cast<double>(number) + 1;
  LinkCosts between = hockney_costs(1e-6 * odd / 3, 1e-9 / odd);
  if (number % 4 == 1)
    between = measured_costs(
        std::vector<MeasuredTime>{{1, 1e-6 * odd / 3}, {300, 2e-6 * odd / 7}, {2000, 1e-5 / odd}, {5000, 1e-4 * odd}});
  if (number % 4 >= 2)
    between.sizes = {{.up_to = 700,
                      .latency = 1e-6 / odd,
                      .byte_time = 3e-9 / odd,
                      .send = {1e-7 * odd / 3, 1e-11},
                      .receive = {2e-7 / odd, 0}},
                     {.latency = 2e-6 / odd,
                      .byte_time = 1e-9 / odd,
                      .send = {1e-6 * odd / 7, 0},
                      .nonblocking_send = {1e-6 / 3, 0}}};
  if (number % 4 == 3) between.sizes[1].port = Seconds{1e-7 / odd, 1e-9 / odd};
  return {.name = std::to_string(number),
          .between_nodes = between,
          .within_node = hockney_costs(1e-7 * odd / 7, 1e-10 / odd),
          .memory_copy_byte_time = 3.1e-11 * odd,
          .reduction_byte_time = 1.7e-10 / odd,
          .compute_scale = 1 / odd};
}

Network lanes_of_all_sorts(Rank ranks, const std::vector<std::size_t>& numbers) {
  std::vector<MachineLane> lanes;
  for (const std::size_t number : numbers)
    lanes.push_back(lane_of_a_sort(number));
  Placement placement = one_rank_per_node(ranks, 1.0 / 3e9);
  for (auto& node : placement.node_of_rank)
    node /= 2;
  placement.kernel_factors = {1, 1.0 / 3};
  return machine_network(lanes, std::move(placement));
}

TEST(MachineNetwork, lane_has_the_same_bits_alone_and_beside_lanes_of_any_sort) {
  for (std::uint64_t seed = 400; seed < 440; ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 300});
    for (const bool sensitivities : {false, true}) {
      ReplayOptions options;
      options.sensitivities = sensitivities;
      options.overlap = seed % 2 == 0 ? Overlap::latency_first : Overlap::bandwidth_first;
      const Network together = lanes_of_all_sorts(program.run().size, {0, 1, 2, 3, 4, 5, 6, 7, 8});
      const Result all = replay(program, together, options);
      for (std::size_t lane = 0; lane < 9; ++lane) {
        const Network alone = lanes_of_all_sorts(program.run().size, {lane});
        const LaneResult single = replay(program, alone, options).lanes.at(0);
        for (std::size_t rank = 0; rank < single.ranks.size(); ++rank)
          ASSERT_EQ(std::memcmp(&single.ranks[rank], &all.lanes[lane].ranks[rank], sizeof(RankTimes)), 0)
              << "seed " << seed << ", lane " << lane << ", rank " << rank;
        ASSERT_EQ(std::memcmp(&single.sensitivity, &all.lanes[lane].sensitivity, sizeof(Sensitivity)), 0);
      }
    }
  }
}

TEST(MachineNetwork, slightly_longer_latencies_bytes_and_computations_lengthen_runs_as_the_sensitivities_say) {
  for (std::uint64_t seed = 500; seed < 530; ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 200});
    for (std::size_t number = 0; number < 8; ++number) {
      const MachineLane lane = lane_of_a_sort(number);
      constexpr double little = 1e-7;
      std::vector<MachineLane> lanes(4, lane);
      lanes[1].between_nodes = scaled(lane.between_nodes, 1, 1 + little);
      lanes[2].between_nodes = scaled(lane.between_nodes, 1 / (1 + little), 1);
      lanes[3].compute_scale *= 1 + little;
      const Network network = machine_network(lanes, one_rank_per_node(program.run().size, 1.0 / 3e9));
      ReplayOptions options;
      options.sensitivities = true;
      const Result result = replay(program, network, options);
      const LaneResult& as_is = result.lanes[0];
      const double tolerance = 1e-3 * little * as_is.makespan;
      EXPECT_NEAR(result.lanes[1].makespan - as_is.makespan, little * as_is.sensitivity.latency, tolerance) << seed;
      EXPECT_NEAR(result.lanes[2].makespan - as_is.makespan, little * as_is.sensitivity.bandwidth, tolerance) << seed;
      EXPECT_NEAR(result.lanes[3].makespan - as_is.makespan, little * as_is.sensitivity.compute, tolerance) << seed;
    }
  }
}

} // namespace
} // namespace timeless::replay::test::networks_test
