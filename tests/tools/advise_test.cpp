#include "tests/temporary_directory.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include "tools/advising/data_file.h"
#include "tools/advising/model_file.h"

#include "analysis/advisor/features.h"
#include "base/error.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::tools::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Runs of a program on a ring: with large messages, and with small ones.
class Advise : public testing::Test {
protected:
  std::string record(const std::string& program, trace::Rank ranks, trace::Bytes bytes) {
    trace::MemorySource source(ranks);
    source.description().provenance.program = "/bin/" + program + ".x";
    for (int round = 0; round < 4; ++round)
      for (trace::Rank rank = 0; rank < ranks; ++rank) {
        source.compute(rank, 1'000'000);
        source.add(rank, {.kind = trace::ActionKind::exchange,
                          .peer = (rank + ranks / 2) % ranks,
                          .bytes = bytes,
                          .receive_peer = (rank + ranks / 2) % ranks,
                          .receive_bytes = bytes});
        source.add(rank, {.kind = trace::ActionKind::barrier});
      }
    source.finalize();
    const std::string path = directory_ / (program + "-" + std::to_string(ranks) + ".tia");
    std::filesystem::remove(path);
    trace::test::write_archive(source, path);
    return path;
  }

  std::string written(const std::string& name, const std::string& text) {
    std::ofstream(directory_ / name) << text;
    return directory_ / name;
  }

  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  /// Rows of programs that differ where the busiest link is busy.
  std::string data() {
    analysis::AdvisorData rows;
    for (int i = 0; i < 40; ++i) {
      analysis::AdvisorRow row{.program = i % 2 == 0 ? "odd, \"named\"" : "other",
                               .trace = "t" + std::to_string(i),
                               .platform = "x",
                               .mapping = "auto",
                               .model_seconds = 1,
                               .smpi_seconds = i < 20 ? 1.01 : 1.05,
                               .smpi_cpu_seconds = 0.5,
                               .actions = 1000};
      row.features.resize(analysis::features().size());
      row.features[analysis::feature_place("log_busiest_link")] = -4 + 0.1 * i;
      rows.rows.push_back(row);
    }
    return written("data.csv", to_csv(rows));
  }

  timeless::test::TemporaryDirectory directory_;
};

