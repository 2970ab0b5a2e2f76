// The commands that a report tells.
#include "tests/tools/report_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A command that a report tells, pasted into a shell.
int pasted(const std::string& command, const std::string& directory) {
  EXPECT_TRUE(command.starts_with("timeless ")) << command;
  return std::system(fmt::format("cd '{}' && '{}'{} >pasted.out 2>pasted.err", directory, TIMELESS_COMMAND,
                                 command.substr(std::string("timeless").size()))
                         .c_str());
}

/// What `validate` has found of the ring: nothing to be doubted.
std::string validated(const std::string& machine) {
  return fmt::format(R"({{"schema": "timeless.validate/1", "command": "mpirun ring", "ranks": 4,
    "predictions": [{{"backend": "model", "machine": "{}", "makespan": {{"predicted_seconds": 1.6,
    "measured_seconds": 1.6, "measured_interval_seconds": [1.5, 1.7], "distinguishable": false, "error": 0.0}}}}]}})",
                     machine);
}

TEST_F(ReportPage, tells_commands_that_work_as_they_are_pasted_and_keep_what_was_asked) {
  const std::string trace = write(ring(4, 3, 1000), "it's mine.tia");
  const std::string hosts = directory_ / "hosts";
  const std::string validation = directory_ / "validation.json";
  trace::test::write_bytes(hosts, "graphene-1 slots=2\ngraphene-7 slots=2\n");
  const std::string by_hosts = "--mapping hostfile --hostfile " + hosts + " --compute-rate 2500000000";
  const auto next = [&](std::vector<std::string> words) {
    const auto machines = std::ranges::find_if(
        words, [](const std::string& word) { return word == "--network" || word == "--platform"; });
    trace::test::write_bytes(validation, validated((machines + 1)->substr(0, (machines + 1)->find(','))));
    words.insert(words.begin(),
                 {trace, "--json", "--compute-rate", "2.5e9", "--rate-within", "1", "--validation", validation});
    const Outcome outcome = report(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::string command = json::parse(outcome.out)["verdict"]["next"]["command"];
    EXPECT_EQ(pasted(command, directory_ / "."), 0) << command << "\n"
                                                    << trace::test::file_bytes(directory_ / "pasted.err");
    return command;
  };
  const std::vector<std::string> on_hosts{"--mapping", "hostfile", "--hostfile", hosts};
  const auto with = [](std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  // Nothing pays: where the time is spent.
  EXPECT_THAT(next(with(on_hosts, {"--network", "qdr,e1g", "--worth", "99%"})), HasSubstr("--network qdr " + by_hosts));
  EXPECT_THAT(next(with(on_hosts, {"--platform", "graphene", "--worth", "99%"})),
              HasSubstr("--platform graphene " + by_hosts));
  // A network pays: SMPI, on a platform like it, which has other hosts.
  EXPECT_THAT(next(with(on_hosts, {"--network", "e1g,qdr"})),
              AllOf(HasSubstr("--platform ethernet-1g,qdr-fat-tree --smpi"), Not(HasSubstr(hosts))));
  EXPECT_THAT(next({"--network", "e1g,qdr", "--mapping", "block:2"}), HasSubstr("--mapping block:2"));
  EXPECT_THAT(next(with(on_hosts, {"--platform", "graphene", "--worth", "0.01%"})),
              AllOf(HasSubstr("--platform graphene --worth 0.01% --smpi"), HasSubstr(hosts)));
}

TEST_F(ReportPage, tells_next_what_does_away_with_the_weightiest_doubt) {
  const std::string trace = write(ring(4, 3, 8));
  const auto next = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all{trace, "--json"};
    all.insert(all.end(), words.begin(), words.end());
    return json::parse(report(all).out)["verdict"]["next"];
  };
  // The rate first, although a network is assumed, too: what is measured narrows all savings.
  const json rate = next({"--rate-within", "1.5", "--network", "e10g,e100g", "--mapping", "block:2"});
  EXPECT_THAT(rate["command"].get<std::string>(), HasSubstr("timeless calibrate compute "));
  EXPECT_THAT(rate["report"].get<std::string>(),
              AllOf(HasSubstr("--rate-within 1.5 --network e10g,e100g --mapping block:2 --rates run-rates.json"),
                    Not(HasSubstr("--json"))));
  const json given = next({"--network", "e10g", "--compute-rate", "3e9"});
  EXPECT_THAT(given["report"].get<std::string>(), AllOf(HasSubstr("--rates run-rates.json"), Not(HasSubstr("3e9"))));
  // Then the network that is assumed, and the report has the measured one in its place.
  const json network = next({"--network", "e10g,e100g", "--compute-rate", "3e9", "--rate-within", "1"});
  EXPECT_EQ(network["command"], "timeless calibrate network -o measured-2.json --budget 20s -- mpirun -np 2");
  EXPECT_THAT(network["report"].get<std::string>(),
              AllOf(HasSubstr("--compute-rate 3e9"), testing::EndsWith(" --network e10g --network measured-2.json")));
  // Nothing is assumed, and nothing was compared.
  const json launches = next({"--network", "e10g", "--compute-rate", "3e9", "--rate-within", "1"});
  EXPECT_THAT(
      launches["command"].get<std::string>(),
      AllOf(HasSubstr("timeless validate --json --trace " + trace + " --network e10g --compute-rate 3000000000"),
            testing::EndsWith(" -- mpirun -np 4 /home/me/ring >run-validation.json")));
  EXPECT_THAT(launches["report"].get<std::string>(), HasSubstr("--validation run-validation.json"));
}

TEST_F(ReportPage, tells_commands_in_which_files_stay_files_and_options_options) {
  const std::string trace = write(ring(4, 3, 8));
  const auto next = [&](const std::vector<std::string>& words) {
    const Outcome outcome = report(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out)["verdict"]["next"];
  };
  const json dashes = next({"--json", "--network", "e10g,e100g", "--", trace});
  EXPECT_THAT(dashes["report"].get<std::string>(),
              testing::EndsWith("--network e10g,e100g " + trace + " --rates run-rates.json"));
  write(ring(4, 3, 8), "-x.tia");
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(directory_ / ".");
  const json dashed = next({"--json", "--", "-x.tia"});
  const Outcome page = report({"-o", "-p.html", "--", "-x.tia"});
  std::filesystem::current_path(here);
  EXPECT_THAT(dashed["command"].get<std::string>(),
              HasSubstr("timeless calibrate compute ./-x.tia -o ./-x-rates.json -- "));
  EXPECT_THAT(dashed["report"].get<std::string>(), testing::EndsWith("report ./-x.tia --rates ./-x-rates.json"));
  ASSERT_EQ(page.status, 0) << page.err;
  const std::string again = Page(trace::test::file_bytes(directory_ / "-p.html")).figures["command"];
  EXPECT_THAT(again, testing::EndsWith("./-x.tia -o ./-p.html")) << "nobody typed --force";
  EXPECT_EQ(pasted(again + " --force", directory_ / "."), 0) << again;
}

TEST_F(ReportPage, tells_next_to_simulate_platforms_of_the_networks_kinds) {
  const std::string trace = write(ring(4, 3, 60'000));
  const std::vector<std::string> words{trace,  "--network",     "e10g,e100g", "--compute-rate",
                                       "1e12", "--rate-within", "1",          "--json"};
  const std::string command = json::parse(report(words).out)["verdict"]["next"]["command"];
  EXPECT_THAT(command, AllOf(testing::StartsWith("timeless report "), Not(HasSubstr("--network")),
                             testing::EndsWith(" --platform ethernet-10g,ethernet-100g --smpi")));
  EXPECT_EQ(pasted(command + " --json", directory_ / "."), 0) << trace::test::file_bytes(directory_ / "pasted.err");
  const json further = json::parse(trace::test::file_bytes(directory_ / "pasted.out"))["verdict"]["next"];
  EXPECT_NE(further.value("command", ""), command) << "what that finds is in the next report";
}

TEST_F(ReportPage, tells_what_to_calibrate_by_the_program_that_was_recorded) {
  const json answer = json::parse(report({write(ring(4)), "--worth", "30%", "--json"}).out);
  EXPECT_THAT(answer["verdict"]["next"]["command"].get<std::string>(),
              HasSubstr("run.tia -o run-rates.json -- mpirun -np 4 /home/me/ring"));
  EXPECT_THAT(answer["verdict"]["next"]["report"].get<std::string>(), HasSubstr("--rates run-rates.json"));
}

TEST_F(ReportPage, tells_next_what_may_turn_an_answer_not_a_rate_that_cannot) {
  const json verdict = json::parse(report({write(ring(4)), "--json"}).out)["verdict"];
  EXPECT_EQ(verdict["changes"][0]["answer"], "pays") << "at every rate";
  EXPECT_THAT(verdict["next"]["command"].get<std::string>(), HasSubstr(" --smpi"));
}

TEST_F(ReportPage, tells_the_command_that_was_typed_which_makes_it_again) {
  const std::string trace = write(ring(2));
  const Page page = page_of(trace, {"--network", "e1g", "--worth", "2%"});
  const std::string command = page.figures["command"];
  const std::string file = directory_ / "page.html";
  EXPECT_THAT(command, AllOf(HasSubstr("--network e1g --worth 2%"), testing::EndsWith(file)));
  const std::string before = trace::test::file_bytes(file);
  trace::test::write_bytes(file, "gone");
  ASSERT_EQ(pasted(command + " --force", directory_ / "."), 0) << "the page is there";
  const std::string again = trace::test::file_bytes(file);
  EXPECT_EQ(Page(again).figures["command"], command + " --force") << "this time it was typed";
  const std::string printed = page.document.select_node("//section[@id='data']//code").node().text().get();
  EXPECT_EQ(pasted(printed + " --force", directory_ / "."), 0) << printed;
  EXPECT_EQ(json::parse(trace::test::file_bytes(directory_ / "pasted.out"))["verdict"], page.figures["verdict"]);
  EXPECT_EQ(trace::test::file_bytes(file), again);
}

} // namespace
} // namespace timeless::tools::test
