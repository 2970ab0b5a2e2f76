#include "replay/network/compute_rates.h"
#include "replay/network/rated_source.h"

#include "../temporary_directory.h"
#include "base/error.h"
#include "trace/model/memory_events.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

namespace timeless::replay {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr RelativeTimes all_one{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// Returns a run of two kernels of /opt/bin/lu.x, from 0x10 to 0x20 and from 0x20 to 0x30.
trace::Run two_kernels(const std::string& build) {
  trace::Run run;
  run.size = 2;
  run.modules = {{.path = "/opt/bin/lu.x", .build_id = build}};
  run.kernels = {{.begin = {0, 0x10}, .end = {0, 0x20}}, {.begin = {0, 0x20}, .end = {0, 0x30}}};
  return run;
}

MeasuredKernel kernel(const std::string& name, double rate, double size = 100, const std::string& places = "") {
  return {.name = name,
          .places = places,
          .units_per_second = rate,
          .launches = {rate / 2, rate * 2},
          .units_per_visit = size,
          .own = true,
          .relative_times = all_one};
}

MeasuredInstance instance(std::vector<MeasuredKernel> kernels, double units_per_rank = 1000) {
  return {.name = "small",
          .units_per_second = 8,
          .units_per_rank = units_per_rank,
          .builds = {"lu.x 4142"},
          .kernels = std::move(kernels)};
}

const std::vector<KernelOfRun> of_size_100{{.units_per_visit = 100, .places = "ssor 1/3..ssor 2/3"},
                                           {.units_per_visit = 100, .places = "ssor 2/3..ssor 3/3"}};

TEST(MeasuredRates, are_those_of_the_same_places_of_the_same_build_and_else_the_programs) {
  const auto found = timings({instance({kernel("lu.x+0x10..lu.x+0x20", 4)})}, two_kernels("AB"), of_size_100, 1000);
  EXPECT_DOUBLE_EQ(found[0].seconds_per_unit, 0.25);
  EXPECT_TRUE(found[0].own);
  EXPECT_THAT(found[0].launches, ElementsAre(0.5, 0.125));
  EXPECT_DOUBLE_EQ(found[1].seconds_per_unit, 0.125);
  EXPECT_FALSE(found[1].own);
}

TEST(MeasuredRates, of_another_build_are_found_by_the_order_of_places) {
  const trace::Run run = two_kernels("another");
  const auto by_offset = timings({instance({kernel("lu.x+0x10..lu.x+0x20", 4)})}, run, of_size_100, 1000);
  EXPECT_FALSE(by_offset[0].own) << "the same offset in another build is another place";
  const auto by_order =
      timings({instance({kernel("lu.x+0x99..lu.x+0xaa", 4, 100, "ssor 1/3..ssor 2/3")})}, run, of_size_100, 1000);
  EXPECT_DOUBLE_EQ(by_order[0].seconds_per_unit, 0.25);
  EXPECT_TRUE(of_another_build(instance({}), run));
  EXPECT_FALSE(of_another_build(instance({}), two_kernels("AB")));
  EXPECT_FALSE(of_another_build(instance({}), two_kernels(""))) << "what is not known is taken for the same";
}

TEST(MeasuredRates, of_several_sizes_lie_between_them) {
  const std::vector<MeasuredInstance> sizes{instance({kernel("lu.x+0x10..lu.x+0x20", 16, 100)}),
                                            instance({kernel("lu.x+0x10..lu.x+0x20", 4, 10000)})};
  const auto at = [&](double size) {
    return timings(sizes, two_kernels("AB"), std::vector<KernelOfRun>{{.units_per_visit = size}, {}}, 1)[0];
  };
  EXPECT_DOUBLE_EQ(at(100).seconds_per_unit, 1.0 / 16);
  EXPECT_DOUBLE_EQ(at(1000).seconds_per_unit, 1.0 / 8);
  EXPECT_DOUBLE_EQ(at(10000).seconds_per_unit, 1.0 / 4);
  EXPECT_DOUBLE_EQ(at(1e6).seconds_per_unit, 1.0 / 4);
  EXPECT_TRUE(at(1e6).outside);
  EXPECT_TRUE(at(10).outside);
  EXPECT_FALSE(at(10500).outside) << "nearly the same size";
  EXPECT_FALSE(at(1000).outside);
}

TEST(MeasuredRates, of_visits_of_one_size_lie_between_the_instances_by_what_their_ranks_compute) {
  const std::vector<MeasuredInstance> inputs{instance({kernel("lu.x+0x10..lu.x+0x20", 16, 100)}, 1e3),
                                             instance({kernel("lu.x+0x10..lu.x+0x20", 4, 101)}, 1e5)};
  const auto of = [&](double units_per_rank) {
    return timings(inputs, two_kernels("AB"), of_size_100, units_per_rank)[0];
  };
  EXPECT_DOUBLE_EQ(of(1e3).seconds_per_unit, 1.0 / 16);
  EXPECT_DOUBLE_EQ(of(1e4).seconds_per_unit, 1.0 / 8);
  EXPECT_TRUE(of(1e7).outside);
}

TEST(MeasuredRates, of_the_rest_are_those_of_the_instance_that_computes_as_much) {
  std::vector<MeasuredInstance> instances{instance({kernel("other", 1)}, 1e3), instance({kernel("other", 1)}, 1e6)};
  instances[1].units_per_second = 2;
  const trace::Run run = two_kernels("AB");
  EXPECT_DOUBLE_EQ(timings(instances, run, of_size_100, 2e3)[0].seconds_per_unit, 0.125);
  EXPECT_DOUBLE_EQ(timings(instances, run, of_size_100, 2e6)[0].seconds_per_unit, 0.5);
}

/// Returns a thousand instructions, and lines out of order from behind all caches.
std::vector<double> counted(double lines) {
  std::vector<double> events(trace::memory_events().size());
  events[trace::memory_instructions] = 1000;
  events[trace::memory_first_class + 2 * trace::distance_classes() - 2] = lines;
  return events;
}

/// Costs a second an instruction, and 10 a line from memory out of order; twice as much with two ranks on the node.
MachineCosts ten_seconds_a_line() {
  MachineCosts machine{.caches = {.first = 32768, .second = 1 << 20, .last = 1 << 22}, .processors = 2};
  machine.alone[0] = 1;
  machine.alone[13] = 10;
  machine.busy = machine.alone;
  machine.busy[13] = 20;
  return machine;
}

TEST(MeasuredRates, are_rescaled_to_another_working_set_by_what_a_machine_costs) {
  const MachineCosts machine = ten_seconds_a_line();
  MeasuredKernel measured = kernel("lu.x+0x10..lu.x+0x20", 4, 90);
  measured.memory = counted(100); // 2 s a unit
  std::vector<MeasuredInstance> instances{instance({measured})};
  instances[0].ranks_per_node = 1;
  std::vector<KernelOfRun> kernels = of_size_100;
  kernels[0].memory = counted(500); // 6
  const trace::Run run = two_kernels("AB");
  const KernelTiming found = timings(instances, run, kernels, 1000, &machine)[0];
  EXPECT_GT(found.rescaling, 0);
  EXPECT_DOUBLE_EQ(found.seconds_per_unit, 0.25 * 3);
  EXPECT_THAT(found.launches, ElementsAre(0.5 * 3, 0.125 * 3));
  EXPECT_DOUBLE_EQ(timings(instances, run, kernels, 1000)[0].seconds_per_unit, 0.25) << "without a machine";

  instances[0].ranks_per_node = 2; // 3 s a unit there, 11 here
  EXPECT_DOUBLE_EQ(timings(instances, run, kernels, 1000, &machine)[0].seconds_per_unit, 0.25 * 11 / 3);

  kernels[0].memory.clear();
  const KernelTiming uncounted = timings(instances, run, kernels, 1000, &machine)[0];
  EXPECT_DOUBLE_EQ(uncounted.seconds_per_unit, 0.25);
  EXPECT_EQ(uncounted.rescaling, 0);
}

TEST(MeasuredRates, of_several_sizes_are_rescaled_before_they_are_joined_by_a_line) {
  const MachineCosts machine = ten_seconds_a_line();
  MeasuredKernel small = kernel("lu.x+0x10..lu.x+0x20", 16, 100);
  MeasuredKernel large = kernel("lu.x+0x10..lu.x+0x20", 4, 10000);
  small.memory = counted(0);   // 1 s a unit
  large.memory = counted(300); // 4
  std::vector<MeasuredInstance> instances{instance({small}), instance({large})};
  for (MeasuredInstance& one : instances)
    one.ranks_per_node = 1;
  const std::vector<KernelOfRun> kernels{{.units_per_visit = 1000, .places = {}, .memory = counted(100)}, {}}; // 2
  const auto found = timings(instances, two_kernels("AB"), kernels, 1, &machine);
  EXPECT_DOUBLE_EQ(found[0].seconds_per_unit, 1.0 / 8) << "both say the same: 2/16 and 0.5/4";
}

class MeasuredFile : public testing::Test {
protected:
  ComputeRates rates(const std::string& instance, const std::string& beside = R"("units_per_second": 5,)") {
    const std::filesystem::path file = folder_ / "rates.json";
    std::ofstream(file, std::ios::binary)
        << R"({"format": "timeless.rates/1", )" << beside << R"( "instances": [{"name": "a", "ranks": 2,
      "ranks_per_node": 2, "launches": 5, "units_per_second": 5, "units_per_rank": 10, "counter": "icount",
      "hosts": ["a", "b"], "kernels": [)"
        << instance << "]}]}";
    return read_rates(file);
  }
  std::string refusal(const std::string& instance, const std::string& beside = R"("units_per_second": 5,)") {
    try {
      rates(instance, beside);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      return std::string(error.description()) + " | " + error.where();
    }
    return "accepted";
  }

