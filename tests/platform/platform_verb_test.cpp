#include "tests/platform/written_platform.h"
#include "tests/tools/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::cluster_with;
using test::good_head;
using test::Outcome;
using test::timeless_command;
using test::WrittenPlatform;
using test::zone_of;
using testing::AllOf;
using testing::HasSubstr;

TEST(PlatformList, names_every_file_that_comes_with_timeless_with_its_hosts_and_trust) {
  const Outcome outcome = timeless_command({"platform", "list", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["schema"], "timeless.platform/1");
  std::set<std::string> names;
  for (const json& platform : answer["platforms"]) {
    names.insert(platform["name"]);
    EXPECT_GT(platform["hosts"], 0);
    EXPECT_NE(platform["trust"], "") << platform["name"];
    EXPECT_NE(platform["overheads"], "") << platform["name"];
    EXPECT_NE(platform["description"], "") << platform["name"];
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS))
    if (entry.path().extension() == ".xml") files.insert(entry.path().stem().string());
  EXPECT_EQ(names, files);
  EXPECT_THAT(timeless_command({"platform", "list"}).out, AllOf(HasSubstr("slingshot-11"), HasSubstr("measured")));
}

TEST(PlatformShow, says_hosts_distances_settings_and_the_way_between_two_hosts) {
  const Outcome outcome =
      timeless_command({"platform", "show", "graphene", "--between", "graphene-1", "graphene-144", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["hosts"], 144);
  EXPECT_EQ(answer["kinds"][0]["cores"], 4);
  EXPECT_EQ(answer["trust"], "measured");
  EXPECT_NEAR(answer["between"][0]["latency_seconds"].get<double>(), 33e-6, 1e-12);
  EXPECT_DOUBLE_EQ(answer["between"][1]["bandwidth_bytes_per_second"].get<double>(), 125e6);
  // Within a host, within a cabinet, between cabinets.
  ASSERT_EQ(answer["distances"].size(), 3U);
  EXPECT_EQ(answer["distances"][0]["within_host"], true);
  EXPECT_NEAR(answer["distances"][1]["latency_seconds"].get<double>(), 30e-6, 1e-12);
  EXPECT_NEAR(answer["distances"][2]["latency_seconds"].get<double>(), 33e-6, 1e-12);
  EXPECT_EQ(answer["smpi"]["detached_below_bytes"], 327680);
  EXPECT_THAT(timeless_command({"platform", "show", "graphene"}).out,
              AllOf(HasSubstr("144 of 4 cores"), HasSubstr("30.000 us"), HasSubstr("smpi/bw-factor 0:0.400977")));
  const Outcome nobody = timeless_command({"platform", "show", "graphene", "--between", "graphene-1", "mars"});
  EXPECT_EQ(nobody.status, 2);
  EXPECT_THAT(nobody.err, HasSubstr("no host 'mars'"));
}

TEST(PlatformShow, counts_the_pairs_that_no_route_connects) {
  const WrittenPlatform platform(zone_of("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"));
  const Outcome outcome = timeless_command({"platform", "show", platform.path(), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer.at("pairs_without_a_way"), 2);
  EXPECT_EQ(answer.at("distances").size(), 1U);
  EXPECT_THAT(timeless_command({"platform", "show", platform.path()}).out,
              HasSubstr("pairs with no way between them: 2"));
}

TEST(PlatformShow, says_what_bounds_a_lone_message_the_links_or_TCPs_window) {
  const std::string zone = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/><host id=\"c\" speed=\"1Gf\"/>"
                           "<link id=\"far\" bandwidth=\"10Gbps\" latency=\"10ms\" sharing_policy=\"FATPIPE\"/>"
                           "<link id=\"near\" bandwidth=\"10Gbps\" latency=\"1us\" sharing_policy=\"FATPIPE\"/>"
                           "<route src=\"a\" dst=\"b\"><link_ctn id=\"far\"/></route>"
                           "<route src=\"a\" dst=\"c\"><link_ctn id=\"near\"/></route>"
                           "<route src=\"b\" dst=\"c\"><link_ctn id=\"far\"/></route>";
  std::string text = zone_of(zone);
  text.insert(text.find("<zone"), "<config><prop id=\"network/TCP-gamma\" value=\"20000\"/>"
                                  "<prop id=\"smpi/bw-factor\" value=\"0:1;1000:0.5\"/></config>");
  const WrittenPlatform platform(text);
  const Outcome outcome = timeless_command({"platform", "show", platform.path(), "--between", "a", "b", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json far = json::parse(outcome.out)["between"][0];
  EXPECT_EQ(far["bound"], "window");
  EXPECT_DOUBLE_EQ(far["bandwidth_bytes_per_second"].get<double>(), 20000 / (2 * 0.01));
  EXPECT_DOUBLE_EQ(far["links_bytes_per_second"].get<double>(), 1.25e9);
  EXPECT_DOUBLE_EQ(far["large_message_factor"].get<double>(), 0.5);
  EXPECT_DOUBLE_EQ(far["large_message_bytes_per_second"].get<double>(), 0.5 * 1e6);
  const json near = json::parse(
      timeless_command({"platform", "show", platform.path(), "--between", "a", "c", "--json"}).out)["between"][0];
  EXPECT_EQ(near["bound"], "links");
  EXPECT_DOUBLE_EQ(near["bandwidth_bytes_per_second"].get<double>(), 1.25e9);
  EXPECT_THAT(timeless_command({"platform", "show", platform.path(), "--between", "a", "b"}).out,
              AllOf(HasSubstr("1.00 MB/s by TCP's window (its links: 1.25 GB/s), large messages 500.00 kB/s"),
                    HasSubstr("network/TCP-gamma 20000")));
}

TEST(PlatformCheck, of_every_file_that_comes_with_timeless_finds_nothing) {
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS)) {
    if (entry.path().extension() != ".xml") continue;
    const Outcome outcome = timeless_command({"platform", "check", entry.path()});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("without a warning"));
  }
}

TEST(PlatformCheck, tells_all_mistakes_with_their_lines_and_exits_with_3) {
  const WrittenPlatform platform(
      zone_of("<link id=\"l\" bandwidth=\"1\"/>\n" +
              cluster_with("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"3,3\"", "1GB/s")));
  const Outcome outcome = timeless_command({"platform", "check", platform.path()});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("platform.xml:5: remark: "), HasSubstr("platform.xml:6: "),
                                 HasSubstr("write 1GBps"), HasSubstr("2 mistakes")));
  const json answer = json::parse(timeless_command({"platform", "check", platform.path(), "--json"}).out);
  EXPECT_EQ(answer["good"], false);
  EXPECT_EQ(answer["findings"].size(), 3U);
}

