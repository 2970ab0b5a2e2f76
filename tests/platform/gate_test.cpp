// One gate for platform files: what one verb refuses all refuse, with the file's name, and no file does more than
// describe a machine.
#include "tests/platform/written_platform.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include "base/error.h"
#include "replay/simgrid/platform_text.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <xbt/config.hpp>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace timeless::tools {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

const std::string head = "<?xml version='1.0'?>\n"
                         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         "<platform version=\"4.1\">\n";

/// Two hosts and a link; what is given instead of the usual attributes.
struct Machine {
  std::string config = {};
  std::string host = "speed=\"1Gf\"";
  std::string link = "bandwidth=\"1GBps\" latency=\"1us\"";
  std::string property = {}; ///< of the host

  std::string text() const {
    return head + (config.empty() ? "" : "<config>\n" + config + "\n</config>\n") +
           "<zone id=\"w\" routing=\"Full\">\n<host id=\"a\" " + host + ">" + property +
           "</host>\n<host id=\"b\" speed=\"1Gf\"/>\n<link id=\"l\" " + link +
           "/>\n<link id=\"o\" bandwidth=\"1GBps\" latency=\"1us\"/>\n"
           "<route src=\"a\" dst=\"b\"><link_ctn id=\"l\"/></route>\n<route src=\"a\" dst=\"a\"><link_ctn "
           "id=\"o\"/></route>\n"
           "<route src=\"b\" dst=\"b\"><link_ctn id=\"o\"/></route>\n</zone>\n</platform>\n";
  }
};

std::string setting(const std::string& name, const std::string& value) {
  return "<prop id=\"" + name + "\" value=\"" + value + "\"/>";
}

std::string cluster(const std::string& attributes) {
  return "<cluster id=\"c" + std::to_string(attributes.size()) + "\" prefix=\"n" + std::to_string(attributes.size()) +
         "-\" suffix=\"\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" loopback_bw=\"1GBps\" loopback_lat=\"1us\" " +
         attributes + "/>\n";
}

/// Returns two hosts that are as far apart as their Vivaldi coordinates.
std::string peers(const std::string& coordinates) {
  std::string text = head + "<zone id=\"w\" routing=\"Vivaldi\">\n";
  for (const std::string& peer :
       {"id=\"a\" coordinates=\"" + coordinates + "\"", std::string("id=\"b\" coordinates=\"0 0 0\"")})
    text += "<peer " + peer + " speed=\"1Gf\" bw_in=\"1GBps\" bw_out=\"1GBps\"/>\n";
  return text + "</zone>\n</platform>\n";
}

/// Returns a machine whose part changes as the profile says, which is in a file.
std::string changing(const std::string& part) {
  Machine machine;
  (part.starts_with("speed") || part.starts_with("state") ? machine.host : machine.link) +=
      " " + part + "_file=\"p.profile\"";
  return machine.text();
}

/// Returns the same, with the profile in the platform file.
std::string changing_within(const std::string& kind, const std::string& profile, const std::string& periodicity) {
  std::string text = Machine{}.text();
  const std::string end = "</zone>";
  return text.replace(text.find(end), end.size(),
                      "<trace id=\"t\" periodicity=\"" + periodicity + "\">\n" + profile +
                          "\n</trace>\n<trace_connect trace=\"t\" element=\"a\" kind=\"" + kind + "\"/>\n" + end);
}

std::string nested(int depth) {
  std::string text = head;
  for (int level = 0; level < depth; ++level)
    text += "<zone id=\"z" + std::to_string(level) + "\" routing=\"Full\">";
  return text;
}

class Gate : public testing::Test {
protected:
  Gate() {
    trace::MemorySource run(2);
    for (const trace::Rank rank : {0, 1}) {
      run.compute(rank, 1000);
      run.add(rank, {.kind = trace::ActionKind::barrier});
    }
    run.finalize();
    trace::test::write_archive(run, trace_);
  }

