// The report: what its page is made of, and that every figure on it is one that other verbs print. How it looks and is
// used in a browser is held by tests/report.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tools {
namespace {

using nlohmann::json;
using test::in_one_line;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;
using trace::Rank;

/// Ranks in a ring that compute, each more than the one before, send to the next and meet.
trace::MemorySource ring(Rank ranks, int rounds = 3, trace::Bytes bytes = 100'000) {
  trace::MemorySource run(ranks);
  run.description().provenance = {.tool_version = "timeless test",
                                  .mpi_library = "",
                                  .program = "/home/me/ring",
                                  .date = "2026-11-23T00:00:00Z",
                                  .run_identity = 1};
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int round = 0; round < rounds; ++round) {
      run.compute(rank, 1'000'000 + 1000 * static_cast<std::uint64_t>(rank % 97));
      if (ranks > 1) {
        run.add(rank, {.kind = ActionKind::send, .peer = (rank + 1) % ranks, .bytes = bytes});
        run.add(rank, {.kind = ActionKind::receive, .peer = (rank + ranks - 1) % ranks, .bytes = bytes});
      }
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  run.finalize();
  return run;
}

/// What base 64 and gzip make smaller.
std::string unpacked(const std::string& text) {
  static constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  for (std::size_t i = 0; i < text.size() && text[i] != '='; ++i) {
    group = (group << 6U | static_cast<unsigned>(digits.find(text[i]))) & 0xffffffU;
    if (i % 4 != 0) bytes += static_cast<char>(group >> (6 - 2 * (i % 4)) & 0xffU);
  }
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string all(100 * bytes.size() + 1000, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(all.data());
  stream.avail_out = static_cast<uInt>(all.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  all.resize(stream.total_out);
  inflateEnd(&stream);
  return all;
}

/// A page as XML: its style and script, which are none, left out; the figures apart.
struct Page {
  std::string text;
  pugi::xml_document document;
  pugi::xml_parse_result parsed;
  json figures;

  explicit Page(std::string html) : text(std::move(html)) {
    std::string markup = text;
    for (const std::string_view element : {"style", "script"})
      for (std::size_t at = 0; (at = markup.find("<" + std::string(element), at)) != std::string::npos;) {
        const std::size_t begin = markup.find('>', at) + 1;
        const std::size_t end = markup.find("</" + std::string(element) + ">", begin);
        const std::string_view tag = std::string_view(markup).substr(at, begin - at);
        const std::string inside = markup.substr(begin, end - begin);
        if (tag.find("application/json") != std::string_view::npos) figures = json::parse(inside, nullptr, false);
        if (tag.find("application/gzip") != std::string_view::npos)
          figures = json::parse(unpacked(inside), nullptr, false);
        markup.erase(begin, end - begin);
        at = begin;
      }
    parsed = document.load_string(markup.c_str(), pugi::parse_default | pugi::parse_doctype);
  }

  std::size_t elements() const { return document.select_nodes("//*").size(); }
  std::string table_cell(const char* table, const char* machine, int column) const {
    const std::string path = "//table[@id='" + std::string(table) + "']/tbody/tr[@data-machine='" + machine + "']/*[" +
                             std::to_string(column) + "]";
    return document.select_node(path.c_str()).node().attribute("data-v").value();
  }
  /// Returns the words that a reader sees, with one blank between.
  std::string words() const {
    std::string all;
    for (const pugi::xpath_node& node : document.select_nodes("//body//text()"))
      all += std::string(node.node().value()) + " ";
    return all;
  }
};

void expect_sound(const Page& page) {
  ASSERT_TRUE(page.parsed) << page.parsed.description() << " at "
                           << page.text.substr(static_cast<std::size_t>(page.parsed.offset), 200);
  EXPECT_TRUE(page.text.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_EQ(page.document.select_nodes("//h1").size(), 1U);
  EXPECT_FALSE(std::string(page.document.select_node("//title").node().text().get()).empty());
  std::set<std::string> ids;
  for (const pugi::xpath_node& node : page.document.select_nodes("//*[@id]"))
    EXPECT_TRUE(ids.insert(node.node().attribute("id").value()).second) << node.node().attribute("id").value();
  for (const char* reference : {"aria-labelledby", "for", "data-table"})
    for (const pugi::xpath_node& node : page.document.select_nodes(("//*[@" + std::string(reference) + "]").c_str()))
      EXPECT_TRUE(ids.contains(node.node().attribute(reference).value())) << node.node().attribute(reference).value();
  for (const pugi::xpath_node& node : page.document.select_nodes("//a"))
    EXPECT_TRUE(ids.contains(std::string(node.node().attribute("href").value()).substr(1)));
  EXPECT_EQ(page.document.select_nodes("//@style | //@onclick | //@onload | //@onerror | //@src").size(), 0U);
  EXPECT_LE(page.text.size(), 2'000'000U);
  EXPECT_LE(page.elements(), 5000U);
  EXPECT_TRUE(page.figures.is_object());
  for (const pugi::xpath_node& node : page.document.select_nodes("//svg//@d | //svg//@x | //svg//@y | //svg//@width"))
    for (const char* none : {"nan", "inf"})
      EXPECT_THAT(node.attribute().value(), Not(HasSubstr(none)));
}

class ReportPage : public testing::Test {
protected:
  Outcome report(const std::vector<std::string>& more) {
    std::vector<std::string> words{"report"};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words);
  }
  std::string write(const trace::Source& run, const std::string& name = "run.tia") {
    const std::filesystem::path path = directory_ / name;
    trace::test::write_archive(run, path);
    return path;
  }
  Page page_of(const std::string& trace, std::vector<std::string> more = {}, int status = 0) {
    const std::string file = directory_ / "page.html";
    std::filesystem::remove(file);
    more.insert(more.begin(), {trace, "-o", file});
    const Outcome outcome = report(more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return Page(trace::test::file_bytes(file));
  }

  trace::test::TemporaryDirectory directory_;
};

TEST_F(ReportPage, is_sound_and_holds_every_section_in_order) {
  const Page page = page_of(write(ring(4)));
  expect_sound(page);
  std::string order;
  for (const pugi::xpath_node& node : page.document.select_nodes("//main/section"))
    order += std::string(node.node().attribute("id").value()) + " ";
  EXPECT_EQ(page.document.select_nodes("//table[@id='call-table']/tbody/tr").size(),
            4U); // Send, Recv, Allreduce, Finalize
  EXPECT_EQ(order, "verdict ground time sweep efficiencies ranks kernels messages path data glossary ");
}

TEST_F(ReportPage, needs_nothing_beside_it_and_lets_no_other_script_run) {
  const Page page = page_of(write(ring(2)));
  EXPECT_EQ(page.text.find("http:"), std::string::npos);
  EXPECT_EQ(page.text.find("https:"), std::string::npos) << page.text.substr(page.text.find("https:"), 80);
  const std::string policy =
      page.document.select_node("//meta[@http-equiv='Content-Security-Policy']").node().attribute("content").value();
  EXPECT_THAT(policy, AllOf(HasSubstr("default-src 'none'; script-src 'sha256-"), HasSubstr("style-src 'sha256-"),
                            Not(HasSubstr("unsafe"))));
}

TEST_F(ReportPage, has_the_figures_that_report_prints_as_json) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace);
  json printed = json::parse(report({trace, "--json"}).out);
  EXPECT_EQ(printed["schema"], "timeless.report/1");
  json embedded = page.figures;
  for (json* one : {&printed, &embedded})
    one->erase("command");
  EXPECT_EQ(embedded, printed);
}

TEST_F(ReportPage, has_the_times_that_replay_prints_and_the_classes_that_classify_does) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace, {"--network", "e1g,e10g,qdr"});
  const json replayed = json::parse(timeless_command({"replay", trace, "--network", "e1g,e10g,qdr", "--json"}).out);
  const json classified =
      json::parse(timeless_command({"classify", trace, "--network", "e1g,e10g,qdr", "--one-rate", "--json"}).out);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& lane = replayed["configurations"][i];
    const json& machine = page.figures["machines"][i];
    EXPECT_EQ(machine["makespan_seconds"], lane["makespan_seconds"]);
    EXPECT_EQ(machine["mean_seconds"], lane["mean_seconds"]);
    EXPECT_EQ(machine["efficiency"], lane["efficiency"]);
    EXPECT_EQ(machine["critical_path_seconds"], lane["critical_path_seconds"]);
    EXPECT_EQ(machine["class"], classified["networks"][i]["class"]);
    EXPECT_EQ(page.figures["plane"]["marks"][i]["kind"], "network");
    EXPECT_EQ(page.table_cell("time-table", machine["name"].get<std::string>().c_str(), 2),
              fmt::format("{:.17g}", lane["makespan_seconds"].get<double>()));
  }
}

