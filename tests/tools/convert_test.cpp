#include "tests/tools/command.h"
#include "tests/trace/samples.h"
#include "trace/archive/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using testing::HasSubstr;
using testing::Not;
using trace::Rank;

/// Two ranks that compute in three kernels, with noise, and meet; more actions than a segment holds.
class Convert : public testing::Test {
protected:
  static constexpr int rounds = 9000;

  Convert() {
    trace::MemorySource run(2, 5000);
    run.description().modules = {{.path = "/bin/program"}};
    run.description().kernels = {
        {.begin = {0, 1}, .end = {0, 2}}, {.begin = {0, 2}, .end = {0, 3}}, {.begin = {0, 3}, .end = {0, 1}}};
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(1, 0.01);
    for (int round = 0; round < rounds; ++round)
      for (Rank rank = 0; rank < 2; ++rank) {
        const auto kernel = static_cast<trace::KernelId>(round % 3);
        run.compute(rank, static_cast<std::uint64_t>(std::pow(30, 3 + kernel) * noise(random)), kernel);
        run.add(rank, {.kind = trace::ActionKind::barrier});
      }
    run.finalize();
    trace::test::write_archive(run, path("run.tia"));
  }

  std::string path(const char* name) const { return directory_ / name; }

  trace::test::TemporaryDirectory directory_;
};

/// Returns the volumes of each kernel of each rank, in order.
std::map<std::pair<Rank, trace::KernelId>, std::vector<std::uint64_t>> volumes(const std::string& path) {
  std::map<std::pair<Rank, trace::KernelId>, std::vector<std::uint64_t>> all;
  const trace::ArchiveReader archive(path);
  for (const trace::RankRecord& record : archive.run().ranks) {
    trace::ActionBlock block;
    for (const auto stream = archive.open(record.rank); stream->next(block);)
      for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
        if (has_volume(action.kind)) all[{record.rank, action.kernel}].push_back(volume);
      });
  }
  return all;
}

std::uint64_t sum(const std::vector<std::uint64_t>& volumes) {
  return std::accumulate(volumes.begin(), volumes.end(), std::uint64_t{0});
}