TEST(PlatformCheck, tells_hosts_that_nothing_connects) {
  const WrittenPlatform platform(
      zone_of("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"
              "<host id=\"c\" speed=\"1Gf\"/><link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"
              "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"));
  const Outcome outcome = timeless_command({"platform", "check", platform.path()});
  EXPECT_EQ(outcome.status, 0) << "ranks on a and b can be replayed";
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("remark: "), HasSubstr("a to c"), HasSubstr("connect every two hosts")));
  for (const std::string pair : {"from a to c", "from c to a", "from b to c", "from c to b"}) {
    const std::size_t first = outcome.out.find(pair);
    ASSERT_NE(first, std::string::npos) << pair;
    EXPECT_EQ(outcome.out.find(pair, first + 1), std::string::npos) << pair;
  }
}

TEST(PlatformCheck, of_hosts_of_which_no_two_are_connected_finds_a_mistake) {
  const WrittenPlatform platform(zone_of("<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>"));
  const Outcome outcome = timeless_command({"platform", "check", platform.path()});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("a to b"), HasSubstr("\n1 mistake\n")));
}

/// Two ranks on the hosts of a hostfile.
Outcome replayed_on(const WrittenPlatform& platform, const std::string& hosts, const std::string& backend) {
  const std::filesystem::path folder = platform.path().parent_path();
  std::ofstream(folder / "hosts") << hosts;
  return timeless_command({"replay", TIMELESS_FIXTURES "/v2-windows.tia", "--platform", platform.path(), "--hostfile",
                           folder / "hosts", "--compute-rate", "1e9", "--backend", backend});
}

