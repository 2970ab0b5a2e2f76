#include "replay/simgrid/quantities.h"
#include "replay/simgrid/topologies.h"
#include "tests/platform/written_platform.h"
#include "tools/platforms/findings.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace timeless::tools::platforms {

void PrintTo(const Finding& finding, std::ostream* out) {
  *out << finding.line << ": " << finding.what << ": " << finding.advice;
}

namespace {

using replay::Quantity;
using replay::read_quantity;
using test::cluster_with;
using test::good_head;
using test::prop;
using test::settings_of;
using test::WrittenPlatform;
using test::zone_of;
using testing::AllOf;
using testing::Field;
using testing::HasSubstr;

const std::vector<std::string> some_settings{"network/model",           "smpi/bw-factor",
                                             "smpi/lat-factor",         "smpi/os",
                                             "smpi/async-small-thresh", "smpi/send-is-detached-thresh",
                                             "smpi/coll-selector"};

Findings findings_of(const std::string& text) {
  const WrittenPlatform platform(text);
  return check_text(XmlFile::read(platform.path()), some_settings);
}

struct Mistake {
  const char* name;
  std::string text;
  std::size_t line;
  const char* what;
  const char* advice;
  Severity severity = Severity::mistake;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class CheckedText : public testing::TestWithParam<Mistake> {};

TEST_P(CheckedText, with_one_mistake_is_told_it_with_its_line_and_what_to_write_instead) {
  const Mistake& mistake = GetParam();
  EXPECT_THAT(findings_of(mistake.text), testing::ElementsAre(AllOf(Field(&Finding::line, mistake.line),
                                                                    Field(&Finding::what, HasSubstr(mistake.what)),
                                                                    Field(&Finding::advice, HasSubstr(mistake.advice)),
                                                                    Field(&Finding::severity, mistake.severity))));
}

const std::string two_hosts = "<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"b\" speed=\"1Gf\"/>\n";

INSTANTIATE_TEST_SUITE_P(
    each, CheckedText,
    testing::Values(
        Mistake{"no_doctype", "<?xml version='1.0'?>\n<platform version=\"4.1\"/>\n", 1, "no DOCTYPE", "simgrid.dtd"},
        Mistake{"old_doctype",
                "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"http://simgrid.gforge.inria.fr/simgrid.dtd\">\n"
                "<platform version=\"4.1\"/>\n",
                2, "not SimGrid's", "https://simgrid.org/simgrid.dtd"},
        Mistake{"another_root", "<?xml version='1.0'?>\n<adag/>\n", 2, "<adag>", "<platform version="},
        Mistake{"version_3",
                "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"3\"/>\n",
                3, "format '3'", "platform upgrade"},
        Mistake{"future_version",
                "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                "<platform version=\"5\"/>\n",
                3, "does not know", "4.1"},
        Mistake{"unknown_element", zone_of("<hoost id=\"a\"/>"), 5, "no element <hoost>", "manual"},
        Mistake{"old_element", zone_of("<AS id=\"x\" routing=\"Full\"/>"), 5, "old name", "<zone>", Severity::remark},
        Mistake{"very_old_element", zone_of("<AS_route src=\"w\" dst=\"w\"/>"), 5, "old name", "<zoneRoute>"},
        Mistake{"old_attribute", zone_of("<host id=\"a\" power=\"1Gf\"/>"), 5, "no attribute 'power'", "write speed"},
        Mistake{"misspelt_attribute", zone_of("<host id=\"a\" speed=\"1Gf\" coer=\"4\"/>"), 5, "no attribute 'coer'",
                "write core"},
        Mistake{"missing_attribute", zone_of("<link id=\"l\"/>"), 5, "lacks the attribute bandwidth", "give it"},
        Mistake{"element_in_the_wrong_place", good_head + "<host id=\"a\" speed=\"1Gf\"/>\n</platform>\n", 4,
                "<host> cannot stand in <platform>", "zone"},
        Mistake{"no_unit", zone_of("<link id=\"l\" bandwidth=\"125000000\"/>"), 5, "no unit", "write 125000000Bps",
                Severity::remark},
        Mistake{"slash_in_unit", zone_of("<link id=\"l\" bandwidth=\"10GB/s\"/>"), 5, "10GB/s", "write 10GBps"},
        Mistake{"hertz", zone_of("<host id=\"a\" speed=\"2.4GHz\"/>"), 5, "2.4GHz", "write 2.4Gf"},
        Mistake{"unit_of_something_else", zone_of("<link id=\"l\" bandwidth=\"1us\"/>"), 5, "1us", "something else"},
        Mistake{"no_number", zone_of("<host id=\"a\" speed=\"fast\"/>"), 5, "fast", "no number"},
        Mistake{"zero_bandwidth", zone_of("<link id=\"l\" bandwidth=\"0GBps\"/>"), 5, "zero", "12.5GBps"},
        Mistake{"negative_latency", zone_of("<link id=\"l\" bandwidth=\"1GBps\" latency=\"-1us\"/>"), 5, "negative",
                "us"},
        Mistake{"unknown_setting", settings_of(prop("smpi/bw-facter", "0:1")), 5, "no setting 'smpi/bw-facter'",
                "write smpi/bw-factor"},
        Mistake{"old_setting", settings_of(prop("smpi/coll_selector", "mpich")), 5, "older versions",
                "write smpi/coll-selector"},
        Mistake{"factors_out_of_order", settings_of(prop("smpi/bw-factor", "0:1;65536:0.9;1420:0.8")), 5,
                "out of order", "sort", Severity::remark},
        Mistake{"one_size_twice", settings_of(prop("smpi/bw-factor", "0:1;1420:0.9;1420:0.8")), 5, "twice", "keep one",
                Severity::remark},
        Mistake{"no_factors", settings_of(prop("smpi/lat-factor", "what")), 5, "what", "size:factor"},
        Mistake{"no_overheads", settings_of(prop("smpi/os", "0:x:0")), 5, "smpi/os", "seconds_per_byte"},
        Mistake{"zero_factor", settings_of(prop("smpi/bw-factor", "0:0")), 5, "never arrive", "above 0"},
        Mistake{"limits_against_each_other", settings_of(prop("smpi/async-small-thresh", "100000")), 5,
                "larger than smpi/send-is-detached-thresh (65536)", "at least as large"},
        Mistake{"no_limit", settings_of(prop("smpi/async-small-thresh", "64K")), 5, "smpi/async-small-thresh=\"64K\"",
                "0 to 2147483647"},
        Mistake{"setting_outside_config", zone_of(prop("smpi/bw-factor", "0:1")), 5, "counts for nothing", "<config>",
                Severity::remark},
        Mistake{"unknown_topology", zone_of(cluster_with("radical=\"0-3\" topology=\"RING\"")), 5, "no topology 'RING'",
                "TORUS"},
        Mistake{"torus_of_another_size",
                zone_of(cluster_with("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"3,3\"")), 5,
                "make 9 hosts, its radical names 8", "0-8"},
        Mistake{"torus_with_two_sides_of_one",
                zone_of(cluster_with("radical=\"0-6\" topology=\"TORUS\" topo_parameters=\"7,1,1\"")), 5,
                "two sides of 1", "topo_parameters=\"7\""},
        Mistake{"torus_without_sides", zone_of(cluster_with("radical=\"0-7\" topology=\"TORUS\"")), 5, "sides ''",
                "4,4,2"},
        Mistake{"fat_tree_with_a_level_too_few",
                zone_of(cluster_with("radical=\"0-7\" topology=\"FAT_TREE\" topo_parameters=\"2;4,2;1;1,1\"")), 5,
                "should have 2 numbers", "children"},
        Mistake{"dragonfly_that_crashes_SimGrid",
                zone_of(cluster_with("radical=\"0-47\" topology=\"DRAGONFLY\" topo_parameters=\"3,1;2,1;2,1;4\"")), 5,
                "fewer routers (2) than there are groups (3)", "at least as many"},
        Mistake{"parameters_without_topology", zone_of(cluster_with("radical=\"0-7\" topo_parameters=\"4,2\"")), 5,
                "count for nothing", "TORUS", Severity::remark},
        Mistake{"no_radical", zone_of(cluster_with("radical=\"a-b\"")), 5, "'a-b'", "0-15,20"},
        Mistake{"huge_radical", zone_of(cluster_with("radical=\"0-2000000000\"")), 5, "more than a million", "part"},
        Mistake{"backward_radical", zone_of(cluster_with("radical=\"5-2\"")), 5, "ends before it begins", "ranges"},
        Mistake{
            "no_loopback",
            zone_of(
                "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>"),
            5, "no loopback", "loopback_bw", Severity::remark},
        Mistake{
            "half_a_loopback",
            zone_of("<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" "
                    "loopback_bw=\"1GBps\"/>"),
            5, "half of a loopback", "both", Severity::remark},
        Mistake{"link_that_is_nowhere",
                zone_of(two_hosts + "<route src=\"a\" dst=\"b\">\n<link_ctn id=\"gone\"/></route>"), 8,
                "nowhere: 'gone'", "define <link"},
        Mistake{"no_direction",
                zone_of(two_hosts + "<link id=\"l\" bandwidth=\"1GBps\" sharing_policy=\"SPLITDUPLEX\"/>"
                                    "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"),
                7, "two directions", "UP"},
        Mistake{"direction_of_a_shared_link",
                zone_of(two_hosts + "<link id=\"l\" bandwidth=\"1GBps\"/>"
                                    "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\" direction=\"UP\"/></route>"),
                7, "one direction only", "leave out"},
        Mistake{"wifi",
                zone_of("<host id=\"a\" speed=\"1Gf\"/>\n<link id=\"AP\" bandwidth=\"54Mbps,36Mbps\" latency=\"0ms\" "
                        "sharing_policy=\"WIFI\"/>"),
                6, "link 'AP' is WIFI", "SHARED"},
        Mistake{"state_profile", zone_of("<host id=\"a\" speed=\"1Gf\" state_file=\"fails\"/>"), 5,
                "host 'a' has a state profile", "", Severity::remark},
        Mistake{"speed_profile", zone_of("<host id=\"a\" speed=\"1Gf\" speed_file=\"slower\"/>"), 5, "keeps the speed",
                "", Severity::remark},
        Mistake{"bandwidth_profile", zone_of("<link id=\"l\" bandwidth=\"1GBps\" bandwidth_file=\"slower\"/>"), 5,
                "keeps the bandwidth", "", Severity::remark},
        Mistake{"connected_profile",
                zone_of("<link id=\"l\" bandwidth=\"1GBps\"/>\n"
                        "<trace_connect trace=\"t\" element=\"l\" kind=\"LINK_AVAIL\"/>"),
                6, "link 'l' has a state profile", "", Severity::remark},
        Mistake{"route_to_nobody", zone_of(two_hosts + "<route src=\"a\" dst=\"z\"/>"), 7, "no host or router 'z'",
                "name"},
        Mistake{"two_of_a_name", zone_of("<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"a\" speed=\"1Gf\"/>"), 6,
                "two of the name 'a'", "of its own"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(GoodText, of_every_kind_has_no_findings) {
  EXPECT_THAT(findings_of(zone_of(cluster_with("radical=\"0-3\""))), testing::IsEmpty());
  EXPECT_THAT(findings_of(zone_of(cluster_with("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"4,2\""))),
              testing::IsEmpty());
  EXPECT_THAT(findings_of(settings_of(prop("smpi/os", "0:1e-6:0; 1420:2e-6:1e-9"))), testing::IsEmpty());
}

Error error_of(const std::string& text) {
  const WrittenPlatform platform(text);
  try {
    XmlFile::read(platform.path());
  } catch (const Error& error) {
    return error;
  }
  return {Failure::runtime, "no error"};
}

TEST(HostileText, that_is_cut_short_is_an_error_with_its_line) {
  const Error error = error_of(good_head + "<zone id=\"w\" routing=\"Full\">\n<host id=\"a\"");
  EXPECT_EQ(error.failure(), Failure::invalid_input);
  EXPECT_THAT(error.where(), testing::ContainsRegex("platform.xml:[45]$"));
}

TEST(HostileText, of_every_length_of_a_good_file_ends_in_findings_or_an_error) {
  const std::string good = zone_of(cluster_with("radical=\"0-7\" topology=\"TORUS\" topo_parameters=\"4,2\"") +
                                   "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>");
  for (std::size_t length = 0; length < good.size() - 1; ++length) {
    try {
      EXPECT_TRUE(has_mistakes(findings_of(good.substr(0, length)))) << length;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input) << length;
    }
  }
}

TEST(HostileText, nested_a_million_deep_is_an_error) {
  std::string deep = good_head;
  for (int i = 0; i < 1'000'000; ++i)
    deep += "<zone>";
  EXPECT_THAT(error_of(deep).what(), HasSubstr("no XML"));
  for (int i = 0; i < 1'000'000; ++i)
    deep += "</zone>";
  EXPECT_THAT(error_of(deep + "</platform>").what(), HasSubstr("nested more than 64 deep"));
}

TEST(HostileText, with_entities_of_entities_stays_as_small_as_it_is) {
  std::string laughs = "<?xml version='1.0'?>\n<!DOCTYPE platform [\n<!ENTITY a \"ha\">\n";
  for (char entity = 'b'; entity < 'm'; ++entity) {
    laughs += std::string("<!ENTITY ") + entity + " \"";
    for (int i = 0; i < 10; ++i)
      laughs += std::string("&") + static_cast<char>(entity - 1) + ";";
    laughs += "\">\n";
  }
  laughs += "]>\n<platform version=\"4.1\"><zone id=\"&l;\" routing=\"Full\"/></platform>\n";
  EXPECT_TRUE(has_mistakes(findings_of(laughs)));
}

TEST(Quantity, is_read_in_the_units_SimGrid_knows) {
  const auto value = [](Quantity quantity, const char* text) { return read_quantity(quantity, text).value().value; };
  EXPECT_DOUBLE_EQ(value(Quantity::bandwidth, "100Gbps"), 12.5e9);
  EXPECT_DOUBLE_EQ(value(Quantity::bandwidth, "1KiBps"), 1024);
  EXPECT_DOUBLE_EQ(value(Quantity::bandwidth, "1.25E8Bps"), 1.25e8);
  EXPECT_DOUBLE_EQ(value(Quantity::time, "1.5us"), 1.5e-6);
  EXPECT_DOUBLE_EQ(value(Quantity::time, "2m"), 120);
  EXPECT_DOUBLE_EQ(value(Quantity::speed, "2.5Gf"), 2.5e9);
  EXPECT_DOUBLE_EQ(value(Quantity::speed, "1kiloflops"), 1e3);
  EXPECT_FALSE(read_quantity(Quantity::speed, "1GBps"));
  EXPECT_FALSE(read_quantity(Quantity::time, "nan"));
  EXPECT_FALSE(read_quantity(Quantity::time, "1e999s"));
}

TEST(Topology, parameters_fit_any_number_of_hosts) {
  std::vector<std::uint64_t> sizes{97, 144, 324, 1000, 4096, 999983};
  for (std::uint64_t hosts = 1; hosts <= 40; ++hosts)
    sizes.push_back(hosts);
  for (const char* topology : {"TORUS", "FAT_TREE", "DRAGONFLY"})
    for (const std::uint64_t hosts : sizes) {
      const auto parameters = replay::fitting_parameters(topology, hosts);
      ASSERT_TRUE(parameters.value) << topology << hosts;
      const auto made = replay::count_topology(topology, *parameters.value);
      ASSERT_TRUE(made.value) << topology << " " << *parameters.value << ": " << made.mistake;
      EXPECT_EQ(*made.value, hosts) << topology << " " << *parameters.value;
    }
}

} // namespace
} // namespace timeless::tools::platforms