  std::vector<std::vector<std::string>> verbs() const {
    return {{"platform", "check", platform_},
            {"platform", "show", platform_},
            {"replay", trace_, "--platform", platform_},
            {"replay", trace_, "--platform", platform_, "--backend", "smpi"},
            {"replay", "--job", trace_, "--platform", platform_, "--backend", "smpi"}};
  }

  void expect_refused(const std::string& name) {
    for (const std::vector<std::string>& words : verbs()) {
      const Outcome outcome = timeless_command(words);
      EXPECT_EQ(outcome.status, 3) << name << ": " << words[0] << " " << words[1] << "\n" << outcome.err << outcome.out;
      EXPECT_THAT(outcome.err + outcome.out, HasSubstr(platform_)) << name << ": " << words[0];
      EXPECT_THAT(outcome.err + outcome.out,
                  Not(AnyOf(HasSubstr("Segmentation"), HasSubstr("malloc"), HasSubstr("std::"), HasSubstr("/proc/self"),
                            HasSubstr("--backend model"))))
          << name;
    }
  }

  trace::test::TemporaryDirectory directory_;
  std::string trace_ = directory_ / "run.tia";
  std::string platform_ = directory_ / "machine.xml";
};

TEST_F(Gate, lets_no_impossible_machine_pass_whatever_the_verb) {
  const std::vector<std::pair<const char*, std::string>> machines{
      {"negative speed", Machine{.host = "speed=\"-1Gf\""}.text()},
      {"zero speed", Machine{.host = "speed=\"0f\""}.text()},
      {"nan speed", Machine{.host = "speed=\"nanf\""}.text()},
      {"inf speed", Machine{.host = "speed=\"inf\""}.text()},
      {"huge speed", Machine{.host = "speed=\"1e300f\""}.text()},
      {"tiny speed", Machine{.host = "speed=\"1e-300f\""}.text()},
      {"tiny bandwidth", Machine{.link = "bandwidth=\"1e-300Bps\" latency=\"1us\""}.text()},
      {"huge latency", Machine{.link = "bandwidth=\"1GBps\" latency=\"1e300s\""}.text()},
      {"tiny window", Machine{.config = setting("network/TCP-gamma", "1e-300")}.text()},
      {"huge weight", Machine{.config = setting("network/weight-S", "1e18")}.text()},
      {"second speed", Machine{.host = "speed=\"1Gf,-1Gf\""}.text()},
      {"overhead of a host", Machine{.property = setting("smpi/ois", "0:inf:0")}.text()},
      {"huge overhead of a host", Machine{.property = setting("smpi/os", "0:1e300:0")}.text()},
      {"negative overhead of a host", Machine{.property = setting("smpi/or", "0:-1:0")}.text()},
      {"slower than a byte a second", Machine{.link = "bandwidth=\"1e-3Bps\" latency=\"1us\""}.text()},
      {"days of latency", Machine{.link = "bandwidth=\"1GBps\" latency=\"1e5s\""}.text()},
      {"negative bandwidth", Machine{.link = "bandwidth=\"-1GBps\" latency=\"1us\""}.text()},
      {"zero bandwidth", Machine{.link = "bandwidth=\"0Bps\" latency=\"1us\""}.text()},
      {"inf bandwidth", Machine{.link = "bandwidth=\"infBps\" latency=\"1us\""}.text()},
      {"negative latency", Machine{.link = "bandwidth=\"1GBps\" latency=\"-1us\""}.text()},
      {"nan latency", Machine{.link = "bandwidth=\"1GBps\" latency=\"nans\""}.text()},
      {"bad factor", Machine{.config = setting("smpi/bw-factor", "many")}.text()},
      {"zero factor", Machine{.config = setting("smpi/bw-factor", "0:0")}.text()},
      {"negative factor", Machine{.config = setting("smpi/lat-factor", "0:-1")}.text()},
      {"negative overhead", Machine{.config = setting("smpi/os", "0:-1e-6:0")}.text()},
      {"infinite overhead", Machine{.config = setting("smpi/or", "0:inf:0")}.text()},
      {"tiny factor", Machine{.config = setting("smpi/bw-factor", "0:1e-300")}.text()},
      {"negative precision", Machine{.config = setting("surf/precision", "-1")}.text()},
      {"nan precision", Machine{.config = setting("maxmin/precision", "nan")}.text()},
      {"huge precision", Machine{.config = setting("maxmin/precision", "1e9")}.text()},
      {"no messages at once", Machine{.config = setting("maxmin/concurrency-limit", "0")}.text()},
      {"negative loopback", Machine{.config = setting("network/loopback-lat", "-1")}.text()},
      {"no answer", Machine{.config = setting("network/crosstraffic", "perhaps")}.text()},
      {"no limit", Machine{.config = setting("smpi/async-small-thresh", "99999999999999999999")}.text()},
      {"days of overhead", Machine{.config = setting("smpi/os", "0:1e5:0")}.text()},
      {"factor for no size", Machine{.config = setting("smpi/bw-factor", "1e30:0.5")}.text()},
      {"factor for a negative size", Machine{.config = setting("smpi/bw-factor", "0:0.9;-5:0.5")}.text()},
      {"factor for too large a size", Machine{.config = setting("smpi/lat-factor", "18446744073709551616:1")}.text()},
      {"factor for 1500 bytes or 1", Machine{.config = setting("smpi/lat-factor", "1.5e3:2")}.text()},
      {"overhead of no size", Machine{.config = setting("smpi/os", "0:1e-6:0;1e30:1:0")}.text()},
      {"overhead of a negative size", Machine{.config = setting("smpi/or", "-5:1e-6:0")}.text()},
      {"overhead of a host, of no size", Machine{.property = setting("smpi/ois", "0:1e-6:0;1e9:1:0")}.text()},
      {"cores as a power", Machine{.host = "speed=\"1Gf\" core=\"1e300\""}.text()},
      {"part of a core", Machine{.host = "speed=\"1Gf\" core=\"4.7\""}.text()},
      {"cores and a letter", head + cluster("radical=\"0-3\" core=\"3x\"") + "</platform>\n"},
      {"no core", Machine{.host = "speed=\"1Gf\" core=\"0\""}.text()},
      {"state as a power", Machine{.host = "speed=\"1Gf,2Gf\" pstate=\"1e0\""}.text()},
      {"nan coordinate", peers("nan 0 0")},
      {"inf coordinate", peers("0 inf 0")},
      {"far coordinate", peers("1e300 0 0")},
      {"decimal comma", peers("1,5 0 0")},
      {"zero backbone", head + cluster("radical=\"0-3\" bb_bw=\"0Bps\" bb_lat=\"1us\"") + "</platform>\n"},
      {"negative backbone", head + cluster("radical=\"0-3\" bb_bw=\"1GBps\" bb_lat=\"-3s\"") + "</platform>\n"},
      {"negative limiter", head + cluster("radical=\"0-3\" limiter_link=\"-1Bps\"") + "</platform>\n"},
      {"nan limiter", head + cluster("radical=\"0-3\" limiter_link=\"nan\"") + "</platform>\n"},
      {"negative torus",
       head + cluster("radical=\"0-15\" topology=\"TORUS\" topo_parameters=\"-4,-4\"") + "</platform>\n"},
      {"torus of others",
       head + cluster("radical=\"0-3\" topology=\"TORUS\" topo_parameters=\"3,3\"") + "</platform>\n"},
      {"empty range", head + cluster("radical=\"5-1\"") + "</platform>\n"},
      {"empty", ""},
      {"no XML", "hello\n"},
      {"only a head", head},
      {"no platform", "<?xml version='1.0'?>\n<html/>\n"},
      {"zero bytes", head + std::string(100, '\0')},
      {"deep", nested(100'000)},
      {"deep and closed", nested(200) +
                              [] {
                                std::string ends;
                                for (int level = 0; level < 200; ++level)
                                  ends += "</zone>";
                                return ends + "</platform>";
                              }()},
      {"entities", "<?xml version='1.0'?>\n<!DOCTYPE platform [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n<platform "
                   "version=\"4.1\">&b;</platform>\n"},
  };
  for (const auto& [name, text] : machines) {
    trace::test::write_bytes(platform_, text);
    expect_refused(name);
  }
}

// The bound is there before the memory is spent: a process with 1 GiB to map has to see it.
TEST_F(Gate, lets_no_more_than_a_million_hosts_pass) {
  const std::vector<std::string> machines{
      head + cluster("radical=\"0-2000000\"") + "</platform>\n",
      head + "<zone id=\"w\" routing=\"Full\">" + cluster("radical=\"0-600000\"") + cluster("radical=\"0-600001 \"") +
          "</zone></platform>\n",
      head + cluster("radical=\"0-3999999\" topology=\"TORUS\" topo_parameters=\"2000,2000\"") + "</platform>\n",
      head + cluster("radical=\"0\" topology=\"DRAGONFLY\" topo_parameters=\"1000,1;1000,1;1000,1;1\"") +
          "</platform>\n",
  };
  for (const std::string& text : machines) {
    trace::test::write_bytes(platform_, text);
    EXPECT_THROW(replay::PlatformText::read(platform_), Error) << text;
    expect_refused(text);
  }
}

TEST_F(Gate, does_not_wait_for_what_is_no_file) {
  ASSERT_EQ(::mkfifo(platform_.c_str(), 0600), 0);
  expect_refused("a pipe");
  fs::remove(platform_);
  ASSERT_EQ(::mkfifo((directory_ / "pipe").c_str(), 0600), 0);
  trace::test::write_bytes(platform_, Machine{.host = "speed=\"1Gf\" state_file=\"pipe\""}.text());
  expect_refused("a profile that is a pipe");
  fs::create_directory(directory_ / "folder");
  trace::test::write_bytes(platform_, Machine{.host = "speed=\"1Gf\" speed_file=\"folder\""}.text());
  expect_refused("a profile that is a directory");
}

TEST_F(Gate, finds_profiles_beside_the_file_wherever_that_is) {
  const fs::path folder = directory_ / "a folder, with blanks";
  fs::create_directory(folder);
  platform_ = folder / "machine.xml";
  trace::test::write_bytes(folder / "slow.profile", "PERIODICITY 1.0\n0.5 0.5\n");
  trace::test::write_bytes(platform_, Machine{.host = "speed=\"1Gf\" speed_file=\"slow.profile\""}.text());
  for (const std::vector<std::string>& words : verbs()) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  }
}

TEST_F(Gate, lets_no_profile_pass_that_no_replay_can_follow) {
  const std::vector<std::pair<std::string, std::string>> profiles{
      {"bandwidth", "1 nan"},
      {"bandwidth", "1 -1"},
      {"bandwidth", "1 inf"},
      {"bandwidth", "1 0"},
      {"bandwidth", "1 1e300"},
      {"bandwidth", "1 3,5e9"},
      {"bandwidth", "1 1GBps"},
      {"latency", "1 nan"},
      {"latency", "1 -1e-6"},
      {"latency", "1 1e5"},
      {"speed", "1 nan"},
      {"speed", "1 -1"},
      {"speed", "1 0"},
      {"speed", "1 1e300"},
      {"state", "1 nan"},
      {"state", "1 -1"},
      {"speed", "nan 1"},
      {"speed", "-1 1"},
      {"speed", "inf 1"},
      {"speed", "2 1\n1 0.5"},
      {"speed", "1"},
      {"speed", "one 1"},
      {"speed", "1 0.5 7"},
      {"speed", "PERIODICITY nan\n0 1"},
      {"speed", "PERIODICITY 1\n2 1"},
      {"speed", "PERIODICITY 1e-9\n0 1"},
      {"speed", "LOOPAFTER -1\n1 1"},
      {"speed", "LOOPAFTER x\n1 1"},
      // SimGrid would begin it anew for ever, while it loads the file.
      {"speed", "LOOPAFTER 0\n0 0.5"},
      {"speed", "STOCHASTIC LOOP\nDET 0 DET 0.5"},
      {"speed", "STOCHASTIC LOOP\nDET 1 NORM 1 5"},
      {"speed", "STOCHASTIC LOOP\nDET 1 UNIF -1 1"},
      {"speed", "STOCHASTIC LOOP\nEXP -1 DET 1"},
      {"speed", "STOCHASTIC\n1 DET 1"},
      {"speed", "STOCHASTIC\nPERIODICITY 1\nDET 1 DET 1"},
  };
  for (const auto& [part, profile] : profiles) {
    trace::test::write_bytes(directory_ / "p.profile", "# a comment\n" + profile + "\n");
    trace::test::write_bytes(platform_, changing(part));
    expect_refused(part + ": " + profile);
    const Outcome outcome = timeless_command({"replay", trace_, "--platform", platform_});
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("p.profile"), HasSubstr(platform_ + (part[0] == 's' ? ":5" : ":7"))));
  }
  for (const auto& [kind, profile, periodicity] :
       std::vector<std::tuple<const char*, const char*, const char*>>{{"SPEED", "0 nan", "1"},
                                                                      {"SPEED", "0 0", "1"},
                                                                      {"HOST_AVAIL", "0 -1", "1"},
                                                                      {"SPEED", "0 1", "nan"},
                                                                      {"SPEED", "0 1", "1e-300"},
                                                                      {"SPEED", "2 1", "1"}}) {
    trace::test::write_bytes(platform_, changing_within(kind, profile, periodicity));
    expect_refused(std::string(kind) + ": " + profile);
  }
}

