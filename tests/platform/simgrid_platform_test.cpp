#include "replay/simgrid/simgrid_platform.h"
#include "replay/simgrid/simgrid_process.h"
#include "replay/simgrid/simgrid_remarks.h"

#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace timeless::replay {
namespace {

using testing::HasSubstr;

const std::string head = "<?xml version='1.0'?>\n"
                         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                         "<platform version=\"4.1\">\n";
const std::string two_hosts =
    "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/><host id=\"b\" speed=\"1Gf\"/>";

class PlatformFile : public testing::Test {
protected:
  PlatformFile()
      : path_(std::filesystem::temp_directory_path() / ("timeless-platform-" + std::to_string(::getpid()) + ".xml")) {}
  ~PlatformFile() override { std::filesystem::remove(path_); }

  /// Returns the error that loading this text ends with; whatever SimGrid prints must stay unseen.
  Error error_of(const std::string& text) {
    std::ofstream(path_) << text;
    return error_of_file(path_);
  }

  static Error error_of_file(const std::filesystem::path& file) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Error caught(Failure::runtime, "no error");
    try {
      SimgridPlatform::load(file);
    } catch (const Error& error) {
      caught = error;
    }
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    return caught;
  }

  std::filesystem::path path_;
};

void expect_invalid(const Error& error, const std::string& words) {
  EXPECT_EQ(error.failure(), Failure::invalid_input) << error.what();
  EXPECT_THAT(error.what(), HasSubstr(words));
}

TEST_F(PlatformFile, that_does_not_exist_or_is_a_directory_is_named) {
  expect_invalid(error_of_file("/nowhere/platform.xml"), "/nowhere/platform.xml");
  expect_invalid(error_of_file("/tmp"), "cannot read");
}

TEST_F(PlatformFile, that_is_no_platform_at_all_is_an_error) {
  expect_invalid(error_of("hello\n"), "this is no XML");
  expect_invalid(error_of(""), "this is no XML");
  expect_invalid(error_of("<html/>"), "not a SimGrid platform file");
}

TEST_F(PlatformFile, of_an_old_format_names_the_converter) {
  const Error error =
      error_of("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
               "\"http://simgrid.gforge.inria.fr/simgrid.dtd\">\n<platform version=\"3\">\n</platform>\n");
  expect_invalid(error, "old format of version 3");
  EXPECT_THAT(error.what(), HasSubstr("timeless platform upgrade " + path_.string()));
}

TEST_F(PlatformFile, of_a_future_format_is_an_error) {
  expect_invalid(error_of("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
                          "\"https://simgrid.org/simgrid.dtd\">\n<platform version=\"9.9\">\n</platform>\n"),
                 "FUTURE");
}

TEST_F(PlatformFile, with_another_doctype_is_an_error_with_its_line) {
  expect_invalid(error_of("<?xml version='1.0'?>\n<!DOCTYPE nonsense>\n<platform version=\"4.1\"/>\n"), ":2");
}

TEST_F(PlatformFile, with_bad_xml_is_an_error_with_its_line) {
  expect_invalid(error_of(head + "<zone id=\"w\" routing=\"Full\">\n<hoost id=\"a\"/>\n</zone></platform>\n"), ":5");
}

TEST_F(PlatformFile, with_a_bad_unit_is_an_error) {
  expect_invalid(error_of(head + "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gx\"/></zone></platform>\n"),
                 "speed=\"1Gx\"");
}

TEST_F(PlatformFile, with_an_unknown_setting_is_an_error) {
  expect_invalid(
      error_of(head + "<config><prop id=\"smpi/nonsense\" value=\"1\"/></config>" + two_hosts + "</zone></platform>\n"),
      "smpi/nonsense");
}

TEST_F(PlatformFile, with_bad_factors_is_an_error) {
  expect_invalid(error_of(head + "<config><prop id=\"smpi/os\" value=\"what\"/></config>" + two_hosts +
                          "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"a\" dst=\"b\"><link_ctn "
                          "id=\"l\"/></route></zone></platform>\n"),
                 "what");
}

TEST_F(PlatformFile, with_bad_factors_of_the_network_is_an_error) {
  expect_invalid(error_of(head + "<config><prop id=\"smpi/bw-factor\" value=\"0:1;x:2\"/></config>" + two_hosts +
                          "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"a\" dst=\"b\"><link_ctn "
                          "id=\"l\"/></route></zone></platform>\n"),
                 "smpi/bw-factor");
}

TEST_F(PlatformFile, with_a_route_over_a_link_that_is_not_there_is_an_error) {
  expect_invalid(
      error_of(head + two_hosts + "<route src=\"a\" dst=\"b\"><link_ctn id=\"gone\"/></route></zone></platform>\n"),
      "gone");
}

