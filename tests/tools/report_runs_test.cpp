// Reports of several runs, and of runs that are incomplete or end in a deadlock.
#include "tests/tools/report_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using trace::ActionKind;
using trace::Rank;

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

TEST_F(ReportPage, of_three_numbers_of_ranks_says_how_the_kernels_scale) {
  const std::vector<std::string> traces{write(ring(8), "8.tia"), write(ring(2), "2.tia"), write(ring(4), "4.tia")};
  const Page page = page_of(traces[0], {traces[1], traces[2], "--network", "e10g"});
  expect_sound(page);
  const json& scaling = page.figures["scaling"];
  ASSERT_TRUE(scaling.is_object()) << page.words();
  EXPECT_EQ(scaling["ranks"], json({2, 4, 8}));
  EXPECT_EQ(scaling["to_ranks"], 32);
  EXPECT_THAT(page.words(), HasSubstr(scaling["finding"].get<std::string>()));
  EXPECT_EQ(page.document.select_nodes("//ul[@class='multiples']/li").size(), scaling["kernels"].size());
  const json scaled = json::parse(
      timeless_command({"scale", traces[0], traces[1], traces[2], "--to", "16,32", "--network", "e10g", "--json"}).out);
  EXPECT_EQ(scaling["kernels"][0]["share_there"], scaled["kernels"][0]["shares_at_targets"][1]);
  EXPECT_EQ(scaling["kernels"][0]["law"], scaled["kernels"][0]["metrics"][0]["most"]["laws"][0]["formula"]);
  const auto two = page_of(traces[0], {traces[1], "--network", "e10g"});
  EXPECT_TRUE(two.figures["scaling"].is_null()) << "two are too few";
  EXPECT_THAT(two.words(), HasSubstr("how the program scales is not said: laws need runs of three numbers of ranks"));
}

TEST_F(ReportPage, draws_kernels_of_several_runs_alone_and_names_no_part_that_loses_more_than_all) {
  // What two and three ranks compute in one kernel, four compute in another: that loses more than the run does.
  const auto run = [](Rank ranks, std::uint64_t first, std::uint64_t second) {
    trace::MemorySource made(ranks);
    made.description().provenance = ring(1).run().provenance;
    made.description().modules = {{.path = "/opt/bin/x"}};
    const trace::KernelId one = made.add_kernel({.begin = {0, 0x10}, .end = {0, 0x20}});
    const trace::KernelId other = made.add_kernel({.begin = {0, 0x20}, .end = {0, 0x30}});
    for (Rank rank = 0; rank < ranks; ++rank) {
      if (first > 0) made.compute(rank, first, one);
      made.add(rank, {.kind = ActionKind::barrier});
      if (second > 0) made.compute(rank, second, other);
      made.add(rank, {.kind = ActionKind::barrier});
    }
    made.finalize();
    return made;
  };
  const std::vector<std::string> traces{write(run(2, 100'000'000, 0), "2.tia"), write(run(3, 67'000'000, 0), "3.tia"),
                                        write(run(4, 0, 55'000'000), "4.tia")};
  const Page page = page_of(traces[0], {traces[1], traces[2], "--network", "e10g"});
  expect_sound(page);
  const json& scaling = page.figures["scaling"];
  ASSERT_EQ(scaling["kernels"].size(), 2U) << scaling;
  EXPECT_THAT(scaling["finding"].get<std::string>(),
              AllOf(HasSubstr(" are lost, "),
                    testing::EndsWith("parts lose more than that, and others gain: `timeless "
                                      "scale --why --to RANKS` lists them"),
                    Not(HasSubstr("most by"))));
  EXPECT_EQ(page.document.select_nodes("//ul[@class='multiples']/li").size(), 1U);
  EXPECT_THAT(page.words(), HasSubstr("Without a picture: 1 of the 2 kernels with the largest part, which compute in "
                                      "fewer than two of the runs."));
  EXPECT_EQ(page.document.select_nodes("//table[@id='scaling-table']/tbody/tr").size(), 2U);
  const Outcome why =
      timeless_command({"scale", traces[0], traces[1], traces[2], "--to", "8", "--network", "e10g", "--why"});
  EXPECT_THAT(in_one_line(why.out), HasSubstr("parts lose more than that, and others gain: the table lists them"));
}

