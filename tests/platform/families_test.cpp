// Platforms of one family differ in their networks only: a better network never makes a program slower, in either
// backend. From outside: a process for every replay, because SimGrid holds one platform per process.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::Outcome;
using test::timeless_command;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;
using trace::Rank;

constexpr Rank side = 4;
constexpr Rank ranks = side * side;

/// Each rank hands a plane's edges to its eastern and southern neighbours, plane after plane.
MemorySource wavefront() {
  MemorySource run(ranks);
  for (int plane = 0; plane < 20; ++plane)
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (rank % side > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - 1, .bytes = 320});
      if (rank / side > 0) run.add(rank, {.kind = ActionKind::receive, .peer = rank - side, .bytes = 320});
      run.compute(rank, 10'000);
      if (rank % side + 1 < side) run.add(rank, {.kind = ActionKind::send, .peer = rank + 1, .bytes = 320});
      if (rank / side + 1 < side) run.add(rank, {.kind = ActionKind::send, .peer = rank + side, .bytes = 320});
    }
  run.finalize();
  return run;
}

/// Neighbours on a ring exchange messages of this size with nonblocking calls.
MemorySource exchange(Bytes bytes) {
  MemorySource run(ranks);
  for (int step = 0; step < 5; ++step)
    for (Rank rank = 0; rank < ranks; ++rank) {
      const Rank left = (rank + ranks - 1) % ranks;
      const Rank right = (rank + 1) % ranks;
      run.add(rank, {.kind = ActionKind::receive, .peer = left, .bytes = bytes, .request = 1});
      run.add(rank, {.kind = ActionKind::receive, .peer = right, .tag = 1, .bytes = bytes, .request = 2});
      run.add(rank, {.kind = ActionKind::send, .peer = right, .bytes = bytes, .request = 3});
      run.add(rank, {.kind = ActionKind::send, .peer = left, .tag = 1, .bytes = bytes, .request = 4});
      run.compute(rank, 50'000 + 1'000 * static_cast<std::uint64_t>(rank));
      constexpr std::array<trace::RequestId, 4> all{1, 2, 3, 4};
      run.add(rank, {.kind = ActionKind::wait_all, .requests = all});
    }
  run.finalize();
  return run;
}

MemorySource collectives() {
  MemorySource run(ranks);
  for (const Bytes bytes : {Bytes{8}, Bytes{4'000}, Bytes{100'000}})
    for (Rank rank = 0; rank < ranks; ++rank) {
      run.compute(rank, 20'000);
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = bytes});
      run.add(rank, {.kind = ActionKind::broadcast, .peer = 0, .bytes = bytes});
      run.add(rank, {.kind = ActionKind::barrier});
    }
  run.finalize();
  return run;
}

/// Platforms that have one base: a pair is comparable where one has no less bandwidth and no more latency.
const std::vector<std::vector<std::string>> families{
    {"ethernet-1g", "ethernet-10g", "ethernet-100g", "ethernet-400g"},
    {"qdr-fat-tree", "infiniband-ndr"},
    {"cielito", "hopper", "edison"},
};

struct Link {
  double latency = 0; ///< of the slowest way
  double bandwidth = 0;
};

Link slowest_way(const std::string& platform) {
  const json shown = json::parse(timeless_command({"platform", "show", platform, "--json"}).out);
  Link link;
  for (const json& way : shown.at("distances")) {
    if (way.at("within_host")) continue;
    link.latency = std::max(link.latency, way.at("latency_seconds").get<double>());
    link.bandwidth = way.at("large_message_bytes_per_second");
  }
  return link;
}