TEST_F(PlatformFile, with_two_hosts_of_one_name_is_an_error) {
  expect_invalid(error_of(head + "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1Gf\"/><host id=\"a\" "
                                 "speed=\"1Gf\"/></zone></platform>\n"),
                 "a");
}

TEST_F(PlatformFile, with_limits_that_contradict_each_other_is_an_error) {
  expect_invalid(error_of(head + "<config><prop id=\"smpi/async-small-thresh\" value=\"100000\"/></config>" +
                          two_hosts + "</zone></platform>\n"),
                 "async-small-thresh");
}

TEST_F(PlatformFile, without_hosts_is_an_error) {
  expect_invalid(error_of(head + "<zone id=\"w\" routing=\"Full\"></zone></platform>\n"), "no hosts");
}

class EveryPlatform : public testing::TestWithParam<std::string> {};

TEST_P(EveryPlatform, of_the_project_loads_in_silence_and_connects_its_hosts) {
  const std::string file = std::string(TIMELESS_PLATFORMS) + "/" + GetParam();
  // In a child: each process holds one platform.
  const std::string answer = run_simgrid(
      [&](const ChildReport&) -> std::string {
        const SimgridPlatform platform = SimgridPlatform::load(file);
        const std::size_t last = platform.hosts().size() - 1;
        for (const auto& [from, to] :
             std::vector<std::pair<std::size_t, std::size_t>>{{0, last}, {last, 0}, {0, 0}, {0, last / 2}}) {
          const Route route = platform.route(from, to);
          if (!(route.latency > 0) || !(route.bandwidth > 0)) return "no route";
        }
        return platform.hosts()[0].cores > 1 ? "good" : "one core";
      },
      {Failure::runtime, "loading died", file});
  EXPECT_EQ(answer, "good");
}

TEST_P(EveryPlatform, of_the_project_loads_without_a_warning_of_SimGrid) {
  EXPECT_THAT(simgrid_warnings(std::string(TIMELESS_PLATFORMS) + "/" + GetParam()), testing::IsEmpty());
}

std::vector<std::string> files_of_the_project() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(TIMELESS_PLATFORMS))
    if (entry.path().extension() == ".xml") files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  return files;
}

INSTANTIATE_TEST_SUITE_P(each, EveryPlatform, testing::ValuesIn(files_of_the_project()), [](const auto& each) {
  std::string name = each.param;
  std::erase_if(name, [](char c) { return c == '.' || c == '-'; });
  return name;
});

TEST_F(PlatformFile, with_a_number_without_unit_makes_SimGrid_warn) {
  std::ofstream(path_) << head << "<zone id=\"w\" routing=\"Full\"><host id=\"a\" speed=\"1000\"/></zone></platform>\n";
  EXPECT_THAT(simgrid_warnings(path_), testing::ElementsAre(HasSubstr("Deprecated unit-less value '1000'")));
}

TEST(SimgridSettings, are_those_of_the_SimGrid_at_hand) {
  EXPECT_THAT(simgrid_settings(), testing::IsSupersetOf({"network/model", "smpi/bw-factor", "smpi/os", "smpi/bcast"}));
}

TEST(RunApart, returns_the_answer_whatever_its_size) {
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(run_simgrid([&](const ChildReport&) { return large; }, {}), large);
  EXPECT_EQ(run_simgrid([](const ChildReport&) { return std::string(); }, {}), "");
}

TEST(RunApart, throws_the_childs_error_with_all_its_parts) {
  try {
    run_simgrid(
        [](const ChildReport&) -> std::string { throw Error(Failure::missing_capability, "what", "where", "advice"); },
        {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::missing_capability);
    EXPECT_EQ(error.description(), "what");
    EXPECT_EQ(error.where(), "where");
    EXPECT_EQ(error.advice(), "advice");
  }
}

TEST(RunApart, tells_the_last_words_of_a_child_that_died) {
  const ChildDeath death{Failure::invalid_input, "it died", "there"};
  try {
    run_simgrid(
        [](const ChildReport&) -> std::string {
          std::fputs("[0.000000] [kernel/CRITICAL] the reason\nCurrent backtrace:\n", stderr);
          std::fflush(stderr);
          std::abort();
        },
        death);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_EQ(error.description(), "it died: the reason");
  }
}

TEST(RunApart, leaves_nothing_of_the_childs_changes_and_output) {
  int changed = 0;
  testing::internal::CaptureStdout();
  run_simgrid(
      [&](const ChildReport&) {
        changed = 1;
        std::puts("noise");
        return std::string();
      },
      {});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(changed, 0);
}

TEST(RunApart, hands_on_progress) {
  std::vector<std::uint64_t> seen;
  run_simgrid(
      [](const ChildReport& report) {
        for (std::uint64_t i = 0; i < 3; ++i)
          report.progress(i, 3);
        return std::string();
      },
      {}, [&](std::uint64_t done, std::uint64_t) { seen.push_back(done); });
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2));
}

} // namespace
} // namespace timeless::replay