TEST_F(Gate, lets_profiles_pass_as_SimGrids_own_are) {
  for (const auto& [part, profile] : std::vector<std::pair<std::string, std::string>>{
           {"speed", "0 0.5\n2 1.0\n4 0.7\n8 4\nLOOPAFTER 10"},
           {"bandwidth", "2 2000000\n4 3000000\nLOOPAFTER 6\n"},
           {"latency", "1 0.003\n3 0.015\nLOOPAFTER 6\n"},
           {"state", "13 0\r\n14 1\r\n"},
           {"speed", "  % nothing yet\n\n"},
           {"speed", "PERIODICITY 1.0\n0.25 0.5\n0.5 1"},
           {"speed", "STOCHASTIC LOOP\nEXP 1 UNIF 0.5 1\nNORM 10 1 NORM 1 0.01\n"}}) {
    trace::test::write_bytes(directory_ / "p.profile", profile);
    trace::test::write_bytes(platform_, changing(part));
    for (const std::vector<std::string>& words : verbs()) {
      const Outcome outcome = timeless_command(words);
      EXPECT_EQ(outcome.status, 0) << part << ": " << profile << outcome.err << outcome.out;
    }
  }
}

// What replays take is no mistake, however odd.
TEST_F(Gate, lets_pass_what_both_replays_take) {
  const std::vector<std::pair<const char*, std::string>> machines{
      {"no unit", Machine{.host = "speed=\"1000000000\"", .link = "bandwidth=\"1e9\" latency=\"1e-6\""}.text()},
      {"decimal comma", Machine{.host = "speed=\"1,5f\""}.text()},
      {"state as in the DTD", Machine{.host = "speed=\"1Gf\" pstate=\"0.0\""}.text()},
      {"half a loopback", head +
                              [] {
                                std::string text = cluster("radical=\"0-3\"");
                                const std::string latency = "loopback_lat=\"1us\"";
                                return text.replace(text.find(latency), latency.size(), "loopback_lat=\"\"");
                              }() +
                              "</platform>\n"},
      {"near", peers("-25.5 3 0.5")},
      {"sizes", Machine{.config = setting("smpi/bw-factor", "65536:0.5;0:0.9;")}.text()},
  };
  for (const auto& [name, text] : machines) {
    trace::test::write_bytes(platform_, text);
    for (const std::vector<std::string>& words : verbs()) {
      const Outcome outcome = timeless_command(words);
      EXPECT_EQ(outcome.status, 0) << name << ": " << words[0] << outcome.err << outcome.out;
    }
  }
}

