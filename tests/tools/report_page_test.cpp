// The page of a report: what it is made of, and that every figure on it is one that other verbs print. How it looks and
// is used in a browser is held by tests/report.
#include "tests/tools/report_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(ReportPage, prints_the_rows_of_its_tables_as_values) {
  const std::string trace = write(ring(4));
  const Page page = page_of(trace);
  std::istringstream lines(report({trace, "--csv"}).out);
  std::string line;
  for (const pugi::xpath_node& row : page.document.select_nodes("//table//tr")) {
    ASSERT_TRUE(std::getline(lines, line));
    const std::string table = row.node().select_node("ancestor::table").node().attribute("id").value();
    const pugi::xml_node last = row.node().last_child();
    const bool figure = std::isdigit(static_cast<unsigned char>(*last.text().get())) != 0;
    const pugi::xml_attribute value = last.attribute("data-v");
    EXPECT_THAT(line, testing::StartsWith(table + ","));
    for (const pugi::xpath_node& cell : row.node().select_nodes("*[@data-csv]"))
      EXPECT_THAT(line, HasSubstr(std::string(",") + cell.node().attribute("data-csv").value()));
    if (value && figure && !last.attribute("data-csv")) {
      EXPECT_THAT(line, testing::EndsWith(std::string(",") + value.value()));
    }
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
  EXPECT_THAT(report({trace, "--csv"}).out, HasSubstr("change-table,processors twice as fast,yes,no,0."));
}

TEST_F(ReportPage, has_the_ends_of_intervals_and_the_words_of_reasons_in_the_tables_values) {
  trace::MemorySource run = ring(4, 3, 8);
  run.description().ranks[1].ending = trace::Ending::unknown;
  const std::vector<std::string> words{write(run), "--network", "e10g,e100g"};
  const auto with = [&](const char* option) {
    std::vector<std::string> all = words;
    all.emplace_back(option);
    return report(all).out;
  };
  const json answer = json::parse(with("--json"));
  const json& change = answer["verdict"]["changes"][0];
  const std::string csv = with("--csv");
  EXPECT_THAT(csv,
              HasSubstr("offer-table,machine,answer,answer of recorded part,saves,saves least,saves most,time with "
                        "it,confidence,confidence reasons\n"));
  EXPECT_THAT(csv, HasSubstr(fmt::format(",yes,{:.17g},{:.17g},{:.17g},{:.17g},low,\"the trace is incomplete",
                                         change["saving"].get<double>(), change["saving_interval"][0].get<double>(),
                                         change["saving_interval"][1].get<double>(),
                                         change["makespan_seconds"].get<double>())));
  EXPECT_THAT(csv, HasSubstr("time-table,machine,time,time least,time most,"));
  const json& interval = answer["verdict"]["makespan_interval_seconds"];
  EXPECT_THAT(csv, HasSubstr(fmt::format(",{:.17g},{:.17g},", interval[0].get<double>(), interval[1].get<double>())));
  for (const char* table : {"sweep-bandwidth-table,0.125,1,", "sweep-latency-table,1,8,", "sweep-both-table,0.125,8,"})
    EXPECT_THAT(csv, HasSubstr(table));
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

TEST_F(ReportPage, shows_the_names_of_strangers_as_text) {
  constexpr const char* hostile = "</script><img onerror=alert(1)>\"'&\x1b[2J\n\xff\u202e";
  trace::MemorySource run = ring(2);
  run.description().provenance.program = hostile;
  run.description().hosts = {{hostile, hostile}, {hostile, hostile}};
  run.description().counter.name = hostile;
  const std::string trace = write(run, "<b>&.tia");
  const Page page = page_of(trace);
  expect_sound(page);
  EXPECT_EQ(page.document.select_nodes("//img | //b").size(), 0U);
  EXPECT_EQ(page.text.find("<img"), std::string::npos);
  EXPECT_THAT(page.words(), HasSubstr("</script><img onerror=alert(1)>\"'&\\x1b[2J\\n\\xff\\u202e"));
  EXPECT_EQ(page.figures["program"], "</script><img onerror=alert(1)>\"'&\x1b[2J\n\xef\xbf\xbd\u202e");
  EXPECT_EQ(page.text.find("\u202e"), std::string::npos);
  const std::string markdown = report({trace, "--markdown"}).out;
  bool code = false; // between backticks everything is shown letter by letter
  for (std::size_t at = 0; at < markdown.size(); ++at) {
    code = code != (markdown[at] == '`');
    EXPECT_TRUE(code || markdown.substr(at, 4) != "<img") << markdown.substr(0, at);
  }
}

TEST_F(ReportPage, writes_commands_into_markdown_as_a_shell_reads_them) {
  const std::string trace = write(ring(2), "a`;b`.tia");
  EXPECT_THAT(report({trace, "--markdown"}).out,
              HasSubstr("- made by `` timeless report '" + trace + "' --markdown ``\n"));
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

} // namespace
} // namespace timeless::tools::test