TEST_F(ReportPage, answers_what_another_network_saves_by_its_time_over_the_first_ones) {
  const std::string trace = write(ring(4));
  const json answer = json::parse(report({trace, "--network", "e10g,e100g", "--json"}).out);
  const json& change = answer["verdict"]["changes"][0];
  const double before = answer["machines"][0]["makespan_seconds"];
  const double after = answer["machines"][1]["makespan_seconds"];
  EXPECT_EQ(change["change"], "machine");
  EXPECT_THAT(answer["verdict"]["sentence"], HasSubstr("e100g in place of e10g")) << "a name stays as it is";
  EXPECT_DOUBLE_EQ(change["saving"], 1 - after / before);
  EXPECT_LE(change["saving_interval"][0], change["saving"]);
  EXPECT_GE(change["saving_interval"][1], change["saving"]);
}

TEST_F(ReportPage, holds_the_interval_of_a_rate_that_nobody_measured) {
  const std::string trace = write(ring(2));
  const json assumed = json::parse(report({trace, "--json"}).out);
  EXPECT_EQ(assumed["basis"]["rates"]["from"], "assumed");
  const json twice =
      json::parse(timeless_command({"replay", trace, "--network", "e10g", "--cpu", "x2,/2", "--json"}).out);
  EXPECT_EQ(assumed["verdict"]["makespan_interval_seconds"][0], twice["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(assumed["verdict"]["makespan_interval_seconds"][1], twice["configurations"][1]["makespan_seconds"]);
  const json given = json::parse(report({trace, "--compute-rate", "8e9", "--json"}).out);
  EXPECT_EQ(given["basis"]["rates"]["from"], "given");
  EXPECT_EQ(given["verdict"]["makespan_interval_seconds"], assumed["verdict"]["makespan_interval_seconds"]);
  const json exact = json::parse(report({trace, "--compute-rate", "8e9", "--rate-within", "1", "--json"}).out);
  EXPECT_TRUE(exact["verdict"]["makespan_interval_seconds"].is_null());
}

TEST_F(ReportPage, shows_the_names_of_strangers_as_text) {
  constexpr const char* hostile = "</script><img onerror=alert(1)>\"'&\x1b[2J\n\xff";
  trace::MemorySource run = ring(2);
  run.description().provenance.program = hostile;
  run.description().hosts = {{hostile, hostile}, {hostile, hostile}};
  run.description().counter.name = hostile;
  const std::string trace = write(run, "<b>&.tia");
  const Page page = page_of(trace);
  expect_sound(page);
  EXPECT_EQ(page.document.select_nodes("//img | //b").size(), 0U);
  EXPECT_EQ(page.text.find("<img"), std::string::npos);
  EXPECT_THAT(page.words(), HasSubstr("</script><img onerror=alert(1)>\"'&\\x1b[2J\\n\xef\xbf\xbd"));
  EXPECT_EQ(page.figures["program"], "</script><img onerror=alert(1)>\"'&\x1b[2J\n\xef\xbf\xbd");
  const std::string markdown = report({trace, "--markdown"}).out;
  bool code = false; // between backticks everything is shown letter by letter
  for (std::size_t at = 0; at < markdown.size(); ++at) {
    code = code != (markdown[at] == '`');
    EXPECT_TRUE(code || markdown.substr(at, 4) != "<img") << markdown.substr(0, at);
  }
}

TEST_F(ReportPage, of_one_rank_weighs_no_network) {
  const std::string trace = write(ring(1));
  const Page page = page_of(trace);
  expect_sound(page);
  const json& changes = page.figures["verdict"]["changes"];
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0]["change"], "processors");
  EXPECT_EQ(changes[0]["answer"], "pays");
  EXPECT_EQ(changes[1]["change"], "balance");
  EXPECT_THAT(page.words(), HasSubstr("no message crosses the network, since there is one rank"));
  EXPECT_EQ(page.document.select_nodes("//*[@id='plane-figure']").size(), 0U);
}

