#include "replay/network/compute_costs.h"

#include "../temporary_directory.h"
#include "base/error.h"
#include "trace/model/memory_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace timeless::replay {
namespace {

using testing::HasSubstr;

std::string costs_of(double instruction, double memory_random) {
  std::string text = "{";
  for (const std::string_view name : compute_cost_names)
    text.append(text.size() > 1 ? ", \"" : "\"")
        .append(name)
        .append("\": ")
        .append(std::to_string(name == "instruction"     ? instruction
                               : name == "memory_random" ? memory_random
                                                         : 0.0));
  return text + "}";
}

class MachineFile : public testing::Test {
protected:
  static std::string text(const std::string& changed = {}, const std::string& to = {}) {
    std::string all = R"({"format": "timeless.machine/1", "source": "measured somewhere",
      "caches": {"first_bytes": 32768, "second_bytes": 1048576, "last_bytes": 33554432}, "processors": 5,
      "alone": )" + costs_of(2, 100) +
                      R"(, "busy": )" + costs_of(2, 300) + R"(, "measurement": {"drift": false}, "kernels": []})";
    if (!changed.empty()) all.replace(all.find(changed), changed.size(), to);
    return all;
  }
  MachineCosts read(const std::string& content) {
    const std::filesystem::path file = folder_ / "machine.json";
    std::ofstream(file, std::ios::binary) << content;
    return read_machine(file);
  }
  std::string refusal(const std::string& content) {
    try {
      read(content);
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("machine.json"));
      EXPECT_FALSE(error.advice().empty());
      return error.description() + " | " + error.where();
    }
    return "accepted";
  }

  test::TemporaryDirectory folder_;
};

TEST_F(MachineFile, gives_costs_between_one_rank_on_a_node_and_all_processors_busy) {
  const MachineCosts machine = read(text());
  EXPECT_EQ(machine.source, "measured somewhere");
  EXPECT_EQ(machine.processors, 5U);
  constexpr std::size_t memory_random = 13;
  ASSERT_EQ(compute_cost_names[memory_random], "memory_random");
  EXPECT_DOUBLE_EQ(machine.costs(1)[memory_random], 100);
  EXPECT_DOUBLE_EQ(machine.costs(3)[memory_random], 200);
  EXPECT_DOUBLE_EQ(machine.costs(5)[memory_random], 300);
  EXPECT_DOUBLE_EQ(machine.costs(50)[memory_random], 300);
  EXPECT_DOUBLE_EQ(machine.caches_of(4).last, 33554432.0 / 4);
  EXPECT_DOUBLE_EQ(machine.caches_of(4).second, 1048576);
}

TEST_F(MachineFile, says_how_many_processors_share_the_last_cache) {
  const auto shared_by = [&](const char* sharing) {
    std::string changed = text();
    const std::string_view last = "33554432";
    return changed.insert(changed.find(last) + last.size(), std::string(R"(, "last_shared_by": )") + sharing);
  };
  EXPECT_DOUBLE_EQ(read(shared_by("1")).caches_of(5).last, 33554432);
  EXPECT_DOUBLE_EQ(read(shared_by("1")).caches_of(10).last, 33554432.0 / 2) << "two ranks a processor";
  EXPECT_DOUBLE_EQ(read(shared_by("2")).caches_of(1).last, 33554432);
  EXPECT_DOUBLE_EQ(read(shared_by("2")).caches_of(5).last, 33554432.0 / 2);
  EXPECT_THAT(refusal(shared_by("0")), HasSubstr("last_shared_by"));
  EXPECT_THAT(refusal(shared_by("6")), HasSubstr("last_shared_by"));
}

TEST_F(MachineFile, that_is_damaged_is_refused_by_name) {
  EXPECT_THAT(refusal("[]"), HasSubstr("machine.json"));
  EXPECT_THAT(refusal(text().substr(0, 200)), HasSubstr("machine.json"));
  EXPECT_THAT(refusal(text("timeless.machine/1", "timeless.machine/9")), HasSubstr("timeless.machine/9"));
  EXPECT_THAT(refusal(text("\"processors\": 5", "\"processors\": 0")), HasSubstr("processors"));
  EXPECT_THAT(refusal(text("\"load\": 0", "\"lode\": 0")), HasSubstr("lode"));
  EXPECT_THAT(refusal(text("\"load\": 0.000000", "\"load\": -1")), HasSubstr("load"));
  EXPECT_THAT(refusal(text("\"load\": 0.000000", "\"load\": \"much\"")), HasSubstr("load"));
  EXPECT_THAT(refusal(text("\"second_bytes\": 1048576", "\"second_bytes\": 0")), HasSubstr("second_bytes"));
  EXPECT_THAT(refusal(text("\"alone\"", "\"lonely\"")), HasSubstr("lonely"));
  EXPECT_THAT(refusal(R"({"format": "timeless.machine/1", "processors": 1, "caches": {"first_bytes": 1,
      "second_bytes": 2, "last_bytes": 3}, "alone": )" +
                      costs_of(0, 0) + "}"),
              HasSubstr("nothing costs anything"));
}

/// Returns two kernels of as many instructions, of which one fetches lines out of order from memory.
trace::Run profiled_run() {
  trace::Run run;
  run.size = 2;
  run.kernels.resize(3);
  run.profile_events = trace::memory_events();
  for (trace::Rank rank = 0; rank < 2; ++rank) {
    trace::RankRecord record{.rank = rank};
    for (trace::KernelId kernel = 0; kernel < 2; ++kernel) {
      trace::KernelProfile profile{.kernel = kernel, .bursts = 1, .sums = {}};
      profile.sums.resize(run.profile_events.size());
      profile.sums[trace::memory_instructions] = 1000;
      if (kernel == 1) profile.sums[trace::memory_first_class + 2 * trace::distance_classes() - 2] = 60;
      record.profile.push_back(profile);
    }
    run.ranks.push_back(record);
  }
  return run;
}

TEST_F(MachineFile, makes_kernels_as_fast_as_what_they_do_allows) {
  const ComputedSpeeds speeds = computed_speeds(read(text()), profiled_run(), 1);
  // 2 s an instruction, 100 s a line: 2000 and 8000 s for a thousand instructions.
  ASSERT_EQ(speeds.kernel_factors.size(), 3U);
  EXPECT_DOUBLE_EQ(speeds.kernel_factors[0] / speeds.units_per_second, 2);
  EXPECT_DOUBLE_EQ(speeds.kernel_factors[1] / speeds.units_per_second, 8);
  EXPECT_DOUBLE_EQ(speeds.kernel_factors[2], 1) << "of which nothing is known";
  EXPECT_DOUBLE_EQ(speeds.units_per_second, 0.2);
}

TEST_F(MachineFile, is_of_no_use_for_a_trace_without_a_profile_of_memory) {
  trace::Run run = profiled_run();
  run.profile_events = {"PAPI_TOT_CYC"};
  try {
    computed_speeds(read(text()), run, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::usage);
    EXPECT_THAT(error.advice(), HasSubstr("--profile memory"));
  }
}

} // namespace
} // namespace timeless::replay