/// As SimGrid's examples do: hosts that nothing connects with the others, a host without a way to itself, and states
/// of a host in which it is off.
TEST(PlatformCheck, of_what_both_backends_replay_finds_no_mistake) {
  const std::string pair = "<host id=\"host1\" speed=\"1Gf\"/><host id=\"host2\" speed=\"1Gf\"/>"
                           "<link id=\"l\" bandwidth=\"125MBps\" latency=\"100us\"/>"
                           "<route src=\"host1\" dst=\"host2\"><link_ctn id=\"l\"/></route>";
  const std::string states =
      "<host id=\"host1\" speed=\"100Mf, 50Mf, 0f\" pstate=\"0\"/><host id=\"host2\" speed=\"1Gf\"/>";
  const std::vector<std::pair<std::string, std::string>> zones{
      {"<cluster id=\"apart\" prefix=\"a-\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"/>"
       "<zone id=\"z\" routing=\"Full\">" +
           pair + "</zone>",
       "host1\nhost2\n"},
      {"<zone id=\"alone\" routing=\"None\"><host id=\"h\" speed=\"1Gf\"/></zone>"
       "<zone id=\"z\" routing=\"Full\">" +
           pair +
           "</zone><link id=\"far\" bandwidth=\"100kBps\" latency=\"10ms\"/>"
           "<zoneRoute src=\"z\" dst=\"alone\" gw_src=\"host1\" gw_dst=\"h\"><link_ctn id=\"far\"/></zoneRoute>",
       "host1\nhost2\n"},
      {states + pair.substr(pair.find("<link")), "host1\nhost2\n"}};
  for (const auto& [zone, hosts] : zones) {
    const WrittenPlatform platform(zone_of(zone));
    const Outcome checked = timeless_command({"platform", "check", platform.path()});
    EXPECT_EQ(checked.status, 0) << zone << "\n" << checked.out << checked.err;
    for (const char* backend : {"model", "smpi"}) {
      const Outcome outcome = replayed_on(platform, hosts, backend);
      EXPECT_EQ(outcome.status, 0) << zone << "\n" << outcome.err;
    }
  }
}

TEST(PlatformCheck, of_a_lone_host_without_routing_finds_no_mistake_and_both_backends_end_where_it_sends_to_itself) {
  const WrittenPlatform platform(good_head +
                                 "<zone id=\"w\" routing=\"None\"><host id=\"h\" speed=\"1Gf\"/></zone></platform>");
  EXPECT_EQ(timeless_command({"platform", "check", platform.path()}).status, 0);
  for (const char* backend : {"model", "smpi"})
    EXPECT_NE(replayed_on(platform, "h\nh\n", backend).status, 0);
}

TEST(PlatformCheck, of_hosts_without_routes_ends_as_both_backends_do) {
  const std::string hosts = "<host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";
  for (const char* routing : {"None", "Full"}) {
    const WrittenPlatform platform(good_head + "<zone id=\"w\" routing=\"" + routing + "\">" + hosts +
                                   "</zone></platform>");
    EXPECT_EQ(timeless_command({"platform", "check", platform.path()}).status, 3) << routing;
    for (const char* backend : {"model", "smpi"}) {
      const Outcome outcome = replayed_on(platform, "a\nb\n", backend);
      EXPECT_EQ(outcome.status, 3) << routing << backend;
      EXPECT_THAT(outcome.err, AllOf(HasSubstr("route"), HasSubstr("connect them"))) << routing << backend;
    }
  }
}

