// Every platform that comes with Timeless, from outside: a process for every replay, because SimGrid holds one platform
// per process.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using trace::ActionKind;
using trace::Bytes;
using trace::Rank;

std::vector<std::string> platforms() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

/// Messages one after another, near and far, small and large: nothing ever contends. 64 ranks, more than any leaf,
/// router or example holds nodes.
void write_lone_messages(const std::filesystem::path& file) {
  constexpr Rank ranks = 64;
  trace::MemorySource run(ranks);
  const auto send = [&](Rank from, Rank to, Bytes bytes) {
    run.add(from, {.kind = ActionKind::send, .peer = to, .bytes = bytes});
    run.add(to, {.kind = ActionKind::receive, .peer = from, .bytes = bytes});
  };
  for (const Bytes bytes : {Bytes{8}, Bytes{5'000}, Bytes{3'000'000}}) {
    send(0, 1, bytes);
    send(1, ranks - 1, bytes);
    send(ranks - 1, ranks / 2, bytes);
    send(ranks / 2, 0, bytes);
  }
  run.finalize();
  trace::test::write_archive(run, file);
}

class EveryPlatform : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlatform, is_replayed_by_both_backends_which_agree_where_nothing_contends) {
  const trace::test::TemporaryDirectory directory;
  write_lone_messages(directory / "run.tia");
  const auto makespan = [&](const std::string& backend) {
    const Outcome outcome =
        timeless_command({"replay", directory / "run.tia", "--platform", GetParam(), "--backend", backend, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json answer = json::parse(outcome.out, nullptr, false);
    return answer.is_discarded() ? -1 : answer.at("configurations").at(0).at("makespan_seconds").get<double>();
  };
  const double modelled = makespan("model");
  EXPECT_GT(modelled, 0);
  // SimGrid lets events within 1 ns happen at once.
  EXPECT_NEAR(makespan("smpi"), modelled, 24e-9 + 1e-9 * modelled);
}

TEST_P(EveryPlatform, says_in_its_head_how_far_to_trust_it_and_where_its_figures_come_from) {
  const std::string text = trace::test::file_bytes(std::filesystem::path(TIMELESS_PLATFORMS) / (GetParam() + ".xml"));
  const std::string head = text.substr(0, text.find("<platform"));
  EXPECT_THAT(head, testing::ContainsRegex("Trust: (measured|published|vendor|assumed)"));
  EXPECT_THAT(head, testing::HasSubstr("2026"));
  const std::string list = trace::test::file_bytes(std::filesystem::path(TIMELESS_PLATFORMS) / "README.md");
  EXPECT_THAT(list, testing::HasSubstr("`" + GetParam() + ".xml`"));
}

INSTANTIATE_TEST_SUITE_P(each, EveryPlatform, testing::ValuesIn(platforms()), [](const auto& each) {
  std::string name = each.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

} // namespace
} // namespace timeless::tools
