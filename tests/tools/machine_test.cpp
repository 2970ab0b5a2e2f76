// timeless calibrate machine --from, and replay --machine.
#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "trace/model/memory_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::in_one_line;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;

/// Measurements of a machine on which an instruction takes 0.2 ns, and a line out of order from memory 20.
std::string known_raw() {
  std::string text = "# format: timeless.machine-raw/1\n# date: 2026-01-02T03:04:05Z\n# host: somewhere\n"
                     "# processor: a fast one\n# processors: 2\n# seed: 1\n# version: 0\n";
  std::mt19937_64 random(3);
  for (int kernel = 0; kernel < 40; ++kernel) {
    const std::string name = "kernel_" + std::to_string(kernel) + ",1000,";
    const std::uint64_t instructions = 1'000'000 + random() % 1'000'000;
    const std::uint64_t lines = kernel % 2 == 0 ? random() % 100'000 : 0;
    text += "count," + name + "1";
    for (std::size_t event = 0; event < trace::memory_events().size(); ++event) {
      const bool far = event == trace::memory_first_class + 2 * trace::distance_classes() - 2;
      text += "," + std::to_string(event == trace::memory_instructions ? instructions : far ? lines : 0);
    }
    text += "\n";
    const double seconds = 2e-10 * static_cast<double>(instructions) + 2e-8 * static_cast<double>(lines);
    for (const char* processors : {"1", "2"})
      text += "time," + name + "2," + processors + ",0,0.5," + std::to_string(1e6 * 2 * seconds) + "e-6\n";
  }
  return text;
}