TEST(PlatformWithWifi, is_a_mistake_to_check_and_not_shown) {
  const WrittenPlatform platform(zone_of(
      "<zone id=\"air\" routing=\"Wifi\"><prop id=\"access_point\" value=\"r\"/>"
      "<host id=\"s1\" speed=\"1Gf\"/><host id=\"s2\" speed=\"1Gf\"/>"
      "<link id=\"AP\" sharing_policy=\"WIFI\" bandwidth=\"54Mbps\" latency=\"0ms\"/><router id=\"r\"/></zone>"));
  const Outcome checked = timeless_command({"platform", "check", platform.path()});
  EXPECT_EQ(checked.status, 5);
  EXPECT_THAT(checked.out, AllOf(HasSubstr("link 'AP' is WIFI"), HasSubstr("\n1 mistake\n")));
  const Outcome shown = timeless_command({"platform", "show", platform.path()});
  EXPECT_EQ(shown.status, 5);
  EXPECT_THAT(shown.err, HasSubstr("crosses the WIFI link AP"));
}

TEST(PlatformWithProfiles, is_good_with_a_remark_to_check_and_a_note_to_show) {
  const WrittenPlatform platform(zone_of("<host id=\"h\" speed=\"1Gf\" speed_file=\"h.profile\"/>"
                                         "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>"
                                         "<route src=\"h\" dst=\"h\"><link_ctn id=\"l\"/></route>"));
  std::ofstream(platform.path().parent_path() / "h.profile") << "0 1\n1 0.5\n";
  const Outcome checked = timeless_command({"platform", "check", platform.path()});
  EXPECT_EQ(checked.status, 0) << checked.out;
  EXPECT_THAT(checked.out, AllOf(HasSubstr("remark: host 'h' has a speed profile"), HasSubstr("good")));
  EXPECT_THAT(timeless_command({"platform", "show", platform.path()}).out,
              HasSubstr("NOTE           host 'h' has a speed profile"));
}

TEST(PlatformUpgrade, writes_a_file_that_checks_clean_and_does_not_replace_one_unasked) {
  const WrittenPlatform old(
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"http://simgrid.gforge.inria.fr/simgrid.dtd\">\n"
      "<platform version=\"3\">\n<AS id=\"a\" routing=\"Full\">\n"
      "<cluster id=\"c\" prefix=\"c-\" suffix=\".me\" radical=\"0-3\" power=\"1E9\" bw=\"1.25E8\" "
      "lat=\"15E-6\" bb_bw=\"1.25E9\" bb_lat=\"15E-6\"/>\n</AS>\n</platform>\n");
  const std::string now = old.path().string() + ".new";
  EXPECT_EQ(timeless_command({"platform", "check", old.path()}).status, 3);
  const Outcome outcome = timeless_command({"platform", "upgrade", old.path(), "-o", now});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("power is now speed"));
  EXPECT_EQ(timeless_command({"platform", "check", now}).status, 0);
  EXPECT_EQ(timeless_command({"platform", "upgrade", old.path(), "-o", now}).status, 2);
  EXPECT_EQ(timeless_command({"platform", "upgrade", old.path()}).status, 2);
}

