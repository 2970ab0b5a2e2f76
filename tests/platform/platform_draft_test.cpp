#include "tests/platform/written_platform.h"
#include "tools/platforms/catalogue.h"
#include "tools/platforms/draft.h"
#include "tools/platforms/findings.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace timeless::tools::platforms {
namespace {

using test::WrittenPlatform;
using testing::HasSubstr;

const Draft said{.nodes = "36",
                 .cores = "8",
                 .speed = "2Gf",
                 .topology = "cluster",
                 .parameters = "",
                 .bandwidth = "100Gbps",
                 .latency = "500ns",
                 .loopback_bandwidth = "10GBps",
                 .loopback_latency = "0.3us"};

class DraftOf : public testing::TestWithParam<std::string> {};

TEST_P(DraftOf, any_topology_checks_clean_and_loads_without_a_warning) {
  Draft draft = said;
  draft.topology = GetParam();
  const WrittenPlatform platform(platform_text(draft));
  const std::vector<std::string> settings = replay::simgrid_settings();
  const XmlFile file = XmlFile::read(platform.path());
  for (const Finding& finding : check_text(file, settings))
    ADD_FAILURE() << finding.line << ": " << finding.what;
  for (const Finding& finding : check_by_loading(file))
    ADD_FAILURE() << finding.line << ": " << finding.what;
  EXPECT_EQ(head_of(platform.path()).trust, "assumed");
}

INSTANTIATE_TEST_SUITE_P(each, DraftOf, testing::Values("cluster", "fat-tree", "torus", "dragonfly"),
                         [](const auto& each) { return each.param == "fat-tree" ? "fat_tree" : each.param; });

TEST(Draft, of_every_topology_loads_in_SimGrid_for_each_number_of_nodes) {
  for (const char* topology : {"cluster", "fat-tree", "torus", "dragonfly"})
    for (std::uint32_t nodes = 1; nodes <= 8; ++nodes) {
      Draft draft = said;
      draft.topology = topology;
      draft.nodes = std::to_string(nodes);
      const WrittenPlatform platform(platform_text(draft));
      for (const Finding& finding : check_by_loading(XmlFile::read(platform.path())))
        ADD_FAILURE() << topology << " of " << nodes << ": " << finding.what;
    }
}

TEST(Draft, takes_parameters_that_make_its_nodes_and_no_others) {
  Draft draft = said;
  draft.topology = "torus";
  draft.parameters = "6,6";
  EXPECT_THAT(platform_text(draft), HasSubstr("topo_parameters=\"6,6\""));
  draft.parameters = "6,5";
  EXPECT_THROW(platform_text(draft), Error);
}

TEST(Draft, asks_for_what_has_not_been_said_until_the_answer_makes_sense) {
  std::istringstream answers("none\n64\n\n\nring\ntorus\n10GB/s\n10GBps\n\n1us\n\n\n");
  std::ostringstream questions;
  const Draft draft = ask_for_rest({}, answers, questions);
  EXPECT_EQ(draft.nodes, "64");
  EXPECT_EQ(draft.cores, "16");
  EXPECT_EQ(draft.speed, "8Gf");
  EXPECT_EQ(draft.topology, "torus");
  EXPECT_EQ(draft.bandwidth, "10GBps");
  EXPECT_EQ(draft.latency, "1us");
  EXPECT_EQ(draft.loopback_latency, "500ns");
  EXPECT_THAT(questions.str(), HasSubstr("'none' is no number"));
  EXPECT_THAT(questions.str(), HasSubstr("write 10GBps"));
  std::istringstream nothing;
  EXPECT_THROW(ask_for_rest({}, nothing, questions), Error);
}

TEST(Draft, without_a_terminal_needs_nodes_bandwidth_and_latency) {
  EXPECT_THROW(with_defaults({}), Error);
  EXPECT_EQ(with_defaults({.nodes = "4",
                           .cores = {},
                           .speed = {},
                           .topology = {},
                           .parameters = {},
                           .bandwidth = "1GBps",
                           .latency = "1us",
                           .loopback_bandwidth = {},
                           .loopback_latency = {}})
                .cores,
            "16");
}

class Nonsense : public testing::TestWithParam<std::pair<std::string Draft::*, const char*>> {};

TEST_P(Nonsense, in_a_draft_is_refused) {
  Draft draft = said;
  draft.*GetParam().first = GetParam().second;
  EXPECT_THROW(platform_text(draft), Error);
}

INSTANTIATE_TEST_SUITE_P(each, Nonsense,
                         testing::Values(std::pair(&Draft::nodes, "0"), std::pair(&Draft::nodes, "-4"),
                                         std::pair(&Draft::nodes, "99999999999999999999"),
                                         std::pair(&Draft::cores, "many"), std::pair(&Draft::speed, "3"),
                                         std::pair(&Draft::topology, "ring"), std::pair(&Draft::bandwidth, "0GBps"),
                                         std::pair(&Draft::bandwidth, "1GBps\"/><evil a=\""),
                                         std::pair(&Draft::latency, "-1us")));

} // namespace
} // namespace timeless::tools::platforms