TEST_F(ReportPage, of_16384_ranks_is_as_small) {
  const Page page = page_of(write(ring(16384, 1, 1000)), {"--network", "e10g,e100g"});
  expect_sound(page);
  EXPECT_EQ(page.figures["ranks_seconds"]["end"].size(), 16384U);
  EXPECT_THAT(page.text, HasSubstr("<script type=\"application/gzip\" id=\"report\">H4sI"));
  EXPECT_LE(page.text.size(), 700'000U);
}

TEST_F(ReportPage, of_a_run_that_takes_no_time_divides_by_nothing) {
  trace::MemorySource run(2);
  run.finalize();
  const Page page = page_of(write(run));
  expect_sound(page);
  EXPECT_EQ(page.words().find("nan"), std::string::npos);
}

TEST_F(ReportPage, of_an_incomplete_trace_says_so_first_and_ends_with_6) {
  trace::MemorySource run = ring(2);
  run.description().ranks[1].ending = trace::Ending::unknown;
  const Page page = page_of(write(run), {}, 6);
  expect_sound(page);
  EXPECT_THAT(page.words(), HasSubstr("INCOMPLETE TRACE: rank 1"));
  EXPECT_EQ(page.figures["verdict"]["confidence"], "low");
  EXPECT_THAT(page.figures["verdict"]["sentence"],
              testing::StartsWith("The recording is incomplete; of the part that it holds: "));
  for (const json& change : page.figures["verdict"]["changes"]) {
    EXPECT_EQ(change["recorded_part"], true) << change;
    EXPECT_EQ(change["confidence"], "low") << change;
  }
  for (const pugi::xpath_node& answer : page.document.select_nodes("//table[@id='change-table']/tbody/tr/*[2]"))
    EXPECT_THAT(answer.node().text().get(), HasSubstr("(recorded part)"));
}

TEST_F(ReportPage, shows_a_machine_that_deadlocks_and_is_about_the_next) {
  trace::MemorySource run(2);
  for (const Rank rank : {0, 1}) {
    run.compute(rank, 1000);
    run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 100'000});
    run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 100'000});
  }
  run.finalize();
  const std::string network = directory_ / "small.json";
  trace::test::write_bytes(network, R"({"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
    "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
  const Page page = page_of(write(run), {"--network", network + ",e10g"});
  expect_sound(page);
  EXPECT_TRUE(page.figures["machines"][0]["deadlocked"]);
  EXPECT_EQ(page.figures["verdict"]["machine"], "e10g");
  EXPECT_THAT(page.words(), HasSubstr("small ends in a deadlock"));
}

TEST_F(ReportPage, puts_runs_of_several_sizes_into_one_table_by_their_ranks) {
  const std::string eight = write(ring(8), "8.tia");
  const std::string two = write(ring(2), "2.tia");
  const Page page = page_of(eight, {two, "--network", "e10g"});
  expect_sound(page);
  ASSERT_EQ(page.figures["runs"].size(), 2U);
  EXPECT_EQ(page.figures["runs"][0]["ranks"], 2);
  EXPECT_EQ(page.figures["runs"][1]["ranks"], 8);
  const json replayed = json::parse(timeless_command({"replay", two, "--network", "e10g", "--json"}).out);
  EXPECT_EQ(page.figures["runs"][0]["machines"][0]["efficiency"], replayed["configurations"][0]["efficiency"]);
}

TEST_F(ReportPage, of_several_runs_names_each_with_its_verdict_and_says_which_it_is_about) {
  trace::MemorySource other = ring(4, 50, 8);
  other.description().provenance.program = "/home/me/other <b>";
  const std::vector<std::string> traces{write(ring(8), "8.tia"), write(ring(2), "2.tia"), write(other, "other.tia")};
  const Page page = page_of(traces[0], {traces[1], traces[2], "--network", "e1g,qdr"});
  expect_sound(page);
  EXPECT_STREQ(page.document.select_node("//h1").node().text().get(), "ring on 8 ranks");
  EXPECT_THAT(page.words(), HasSubstr("ring on 2 ranks, other <b> on 4 ranks"));
  EXPECT_EQ(page.document.select_nodes("//table[@id='trace-table']/tbody/tr").size(), 3U);
  const json& runs = page.figures["runs"];
  const Outcome terminal = report({traces[0], traces[1], traces[2], "--network", "e1g,qdr"});
  for (const json& run : runs) {
    const std::string trace = run["trace"];
    const json classified = json::parse(timeless_command({"classify", trace, "--network", "e1g", "--json"}).out);
    const json replayed = json::parse(timeless_command({"replay", trace, "--network", "e1g", "--json"}).out);
    EXPECT_EQ(run["class"], classified["networks"][0]["class"]);
    EXPECT_EQ(run["about"], trace == traces[0]);
    EXPECT_EQ(run["machines"][0]["makespan_seconds"], replayed["configurations"][0]["makespan_seconds"]);
    EXPECT_THAT(page.words(), HasSubstr(run["verdict"].get<std::string>()));
    EXPECT_THAT(in_one_line(terminal.out), HasSubstr(run["verdict"].get<std::string>()));
  }
  EXPECT_EQ(page.figures["verdict"]["makespan_seconds"], runs[1]["machines"][0]["makespan_seconds"]);
}

TEST_F(ReportPage, of_several_runs_warns_of_each_that_is_incomplete) {
  trace::MemorySource part = ring(2);
  part.description().ranks[1].ending = trace::Ending::unknown;
  const std::string partial = write(part, "partial.tia");
  const Outcome outcome = report({write(ring(4), "whole.tia"), partial, "--network", "e1g"});
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("the trace " + partial + " is incomplete"));
}

/// A command that a report tells, pasted into a shell.
int pasted(const std::string& command, const std::string& directory) {
  EXPECT_TRUE(command.starts_with("timeless ")) << command;
  return std::system(fmt::format("cd '{}' && '{}'{} >pasted.out 2>pasted.err", directory, TIMELESS_COMMAND,
                                 command.substr(std::string("timeless").size()))
                         .c_str());
}

TEST_F(ReportPage, tells_commands_that_work_as_they_are_pasted_and_keep_what_was_asked) {
  const std::string trace = write(ring(4, 3, 1000), "it's mine.tia");
  const std::string hosts = directory_ / "hosts";
  trace::test::write_bytes(hosts, "graphene-1 slots=2\ngraphene-7 slots=2\n");
  const std::string by_hosts = "--mapping hostfile --hostfile " + hosts + " --compute-rate 2500000000";
  const auto next = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {trace, "--json", "--compute-rate", "2.5e9"});
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
  EXPECT_THAT(
      next(with(on_hosts, {"--network", "e1g,qdr"})),
      AllOf(HasSubstr("--platform ethernet-1g --backend smpi --compute-rate 2500000000"), Not(HasSubstr(hosts))));
  EXPECT_THAT(next({"--network", "e1g,qdr", "--mapping", "block:2"}), HasSubstr("--mapping block:2"));
  EXPECT_THAT(next(with(on_hosts, {"--platform", "graphene", "--worth", "0.01%"})),
              AllOf(HasSubstr("--platform graphene --worth 0.01% --smpi"), HasSubstr(hosts)));
}