TEST_F(Gate, names_the_line_of_a_mistake_that_SimGrid_finds) {
  std::string text = Machine{}.text();
  text.replace(text.find("<link id=\"l\""), 5, "<!-- a\ncomment\n-->\n<lonk");
  trace::test::write_bytes(platform_, text);
  const Outcome outcome = timeless_command({"replay", trace_, "--platform", platform_});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr(platform_ + ":10"));
}

/// Returns the value of a setting after this file is loaded, "(default)" where it was not set.
std::string taken(const std::string& file, const std::string& name) {
  return replay::run_simgrid(
      [&](const ChildReport&) -> std::string {
        const auto platform = replay::SimgridPlatform::load(file);
        return simgrid::config::is_default(name.c_str()) ? "(default)" : "set";
      },
      {Failure::runtime, "died"});
}

TEST_F(Gate, predicts_no_time_that_is_no_number) {
  trace::test::write_bytes(platform_, Machine{}.text());
  for (std::vector<std::string> words : {std::vector<std::string>{"replay", trace_, "--network", "e1g"},
                                         {"classify", trace_, "--network", "e1g"},
                                         {"replay", trace_, "--platform", platform_},
                                         {"replay", trace_, "--platform", platform_, "--backend", "smpi"},
                                         {"classify", trace_, "--platform", platform_}}) {
    words.insert(words.end(), {"--compute-rate", "1e-300"});
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 3) << outcome.err << outcome.out;
    EXPECT_THAT(outcome.out, Not(AnyOf(HasSubstr("inf"), HasSubstr("nan"))));
  }
}

