// Clocks that begin with a recorded time (StartClock::global): where the time before goes.
#include "../temporary_directory.h"
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "replay/timeline/timeline.h"
#include "scalar_replay.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace timeless::replay::test::late_start_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using trace::ActionKind;
using trace::MemorySource;

/// A program whose rank r was recorded from so many seconds on.
class LateSource : public trace::Source {
public:
  LateSource(const trace::Source& program, std::vector<double> starts)
      : program_(program), starts_(std::move(starts)) {}
  const trace::Run& run() const override { return program_.run(); }
  std::unique_ptr<trace::RankStream> open(Rank rank) const override {
    return std::make_unique<Stream>(program_.open(rank), starts_.at(static_cast<std::size_t>(rank)));
  }

private:
  class Stream : public trace::RankStream {
  public:
    Stream(std::unique_ptr<trace::RankStream> program, double start)
        : program_(std::move(program)), start_(static_cast<std::uint64_t>(start * 1e9)) {}
    bool next(trace::ActionBlock& block) override { return program_->next(block); }
    void read_times(trace::ActionBlock& block) const override {
      block.assign_times(std::vector<trace::ActionTimes>(block.size(), {start_, start_}));
    }

  private:
    std::unique_ptr<trace::RankStream> program_;
    std::uint64_t start_;
  };

  const trace::Source& program_;
  std::vector<double> starts_;
};

/// Powers of two, and 0.
LateSource late(const trace::Source& program, std::uint64_t seed) {
  std::vector<double> starts;
  for (Rank rank = 0; rank < program.run().size; ++rank)
    starts.push_back(
        static_cast<double>((std::uint64_t{1} << ((seed * 5 + static_cast<std::uint64_t>(rank) * 7) % 13)) / 2));
  return {program, std::move(starts)};
}

ReplayOptions global_clock() {
  ReplayOptions options;
  options.clock = StartClock::global;
  return options;
}

/// Rank 0 starts at 5 and computes for 12; rank 1 starts at 2, computes for 18 and sends: 2 + 18 + 2 for the copy.
struct EarlyReceiver {
  EarlyReceiver() : program(2), source(program, {5, 2}) {
    program.compute(0, 12);
    program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 2});
    program.compute(1, 18);
    program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 2});
    program.finalize();
  }
  MemorySource program;
  LateSource source;
  const Network machine = flat_machine(2, {{.latency = 2, .byte_time = 5, .memory_copy = 1}});
};

TEST(LateStart, random_programs_equal_the_scalar_replay_lane_by_lane_and_add_up) {
  for (std::uint64_t seed = 700; seed < 800; ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 80});
    const LateSource source = late(program, seed);
    IntegerMachine machine(program.run().size, seed, {seed, seed + 1});
    if (seed % 2 == 1) machine.add_rarities();
    ReplayOptions options = global_clock();
    options.attribute = seed % 3 == 0 ? AttributeBy::kernels : AttributeBy::calls;
    const Result result = replay(source, machine, options);
    for (std::size_t lane = 0; lane < 2; ++lane) {
      const std::vector<ScalarTimes> expected = scalar_replay(source, machine, lane, options);
      for (std::size_t rank = 0; rank < expected.size(); ++rank) {
        const RankTimes& times = result.lanes[lane].ranks[rank];
        ASSERT_TRUE(same_bits(times, expected[rank])) << "seed " << seed << ", rank " << rank;
        double counted = 0;
        for (double RankTimes::*const counter : rank_counters)
          counted += times.*counter;
        ASSERT_EQ(counted, times.end) << "seed " << seed << ", rank " << rank;
        double divided = 0;
        for (const AttributedTimes& part : result.attribution.parts)
          if (part.rank == static_cast<Rank>(rank)) divided += part.lanes[lane].end;
        ASSERT_EQ(divided, times.end) << "seed " << seed << ", rank " << rank;
      }
    }
  }
}

TEST(LateStart, is_a_part_of_its_own_in_every_division) {
  EarlyReceiver example;
  ReplayOptions options = global_clock();
  for (const AttributeBy by : {AttributeBy::calls, AttributeBy::kernels}) {
    options.attribute = by;
    const Result result = replay(example.source, example.machine, options);
    EXPECT_EQ(mean(result.lanes[0]).start, 3.5);
    EXPECT_EQ(result.lanes[0].makespan, 34);
    std::vector<double> starts;
    for (const AttributedTimes& part : result.attribution.parts) {
      const RankTimes& times = part.lanes[0];
      EXPECT_EQ(times.start, part.subject == before_start ? times.end : 0);
      if (part.subject == before_start) starts.push_back(times.end);
    }
    EXPECT_THAT(starts, testing::ElementsAre(5, 2));
    const std::vector<AttributedTimes> means = mean_parts(result);
    const auto part = std::ranges::find(means, before_start, &AttributedTimes::subject);
    ASSERT_NE(part, means.end());
    EXPECT_EQ(part->lanes[0].end, 3.5);
  }
}