  const std::string times_ = R"("relative_times": [0.5, 0.9, 0.9, 1, 1, 1, 1, 1, 1.2, 1.5, 3])";
  const std::string good_ = R"({"kernel": "x+1..x+2", "units_per_second": 3, "fixed_seconds": 1e-6, "own": true,
    "launches": [2, 4], "units_per_visit": 7, "visits": 3, )" +
                            times_ + "}";
  test::TemporaryDirectory folder_;
};

TEST_F(MeasuredFile, gives_kernels_with_their_times) {
  const ComputeRates read = rates(good_);
  ASSERT_EQ(read.instances.size(), 1U);
  const MeasuredKernel& one = read.instances[0].kernels.at(0);
  EXPECT_EQ(one.name, "x+1..x+2");
  EXPECT_DOUBLE_EQ(one.fixed_seconds, 1e-6);
  EXPECT_THAT(one.launches, ElementsAre(2, 4));
  EXPECT_DOUBLE_EQ(one.relative_times[10], 3);
  EXPECT_EQ(read.instances[0].counter, "icount");
  EXPECT_THAT(read.instances[0].hosts, ElementsAre("a", "b"));
}

TEST_F(MeasuredFile, may_say_what_kernels_counted_of_memory) {
  EXPECT_TRUE(rates(good_).instances[0].kernels.at(0).memory.empty());
  const auto with = [&](const std::string& memory) { return good_.substr(0, good_.size() - 1) + ", " + memory + "}"; };
  const auto memory = rates(with(R"("memory": {"INSTRUCTIONS": 70, "SEQ_LINES_512": 3})")).instances[0].kernels.at(0);
  EXPECT_THAT(memory.memory, SizeIs(trace::memory_events().size()));
  EXPECT_DOUBLE_EQ(memory.memory[trace::memory_instructions], 70);
  EXPECT_DOUBLE_EQ(memory.memory[trace::memory_first_class + 1], 3);
  EXPECT_THAT(refusal(with(R"("memory": {"INSTRUCTIONS": 70, "CATS": 3})")), HasSubstr("no event of memory"));
  EXPECT_THAT(refusal(with(R"("memory": {"LOADS": 3})")), HasSubstr("no instructions"));
  EXPECT_THAT(refusal(with(R"("memory": {"INSTRUCTIONS": -1})")), HasSubstr("memory"));
}

TEST_F(MeasuredFile, is_refused_with_the_place_that_is_wrong) {
  EXPECT_THAT(refusal(R"({"kernel": "x", "units_per_second": 0, "own": true, "units_per_visit": 7})"),
              HasSubstr("instances[0].kernels[0].units_per_second"));
  EXPECT_THAT(refusal(R"({"kernel": "x", "units_per_second": 1, "own": 1, "units_per_visit": 7})"),
              HasSubstr("neither true nor false"));
  EXPECT_THAT(refusal(R"({"kernel": "x", "units_per_second": 1, "own": true, "units_per_visit": 7,
    "relative_times": [1, 2]})"),
              HasSubstr("not 11 numbers that rise"));
  EXPECT_THAT(refusal(good_ + ", " + R"({"kernel": "x", "speed": 1})"), HasSubstr("this key means nothing here"));
  EXPECT_THAT(refusal(good_, ""), HasSubstr("without units_per_second"));
  EXPECT_THAT(refusal(good_, R"("units_per_second": 5, "kernels": {"0": 1},)"), HasSubstr("beside kernels by hand"));
}