TEST_F(Advise, collects_rows_once) {
  const std::string ring = record("ring", 8, 100'000);
  const std::string output = directory_ / "rows.csv";
  const std::vector<std::string> words{"advise", "collect", ring,   "--platform", "graphene", "--cpu",
                                       "x1,/4",  "-o",      output, "--jobs",     "2"};
  const Outcome first = timeless_command(words);
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("2 rows, 2 new"));
  const std::string rows = read(output);
  const Outcome again = timeless_command(words);
  EXPECT_THAT(again.out, HasSubstr("2 rows, 0 new; 2 were there"));
  EXPECT_EQ(read(output), rows);
  analysis::AdvisorData data = read_advisor_data(output);
  ASSERT_EQ(data.rows.size(), 2U);
  std::ranges::sort(data.rows, std::greater(), &analysis::AdvisorRow::compute); // of two jobs, either ends first
  EXPECT_EQ(data.rows[0].program, "ring");
  EXPECT_EQ(data.rows[0].compute, 1);
  EXPECT_EQ(data.rows[1].compute, 0.25);
  EXPECT_GT(data.rows[0].smpi_seconds, 0);
  const auto feature = [&](const char* name) { return data.rows[0].features[analysis::feature_place(name)]; };
  EXPECT_EQ(feature("R"), 8);
  EXPECT_EQ(feature("N"), 8);
  EXPECT_EQ(feature("NoB"), 4);
  EXPECT_EQ(feature("NoS"), 4);
  EXPECT_EQ(feature("NoCALL"), 8);
  EXPECT_EQ(feature("TBp2p"), 8 * 4 * 100'000.0);
  EXPECT_EQ(feature("CR"), 1);
  EXPECT_NEAR(feature("PoCP") + feature("PoC"), 100, 1e-6);
  EXPECT_NEAR(feature("log_collectives_or_link"),
              std::log(feature("collectives") + std::exp(feature("log_busiest_link"))), 1e-9)
      << "derived where the file is read";
  EXPECT_THAT(rows, Not(HasSubstr("log_collectives_or_link")));
}

TEST_F(Advise, collects_the_rows_that_are_not_there) {
  const std::string ring = record("ring", 8, 100'000);
  const std::string output = directory_ / "rows.csv";
  const auto asked = [&](const char* cpu, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"advise", "collect", ring, "--platform", "graphene", "--cpu", cpu, "-o", output};
    words.insert(words.end(), more.begin(), more.end());
    return timeless_command(words).out;
  };
  EXPECT_THAT(asked("1/4,0.25,/4,x0.25"), HasSubstr("1 row, 1 new")) << "these are one speed";
  const analysis::AdvisorRow before = read_advisor_data(output).rows.at(0);
  EXPECT_THAT(asked("/4,x1"), HasSubstr("2 rows, 1 new; 1 was there"));
  EXPECT_EQ(read_advisor_data(output).rows.at(0).smpi_cpu_seconds, before.smpi_cpu_seconds) << "not simulated again";
  EXPECT_THAT(asked("/4,x1,x4", {"--contention"}), HasSubstr("3 rows, 1 new, 2 completed"));
  for (const analysis::AdvisorRow& row : read_advisor_data(output).rows)
    EXPECT_GT(row.unshared_seconds, 0) << row.compute;
}

TEST_F(Advise, loses_the_row_under_way_alone_when_it_is_interrupted) {
  const std::string ring = record("ring", 64, 100'000);
  const std::string output = directory_ / "rows.csv";
  std::string speeds = "x1";
  for (int faster = 2; faster <= 100; ++faster)
    speeds += ",x" + std::to_string(faster);
  std::vector<std::string> words{"advise", "collect", ring, "--platform", "graphene", "--cpu", speeds, "-o", output};
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<char*> pointers{const_cast<char*>(TIMELESS_COMMAND)};
    for (std::string& word : words)
      pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  while (!std::filesystem::exists(output) && ::waitpid(child, nullptr, WNOHANG) == 0)
    ::usleep(1000);
  ::kill(child, SIGINT);
  ::waitpid(child, nullptr, 0);
  const std::size_t kept = read_advisor_data(output).rows.size();
  EXPECT_GE(kept, 1U);
  EXPECT_LT(kept, 100U) << "it was not interrupted";
  words[6] = "x1,x100";
  EXPECT_THAT(timeless_command(words).out, HasSubstr("1 new; 1 was there"));
}

TEST_F(Advise, simulates_what_has_features_alone_and_adds_other_speeds) {
  const std::string ring = record("ring", 8, 100'000);
  const std::string output = directory_ / "rows.csv";
  const auto asked = [&](const char* part, const char* cpu) {
    return timeless_command({"advise", part, ring, "--platforms", "graphene", "--compute", cpu, "-o", output});
  };
  ASSERT_EQ(asked("features", "x1").status, 0);
  EXPECT_FALSE(read_advisor_data(output).rows.at(0).simulated());
  const Outcome trained = timeless_command({"advise", "train", output, "-o", directory_ / "model.json"});
  EXPECT_EQ(trained.status, 3);
  EXPECT_THAT(trained.err, HasSubstr("ring-8.tia on graphene was not simulated"));
  EXPECT_THAT(asked("collect", "x1").out, HasSubstr("1 row, 0 new, 1 completed"));
  EXPECT_TRUE(read_advisor_data(output).rows.at(0).simulated());
  EXPECT_THAT(asked("collect", "x2").out, HasSubstr("2 rows, 1 new"));
  EXPECT_THAT(asked("features", "x1").out, HasSubstr("2 rows, 0 new")) << "what is simulated stays";
}

TEST_F(Advise, collects_what_contention_alone_adds) {
  const std::string ring = record("ring", 16, 1'000'000);
  const std::string output = directory_ / "rows.csv";
  // Four ranks a node send to other nodes over one link.
  const std::vector<std::string> words{"advise",    "collect", ring, "--platform", "graphene",
                                       "--mapping", "block:4", "-o", output};
  ASSERT_EQ(timeless_command(words).status, 0);
  const analysis::AdvisorRow before = read_advisor_data(output).rows.at(0);
  EXPECT_EQ(before.unshared_seconds, 0);
  const Outcome unlabelled =
      timeless_command({"advise", "evaluate", output, "--label", "contention", "--partitions", "1"});
  EXPECT_EQ(unlabelled.status, 3);
  EXPECT_THAT(unlabelled.err, HasSubstr("collect --contention"));
  std::vector<std::string> both = words;
  both.emplace_back("--contention");
  EXPECT_THAT(timeless_command(both).out, HasSubstr("1 row, 0 new, 1 completed"));
  EXPECT_THAT(timeless_command(both).out, HasSubstr("1 row, 0 new; 1 was there"));
  const analysis::AdvisorRow row = read_advisor_data(output).rows.at(0);
  EXPECT_EQ(row.smpi_seconds, before.smpi_seconds);
  EXPECT_GT(row.smpi_seconds, 1.5 * row.unshared_seconds);
  EXPECT_NEAR(row.unshared_seconds / row.model_seconds, 1, 0.05) << "the model has no contention either";
  EXPECT_DOUBLE_EQ(row.difference(analysis::AdvisorLabel::contention), row.smpi_seconds / row.unshared_seconds - 1);
}

TEST_F(Advise, trains_on_the_label_that_is_asked_for) {
  analysis::AdvisorData rows = read_advisor_data(data());
  for (std::size_t i = 0; i < rows.rows.size(); ++i) // what differs does so for other reasons
    rows.rows[i].unshared_seconds = i < 5 ? 0 : i < 35 ? rows.rows[i].smpi_seconds : 1;
  const std::string labelled = written("labelled.csv", to_csv(rows));
  const std::string model = directory_ / "model.json";
  const Outcome trained = timeless_command({"advise", "train", labelled, "--label", "contention", "-o", model});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("5 of 40 rows"));
  EXPECT_THAT(trained.out, HasSubstr("35 runs of 2 programs, of which 5 take more than 2 % longer for contention"));
  const analysis::TrainedModel read = read_advisor_model(model);
  EXPECT_EQ(read.label, analysis::AdvisorLabel::contention);
  EXPECT_EQ(read.needed, 5U);
}

TEST_F(Advise, advises_by_region_and_names_what_it_cannot_tell_apart) {
  constexpr trace::Rank ranks = 16;
  trace::MemorySource source(ranks);
  source.description().regions = {"transpose", "solve", "half"};
  for (int round = 0; round < 4; ++round)
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      const auto within = [&](trace::RegionId region, const auto& work) {
        source.add(rank, {.kind = trace::ActionKind::region_begin, .region = region});
        work();
        source.add(rank, {.kind = trace::ActionKind::region_end, .region = region});
      };
      within(0, [&] {
        source.add(rank, {.kind = trace::ActionKind::alltoall, .bytes = 200'000, .receive_bytes = 200'000});
      });
      within(1, [&] {
        source.compute(rank, 20'000'000);
        source.add(rank, {.kind = trace::ActionKind::barrier});
      });
      // One end of each message is in the region, the other outside of it.
      if (rank % 2 == 0)
        within(2, [&] { source.add(rank, {.kind = trace::ActionKind::receive, .peer = rank + 1, .bytes = 8}); });
      else
        source.add(rank, {.kind = trace::ActionKind::send, .peer = rank - 1, .bytes = 8});
    }
  source.finalize();
  const std::string path = directory_ / "parts.tia";
  trace::test::write_archive(source, path);
  const std::vector<std::string> words{"advise", path, "--platform", "graphene", "--by", "region"};
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const Outcome told = timeless_command(as_json);
  ASSERT_THAT(told.status, testing::AnyOf(0, 6)) << told.err;
  const json regions = json::parse(told.out).at("regions");
  ASSERT_GE(regions.size(), 3U);
  EXPECT_EQ(regions[0].at("region"), "transpose");
  EXPECT_EQ(regions[1].at("region"), "solve");
  EXPECT_GT(regions[0].at("probability"), regions[1].at("probability"));
  EXPECT_EQ(regions[2].at("region"), "half");
  EXPECT_EQ(regions[2].at("answer"), "outside");
  EXPECT_THAT(regions[2].at("because").get<std::string>(), HasSubstr("wait"));
  EXPECT_THAT(timeless_command(words).out, AllOf(HasSubstr("region, alone"), HasSubstr("cannot say: ")));
  const Outcome without =
      timeless_command({"advise", record("ring", 4, 100), "--platform", "graphene", "--by", "region"});
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("no region was recorded"));
}