TEST_F(Gate, takes_a_window_of_0_for_none_as_SimGrid_does) {
  trace::MemorySource run(2);
  run.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 100'000'000});
  run.add(1, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 100'000'000});
  run.finalize();
  const std::string trace = directory_ / "large.tia";
  trace::test::write_archive(run, trace);
  const Machine far{.config = setting("network/TCP-gamma", "0"), .link = "bandwidth=\"1GBps\" latency=\"100ms\""};
  trace::test::write_bytes(platform_, far.text());
  const Outcome simulated = timeless_command({"replay", trace, "--platform", platform_, "--backend", "smpi"});
  EXPECT_EQ(simulated.status, 0) << simulated.err;
  const std::regex model_and_smpi(R"(machine +([0-9.]+ m?s) +\1 )");
  EXPECT_TRUE(std::regex_search(simulated.out, model_and_smpi)) << simulated.out;
}

TEST_F(Gate, takes_none_of_the_settings_of_this_SimGrid_that_are_no_figures) {
  const std::vector<std::string> ours{"path", "debug/verbose-exit", "exception/cutpath"}; // set for every platform
  std::size_t left_out = 0;
  for (const std::string& name : replay::simgrid_settings()) {
    if (replay::may_be_set_by_a_file(name)) continue;
    ++left_out;
    for (const char* value : {"yes", "7", "/dev/null"}) {
      trace::test::write_bytes(platform_, Machine{.config = setting(name, value)}.text());
      if (std::ranges::count(ours, name) > 0) continue;
      EXPECT_EQ(taken(platform_, name), "(default)") << name;
    }
    const Outcome shown = timeless_command({"platform", "show", platform_});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr(name));
    const Outcome checked = timeless_command({"platform", "check", platform_});
    EXPECT_EQ(checked.status, 0) << checked.out;
    EXPECT_THAT(checked.out, HasSubstr("remark: '" + name + "' is left out"));
  }
  EXPECT_GT(left_out, 40U);
}

