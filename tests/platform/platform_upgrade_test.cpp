#include "tests/platform/written_platform.h"
#include "tools/platforms/findings.h"
#include "tools/platforms/upgrade.h"

#include "replay/platform/simgrid_platform.h"
#include "replay/platform/simgrid_process.h"
#include "replay/platform/simgrid_remarks.h"
#include "trace/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace timeless::tools::platforms {
namespace {

using test::WrittenPlatform;
using testing::HasSubstr;
using testing::Not;

/// Two cabinets as files of format 3 described them (Markomanolis, slides of 2013/14: elements, names and numbers).
const std::string of_2013 = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "http://simgrid.gforge.inria.fr/simgrid.dtd">
<platform version="3">
<!-- AS and power stay as they are in a comment -->
<config id="General">
  <prop id="workstation/model" value="compound"/>
  <prop id="network/model" value="SMPI"/>
  <prop id="smpi/async_small_thres" value="65536"/>
  <prop id="smpi/send_is_detached_thres" value="327680"/>
  <prop id="smpi/os" value="0:8.93009e-06:7.654382e-10; 1420:1.396843e-05:2.974094e-10;
    32768:1.540828e-05:2.441040e-10; 65536:0.000238:0;327680:0:0"/>
  <prop id="smpi/or" value="0:8.140255e-06:8.3958e-10; 1420:1.2699e-05:9.092182e-10"/>
  <prop id="smpi/bw_factor" value="0:0.400977; 1420:0.913556"/>
  <prop id="smpi/lat_factor" value="0:1.35489; 1420:3.437250"/>
</config>
<AS id="AS_graphene" routing="Full">
  <cluster id="AS_sgraphene1" prefix="graphene-" suffix=".nancy.grid5000.fr" radical="0-38" power="3.68E9"
    bw="1.25E8" lat="15E-6" sharing_policy="FULLDUPLEX" limiter_link="1.875E8"
    loopback_lat="1.5E-9" loopback_bw="6000000000"></cluster>
  <cluster id="AS_sgraphene2" prefix="graphene-" suffix=".nancy.grid5000.fr" radical="39-73" power="3.68E9"
    bw="1.25E8" lat="15E-6" sharing_policy="FULLDUPLEX" limiter_link="1.875E8"
    loopback_lat="1.5E-9" loopback_bw="6000000000"></cluster>
  <link id="switch-backbone1" bandwidth="1162500000" latency="1.5E-6" sharing_policy="FULLDUPLEX"/>
  <link id="switch-backbone2" bandwidth="1162500000" latency="1.5E-6" sharing_policy="FULLDUPLEX"/>
  <link id="explicit-limiter1" bandwidth="1511250000" latency="0" sharing_policy="SHARED"/>
  <ASroute src="AS_sgraphene1" dst="AS_sgraphene2"
    gw_src="graphene-AS_sgraphene1_router.nancy.grid5000.fr"
    gw_dst="graphene-AS_sgraphene2_router.nancy.grid5000.fr" symmetrical="NO">
    <link_ctn id="switch-backbone1" direction="UP"/> <link_ctn id="explicit-limiter1"/>
    <link_ctn id="switch-backbone2" direction="DOWN"/>
  </ASroute>
  <ASroute src="AS_sgraphene2" dst="AS_sgraphene1"
    gw_src="graphene-AS_sgraphene2_router.nancy.grid5000.fr"
    gw_dst="graphene-AS_sgraphene1_router.nancy.grid5000.fr" symmetrical="NO">
    <link_ctn id="switch-backbone2" direction="UP"/> <link_ctn id="explicit-limiter1"/>
    <link_ctn id="switch-backbone1" direction="DOWN"/>
  </ASroute>
</AS>
</platform>
)";

Upgraded upgraded(const std::string& text) {
  const WrittenPlatform platform(text);
  return upgrade(XmlFile::read(platform.path()));
}

TEST(Upgrade, of_a_file_of_2013_loads_in_SimGrid_without_a_warning_and_checks_clean) {
  const WrittenPlatform now(upgraded(of_2013).text);
  EXPECT_THAT(replay::simgrid_warnings(now.path()), testing::IsEmpty());
  const std::vector<std::string> settings = replay::simgrid_settings();
  for (const Finding& finding : check_text(XmlFile::read(now.path()), settings))
    ADD_FAILURE() << finding.line << ": " << finding.what;
}