TEST_F(ReportPage, of_one_run_under_two_names_is_refused) {
  trace::MemorySource run = ring(2);
  const std::string first = write(run, "first.tia");
  const std::string again = write(run, "again.tia");
  run.compute(0, 1'000'000);
  const std::string regathered = write(run, "regathered.tia");
  run.description().provenance.run_identity = 0; // as imported
  const std::vector<std::string> imported{write(run, "a.tia"), write(run, "b.tia")};
  for (const auto& [one, other] : {std::pair(first, first), std::pair(first, again), std::pair(first, regathered),
                                   std::pair(imported[0], imported[1])}) {
    const Outcome outcome = report({one, other, "--network", "e1g"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("these are the same run (" + one + " and " + other + "): name each run once"));
  }
}

TEST_F(ReportPage, takes_an_extrapolated_run_beside_the_recording_it_is_from) {
  const trace::MemorySource run = ring(2);
  trace::MemorySource more = ring(4);
  more.description().provenance.run_identity = run.run().provenance.run_identity; // which such runs keep
  const std::string recorded = write(run, "recorded.tia");
  EXPECT_EQ(report({recorded, write(more, "more.tia"), "--network", "e1g"}).status, 2);
  more.description().provenance.extrapolated = "from recorded.tia";
  const Outcome outcome = report({recorded, write(more, "made.tia"), "--network", "e1g"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(ReportPage, of_several_runs_warns_of_each_that_is_incomplete) {
  trace::MemorySource part = ring(2);
  part.description().ranks[1].ending = trace::Ending::unknown;
  const std::string partial = write(part, "partial.tia");
  const Outcome outcome = report({write(ring(4), "whole.tia"), partial, "--network", "e1g"});
  EXPECT_EQ(outcome.status, 6);
  EXPECT_THAT(outcome.err, HasSubstr("the trace " + partial + " is incomplete"));
}

TEST_F(ReportPage, of_an_incomplete_trace_says_so_first_and_ends_with_6) {
  trace::MemorySource run = ring(2);
  run.description().ranks[1].ending = trace::Ending::unknown;
  const Page page = page_of(write(run), {}, 6);
  expect_sound(page);
  EXPECT_THAT(page.words(), HasSubstr("INCOMPLETE TRACE: rank 1"));
  for (const json& claim : page.figures["verdict"]["claims"])
    EXPECT_EQ(claim["confidence"], "low") << claim;
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
  EXPECT_THAT(page.words(), HasSubstr("small ends in a deadlock: the report is about e10g"));
}

TEST_F(ReportPage, of_a_run_that_ends_on_no_machine_says_with_which_limits_it_would) {
  const auto exchange = [&](bool sends) {
    trace::MemorySource run(2);
    for (const Rank rank : {0, 1}) {
      run.compute(rank, 1000);
      if (sends) run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 3000});
      run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 3000});
    }
    run.finalize();
    return write(run, sends ? "exchange.tia" : "silent.tia");
  };
  const auto network = [&](const std::string& name, int limit) {
    const std::string file = directory_ / (name + ".json");
    trace::test::write_bytes(file, R"({"format": "timeless.network/1", "name": ")" + name +
                                       R"(", "eager_limit_bytes": )" + std::to_string(limit) +
                                       R"(, "between_nodes": {"model": "hockney", "latency_seconds": 1e-6,
                                           "bandwidth_bytes_per_second": 1e9}})");
    return file;
  };
  const std::string small = network("small", 1000);
  const std::string trace = exchange(true);
  const Outcome one = report({trace, "--network", small});
  EXPECT_EQ(one.status, 3);
  EXPECT_THAT(in_one_line(one.err),
              HasSubstr("On small the program deadlocks: messages above its eager limit of 1000 B wait for receives "
                        "that come later. With a limit of 4 KiB or more it ends, after "));
  const Outcome two = report({trace, "--network", small + "," + network("tiny", 10)});
  EXPECT_EQ(two.status, 3);
  for (const char* claim : {"On small the program deadlocks", "On tiny the program deadlocks"})
    EXPECT_THAT(two.err, HasSubstr(claim));
  const Outcome never = report({exchange(false), "--network", small});
  EXPECT_EQ(never.status, 3);
  EXPECT_THAT(never.err, testing::Not(HasSubstr("With a limit of"))) << "nobody sends what they wait for";
}