class Families : public testing::TestWithParam<std::string> {
protected:
  double makespan(const std::string& file, const std::string& platform, const std::string& mapping) const {
    const Outcome outcome = timeless_command({"replay", file, "--platform", platform, "--backend", GetParam(),
                                              "--compute-rate", "3e9", "--mapping", mapping, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json answer = json::parse(outcome.out, nullptr, false);
    return answer.is_discarded() ? -1 : answer.at("configurations").at(0).at("makespan_seconds").get<double>();
  }
};

TEST_P(Families, programs_are_never_slower_where_bandwidth_is_larger_and_latency_smaller) {
  const trace::test::TemporaryDirectory directory;
  std::vector<std::string> programs{TIMELESS_FIXTURES "/v2-wavefront.tia"};
  const auto add = [&](const MemorySource& run, const char* name) {
    trace::test::write_archive(run, directory / name);
    programs.push_back(directory / name);
  };
  add(wavefront(), "sweep.tia");
  add(exchange(100), "small.tia");
  add(exchange(20'000), "eager.tia");
  add(exchange(500'000), "large.tia");
  add(collectives(), "collectives.tia");
  std::vector<std::pair<std::string, std::string>> cases;
  for (const std::string& program : programs)
    for (const char* mapping : {"one-per-node", "block:4", "block:16"})
      cases.emplace_back(program, mapping);
  for (const std::vector<std::string>& family : families) {
    std::vector<Link> links;
    for (const std::string& platform : family)
      links.push_back(slowest_way(platform));
    for (const auto& [program, mapping] : cases) {
      std::vector<std::pair<Link, double>> all;
      for (std::size_t i = 0; i < family.size(); ++i)
        all.emplace_back(links[i], makespan(program, family[i], mapping));
      for (const auto& [worse, slow] : all)
        for (const auto& [better, fast] : all)
          if (better.bandwidth >= worse.bandwidth && better.latency <= worse.latency) {
            EXPECT_LE(fast, slow * (1 + 1e-9)) << program << ", " << mapping << ", in a family with " << family.front();
          }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(in, Families, testing::Values("model", "smpi"), [](const auto& each) { return each.param; });

std::string file_text(const std::string& platform) {
  return trace::test::file_bytes(std::filesystem::path(TIMELESS_PLATFORMS) / (platform + ".xml"));
}

/// Returns the value of an attribute, or of a setting.
std::string value_of(const std::string& text, const std::string& name) {
  std::smatch found;
  const std::regex attribute("[ \n]" + name + "=\"([^\"]*)\"");
  const std::regex setting("\"" + name + "\" value=\"([^\"]*)\"");
  if (std::regex_search(text, found, attribute) || std::regex_search(text, found, setting)) return found[1];
  return {};
}

TEST(FamilyBase, is_the_same_in_every_file_of_a_family) {
  for (const std::vector<std::string>& family : families) {
    const std::string first = file_text(family.front());
    const bool real_machines = family.front() == "cielito"; // which have their own nodes
    for (const std::string& platform : family) {
      const std::string text = file_text(platform);
      for (const char* shared : {"smpi/os", "smpi/ois", "smpi/or", "smpi/async-small-thresh",
                                 "smpi/send-is-detached-thresh", "smpi/lat-factor", "loopback_bw", "loopback_lat"})
        EXPECT_EQ(value_of(text, shared), value_of(first, shared)) << platform << " " << shared;
      for (const char* nodes : {"radical", "core", "speed"})
        if (!real_machines) {
          EXPECT_EQ(value_of(text, nodes), value_of(first, nodes)) << platform << " " << nodes;
        }
    }
  }
}

/// Every file says in its head what its overheads rest on, and has them: assumed ones are the same wherever they are
/// assumed.
TEST(FamilyBase, of_overheads_is_said_and_an_assumption_is_the_same_everywhere) {
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS)) {
    if (entry.path().extension() != ".xml") continue;
    const std::string text = file_text(entry.path().stem().string());
    std::smatch basis;
    ASSERT_TRUE(std::regex_search(text, basis, std::regex("Overheads: (measured|published|assumed|none)"))) << entry;
    for (const char* overhead : {"smpi/os", "smpi/ois", "smpi/or"}) {
      EXPECT_NE(value_of(text, overhead), "") << entry;
      if (basis[1] == "assumed") {
        EXPECT_EQ(value_of(text, overhead), "0:2e-07:0") << entry << " " << overhead;
      }
    }
  }
}

} // namespace
} // namespace timeless::tools