TEST_F(ReportPage, tells_what_to_calibrate_by_the_program_that_was_recorded) {
  const json answer = json::parse(report({write(ring(4)), "--json"}).out);
  EXPECT_THAT(answer["verdict"]["next"]["command"].get<std::string>(),
              HasSubstr("run.tia -o run-rates.json -- mpirun -np 4 /home/me/ring"));
  EXPECT_THAT(answer["verdict"]["next"]["reason"].get<std::string>(), HasSubstr("--rates run-rates.json"));
}

TEST_F(ReportPage, tells_the_command_that_makes_it_again_although_it_is_there) {
  const std::string trace = write(ring(2));
  const Page page = page_of(trace, {"--network", "e1g", "--worth", "2%"});
  const std::string command = page.figures["command"];
  const std::string file = directory_ / "page.html";
  EXPECT_THAT(command, AllOf(HasSubstr("--network e1g --worth 2%"), HasSubstr(file + " --force")));
  const std::string before = trace::test::file_bytes(file);
  trace::test::write_bytes(file, "gone");
  ASSERT_EQ(pasted(command, directory_ / "."), 0);
  const std::string again = trace::test::file_bytes(file);
  EXPECT_EQ(Page(again).figures["command"], command);
  const std::string printed = page.document.select_node("//section[@id='data']//code").node().text().get();
  EXPECT_EQ(pasted(printed, directory_ / "."), 0) << printed;
  EXPECT_EQ(json::parse(trace::test::file_bytes(directory_ / "pasted.out"))["verdict"], page.figures["verdict"]);
  EXPECT_EQ(trace::test::file_bytes(file), again);
}