TEST(Upgrade, keeps_every_figure) {
  const WrittenPlatform now(upgraded(of_2013).text);
  const std::string answer = replay::run_apart(
      [&](const replay::ChildReport&) {
        const auto platform = replay::SimgridPlatform::load(now.path());
        const replay::Route near = platform.route(0, 1);
        const replay::Route far = platform.route(0, 73);
        const replay::SmpiSettings& settings = platform.settings();
        std::ostringstream out;
        out << platform.hosts().size() << ' ' << platform.hosts()[0].speed << ' ' << near.latency << ' '
            << near.bandwidth << ' ' << far.latency << ' ' << platform.route(3, 3).bandwidth << ' '
            << settings.asynchronous_below << ' ' << settings.detached_below << ' '
            << settings.bandwidth_factor.factor(2000) << ' ' << settings.latency_factor.factor(100) << ' '
            << settings.send_overhead.seconds(40000);
        return out.str();
      },
      {});
  EXPECT_EQ(answer, "74 3.68e+09 3e-05 1.25e+08 3.3e-05 6e+09 65536 327680 0.913556 1.35489 2.51724e-05");
}

TEST(Upgrade, changes_names_and_units_but_neither_comments_nor_names_of_things) {
  const Upgraded now = upgraded(of_2013);
  EXPECT_THAT(now.text, HasSubstr("<!-- AS and power stay as they are in a comment -->"));
  EXPECT_THAT(now.text, HasSubstr("<zone id=\"AS_graphene\" routing=\"Full\">"));
  EXPECT_THAT(now.text, HasSubstr("speed=\"3.68E9f\" bw=\"1.25E8Bps\" lat=\"15E-6s\""));
  EXPECT_THAT(now.text, HasSubstr("latency=\"0\""));
  EXPECT_THAT(now.changes, testing::IsSupersetOf({HasSubstr("attribute power is now speed, 2 times"),
                                                  HasSubstr("FULLDUPLEX is now SPLITDUPLEX, 4 times"),
                                                  HasSubstr("<ASroute> is now <zoneRoute>, 2 times"),
                                                  HasSubstr("smpi/bw_factor is now smpi/bw-factor"),
                                                  HasSubstr("version 3 is now 4.1")}));
}

TEST(Upgrade, of_what_is_new_already_changes_nothing) {
  const Upgraded first = upgraded(of_2013);
  const Upgraded second = upgraded(first.text);
  EXPECT_THAT(second.changes, testing::IsEmpty());
  EXPECT_EQ(second.text, first.text);
}

TEST(Upgrade, of_older_spellings_and_what_is_gone) {
  const Upgraded now = upgraded("<?xml version='1.0'?>\n<platform version=\"3\"><AS id=\"a\" routing=\"Full\">"
                                "<host id=\"h\" power=\"1E9,2E9\" availability=\"1.0\" availability_file=\"f\"/>"
                                "<trace_connect kind=\"POWER\" trace=\"t\" element=\"h\"/></AS>"
                                "<process host=\"h\" function=\"0\"/></platform>\n");
  EXPECT_THAT(now.text, HasSubstr("<host id=\"h\" speed=\"1E9f,2E9f\" speed_file=\"f\""));
  EXPECT_THAT(now.text, HasSubstr("kind=\"SPEED\""));
  EXPECT_THAT(now.text, HasSubstr("<actor host=\"h\""));
  EXPECT_THAT(now.text, Not(HasSubstr("availability=")));
  EXPECT_THAT(now.text, HasSubstr("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"));
}

TEST(Upgrade, refuses_formats_whose_numbers_meant_something_else) {
  for (const char* version : {"version=\"2\"", "version=\"0\"", "", "version=\"5\""}) {
    const WrittenPlatform platform(std::string("<?xml version='1.0'?>\n<platform ") + version + "/>\n");
    try {
      (void)upgrade(XmlFile::read(platform.path()));
      ADD_FAILURE() << version;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
    }
  }
}

} // namespace
} // namespace timeless::tools::platforms