TEST(PlatformNew, writes_what_show_reads) {
  const WrittenPlatform place("");
  const std::string file = place.path().string() + ".new";
  const Outcome outcome = timeless_command({"platform", "new", "--nodes", "64", "--cores", "4", "--topology",
                                            "fat-tree", "--bandwidth", "100Gbps", "--latency", "500ns", "-o", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(timeless_command({"platform", "show", file, "--json"}).out);
  EXPECT_EQ(answer["hosts"], 64);
  EXPECT_NEAR(answer["distances"][1]["latency_seconds"].get<double>(), 1e-6, 1e-12);
  EXPECT_NEAR(answer["distances"][1]["bandwidth_bytes_per_second"].get<double>(), 12.5e9, 1);
  EXPECT_EQ(timeless_command({"platform", "new", "-o", file + "2"}).status, 2);
}

TEST(PlatformNew, writes_nothing_that_check_would_call_wrong) {
  const WrittenPlatform place("");
  const std::filesystem::path file = place.path().string() + ".new";
  const std::vector<std::string> wrong{"platform", "new",       "--nodes", "4",  "--bandwidth",
                                       "1GBps",    "--latency", "1h",      "-o", file};
  const Outcome outcome = timeless_command(wrong);
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr(file), HasSubstr("is on no machine"), Not(HasSubstr("/.timeless"))));
  EXPECT_FALSE(std::filesystem::exists(file));
  std::ofstream(file) << "mine";
  std::vector<std::string> forced = wrong;
  forced.emplace_back("--force");
  EXPECT_EQ(timeless_command(forced).status, 3);
  EXPECT_EQ(std::filesystem::file_size(file), 4U);
  std::filesystem::remove(file);
}

TEST(PlatformVerb, explains_requests_that_make_no_sense) {
  EXPECT_EQ(timeless_command({"platform"}).status, 2);
  EXPECT_EQ(timeless_command({"platform", "fly"}).status, 2);
  EXPECT_EQ(timeless_command({"platform", "show"}).status, 2);
  EXPECT_EQ(timeless_command({"platform", "show", "nowhere"}).status, 3);
}

struct Hostile {
  const char* name;
  std::string text;
};

void PrintTo(const Hostile& hostile, std::ostream* out) {
  *out << hostile.name;
}

class HostilePlatform : public testing::TestWithParam<Hostile> {};

std::string nested_zones(int depth) {
  std::string text = test::good_head;
  for (int i = 0; i < depth; ++i)
    text += "<zone id=\"z" + std::to_string(i) + "\" routing=\"Full\">";
  for (int i = 0; i < depth; ++i)
    text += "</zone>";
  return text + "</platform>\n";
}

TEST_P(HostilePlatform, ends_every_action_in_an_error_without_a_crash) {
  const WrittenPlatform platform(GetParam().text);
  const std::string output = platform.path().string() + ".new";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"platform", "check", platform.path()}, {"platform", "show", platform.path()}}) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 3) << words[1] << outcome.out << outcome.err;
  }
  EXPECT_EQ(timeless_command({"platform", "upgrade", platform.path(), "-o", output}).status, 3);
}

INSTANTIATE_TEST_SUITE_P(
    each, HostilePlatform,
    testing::Values(
        Hostile{"empty", ""}, Hostile{"binary", std::string("\0\1\2<\xff>\0", 7)},
        Hostile{"cut_short", test::good_head + "<zone id=\"w\" routing=\"Full\"><host id=\"a"},
        Hostile{"huge_radical", zone_of(cluster_with("radical=\"0-2000000000\""))},
        Hostile{"huge_torus", zone_of(cluster_with("radical=\"0-3\" topology=\"TORUS\" "
                                                   "topo_parameters=\"2000000000,2000000000\""))},
        Hostile{"crashing_dragonfly",
                zone_of(cluster_with("radical=\"0-47\" topology=\"DRAGONFLY\" topo_parameters=\"3,1;2,1;2,1;4\""))},
        Hostile{"zone_within_itself", test::good_head + "<zone id=\"w\" routing=\"Full\"><zone id=\"w\" "
                                                        "routing=\"Full\"/></zone></platform>\n"},
        Hostile{"thousand_zones_deep", nested_zones(1000)},
        Hostile{"entities_of_entities",
                "<?xml version='1.0'?>\n<!DOCTYPE platform [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;\">]>\n"
                "<platform version=\"4.1\"><zone id=\"&b;\" routing=\"Full\"/></platform>\n"},
        Hostile{"very_long_attribute", zone_of("<host id=\"a\" speed=\"1" + std::string(500'000, 'x') + "\"/>")}),
    [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace timeless::tools