TEST_F(ReportPage, marks_networks_and_platforms_on_the_map_of_classes) {
  const std::string trace = write(ring(2, 3, 1000));
  for (const std::vector<std::string>& machine :
       std::vector<std::vector<std::string>>{{"--network", "e10g"}, {"--platform", "ethernet-10g"}}) {
    const Page page = page_of(trace, machine);
    expect_sound(page);
    std::map<std::string, json> marks;
    for (const json& mark : page.figures["plane"]["marks"])
      marks[mark["name"]] = mark;
    for (const char* name : {"e1g", "e10g", "qdr", "graphene", "infiniband-ndr", "ethernet-10g"})
      EXPECT_TRUE(marks.contains(name)) << name;
    EXPECT_NEAR(marks["ethernet-10g"]["bandwidth_factor"], 1, 0.05);
    EXPECT_NEAR(marks["e1g"]["latency_factor"], 10, 1);
    EXPECT_EQ(page.document.select_nodes("//table[@id='mark-table']/tbody/tr").size(), marks.size());
  }
}

TEST_F(ReportPage, has_the_same_time_of_a_change_wherever_it_stands) {
  const std::string trace = write(ring(4, 3, 1000));
  for (const std::vector<std::string>& machines : std::vector<std::vector<std::string>>{
           {"--network", "e10g"}, {"--platform", "graphene"}, {"--platform", "graphene", "--platform", "griffon"}}) {
    std::vector<std::string> words{trace, "--json"};
    words.insert(words.end(), machines.begin(), machines.end());
    const json answer = json::parse(report(words).out);
    const std::map<std::string, std::string> curve_of{
        {"bandwidth", "bandwidth"}, {"latency", "latency"}, {"network", "both"}};
    int found = 0;
    for (const json& change : answer["verdict"]["changes"]) {
      const auto curve = curve_of.find(change["change"]);
      if (curve == curve_of.end()) continue;
      for (const json& point : answer["curves"][curve->second]) {
        const bool latency = curve->second != "bandwidth";
        const bool bandwidth = curve->second != "latency";
        if (point["latency_factor"] != (latency ? 0.5 : 1) || point["bandwidth_factor"] != (bandwidth ? 2 : 1))
          continue;
        ++found;
        EXPECT_DOUBLE_EQ(change["makespan_seconds"], point["makespan_seconds"]) << change << machines.size();
      }
    }
    EXPECT_EQ(found, 3);
    EXPECT_DOUBLE_EQ(answer["curves"]["both"][3]["makespan_seconds"], answer["verdict"]["makespan_seconds"]);
  }
}