TEST_F(Advise, advises_by_phases_between_collectives_of_all_ranks) {
  constexpr trace::Rank ranks = 16;
  trace::MemorySource source(ranks);
  for (int step = 0; step < 8; ++step)
    for (trace::Rank rank = 0; rank < ranks; ++rank)
      if (step < 4) { // transposes, then computes
        source.add(rank, {.kind = trace::ActionKind::alltoall, .bytes = 200'000, .receive_bytes = 200'000});
      } else {
        source.compute(rank, 20'000'000);
        source.add(rank, {.kind = trace::ActionKind::barrier});
      }
  source.finalize();
  const std::string path = directory_ / "phases.tia";
  trace::test::write_archive(source, path);
  std::vector<std::string> words{"advise", path, "--platform", "graphene", "--by", "phase"};
  EXPECT_THAT(timeless_command(words).out, AllOf(HasSubstr("phase, alone"), HasSubstr("up to collective 1 ")));
  words.emplace_back("--json");
  const json phases = json::parse(timeless_command(words).out).at("phases");
  ASSERT_GE(phases.size(), 2U);
  EXPECT_THAT(phases.front().at("phase").get<std::string>(), HasSubstr("1"));
  EXPECT_EQ(phases.back().at("phase"), "after collective 7") << "the last goes on to the end";
  EXPECT_GT(phases.front().at("probability"), phases.back().at("probability"));
  source.description().ranks.back().ending = trace::Ending::unknown;
  trace::test::write_archive(source, directory_ / "part.tia");
  const Outcome part = timeless_command({"advise", directory_ / "part.tia", "--platform", "graphene", "--by", "phase"});
  EXPECT_EQ(part.status, 6);
  EXPECT_THAT(part.err, HasSubstr("which phases all ranks went through is not known"));
  trace::MemorySource alone(2);
  alone.compute(0, 1000);
  alone.finalize();
  trace::test::write_archive(alone, directory_ / "alone.tia");
  const Outcome without =
      timeless_command({"advise", directory_ / "alone.tia", "--platform", "graphene", "--by", "phase"});
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("no collective of all ranks"));
}