TEST_F(Gate, takes_figures_of_the_models_and_of_SMPI) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"smpi/os", "0:1e-6:0"},
                                                                                    {"network/TCP-gamma", "65536"},
                                                                                    {"smpi/coll-selector", "mpich"},
                                                                                    {"smpi/wtime", "0"}}) {
    trace::test::write_bytes(platform_, Machine{.config = setting(name, value)}.text());
    EXPECT_EQ(taken(platform_, name), "set") << name;
  }
}

TEST_F(Gate, lets_no_file_name_a_setting_within_another) {
  const std::string victim = directory_ / "victim";
  trace::test::write_bytes(victim, "mine");
  for (const std::string& value :
       {"0:1:0 tracing:yes tracing/filename:" + victim, "0:1:0,tracing:yes,tracing/filename:" + victim,
        "0:1:0\ttracing:yes\ttracing/filename:" + victim, "0:1:0\ntracing:yes\ntracing/filename:" + victim,
        "0:1:0&#32;tracing:yes&#32;tracing/filename:" + victim}) {
    trace::test::write_bytes(platform_, Machine{.config = setting("smpi/os", value)}.text());
    for (const std::vector<std::string>& words : verbs())
      EXPECT_NE(timeless_command(words).status, 0) << value;
    EXPECT_EQ(trace::test::file_bytes(victim), "mine") << value;
  }
}