TEST_F(ReportPage, shows_messages_by_node_where_ranks_share_nodes) {
  const std::string trace = write(ring(6));
  const json apart = json::parse(report({trace, "--json", "--network", "e1g"}).out);
  EXPECT_FALSE(apart["messages"].contains("node_matrix"));
  const Page page = page_of(trace, {"--network", "e1g", "--mapping", "block:2"});
  expect_sound(page);
  const json& matrix = page.figures["messages"]["node_matrix"];
  EXPECT_EQ(matrix["nodes"].size(), 3U);
  std::uint64_t bytes = 0;
  std::uint64_t within = 0;
  for (const json& cell : matrix["cells"]) {
    bytes += cell[3].get<std::uint64_t>();
    if (cell[0] == cell[1]) within += cell[3].get<std::uint64_t>();
  }
  EXPECT_EQ(bytes, page.figures["messages"]["bytes"]);
  EXPECT_EQ(2 * within, bytes); // of a ring in pairs, every other message stays
  EXPECT_EQ(page.document.select_nodes("//table[@id='node-table']/tbody/tr").size(), 6U);
}

TEST_F(ReportPage, shows_how_the_ranks_share_a_kernel) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace);
  for (const json& kernel : page.figures["kernels"]) {
    double sum = 0;
    for (const json& seconds : kernel["computing_seconds_by_ranks"])
      sum += seconds.get<double>();
    EXPECT_NEAR(sum, kernel["computing_seconds"], 1e-6 * sum);
  }
  EXPECT_EQ(page.document.select_nodes("//*[@class='spark']").size(), page.figures["kernels"].size());
}

TEST_F(ReportPage, is_not_written_where_it_is_larger_than_is_allowed) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "small.html";
  const Outcome refused = report({trace, "-o", file, "--max-size", "10kB"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("--max-size"));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(report({trace, "-o", file, "--max-size", "2MB"}).status, 0);
}