/// Returns a run of `visits` visits of a kernel by each of two ranks, of 1000 units each.
std::unique_ptr<trace::MemorySource> visited(int visits) {
  auto run = std::make_unique<trace::MemorySource>(2, 64);
  for (int visit = 0; visit < visits; ++visit)
    for (const trace::Rank rank : {0, 1}) {
      run->compute(rank, 1000, 0);
      run->add(rank, {.kind = trace::ActionKind::barrier});
    }
  run->finalize();
  return run;
}

std::vector<std::uint64_t> volumes(const trace::Source& source, trace::Rank rank) {
  std::vector<std::uint64_t> all;
  trace::ActionBlock block;
  for (const auto stream = source.open(rank); stream->next(block);)
    std::ranges::copy(block.volumes(), std::back_inserter(all));
  return all;
}

RatedSource rated(int visits, std::optional<std::uint64_t> noise, RelativeTimes times = all_one) {
  return {visited(visits),
          {.kernels = {{.fixed_seconds = 1e-6, .seconds_per_unit = 2e-9, .relative_times = times}},
           .rest = {},
           .units_per_second = 1e9,
           .noise = noise}};
}

TEST(RatedSource, has_the_volumes_that_take_as_long_at_one_rate) {
  EXPECT_EQ(volumes(rated(3, {}), 1), (std::vector<std::uint64_t>{3000, 3000, 3000}));
}

