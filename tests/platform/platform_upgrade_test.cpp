#include "tests/platform/written_platform.h"
#include "tools/platforms/findings.h"
#include "tools/platforms/upgrade.h"

#include "base/error.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_remarks.h"

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
  const std::string answer = replay::run_simgrid(
      [&](const ChildReport&) {
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

const std::string head_of_2012 = "<?xml version='1.0'?>\n"
                                 "<!DOCTYPE platform SYSTEM \"http://simgrid.gforge.inria.fr/simgrid.dtd\">\n"
                                 "<platform version=\"3\">\n";

std::vector<std::string> what_is_wrong_with(const std::string& text) {
  const WrittenPlatform platform(text);
  const std::vector<std::string> settings = replay::simgrid_settings();
  const XmlFile file = XmlFile::read(platform.path());
  Findings findings = check_text(file, settings);
  for (const Finding& finding : check_by_loading(file))
    findings.push_back(finding);
  std::vector<std::string> mistakes;
  for (const Finding& finding : findings)
    if (finding.severity == Severity::mistake) mistakes.push_back(finding.what);
  return mistakes;
}

TEST(Upgrade, of_routes_in_both_directions_keeps_each_as_it_is_written) {
  const Upgraded now = upgraded(
      head_of_2012 + "<AS id=\"w\" routing=\"Full\"><host id=\"a\" power=\"1E9\"/><host id=\"b\" power=\"1E9\"/>"
                     "<host id=\"c\" power=\"1E9\"/><link id=\"l\" bandwidth=\"1E9\" latency=\"1E-6\"/>"
                     "<link id=\"m\" bandwidth=\"1E9\" latency=\"3E-6\"/>"
                     "<link id=\"own\" bandwidth=\"1E9\" latency=\"1E-7\"/>"
                     "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>"
                     "<route src=\"b\" dst=\"a\"><link_ctn id=\"m\"/></route>"
                     "<route src=\"a\" dst=\"c\"><link_ctn id=\"l\"/></route>"
                     "<route src=\"b\" dst=\"c\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"
                     "<route src=\"c\" dst=\"b\" symmetrical=\"NO\"><link_ctn id=\"l\"/></route>"
                     "<route src=\"a\" dst=\"a\"><link_ctn id=\"own\"/></route></AS></platform>\n");
  EXPECT_THAT(what_is_wrong_with(now.text), testing::IsEmpty());
  EXPECT_THAT(now.text, HasSubstr("<route src=\"a\" dst=\"b\" symmetrical=\"NO\">"));
  EXPECT_THAT(now.text, HasSubstr("<route src=\"b\" dst=\"a\" symmetrical=\"NO\">"));
  EXPECT_THAT(now.text, HasSubstr("<route src=\"a\" dst=\"c\"><link_ctn"));
  EXPECT_THAT(now.text, HasSubstr("<route src=\"a\" dst=\"a\"><link_ctn"));
  EXPECT_THAT(now.changes, testing::Contains(HasSubstr("routes given in both directions")));
  EXPECT_THAT(upgraded(now.text).changes, testing::IsEmpty());
}

TEST(Upgrade, removes_the_setting_of_coordinates_and_routes_of_a_zone_to_itself) {
  const Upgraded now =
      upgraded(head_of_2012 +
               "<config id=\"General\"><prop id=\"network/coordinates\" value=\"yes\"></prop></config>\n"
               "<AS id=\"w\" routing=\"Full\">"
               "<cluster id=\"c\" prefix=\"c-\" suffix=\"\" radical=\"0-1\" power=\"1E9\" bw=\"1E8\" lat=\"1E-6\"/>"
               "<cluster id=\"d\" prefix=\"d-\" suffix=\"\" radical=\"0-1\" power=\"1E9\" bw=\"1E8\" lat=\"1E-6\"/>"
               "<link id=\"l\" bandwidth=\"1E9\" latency=\"1E-6\"/>"
               "<ASroute src=\"c\" dst=\"c\" gw_src=\"c-c_router\" gw_dst=\"c-c_router\"><link_ctn id=\"l\"/></ASroute>"
               "<ASroute src=\"c\" dst=\"d\" gw_src=\"c-c_router\" gw_dst=\"d-d_router\"><link_ctn id=\"l\"/></ASroute>"
               "</AS></platform>\n");
  EXPECT_THAT(what_is_wrong_with(now.text), testing::IsEmpty());
  EXPECT_THAT(now.text, Not(HasSubstr("network/coordinates")));
  EXPECT_THAT(now.text, Not(HasSubstr("dst=\"c\"")));
  EXPECT_THAT(now.text, HasSubstr("<zoneRoute src=\"c\" dst=\"d\""));
}

TEST(Upgrade, parts_coordinates_by_one_blank) {
  const Upgraded now = upgraded(head_of_2012 + "<AS id=\"w\" routing=\"Vivaldi\">"
                                               "<peer id=\"p\" coordinates=\" 247.0  57.3 0.6 \" power=\"1Mf\" "
                                               "bw_in=\"1E6\" bw_out=\"1E6\" lat=\"1E-3\"/></AS></platform>\n");
  EXPECT_THAT(now.text, HasSubstr("coordinates=\"247.0 57.3 0.6\""));
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