TEST(LateStart, is_the_first_piece_of_the_critical_path) {
  EarlyReceiver example;
  ReplayOptions options = global_clock();
  options.critical_path = true;
  const std::vector<PathSegment> path = replay(example.source, example.machine, options).critical_path;
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0].kind, PathSegment::Kind::not_started);
  EXPECT_EQ(path[0].rank, 1);
  EXPECT_EQ(path[0].begin, 0);
  EXPECT_EQ(path[0].end, 2);
  EXPECT_EQ(path[0].compute, 0);
  EXPECT_EQ(path[1].kind, PathSegment::Kind::local);
  EXPECT_EQ(path[1].begin, 2);
  EXPECT_EQ(path[1].end, 22);
  EXPECT_EQ(path[1].compute, 18);
  EXPECT_EQ(path[2].kind, PathSegment::Kind::message);
}

/// What an observer sees begins where the clock does.
class Contiguous : public Observer {
public:
  std::size_t lane(std::span<const std::string>) override { return 0; }
  void begin(const trace::Run& run) override { ends.assign(static_cast<std::size_t>(run.size), 0); }
  void start(Rank rank, double seconds) override { ends.at(static_cast<std::size_t>(rank)) = seconds; }
  void observe(const ObservedAction& action) override {
    double& end = ends.at(static_cast<std::size_t>(action.rank));
    EXPECT_EQ(action.start, end);
    end = action.end;
  }
  std::vector<double> ends;
};

TEST(LateStart, is_told_to_an_observer_before_the_first_action) {
  for (std::uint64_t seed = 800; seed < 830; ++seed) {
    const MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 80});
    const LateSource source = late(program, seed);
    IntegerMachine machine(program.run().size, seed, {seed});
    for (const std::uint32_t threads : {1U, 2U}) {
      Contiguous observer;
      ReplayOptions options = global_clock();
      options.observer = &observer;
      options.threads = threads;
      const Result result = replay(source, machine, options);
      for (std::size_t rank = 0; rank < observer.ends.size(); ++rank)
        EXPECT_EQ(observer.ends[rank], result.lanes[0].ranks[rank].end) << "seed " << seed;
    }
  }
}

std::string timeline_of(timeline::TimelineFormat format, double from = 0) {
  const timeless::test::TemporaryDirectory directory;
  EarlyReceiver example;
  timeline::Timeline timeline({.file = directory / "timeline", .format = format, .from = from});
  ReplayOptions options = global_clock();
  options.observer = &timeline;
  timeline.finish(replay(example.source, example.machine, options));
  std::ifstream in(directory / "timeline", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(LateStart, is_a_state_of_its_own_in_timelines) {
  const std::string csv = timeline_of(timeline::TimelineFormat::csv);
  EXPECT_THAT(csv, HasSubstr("\n0,,not_started,0,5,5,0,0,0,0,,,,,,,,,,,\n"
                             "1,,not_started,0,2,2,0,0,0,0,,,,,,,,,,,\n"
                             "1,0,compute,2,20,18,0,0,0,0,18,"));
  EXPECT_THAT(csv, HasSubstr("\n0,0,compute,5,17,12,0,0,0,0,12,"));
  EXPECT_THAT(timeline_of(timeline::TimelineFormat::text),
              StartsWith("[2.000000000] 1 not_started 2.000000000\n[5.000000000] 0 not_started 5.000000000\n"
                         "[17.000000000] 0 compute 12 12.000000000\n"));
  const std::string paje = timeline_of(timeline::TimelineFormat::paje);
  EXPECT_THAT(paje, HasSubstr("state \"not_started\""));
  EXPECT_THAT(timeline_of(timeline::TimelineFormat::perfetto), HasSubstr("not_started"));
}

TEST(LateStart, outside_of_a_timelines_window_is_left_out) {
  const std::string csv = timeline_of(timeline::TimelineFormat::csv, 3);
  EXPECT_THAT(csv, HasSubstr("0,,not_started,0,5"));
  EXPECT_THAT(csv, testing::Not(HasSubstr("1,,not_started")));
}

TEST(LateStart, of_nobody_leaves_no_trace) {
  EarlyReceiver example;
  const LateSource punctual(example.program, {0, 0});
  ReplayOptions options = global_clock();
  options.attribute = AttributeBy::calls;
  for (const AttributedTimes& part : replay(punctual, example.machine, options).attribution.parts)
    EXPECT_NE(part.subject, before_start);
}

} // namespace
} // namespace timeless::replay::test::late_start_test