TEST_F(ReportPage, of_a_gathered_archive_that_was_cut_says_that_its_end_is_missing) {
  const std::string whole = directory_ / "gathered.tia";
  const std::string cut = directory_ / "cut.tia";
  ASSERT_EQ(timeless_command({"convert", write(ring(4)), "-o", whole}).status, 0);
  std::filesystem::copy_file(whole, cut);
  const std::uintmax_t bytes = std::filesystem::file_size(whole);
  std::filesystem::resize_file(cut, bytes - 20); // in the index
  const auto verdict = [&](const std::string& trace) -> std::string {
    return json::parse(report({trace, "--json"}).out)["verdict"]["sentence"];
  };
  EXPECT_EQ(verdict(cut), verdict(whole));
  std::filesystem::resize_file(cut, bytes * 6 / 10);
  const Outcome outcome = report({cut});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.err, HasSubstr("the end of the archive is missing, which says what its ranks did"));
  EXPECT_THAT(outcome.err, HasSubstr("the file is cut short"));
}

TEST_F(ReportPage, names_what_is_offered_and_deadlocks_wherever_answers_stand) {
  const auto exchange = [&](trace::Bytes bytes, const std::string& name) {
    trace::MemorySource run(2);
    for (int iteration = 0; iteration < 100; ++iteration)
      for (const Rank rank : {0, 1}) {
        run.compute(rank, 100'000);
        run.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = bytes});
        run.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = bytes});
      }
    run.finalize();
    return write(run, name);
  };
  const std::string network = directory_ / "small.json";
  trace::test::write_bytes(network, R"({"format": "timeless.network/1", "name": "small", "eager_limit_bytes": 1000,
    "between_nodes": {"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": 1e9}})");
  const std::string large = exchange(100'000, "large.tia");
  const std::vector<std::string> offered{"--network", "e10g," + network};
  const std::string claim = "On small the program deadlocks: messages above its eager limit of 1000 B wait for "
                            "receives that come later. With "
                            "a limit of 128 KiB or more it ends, after ";
  const std::string remedy =
      ": raise that of the MPI library on small, or let the program post its receives before it sends.";
  const std::string answer = "no: deadlocks with its eager limit of 1000 B, ends from 128 KiB on";
  const Page page = page_of(large, offered);
  expect_sound(page);
  EXPECT_THAT(page.document.select_node("//p[@class='sentence']").node().text().get(),
              AllOf(HasSubstr(". " + claim), testing::EndsWith(remedy)));
  EXPECT_STREQ(page.document.select_node("//table[@id='offer-table']/tbody/tr/td[1]").node().text().get(),
               answer.c_str());
  const json& claims = page.figures["verdict"]["claims"];
  EXPECT_THAT(claims.back()["sentence"].get<std::string>() + ".",
              AllOf(testing::StartsWith(claim), testing::EndsWith(remedy)));
  EXPECT_TRUE(claims.back()["confidence"].is_null());
  EXPECT_EQ(page.figures["runs"][0]["deadlocks"], json::array({"small in place of e10g"}));
  const json& there = page.figures["runs"][0]["deadlocked_on"][0];
  EXPECT_EQ(there["machine"], "small");
  EXPECT_EQ(there["eager_limit_bytes"], 1000);
  EXPECT_EQ(there["ends_from_bytes"], 131072);
  const auto replayed_with = [&](const std::string& limit) {
    return timeless_command({"replay", large, "--network", network, "--eager-limit", limit, "--json"});
  };
  EXPECT_EQ(there["makespan_seconds"],
            json::parse(replayed_with("131072").out)["configurations"][0]["makespan_seconds"]);
  EXPECT_NE(replayed_with("65536").status, 0) << "half that limit must not be enough";
  EXPECT_THAT(report({large, offered[0], offered[1], "--markdown"}).out,
              HasSubstr("| small in place of e10g | " + answer + " |"));
  const std::string text = in_one_line(report({large, offered[0], offered[1]}).out);
  EXPECT_THAT(text, AllOf(HasSubstr(claim), HasSubstr(remedy)));
  EXPECT_THAT(text, HasSubstr("small in place of e10g " + answer + " - -"));
  const std::string both = in_one_line(report({large, exchange(100, "little.tia"), offered[0], offered[1]}).out);
  EXPECT_THAT(both, testing::ContainsRegex(" on small in place of e10g: for large on 2 ranks the program deadlocks "
                                           "with small's eager limit of 1000 B, for little on 2 ranks (yes|no)"));
  const std::string dead = in_one_line(report({exchange(100, "short.tia"), large, "--network", network + ",e10g"}).out);
  EXPECT_THAT(dead, HasSubstr("none: deadlocks with small's eager limit of 1000 B, ends from 128 KiB on"));
  EXPECT_THAT(dead, HasSubstr("no time on small; the program does not end. " + claim));
}