TEST_F(Gate, lets_no_file_write_to_another) {
  const std::string victim = directory_ / "victim";
  trace::test::write_bytes(victim, "mine");
  const std::string tracing = setting("tracing", "yes") + setting("tracing/filename", victim) +
                              setting("tracing/platform", "yes") + setting("tracing/smpi", "yes") +
                              setting("tracing/comment-file", victim) + setting("smpi/comp-adjustment-file", victim);
  trace::test::write_bytes(platform_, Machine{.config = tracing}.text());
  std::vector<std::vector<std::string>> all = verbs();
  all.push_back({"platform", "upgrade", platform_, "-o", directory_ / "new.xml"});
  for (const std::vector<std::string>& words : all) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(trace::test::file_bytes(victim), "mine") << words[0] << words[1];
  }
}

TEST_F(Gate, takes_what_a_person_sets_by_hand) {
  const std::string written = directory_ / "written";
  trace::test::write_bytes(platform_, Machine{}.text());
  EXPECT_EQ(timeless_command({"replay", trace_, "--platform", platform_, "--backend", "smpi", "--cfg", "tracing:yes",
                              "--cfg", "tracing/smpi:yes", "--cfg", "tracing/filename:" + written})
                .status,
            0);
  EXPECT_TRUE(fs::exists(written));
}

TEST_F(Gate, lets_nobody_have_SimGrid_write_over_what_is_read) {
  trace::test::write_bytes(platform_, Machine{}.text());
  const std::string before = trace::test::file_bytes(trace_);
  for (const char* backend : {"model", "smpi"}) {
    const Outcome outcome = timeless_command({"replay", trace_, "--platform", platform_, "--backend", backend, "--cfg",
                                              "tracing:yes", "--cfg", "tracing/filename:" + std::string(trace_)});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(trace::test::file_bytes(trace_), before);
  }
  const Outcome jobs = timeless_command({"replay", "--job", trace_, "--platform", platform_, "--backend", "smpi",
                                         "--cfg", "tracing:yes", "--cfg", "tracing/filename:" + std::string(trace_)});
  EXPECT_EQ(jobs.status, 2) << jobs.err;
  EXPECT_EQ(trace::test::file_bytes(trace_), before);
}

TEST_F(Gate, refuses_a_setting_that_SimGrid_does_not_have) {
  trace::test::write_bytes(platform_, Machine{.config = setting("smpi/bandwith-factor", "0:1")}.text());
  expect_refused("unknown setting");
}

} // namespace
} // namespace timeless::tools