TEST_F(Advise, advises_by_the_functions_that_call_mpi) {
  constexpr trace::Rank ranks = 16;
  trace::MemorySource source(ranks);
  source.description().modules = {{.path = "/nowhere/libtranspose.so"}, {.path = "/nowhere/libsolve.so"}};
  source.description().kernels.clear();
  source.add_kernel({.begin = {0, 16}, .end = {0, 32}});
  source.add_kernel({.begin = {0, 32}, .end = {1, 16}});
  for (int round = 0; round < 4; ++round)
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      source.compute(rank, 1000, 0);
      source.add(rank, {.kind = trace::ActionKind::alltoall, .bytes = 200'000, .receive_bytes = 200'000});
      source.compute(rank, 20'000'000, 1);
      source.add(rank, {.kind = trace::ActionKind::barrier});
    }
  source.finalize();
  const std::string path = directory_ / "functions.tia";
  trace::test::write_archive(source, path);
  std::vector<std::string> words{"advise", path, "--platform", "graphene", "--by", "function"};
  EXPECT_THAT(timeless_command(words).out, AllOf(HasSubstr("function, alone"), HasSubstr("libtranspose.so")));
  words.emplace_back("--json");
  const json functions = json::parse(timeless_command(words).out).at("functions");
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].at("function"), "libtranspose.so");
  EXPECT_EQ(functions[1].at("function"), "libsolve.so");
  EXPECT_GT(functions[0].at("probability"), functions[1].at("probability"));
  trace::MemorySource imported(2);
  imported.description().modules.clear();
  imported.compute(0, 1000);
  imported.finalize();
  trace::test::write_archive(imported, directory_ / "imported.tia");
  const Outcome without =
      timeless_command({"advise", directory_ / "imported.tia", "--platform", "graphene", "--by", "function"});
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("does not know where its calls were made"));
  imported.description().counter = {};
  trace::test::write_archive(imported, directory_ / "uncounted.tia");
  const Outcome uncounted =
      timeless_command({"advise", directory_ / "uncounted.tia", "--platform", "graphene", "--by", "function"});
  EXPECT_EQ(uncounted.status, 3);
  EXPECT_THAT(uncounted.err, HasSubstr("--counter none"));
}