TEST_F(ReportPage, of_several_runs_says_first_on_what_they_disagree) {
  const std::vector<std::string> words{
      write(ring(2, 3, 8), "2.tia"), write(ring(8, 3, 5'000'000), "8.tia"), "--network", "e1g,qdr", "--worth", "70%"};
  const auto with = [&](const char* form) {
    std::vector<std::string> more = words;
    more.emplace_back(form);
    return report(more).out;
  };
  const json answer = json::parse(with("--json"));
  const std::string sentence = "The runs disagree on qdr in place of e1g: on 2 ranks no, on 8 ranks yes.";
  EXPECT_EQ(answer["verdict"]["runs"], sentence);
  EXPECT_THAT(answer["verdict"]["sentence"].get<std::string>(),
              testing::StartsWith(sentence + " For ring on 2 ranks: "));
  for (const json& run : answer["runs"]) {
    const json alone =
        json::parse(report({run["trace"], "--network", "e1g,qdr", "--worth", "70%", "--json"}).out)["verdict"];
    EXPECT_EQ(run["changes"], alone["changes"]) << run["trace"];
  }
  const Page page = page_of(words[0], {words.begin() + 1, words.end()});
  expect_sound(page);
  for (const std::string& said : {in_one_line(report(words).out), with("--markdown"), page.words()})
    EXPECT_THAT(said, HasSubstr(sentence));
  EXPECT_THAT(
      in_one_line(report(words).out),
      testing::ContainsRegex("ring on 8 ranks qdr in place of e1g yes [0-9.]+ % .* (low|medium|high) processors "
                             "twice as fast no"));
  EXPECT_THAT(with("--markdown"), HasSubstr("| ring on 8 ranks | qdr in place of e1g | yes | "));
  EXPECT_EQ(page.document.select_nodes("//table[@id='run-answer-table']/tbody/tr[td[1]='qdr in place of e1g']").size(),
            2U);
}

TEST_F(ReportPage, of_many_runs_and_machines_shows_what_tells_most_and_has_the_rest_in_its_data) {
  constexpr std::size_t runs = 13;
  constexpr std::size_t machines = 17;
  std::vector<std::string> words;
  for (std::size_t run = 0; run < runs; ++run)
    words.push_back(
        write(ring(static_cast<Rank>(2 + run), 3, run % 2 == 0 ? 8 : 5'000'000), fmt::format("{}.tia", run)));
  words.emplace_back("--network");
  words.emplace_back();
  for (std::size_t machine = 1; machine <= machines; ++machine) {
    const std::string network = directory_ / fmt::format("net{}.json", machine);
    trace::test::write_bytes(network, fmt::format(R"({{"format": "timeless.network/1", "name": "net{}",
      "between_nodes": {{"model": "hockney", "latency_seconds": 1e-6, "bandwidth_bytes_per_second": {}e8}}}})",
                                                  machine, machine));
    words.back() += (machine == 1 ? "" : ",") + network;
  }
  const Page page = page_of(words[0], {words.begin() + 1, words.end()});
  expect_sound(page);
  EXPECT_LE(page.elements(), 4700U) << "scripts add the buttons of heads";
  const auto rows = [&](const std::string& table) {
    return page.document.select_nodes(("//table[@id='" + table + "']/tbody/tr").c_str()).size();
  };
  const auto hidden = [&](const std::string& table) {
    const std::string lines = page.data_rows.value(table, "");
    return static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  };
  EXPECT_EQ(rows("efficiency-table") + hidden("efficiency-table"), runs * machines);
  EXPECT_EQ(rows("run-answer-table") + hidden("run-answer-table"), runs * (machines - 1 + 2));
  EXPECT_EQ(rows("trace-table") + hidden("trace-table"), runs);
  EXPECT_EQ(rows("offer-table") + hidden("offer-table"), machines - 1);
  EXPECT_EQ(rows("time-table") + hidden("time-table"), machines);
  EXPECT_EQ(page.document.select_nodes("//table[@id='offer-table']/tbody/tr[th='net17 in place of net1']").size(), 1U)
      << "the best";
  for (const pugi::xpath_node& table : page.document.select_nodes("//table")) {
    const std::string id = table.node().attribute("id").value();
    const std::string note = table.node().parent().next_sibling().text().get();
    const bool says = note.find(fmt::format("{} more row", hidden(id))) == 0;
    EXPECT_EQ(says, hidden(id) > 0) << id << ": " << note;
  }
  const std::string sentence = page.document.select_node("//p[@class='sentence']").node().text().get();
  EXPECT_LT(sentence.size(), 1000U) << sentence;
  EXPECT_THAT(sentence, HasSubstr(" of the 13 runs "));
  EXPECT_THAT(page.words(), HasSubstr(", or on one of 16 other machines: what saves"));
  const auto with = [&](const char* form) {
    std::vector<std::string> more = words;
    more.emplace_back(form);
    return report(more).out;
  };
  const std::string csv = with("--csv");
  for (const auto& [table, lines] : page.data_rows.items())
    EXPECT_THAT(csv, HasSubstr(lines.get<std::string>())) << table;
  for (const std::string& said : {with("--ascii"), with("--markdown")}) {
    EXPECT_THAT(said, HasSubstr("198 more rows stand in the data: --csv has them"));
    EXPECT_THAT(said, HasSubstr("9 more rows stand in the data: --csv has them"));
  }
}