TEST_F(ReportPage, is_not_written_over_what_is_read_or_there) {
  const std::string trace = write(ring(2));
  EXPECT_EQ(report({trace, "-o", trace, "--force"}).status, 2);
  const std::string file = directory_ / "there.html";
  trace::test::write_bytes(file, "mine");
  EXPECT_EQ(report({trace, "-o", file}).status, 2);
  EXPECT_EQ(trace::test::file_bytes(file), "mine");
  EXPECT_EQ(report({trace, "-o", file, "--force"}).status, 0);
}

TEST_F(ReportPage, says_the_same_in_the_terminal_and_in_markdown) {
  const std::string trace = write(ring(4));
  const json verdict = json::parse(report({trace, "--json"}).out)["verdict"];
  const Outcome terminal = report({trace, "--ascii"});
  for (const char c : terminal.out)
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f)) << static_cast<int>(c);
  const std::string markdown = report({trace, "--markdown"}).out;
  const Page page = page_of(trace);
  EXPECT_THAT(page.words(),
              AllOf(HasSubstr(verdict["sentence"].get<std::string>()), HasSubstr(verdict["time"].get<std::string>())));
  EXPECT_THAT(in_one_line(terminal.out), HasSubstr(verdict["time"].get<std::string>()));
  for (std::size_t i = 0; i < verdict["changes"].size(); ++i) {
    const std::string what = verdict["changes"][i]["what"];
    const std::string confidence = verdict["changes"][i]["confidence"];
    EXPECT_THAT(terminal.out, testing::ContainsRegex("  " + what + " +(yes|no|depends|perhaps).* " + confidence));
    EXPECT_THAT(markdown, testing::ContainsRegex("\\| " + what + " \\| (yes|no|depends|perhaps).*" + confidence));
    EXPECT_STREQ(page.document.select_nodes("//table[@id='change-table']/tbody/tr/*[1]")[i].node().text().get(),
                 what.c_str());
  }
  EXPECT_THAT(terminal.out,
              testing::MatchesRegex("ring on 4 ranks and 4 nodes, on e10g: what saves 5 % of the time[^\n]*\n\n"
                                    "  what +answer +saves +confidence\n"
                                    "  e100g in place of e10g +(yes|no|depends)(.|\n)*"));
}

TEST_F(ReportPage, has_no_line_in_a_terminal_that_is_wider_than_names_make_it) {
  trace::MemorySource run = ring(4);
  run.description().ranks[1].ending = trace::Ending::unknown;
  const std::string trace = write(run);
  for (const char* verb : {"report", "classify", "sweep"}) {
    std::istringstream lines(timeless_command({verb, trace, "--network", "e10g,e1g,e100g,qdr"}).out);
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::ranges::count_if(line, [](char c) { return (c & '\xc0') != '\x80'; });
      const bool names = line.find(trace) != line.npos || line.starts_with("  kernel");
      EXPECT_TRUE(columns <= 120 || names) << verb << ": " << line;
    }
  }
}

TEST_F(ReportPage, shows_how_far_predictions_were_off_where_validate_has_written_it) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  trace::test::write_bytes(
      file, R"({"schema": "timeless.validate/1", "command": "mpirun ring <x>", "why": "rates of another input",
    "predictions": [{"backend": "model", "machine": "here", "makespan": {"predicted_seconds": 2.0, "measured_seconds": 1.6,
    "distinguishable": true, "error": 0.25, "predicted_interval_seconds": null, "measured_interval_seconds": [1.5, 1.7]}, "computation": null}]})");
  const Page page = page_of(trace, {"--validation", file});
  expect_sound(page);
  EXPECT_THAT(page.words(), AllOf(HasSubstr("+25.0"), HasSubstr("mpirun ring <x>"),
                                  HasSubstr("launches contradict the prediction: its makespan was +25.0 % off")));
  EXPECT_EQ(page.words().find("another program"), std::string::npos);
  trace::test::write_bytes(file, "{}");
  EXPECT_EQ(report({trace, "--validation", file}).status, 3);
}

TEST_F(ReportPage, says_that_a_validation_is_of_another_program) {
  const std::string trace = write(ring(2));
  const std::string file = directory_ / "validation.json";
  trace::test::write_bytes(file, R"({"schema": "timeless.validate/1", "command": "mpirun ./string", "ranks": 2,
    "predictions": [{"backend": "model", "machine": "here", "makespan": {"predicted_seconds": 2.0, "measured_seconds": 1.6,
    "distinguishable": true, "error": 0.25}}]})");
  const Outcome outcome = report({trace, "--validation", file});
  EXPECT_EQ(outcome.status, 0);
  for (const std::string& said : {outcome.err, outcome.out})
    EXPECT_THAT(said, HasSubstr("the validation is of another program (it launched: mpirun ./string)"));
  const Page page = page_of(trace, {"--validation", file});
  EXPECT_THAT(page.words(), HasSubstr("the validation is of another program"));
  EXPECT_EQ(page.figures["validation_counts"], false);
  EXPECT_EQ(page.words().find("contradict the prediction"), std::string::npos);
}