TEST_F(Advise, has_a_sentence_for_many_small_parts_alike) {
  constexpr trace::KernelId functions = 128;
  trace::MemorySource source(2);
  source.description().modules.clear();
  source.description().kernels.clear();
  for (trace::KernelId function = 0; function < functions; ++function) {
    source.description().modules.push_back({.path = "/nowhere/lib" + std::to_string(function) + ".so"});
    source.add_kernel({.begin = {0, 16}, .end = {function, 32}});
  }
  for (trace::Rank rank = 0; rank < 2; ++rank)
    for (trace::KernelId function = 0; function < functions; ++function) {
      source.compute(rank, 1'000'000, function);
      source.add(rank, {.kind = trace::ActionKind::barrier});
    }
  source.finalize();
  const std::string path = directory_ / "many.tia";
  trace::test::write_archive(source, path);
  const Outcome told = timeless_command({"advise", path, "--platform", "graphene", "--by", "function"});
  ASSERT_THAT(told.status, testing::AnyOf(0, 6)) << told.err;
  EXPECT_THAT(told.out, AllOf(HasSubstr("lib127.so"), testing::ContainsRegex("\n(The model|Of|Simulate) .*\\.\n")));
}

TEST_F(Advise, says_which_runs_gave_no_row) {
  const std::string broken = written("broken.tia", "no trace");
  const Outcome outcome = timeless_command(
      {"advise", "collect", record("ring", 4, 100), broken, "--platform", "graphene", "-o", directory_ / "rows.csv"});
  EXPECT_EQ(outcome.status, 6) << outcome.out;
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("1 row, 1 new; 1 refused"), HasSubstr("refused   "), HasSubstr("broken.tia")));
  trace::MemorySource waiting(2);
  for (trace::Rank rank = 0; rank < 2; ++rank)
    waiting.add(rank, {.kind = trace::ActionKind::receive, .peer = 1 - rank, .bytes = 8});
  waiting.finalize();
  trace::test::write_archive(waiting, directory_ / "waiting.tia");
  const Outcome deadlock = timeless_command({"advise", "collect", directory_ / "waiting.tia", "--platform", "graphene",
                                             "--cpu", "x1,x2", "-o", directory_ / "none.csv", "--json"});
  EXPECT_EQ(deadlock.status, 6);
  EXPECT_EQ(json::parse(deadlock.out).at("refused").size(), 1U) << "for one reason at both speeds";
  const std::string because = json::parse(deadlock.out).at("refused").at(0).at("because");
  EXPECT_THAT(because, AllOf(HasSubstr("a deadlock; rank 0"), Not(HasSubstr("\n"))));
}