TEST_F(ReportPage, of_several_runs_that_agree_says_so) {
  const std::string two = write(ring(2), "2.tia");
  const std::string four = write(ring(4), "4.tia");
  const auto runs = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{two, "--network", "e10g", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(report(words).out)["verdict"]["runs"];
  };
  EXPECT_EQ(runs({four}), "All runs have the same answers on faster processors.");
  EXPECT_TRUE(runs({}).is_null());
}

/// A ring of which one rank was killed before it did anything.
trace::MemorySource cut_short(Rank killed) {
  trace::MemorySource run(4);
  for (Rank rank = 0; rank < 4; ++rank)
    for (int round = 0; round < 30 && rank != killed; ++round) {
      run.compute(rank, 1'000'000);
      run.add(rank, {.kind = ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    }
  run.finalize();
  run.description().ranks[static_cast<std::size_t>(killed)].ending = trace::Ending::unknown;
  return run;
}

TEST_F(ReportPage, of_too_little_refuses_to_advise) {
  const std::string trace = write(cut_short(1));
  const std::string why = "Not enough was recorded to advise: rank 1 stopped after ";
  const json answer = json::parse(report({trace, "--json"}).out);
  const json& verdict = answer["verdict"];
  EXPECT_THAT(verdict["sentence"].get<std::string>(), testing::StartsWith(why));
  EXPECT_THAT(verdict["refusal"].get<std::string>(), testing::EndsWith(" of about 61 actions"));
  EXPECT_TRUE(verdict["changes"].empty());
  EXPECT_TRUE(verdict["claims"].empty());
  EXPECT_THAT(verdict["next"]["command"].get<std::string>(), HasSubstr("timeless info "));
  for (const json& machine : answer["machines"])
    EXPECT_TRUE(machine["helps"].is_null());
  EXPECT_TRUE(answer["plane"].is_null());
  EXPECT_TRUE(answer["curves"].at("both").empty());
  const Page page = page_of(trace, {}, 6);
  expect_sound(page);
  EXPECT_EQ(page.document.select_nodes("//table[@id='offer-table' or @id='change-table']").size(), 0U);
  for (const std::string& said : {in_one_line(report({trace}).out), report({trace, "--markdown"}).out, page.words()})
    EXPECT_THAT(said, AllOf(HasSubstr(why), Not(HasSubstr("what to buy")), Not(HasSubstr("twice as fast"))));
}

TEST_F(ReportPage, of_several_runs_says_which_have_no_answer) {
  const std::string cut = write(cut_short(1), "cut.tia");
  const Outcome outcome = report({write(ring(8), "8.tia"), cut, "--network", "e10g,e1g", "--json"});
  EXPECT_EQ(outcome.status, 6);
  const json answer = json::parse(outcome.out);
  EXPECT_THAT(answer["verdict"]["runs"].get<std::string>(), testing::StartsWith("There is no answer for "));
  for (const json& run : answer["runs"])
    EXPECT_EQ(run["changes"].empty(), run["trace"] == cut);
}

} // namespace
} // namespace timeless::tools::test