class Machine : public testing::Test {
protected:
  Machine() { write("raw.csv", known_raw()); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) {
    std::ifstream in(directory_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Outcome fit(const std::string& raw, const std::string& output, std::vector<std::string> options = {}) {
    options.insert(options.begin(), {"calibrate", "machine", "--from", directory_ / raw, "-o", directory_ / output});
    return timeless_command(options);
  }

  /// Two ranks with a kernel that fetches lines and one that does not, of as many instructions.
  void write_trace(const std::string& name, bool profiled) {
    trace::MemorySource run(2);
    trace::Run& description = run.description();
    description.counter.unit = trace::VolumeUnit::instructions;
    description.modules = {{.path = "/opt/bin/x"}};
    description.kernels = {{.begin = {0, 0x10}, .end = {0, 0x20}}};
    for (const trace::Rank rank : {0, 1}) {
      run.compute(rank, 1'000'000);
      run.add(rank, {.kind = ActionKind::barrier});
    }
    run.finalize();
    if (profiled) {
      description.profile_events = trace::memory_events();
      for (trace::RankRecord& record : description.ranks) {
        trace::KernelProfile profile{.kernel = 0, .bursts = 1, .sums = {}};
        profile.sums.resize(description.profile_events.size());
        profile.sums[trace::memory_instructions] = 1'000'000;
        profile.sums[trace::memory_first_class + 2 * trace::distance_classes() - 2] = 10'000;
        record.profile = {profile};
      }
    }
    trace::test::write_archive(run, directory_ / name);
  }

  timeless::test::TemporaryDirectory directory_;
};

TEST_F(Machine, comes_from_measurements_the_same_each_time) {
  ASSERT_EQ(fit("raw.csv", "one.json").status, 0) << fit("raw.csv", "x.json").err;
  ASSERT_EQ(fit("raw.csv", "two.json").status, 0);
  EXPECT_EQ(read("one.json"), read("two.json"));
  const json machine = json::parse(read("one.json"));
  EXPECT_NEAR(machine["alone"]["instruction"].get<double>(), 2e-10, 1e-13);
  EXPECT_NEAR(machine["busy"]["memory_random"].get<double>(), 2e-8, 1e-11);
  EXPECT_EQ(machine["source"], "measured 2026-01-02T03:04:05Z on somewhere, a fast one");
  EXPECT_EQ(machine["processors"], 2);
  EXPECT_EQ(fit("raw.csv", "one.json").status, 2) << "it exists";
}

TEST_F(Machine, says_what_it_found) {
  const Outcome text = fit("raw.csv", "m.json", {"--caches", "32KiB,1MiB,32MiB"});
  EXPECT_THAT(text.out,
              AllOf(HasSubstr("memory_random"), HasSubstr("32.00 MiB shared by 2: given"), HasSubstr("error")));
  const Outcome answer = fit("raw.csv", "n.json", {"--json"});
  EXPECT_EQ(json::parse(answer.out)["schema"], "timeless.calibrate-machine/1");
}

TEST_F(Machine, is_shown_with_costs_and_residuals_from_its_file_and_from_the_measurements) {
  ASSERT_EQ(fit("raw.csv", "m.json").status, 0);
  for (const char* file : {"m.json", "raw.csv"}) {
    const Outcome shown = timeless_command({"calibrate", "show", directory_ / file});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, AllOf(HasSubstr("memory_random"), HasSubstr("residual %"), HasSubstr("kernel_39"),
                                 HasSubstr("measured 2026-01-02")))
        << file;
    const Outcome answer = timeless_command({"calibrate", "show", directory_ / file, "--json"});
    EXPECT_EQ(json::parse(answer.out)["content"]["kernels"].size(), 80U) << file;
  }
  json bare = json::parse(read("m.json"));
  bare.erase("measurement");
  write("bare.json", bare.dump());
  const Outcome refused = timeless_command({"calibrate", "show", directory_ / "bare.json"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.err, HasSubstr("says what its figures rest on"));
  bare["measurement"] = 5;
  write("bare.json", bare.dump());
  EXPECT_EQ(timeless_command({"calibrate", "show", directory_ / "bare.json"}).status, 3);
}

/// The same without the lines that `leave_out` says yes to.
template <typename LeaveOut>
std::string known_raw_without(LeaveOut leave_out) {
  std::istringstream whole(known_raw());
  std::string text;
  for (std::string line; std::getline(whole, line);)
    if (!leave_out(line)) text += line + "\n";
  return text;
}

/// Whether a line is of a kernel from this number on.
bool is_of_later_kernel(const std::string& line, const char* what, int first) {
  const std::string begin = std::string(what) + ",kernel_";
  return line.starts_with(begin) && std::stoi(line.substr(begin.size())) >= first;
}

TEST_F(Machine, comes_from_a_measurement_that_was_ended_early_and_says_what_is_missing) {
  write("part.csv", known_raw_without([](const std::string& line) { return is_of_later_kernel(line, "time", 30); }));
  const Outcome part = fit("part.csv", "part.json");
  EXPECT_EQ(part.status, 0) << part.err;
  EXPECT_THAT(part.out, HasSubstr("10 of 40 micro-kernels were not timed, by name (how many sizes): kernel_30 (1)"));
  const json machine = json::parse(read("part.json"));
  EXPECT_NEAR(machine["alone"]["memory_random"].get<double>(), 2e-8, 1e-11);
  EXPECT_THAT(machine["measurement"]["not_reached"].dump(), HasSubstr("10 of 40"));
  EXPECT_THAT(timeless_command({"calibrate", "show", directory_ / "part.json"}).out, HasSubstr("10 of 40"));
  write("counts.csv", known_raw_without([](const std::string& line) { return is_of_later_kernel(line, "count", 35); }));
  const Outcome counts = fit("counts.csv", "counts.json");
  EXPECT_EQ(counts.status, 0) << counts.err;
  EXPECT_THAT(counts.out, HasSubstr("times of 5 micro-kernels are left out, which were not counted: kernel_35 (1)"));
  write("last.csv", known_raw_without([](const std::string& line) { return is_of_later_kernel(line, "count", 39); }));
  EXPECT_THAT(fit("last.csv", "last.json").out,
              HasSubstr("times of 1 micro-kernel are left out, which was not counted: kernel_39 (1)"));
}

TEST_F(Machine, is_refused_only_where_a_cost_cannot_be_had_and_names_it) {
  const auto refused = [&](const std::string& text, const std::string& words) {
    write("bad.csv", text);
    const Outcome bad = fit("bad.csv", "bad.json");
    EXPECT_EQ(bad.status, 3) << bad.out;
    EXPECT_THAT(bad.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "bad.json"));
  };
  // Only kernels of odd numbers are left, which fetch no lines from memory.
  refused(known_raw_without([](const std::string& line) {
            return line.starts_with("time,") && std::stoi(line.substr(line.find('_') + 1)) % 2 == 0;
          }),
          "these costs cannot be had from what was timed: memory_random (on one processor)");
  refused(known_raw_without([](const std::string& line) { return is_of_later_kernel(line, "time", 10); }),
          "10 micro-kernels were counted and timed on one processor, and 16 costs are wanted of them");
  refused(known_raw_without([](const std::string& line) { return line.find("1000,2,2,") != std::string::npos; }),
          "0 micro-kernels were counted and timed on all processors at once");
  refused(known_raw_without([](const std::string& line) { return line.starts_with("time,"); }),
          "0 micro-kernels were counted and timed on one processor");
  refused(known_raw_without([](const std::string& line) { return is_of_later_kernel(line, "time", 1); }),
          "1 micro-kernel was counted and timed on one processor");
}

TEST_F(Machine, leaves_out_what_was_cut_off_and_refuses_what_is_wrong) {
  const std::string whole = known_raw();
  write("cut.csv", whole.substr(0, whole.size() - 5));
  const Outcome cut = fit("cut.csv", "cut.json");
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_THAT(cut.err, HasSubstr("was cut off"));
  const auto refused = [&](const std::string& text, int status, const std::string& words) {
    write("bad.csv", text);
    const Outcome bad = fit("bad.csv", "bad.json");
    EXPECT_EQ(bad.status, status) << bad.err;
    EXPECT_THAT(bad.err, HasSubstr(words));
    EXPECT_FALSE(std::filesystem::exists(directory_ / "bad.json"));
  };
  refused("", 3, "no measurements of a machine");
  refused("hello\n", 3, "line 1");
  refused(whole + "time,kernel_1,1000,1,1,0,0,-1\n", 3, "not above 0");
  refused(whole + "time,kernel_1,1000,1,1,0,0,nan\n", 3, "not above 0");
  refused(whole + "time,kernel_1,1000,1,1,0,1,1e300\n", 3, "longer than any measurement");
  refused(whole + "time,kernel_1,1000,1,1,0,0.25,1e-3\n", 3, "the clock went back, from 0.5 to 0.25 seconds");
  refused(whole + "count,kernel_1,1000,1,5\n", 3, "counts of other events");
  refused(whole.substr(0, whole.find("time,kernel_9")), 3,
          "9 micro-kernels were counted and timed on one processor, and 16 costs are wanted");
  EXPECT_EQ(fit("missing.csv", "m.json").status, 3);
  EXPECT_EQ(fit("raw.csv", "m.json", {"--caches", "1MiB,32KiB,32MiB"}).status, 2);
  EXPECT_EQ(fit("raw.csv", "m.txt").status, 2);
}

TEST_F(Machine, predicts_what_kernels_do) {
  ASSERT_EQ(fit("raw.csv", "m.json", {"--caches", "32KiB,1MiB,32MiB"}).status, 0);
  write_trace("run.tia", true);
  for (const std::vector<std::string>& machine : {std::vector<std::string>{"--network", "e1g"},
                                                  {"--platform", "graphene"},
                                                  {"--platform", "graphene", "--backend", "smpi"}}) {
    std::vector<std::string> options{"replay", directory_ / "run.tia", "--machine", directory_ / "m.json", "--json"};
    options.insert(options.end(), machine.begin(), machine.end());
    const Outcome outcome = timeless_command(options);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json answer = json::parse(outcome.out);
    // A million instructions and ten thousand lines: 0.2 ms each.
    EXPECT_NEAR(answer["configurations"][0]["makespan_seconds"].get<double>(), 4e-4, 1.4e-4)
        << machine.back(); // and the barrier
    EXPECT_THAT(outcome.out, HasSubstr("--machine")) << outcome.out;
  }
}

TEST_F(Machine, gives_predictions_the_interval_that_half_of_its_micro_kernels_lie_in) {
  ASSERT_EQ(fit("raw.csv", "m.json", {"--caches", "32KiB,1MiB,32MiB"}).status, 0);
  json machine = json::parse(read("m.json"));
  for (std::size_t kernel = 0; kernel < machine["kernels"].size(); ++kernel)
    machine["kernels"][kernel]["held_out"] = kernel % 2 == 0 ? -0.2 : 0.25;
  write("off.json", machine.dump());
  write_trace("run.tia", true);
  for (const std::vector<std::string>& on :
       {std::vector<std::string>{"--network", "qdr"}, {"--platform", "graphene", "--backend", "smpi"}}) {
    std::vector<std::string> options{"replay", directory_ / "run.tia", "--machine", directory_ / "off.json"};
    options.insert(options.end(), on.begin(), on.end());
    EXPECT_THAT(test::in_one_line(timeless_command(options).out),
                HasSubstr("from 0.8 to 1.25 times the rates that the machine's measurements give: half of its"));
    options.emplace_back("--json");
    const json one = json::parse(timeless_command(options).out)["configurations"][0];
    const double makespan = one["makespan_seconds"];
    EXPECT_NEAR(one["makespan_interval_seconds"][0].get<double>(), makespan / 1.25, 0.1 * makespan);
    EXPECT_NEAR(one["makespan_interval_seconds"][1].get<double>(), makespan / 0.8, 0.1 * makespan);
  }
}

TEST_F(Machine, rescales_measured_rates_to_the_traces_working_sets) {
  ASSERT_EQ(fit("raw.csv", "m.json", {"--caches", "32KiB,1MiB,32MiB"}).status, 0);
  write_trace("run.tia", true);
  write_trace("bare.tia", false);
  const auto rates = [](const std::string& memory) {
    return R"({"format": "timeless.rates/1", "units_per_second": 1e9, "instances": [{"name": "small", "ranks": 2,
      "ranks_per_node": 1, "launches": 1, "units_per_second": 1e9, "units_per_rank": 1e6, "kernels": [{
      "kernel": "x+0x10..x+0x20", "units_per_second": 1e9, "units_per_visit": 1e6, "own": true, "launches": [1e9],
      "relative_times": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1])" +
           memory + "}]}]}";
  };
  write("rates.json", rates(R"(, "memory": {"INSTRUCTIONS": 2e6})"));
  write("uncounted.json", rates(""));
  const auto replayed = [&](const std::string& trace, const std::string& file, std::vector<std::string> options) {
    options.insert(options.begin(), {"replay", directory_ / trace, "--rates", directory_ / file, "--machine",
                                     directory_ / "m.json", "--network", "qdr"});
    return timeless_command(options);
  };
  // Without lines an instruction takes 0.2 ns, with those of the trace 0.4 ns: at the rate's 1 ns it is 2.
  const Outcome outcome = replayed("run.tia", "rates.json", {"--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NEAR(json::parse(outcome.out)["configurations"][0]["makespan_seconds"].get<double>(), 2e-3, 1e-4);
  EXPECT_THAT(outcome.out, HasSubstr("100.0 % rescaled to its working sets by"));

  // What costs misjudge from one size of a micro-kernel to another: half of the pairs by a factor of 1.25 at most.
  json machine = json::parse(std::ifstream(directory_ / "m.json"));
  json kernels = json::array();
  for (int kernel = 0; kernel < 10; ++kernel)
    for (const double held_out : {0.0, 0.25})
      kernels.push_back({{"kernel", std::to_string(kernel)}, {"processors", 1}, {"held_out", held_out}});
  machine["kernels"] = kernels;
  write("m.json", machine.dump());
  const json one = json::parse(replayed("run.tia", "rates.json", {"--json"}).out).at("configurations").at(0);
  EXPECT_NEAR(one.at("makespan_interval_seconds").at(0).get<double>(), 2e-3 / 1.25, 1e-4);
  EXPECT_NEAR(one.at("makespan_interval_seconds").at(1).get<double>(), 2e-3 * 1.25, 1e-4);
  EXPECT_THAT(in_one_line(replayed("run.tia", "rates.json", {}).out),
              AllOf(HasSubstr("by what the costs of"), HasSubstr("misjudge other working sets"),
                    Not(HasSubstr("by the launches")), HasSubstr("are from one launch")));
  machine["kernels"] = {{{"kernel", 7}, {"processors", "many"}, {"held_out", 0.1}}, 3};
  write("m.json", machine.dump());
  EXPECT_THAT(in_one_line(replayed("run.tia", "rates.json", {}).out),
              HasSubstr("does not say by how much its costs misjudge other working sets"));

  const Outcome bare = replayed("bare.tia", "rates.json", {});
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, HasSubstr("the trace has no profile of memory"));
  const Outcome uncounted = replayed("run.tia", "uncounted.json", {});
  EXPECT_EQ(uncounted.status, 2);
  EXPECT_THAT(uncounted.err, AllOf(HasSubstr("the rates have no profile of memory"), HasSubstr("uncounted.json")));
  write("by-hand.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9})");
  EXPECT_THAT(replayed("run.tia", "by-hand.json", {}).err, HasSubstr("contradict"));
}

TEST_F(Machine, needs_a_profile_of_memory_and_no_rates_beside) {
  ASSERT_EQ(fit("raw.csv", "m.json").status, 0);
  write_trace("bare.tia", false);
  write_trace("run.tia", true);
  const auto with = [&](const std::string& trace, std::vector<std::string> options) {
    options.insert(options.begin(),
                   {"replay", directory_ / trace, "--network", "e1g", "--machine", directory_ / "m.json"});
    return timeless_command(options);
  };
  const Outcome bare = with("bare.tia", {});
  EXPECT_EQ(bare.status, 2);
  EXPECT_THAT(bare.err, AllOf(HasSubstr("no profile of memory"), HasSubstr("--profile memory")));
  const Outcome both = with("run.tia", {"--compute-rate", "1e9"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("contradict"));
  const Outcome text = with("run.tia", {});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("measured 2026-01-02"));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("ASSUMED")));
}

} // namespace
} // namespace timeless::tools