TEST_F(ReportPage, says_what_to_buy_of_a_network_by_the_savings_it_prints) {
  const json few =
      json::parse(report({write(ring(4, 3, 8), "few.tia"), "--compute-rate", "1e12", "--json"}).out)["verdict"];
  EXPECT_THAT(few["advice"].get<std::string>(), HasSubstr("latency is what to buy"));
  const json bytes = json::parse(
      report({write(ring(4, 3, 50'000'000), "many.tia"), "--compute-rate", "1e12", "--json"}).out)["verdict"];
  EXPECT_THAT(bytes["advice"].get<std::string>(), HasSubstr("bandwidth is what to buy"));
  const json alone = json::parse(report({write(ring(1), "one.tia"), "--json"}).out)["verdict"];
  EXPECT_THAT(alone["advice"].get<std::string>(),
              HasSubstr("No message crosses the network; faster processors are what to buy"));
}

TEST_F(ReportPage, is_served_to_this_machine_until_the_command_is_ended) {
  const std::string trace = write(ring(2));
  const std::string script = directory_ / "serve.sh";
  trace::test::write_bytes(script, R"(
"$1" report "$2" --serve 2>"$3" & serving=$!
trap 'kill $serving' EXIT
for i in $(seq 600); do port=$(sed -n 's|.*http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$3"); [ -n "$port" ] && break; sleep 0.1; done
exec 4<>"/dev/tcp/127.0.0.1/$port" 5<>"/dev/tcp/127.0.0.1/$port" # these say nothing, or not all
printf 'GET / HTTP/1.1\r\n' >&5
ask() {
  exec 3<>"/dev/tcp/127.0.0.1/$port"
  printf '%s HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$2" >&3
  timeout 60 cat <&3
}
ask 'GET /' "localhost:$port"
ask 'GET /etc/passwd' "127.0.0.1:$port"
ask 'GET /' "evil.example:$port"
ask 'GET /' "localhost"
ask 'POST /' "LOCALHOST:$port"
printf 'Host: localhost:%s\r\n\r\n' "$port" >&5
head -n 1 <&5
)");
  const std::string out = directory_ / "served";
  std::system(
      ("bash " + script + " " + TIMELESS_COMMAND + " " + trace + " " + std::string(directory_ / "err") + " >" + out)
          .c_str());
  const std::string served = trace::test::file_bytes(out);
  EXPECT_THAT(served, testing::StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(served, HasSubstr("<!DOCTYPE html>"));
  EXPECT_THAT(served, HasSubstr("</html>\nHTTP/1.1 404 Not Found"));
  EXPECT_THAT(served, HasSubstr("not here\nHTTP/1.1 403 Forbidden"));
  EXPECT_THAT(served, HasSubstr("not by this name\nHTTP/1.1 403 Forbidden"));
  EXPECT_THAT(served, HasSubstr("not by this name\nHTTP/1.1 405 Method Not Allowed"));
  EXPECT_THAT(served, testing::EndsWith("not here\nHTTP/1.1 200 OK\r\n"));
}

TEST_F(ReportPage, puts_smpi_beside_the_model_by_rank) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace, {"--platform", "graphene", "--smpi"});
  expect_sound(page);
  const json replayed =
      json::parse(timeless_command({"replay", trace, "--platform", "graphene", "--backend", "smpi", "--json"}).out);
  EXPECT_EQ(page.figures["smpi"]["smpi_seconds"], replayed["configurations"][0]["makespan_seconds"]);
  EXPECT_EQ(page.figures["smpi"]["ranks"], replayed["configurations"][0]["contention"]["ranks"]);
  EXPECT_EQ(page.document.select_nodes("//table[@id='smpi-rank-table']/tbody/tr").size(), 4U);
}

TEST_F(ReportPage, smpi_without_a_platform_is_a_usage_error) {
  EXPECT_EQ(report({write(ring(2)), "--smpi"}).status, 2);
}

} // namespace
} // namespace timeless::tools