TEST_F(Convert, without_an_error_changes_nothing_that_is_said) {
  const Outcome outcome = timeless_command({"convert", path("run.tia"), "-o", path("same.tia")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(timeless_command({"dump", path("run.tia")}).out == timeless_command({"dump", path("same.tia")}).out);
  EXPECT_THAT(timeless_command({"info", path("same.tia")}).out, Not(HasSubstr("rounded")));
}

TEST_F(Convert, of_what_was_converted_gives_the_same_bytes) {
  EXPECT_EQ(timeless_command({"convert", path("run.tia"), "-o", path("once.tia")}).status, 0);
  EXPECT_EQ(timeless_command({"convert", path("once.tia"), "-o", path("twice.tia")}).status, 0);
  EXPECT_TRUE(trace::test::file_bytes(path("once.tia")) == trace::test::file_bytes(path("twice.tia")));
}

TEST_F(Convert, with_an_error_keeps_volumes_within_it_and_sums_exact_in_half_the_room) {
  const Outcome outcome =
      timeless_command({"convert", path("run.tia"), "-o", path("small.tia"), "--volume-error", "0.2%", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["schema"], "timeless.convert/1");
  EXPECT_EQ(answer["volume_error"], 0.002);
  EXPECT_EQ(answer["volumes"], 2 * rounds);
  EXPECT_EQ(answer["output_bytes"], std::filesystem::file_size(path("small.tia")));
  const auto before = volumes(path("run.tia"));
  const auto after = volumes(path("small.tia"));
  ASSERT_EQ(before.size(), after.size());
  double largest = 0;
  for (const auto& [owner, exact] : before) {
    const auto& rounded = after.at(owner);
    ASSERT_EQ(rounded.size(), exact.size());
    EXPECT_EQ(sum(rounded), sum(exact));
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double difference = static_cast<double>(rounded[i]) - static_cast<double>(exact[i]);
      largest = std::max(largest, std::abs(difference) / static_cast<double>(exact[i]));
    }
  }
  EXPECT_GT(largest, 0.001);
  EXPECT_LE(largest, 0.002);
  EXPECT_DOUBLE_EQ(answer["largest_error"].get<double>(), largest);
  timeless_command({"convert", path("run.tia"), "-o", path("exact.tia")});
  EXPECT_LT(std::filesystem::file_size(path("small.tia")), std::filesystem::file_size(path("exact.tia")) / 2);
}

TEST_F(Convert, with_an_error_is_said_by_info_check_classify_and_replay) {
  timeless_command({"convert", path("run.tia"), "-o", path("small.tia"), "--volume-error", "0.2%"});
  const std::vector<std::vector<std::string>> commands = {{"info", path("small.tia")},
                                                          {"check", path("small.tia")},
                                                          {"classify", path("small.tia"), "--network", "e1g"},
                                                          {"replay", path("small.tia"), "--network", "e1g"}};
  for (std::vector<std::string> command : commands) {
    EXPECT_THAT(timeless_command(command).out, HasSubstr("rounded by at most 0.2 % each")) << command[0];
    command.emplace_back("--json");
    EXPECT_EQ(json::parse(timeless_command(command).out)["volume_error"], 0.002) << command[0];
    command[1] = path("run.tia");
    EXPECT_EQ(json::parse(timeless_command(command).out)["volume_error"], 0) << command[0];
  }
}

TEST_F(Convert, again_adds_the_errors) {
  timeless_command({"convert", path("run.tia"), "-o", path("once.tia"), "--volume-error", "1%"});
  timeless_command({"convert", path("once.tia"), "-o", path("twice.tia"), "--volume-error", "10%"});
  timeless_command({"convert", path("twice.tia"), "-o", path("thrice.tia")});
  EXPECT_EQ(trace::ArchiveReader(path("once.tia")).run().volume_error, 10'000'000U);
  EXPECT_EQ(trace::ArchiveReader(path("twice.tia")).run().volume_error, 111'000'000U);
  EXPECT_EQ(trace::ArchiveReader(path("thrice.tia")).run().volume_error, 111'000'000U);
}

TEST_F(Convert, refuses_errors_that_mean_nothing) {
  for (const char* error :
       {"0", "-1%", "100%", "1.5", "0.2", "0.002", "150%", "x", "0.2%%", "0.00000001%", "nan", "%", ""}) {
    const Outcome outcome =
        timeless_command({"convert", path("run.tia"), "-o", path("small.tia"), "--volume-error", error});
    EXPECT_EQ(outcome.status, 2) << error << outcome.out << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("small.tia")));
  }
}

TEST_F(Convert, replaces_a_file_only_when_forced_and_leaves_nothing_beside_it) {
  trace::test::write_bytes(path("there.tia"), "precious");
  EXPECT_EQ(timeless_command({"convert", path("run.tia"), "-o", path("there.tia")}).status, 2);
  EXPECT_EQ(trace::test::file_bytes(path("there.tia")), "precious");
  EXPECT_EQ(timeless_command({"convert", path("run.tia"), "-o", path("there.tia"), "--force"}).status, 0);
  EXPECT_EQ(timeless_command({"check", path("there.tia")}).status, 0);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_.path()))
    ++files;
  EXPECT_EQ(files, 2U);
}

TEST_F(Convert, onto_itself_is_refused_even_when_forced) {
  const std::string before = timeless_command({"dump", path("run.tia")}).out;
  EXPECT_EQ(timeless_command({"convert", path("run.tia"), "-o", path("run.tia")}).status, 2);
  EXPECT_EQ(timeless_command({"convert", path("run.tia"), "-o", path("run.tia"), "--force"}).status, 2);
  EXPECT_TRUE(timeless_command({"dump", path("run.tia")}).out == before);
}

TEST_F(Convert, into_a_pipe_or_a_device_is_refused_even_when_forced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const Outcome outcome = timeless_command({"convert", path("run.tia"), "-o", path("pipe"), "--force"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("a device, a pipe or a socket"));
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
}

} // namespace
} // namespace timeless::tools