TEST(RatedSource, draws_the_same_times_again_however_it_is_read_and_others_by_another_seed) {
  const RelativeTimes times{0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 2.4};
  const RatedSource source = rated(2000, 7, times);
  const std::vector<std::uint64_t> once = volumes(source, 0);
  EXPECT_EQ(volumes(source, 0), once);
  EXPECT_EQ(volumes(rated(2000, 7, times), 0), once);
  EXPECT_NE(volumes(source, 1), once);
  EXPECT_NE(volumes(rated(2000, 8, times), 0), once);
  // A golden value: the same on every machine, today and tomorrow.
  EXPECT_EQ(once[0], 2015U);
  EXPECT_EQ(once[1], 1602U);
}

TEST(RatedSource, draws_times_as_they_were_spread) {
  const RelativeTimes times{0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 2.4};
  std::vector<std::uint64_t> drawn = volumes(rated(20000, 1, times), 0);
  std::ranges::sort(drawn);
  for (std::size_t decile = 1; decile < 10; ++decile)
    EXPECT_NEAR(static_cast<double>(drawn[2000 * decile]), 3000 * times[decile], 40);
  EXPECT_GE(drawn.front(), 1500U);
  EXPECT_LE(drawn.back(), 7200U);
}

TEST(RatedSource, holds_what_no_volume_can) {
  RatedSource source(visited(1), {.kernels = {{.seconds_per_unit = 1e300}}, .rest = {}, .units_per_second = 1e300});
  EXPECT_EQ(volumes(source, 0).at(0), 9'000'000'000'000'000'000U);
}

} // namespace
} // namespace timeless::replay