TEST_F(Advise, trains_a_model_that_advises_and_knows_its_limits) {
  const std::string model = directory_ / "model.json";
  const Outcome trained = timeless_command({"advise", "train", data(), "-o", model});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_THAT(trained.out, HasSubstr("log_busiest_link"));
  EXPECT_EQ(timeless_command({"advise", "train", data(), "-o", model}).status, 2) << "it is there";
  const std::string ring = record("ring", 8, 200'000);
  const Outcome advice = timeless_command({"advise", ring, "--platform", "graphene", "--model", model, "--json"});
  ASSERT_THAT(advice.status, testing::AnyOf(0, 6)) << advice.err;
  const json answer = json::parse(advice.out);
  EXPECT_EQ(answer["schema"], "timeless.advise/1");
  EXPECT_EQ(answer["answer"] == "outside", advice.status == 6);
  const double messages = answer["features"]["NoM"];
  EXPECT_NEAR(answer["simulation_cpu_seconds"].get<double>(), 0.0005 * (8 * 13 + messages), 1e-9);
  const Outcome costly = timeless_command(
      {"advise", ring, "--platform", "graphene", "--model", model, "--threshold", "10%", "--miss-cost", "4", "--json"});
  const json other = json::parse(costly.out);
  EXPECT_DOUBLE_EQ(other["threshold"].get<double>(), 0.1);
  EXPECT_DOUBLE_EQ(other["least_probability"].get<double>(), 0.2);
  EXPECT_EQ(other["expected_difference"], answer["expected_difference"]);
  const Outcome free = timeless_command({"advise", ring, "--platform", "graphene", "--miss-cost", "0"});
  EXPECT_EQ(free.status, 2);
  EXPECT_THAT(free.err, HasSubstr("--miss-cost"));
  // A run without a message leaves the links idle: no such run is among the rows.
  const Outcome idle = timeless_command({"advise", record("idle", 8, 0), "--platform", "graphene", "--model", model});
  EXPECT_EQ(idle.status, 6) << idle.out;
  EXPECT_THAT(idle.out, HasSubstr("outside of what the model was trained on (log_busiest_link)"));
}

TEST_F(Advise, abstains_where_one_program_alone_was_trained_on_so_few_ranks) {
  const Outcome few = timeless_command({"advise", record("ring", 8, 100'000), "--platform", "graphene", "--json"});
  EXPECT_EQ(few.status, 6) << few.out;
  EXPECT_THAT(json::parse(few.out).at("outside").dump(), HasSubstr("\"R\""));
  const Outcome shown = timeless_command({"advise", record("ring", 8, 100'000), "--platform", "graphene"});
  EXPECT_THAT(shown.out, HasSubstr("what the model was trained on (its 8 ranks"));
  const Outcome more = timeless_command({"advise", record("ring", 16, 100'000), "--platform", "graphene", "--json"});
  EXPECT_THAT(json::parse(more.out).at("outside").dump(), Not(HasSubstr("\"R\"")));
}

TEST_F(Advise, says_where_its_figures_hold) {
  trace::MemorySource alone(1);
  alone.compute(0, 1'000'000);
  alone.finalize();
  trace::test::write_archive(alone, directory_ / "alone.tia");
  EXPECT_THAT(timeless_command({"advise", directory_ / "alone.tia", "--platform", "graphene"}).out,
              AllOf(HasSubstr("1 rank on graphene"), HasSubstr("of the processor where the model was trained"),
                    HasSubstr("in four of five runs like those trained on"),
                    HasSubstr("on 16 to 128 ranks two programs or more")));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"advise", "--help"}, std::vector<std::string>{"advise", "collect", "--help"}})
    EXPECT_THAT(timeless_command(words).out, testing::ContainsRegex("--compute-rate [^\n]*=the platform's speeds"));
}

TEST_F(Advise, comes_with_the_models_of_the_data_that_come_with_it) {
  const std::string data = TIMELESS_ADVISOR "/data.csv";
  const auto expect_shipped = [&](const std::string& name, const std::vector<std::string>& how) {
    const std::string model = directory_ / name;
    std::vector<std::string> words{"advise", "train", data, "-o", model};
    words.insert(words.end(), how.begin(), how.end());
    const Outcome trained = timeless_command(words);
    ASSERT_EQ(trained.status, 0) << trained.err;
    const json again = json::parse(read(model));
    const json shipped = json::parse(read(TIMELESS_ADVISOR "/" + name));
    EXPECT_EQ(again["label"], shipped["label"]);
    EXPECT_EQ(again["ranks"], shipped["ranks"]);
    EXPECT_EQ(shipped["ranks"]["least"], 16);
    ASSERT_EQ(again["features"].size(), shipped["features"].size());
    for (std::size_t i = 0; i < again["features"].size(); ++i) {
      EXPECT_EQ(again["features"][i]["name"], shipped["features"][i]["name"]);
      EXPECT_NEAR(again["features"][i]["coefficient"], shipped["features"][i]["coefficient"], 1e-6);
    }
    for (const char* const figure : {"exponent", "log_deviation"})
      EXPECT_NEAR(again["simulation_cost"][figure], shipped["simulation_cost"][figure], 1e-6);
    EXPECT_NEAR(again["simulation_cost"]["seconds_per_step"], shipped["simulation_cost"]["seconds_per_step"], 1e-12);
  };
  expect_shipped(
      "model.json",
      {"--take-all", "--features",
       "log_steps,log_ports,log_steps_ports,log_busiest_link,log_utilisation,log_flows,collectives,communication,"
       "log2_ranks,transfer,by_byte_time,by_latency,load_balance,log_bandwidth_8,log_collectives_or_link"});
  expect_shipped("contention.json", {"--label", "contention", "--features", "own", "--most", "10"});
  EXPECT_GE(read_advisor_data(data).programs().size(), 18U);
}

TEST_F(Advise, chooses_what_replays) {
  const std::string ring = record("ring", 16, 200'000);
  const Outcome outcome = timeless_command({"replay", ring, "--platform", "graphene", "--backend", "auto", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json answer = json::parse(outcome.out);
  EXPECT_THAT(answer["backend"], testing::AnyOf("model", "smpi"));
  EXPECT_THAT(answer["notes"].dump(), AllOf(HasSubstr("--backend auto"), HasSubstr("with a probability of")));
  const Outcome two = timeless_command({"replay", ring, "--platform", "graphene,cloud", "--backend", "auto"});
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("one platform"));
  const Outcome ports =
      timeless_command({"replay", ring, "--platform", "graphene", "--backend", "auto", "--ports", "receiver"});
  EXPECT_EQ(ports.status, 2);
  EXPECT_THAT(ports.err, HasSubstr("--ports is the model's"));
}

TEST_F(Advise, takes_all_features_that_are_named) {
  analysis::AdvisorData rows = read_advisor_data(data());
  for (std::size_t i = 0; i < rows.rows.size(); ++i) // says nothing of the difference
    rows.rows[i].features[analysis::feature_place("incast")] = i % 3 == 0 ? 1 : 0;
  const std::string known = written("known.csv", to_csv(rows));
  const auto taken = [&](const std::vector<std::string>& how) {
    const std::string model = directory_ / "taken.json";
    std::vector<std::string> words{"advise", "train",   known,        "-o",
                                   model,    "--force", "--features", "log_busiest_link,incast"};
    words.insert(words.end(), how.begin(), how.end());
    const Outcome trained = timeless_command(words);
    EXPECT_EQ(trained.status, 0) << trained.err;
    return read_advisor_model(model).features.size();
  };
  EXPECT_EQ(taken({}), 1U);
  EXPECT_EQ(taken({"--take-all"}), 2U);
  EXPECT_EQ(timeless_command({"advise", "evaluate", known, "--take-all", "--most", "3"}).status, 2);
}

TEST_F(Advise, collects_no_rows_of_what_is_not_there_or_named_twice) {
  const std::string ring = record("ring", 16, 200'000);
  const std::string rows = directory_ / "rows.csv";
  const auto collected = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"advise", "collect"});
    words.insert(words.end(), {"--platforms", "flat", "-o", rows});
    return timeless_command(words);
  };
  EXPECT_EQ(collected({directory_ / "none.tia"}).status, 3);
  const Outcome nowhere = collected({ring, "--mapping", "bogus"});
  EXPECT_EQ(nowhere.status, 2) << nowhere.out;
  EXPECT_THAT(nowhere.err, HasSubstr("no mapping is called 'bogus'"));
  const Outcome twice = collected({ring, ring});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("named twice"));
  EXPECT_FALSE(std::filesystem::exists(rows));
  ASSERT_EQ(collected({ring}).status, 0);
  const Outcome generated = collected({ring, "--synthetic"});
  EXPECT_EQ(generated.status, 2);
  EXPECT_THAT(generated.err, HasSubstr("not as a generated one's"));
}

TEST_F(Advise, evaluates_data) {
  const Outcome outcome = timeless_command({"advise", "evaluate", data(), "--partitions", "5"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("each program by the others"), HasSubstr("never simulate"),
                                 HasSubstr("40 runs, of which 20 differ by more than 2 %")));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("asked about .*\n +1 % .*\n +2 % .*\n +5 % .*\n +10 % "));
}

TEST_F(Advise, warns_of_a_recording_that_is_not_whole) {
  trace::MemorySource source(2);
  for (trace::Rank rank = 0; rank < 2; ++rank) {
    source.compute(rank, 1'000'000);
    source.add(rank, {.kind = trace::ActionKind::barrier});
  }
  const std::string path = directory_ / "killed.tia";
  trace::test::write_archive(source, path);
  const Outcome told = timeless_command({"advise", path, "--platform", "graphene"});
  EXPECT_EQ(told.status, 6);
  EXPECT_THAT(told.err, HasSubstr("killed.tia is incomplete: "));
  EXPECT_THAT(told.out, HasSubstr("with a probability of "));
  const json answer = json::parse(timeless_command({"advise", path, "--platform", "graphene", "--json"}).out);
  EXPECT_EQ(answer.at("complete"), false);
  EXPECT_THAT(told.err, HasSubstr(answer.at("incompleteness").get<std::string>()));
}

TEST_F(Advise, says_that_one_program_tests_nothing) {
  analysis::AdvisorData rows = read_advisor_data(data());
  for (analysis::AdvisorRow& row : rows.rows)
    row.program = "one";
  const std::string one = written("one.csv", to_csv(rows));
  const Outcome told = timeless_command({"advise", "evaluate", one, "--partitions", "5"});
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, AllOf(HasSubstr("no program could be told by others"), Not(HasSubstr("by the others:")),
                              testing::ContainsRegex("each program by the others +- +- +-")));
  const json answer = json::parse(timeless_command({"advise", "evaluate", one, "--partitions", "5", "--json"}).out);
  EXPECT_TRUE(answer.at("by_program").is_null());
  EXPECT_TRUE(answer.at("by_partition").is_object());
  const Outcome trained = timeless_command({"advise", "train", one, "-o", directory_ / "one.json"});
  EXPECT_EQ(trained.status, 0);
  EXPECT_THAT(trained.err, HasSubstr("runs of one program"));
  const Outcome of_two = timeless_command({"advise", "train", data(), "-o", directory_ / "two.json"});
  EXPECT_THAT(of_two.err, Not(HasSubstr("runs of one program")));
}

TEST_F(Advise, draws_the_curve_over_programs) {
  const std::vector<std::string> words{"advise", "evaluate", data(), "--partitions", "2", "--curve", "1"};
  EXPECT_THAT(timeless_command(words).out, HasSubstr("each by so many others"));
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const json answer = json::parse(timeless_command(as_json).out);
  ASSERT_EQ(answer.at("curve").size(), 1U);
  EXPECT_EQ(answer["curve"][0]["rates"]["wrong"], answer["by_program"]["wrong"]) << "there is one other";
  const Outcome beyond = timeless_command({"advise", "evaluate", data(), "--curve", "1,2"});
  EXPECT_EQ(beyond.status, 2);
  EXPECT_THAT(beyond.err, HasSubstr("of 2 programs each has fewer than 2 others"));
}

TEST_F(Advise, lists_the_features_there_are) {
  EXPECT_THAT(timeless_command({"advise", "features"}).out, HasSubstr("bytes sent point-to-point"));
  const Outcome listed = timeless_command({"advise", "features", "--json"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  const json answer = json::parse(listed.out);
  EXPECT_EQ(answer.at("part"), "features");
  ASSERT_EQ(answer.at("features").size(), analysis::features().size());
  EXPECT_EQ(answer["features"][0]["name"], "R");
  EXPECT_EQ(answer["features"][0]["paper"], true);
  EXPECT_EQ(answer["features"].back()["derived"], true);
}

TEST_F(Advise, reads_models_with_seconds_per_action) {
  const analysis::TrainedModel model = read_advisor_model(
      written("old.json", R"({"format": "timeless.advisor/1", "threshold": 0.02, "intercept": 0, "rows": 2, "needed": 1,
                              "log_difference": 0, "log_difference_deviation": 1,
                              "simulation_seconds_per_action": 0.003})"));
  EXPECT_NEAR(model.cost.seconds(1000, 5000), 3, 1e-9);
}

TEST_F(Advise, names_what_is_wrong) {
  const auto refused = [&](const std::vector<std::string>& words, int status, const char* what) {
    const Outcome outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(what));
  };
  const std::string rows = data();
  const std::string model = directory_ / "m.json";
  std::string text = read(rows);
  refused({"advise", "train", written("cut.csv", text.substr(0, text.size() - 100)), "-o", model}, 3, "cut.csv:41");
  refused({"advise", "train", written("head.csv", "program,trace\n"), "-o", model}, 3, "no single column 'platform'");
  refused({"advise", "train", written("odd.csv", "nonsense\n"), "-o", model}, 3, "'nonsense'");
  refused({"advise", "train", written("empty.csv", ""), "-o", model}, 3, "no training data");
  refused({"advise", "train", directory_ / "none.csv", "-o", model}, 3, "cannot read the file");
  refused({"advise", "train", rows, "--features", "nonsense", "-o", model}, 3, "'nonsense'");
  refused({"advise", "train", rows, "--threshold", "50%", "-o", model}, 3, "no row needs simulation");
  refused({"advise", record("ring", 4, 1), "--model", written("bad.json", "{}")}, 3, "format");
  for (const char* beyond : {"150%", "2", "0", "-1%"}) {
    const std::string no = std::string("'") + beyond +
                           "' is no threshold: write from 0.0001% (what is less is "
                           "rounding) to 100%, such as 2%";
    refused({"advise", record("ring", 4, 1), "--platform", "graphene", "--threshold", beyond}, 2, no.c_str());
    refused({"advise", "train", rows, "--threshold", beyond, "-o", model}, 2, no.c_str());
  }
  refused({"advise"}, 2, "no trace");
  refused({"advise", "collect", record("ring", 4, 1), "-o", model}, 2, "no platform");
}

} // namespace
} // namespace timeless::tools::test
