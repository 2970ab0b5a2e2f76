#include "analysis/scaling/kernel_sums.h"
#include "analysis/scaling/matching.h"
#include "analysis/scaling/odd_run.h"
#include "analysis/scaling/scaling.h"
#include "analysis/scaling/share_law.h"
#include "base/error.h"
#include "trace/model/memory_events.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <vector>

namespace timeless::analysis {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using trace::ActionKind;

constexpr std::uint64_t cells = 64ULL * 64 * 64 * 64;

/// A program of two kernels: one shares out its cells and exchanges their edges, one works on rank 0 alone.
std::unique_ptr<trace::MemorySource> program(trace::Rank ranks, std::uint64_t identity = 0, int steps = 3,
                                             std::uint64_t shared_out = cells) {
  auto source = std::make_unique<trace::MemorySource>(ranks);
  trace::Run& run = source->description();
  run.modules = {{"/bin/solver", "build one"}};
  run.provenance.program = "/bin/solver";
  run.provenance.run_identity = identity == 0 ? static_cast<std::uint64_t>(ranks) : identity;
  const auto place = [](std::uint64_t offset) { return trace::CallSite{0, offset}; };
  // Numbers of kernels and places differ between runs; addresses do not.
  if (ranks % 3 == 1) source->add_kernel({place(900), place(901)});
  const trace::KernelId shared = source->add_kernel({place(100), place(200)});
  const trace::KernelId serial = source->add_kernel({place(200), place(300)});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    for (int step = 0; step < steps; ++step) {
      const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(ranks)));
      source->compute(rank, shared_out / static_cast<std::uint64_t>(ranks), shared);
      source->add(rank, {.kind = ActionKind::allreduce, .bytes = 4096 / side});
    }
    if (rank == 0) source->compute(rank, 5000, serial);
    source->add(rank, {.kind = ActionKind::barrier});
  }
  source->finalize();
  return source;
}

struct Study {
  explicit Study(const std::vector<trace::Rank>& counts) {
    for (const trace::Rank count : counts) {
      sources.push_back(program(count));
      question.runs.push_back(
          {std::to_string(count), {.ranks = static_cast<double>(count)}, run_figures(*sources.back())});
    }
    question.unit = "instructions";
  }

  std::vector<std::unique_ptr<trace::MemorySource>> sources;
  ScalingQuestion question;
};

TEST(Scaling, has_laws_of_the_misses_of_several_caches_where_memory_was_profiled) {
  Study study({4, 16, 64, 256});
  for (std::size_t run = 0; run < study.sources.size(); ++run) {
    trace::Run& of = study.sources[run]->description();
    of.profile_events = trace::memory_events();
    for (trace::RankRecord& rank : of.ranks) {
      std::vector<std::uint64_t> sums(of.profile_events.size());
      sums[trace::memory_loads] = 1000;
      sums[trace::memory_first_class + 1] =
          64 * 1024 / static_cast<std::uint64_t>(of.size); // a first cache misses these
      rank.profile = {{.kernel = static_cast<trace::KernelId>(of.size % 3 == 1 ? 1 : 0), .sums = sums}};
    }
    study.question.runs[run].figures = run_figures(*study.sources[run]);
  }
  const Scaling answer = scaling(std::move(study.question));
  const auto metric = [&](const std::string& name) {
    for (const ScaledKernel& kernel : answer.kernels)
      for (const ScaledMetric& one : kernel.metrics)
        if (one.name == name && one.most.values.back() > 0) return one.most.values.back();
    return 0.0;
  };
  EXPECT_EQ(metric("LOADS"), 1000);
  EXPECT_EQ(metric("MISSES_32KiB"), 256);
  EXPECT_EQ(metric("MISSES_1MiB"), 0);
  EXPECT_EQ(metric("SEQ_LINES_512"), 0) << "no law of each class of distances";
}

TEST(Scaling, names_a_run_that_makes_more_calls_than_all_others) {
  Study study({4, 16, 64, 256});
  EXPECT_FALSE(odd_run(scaling(study.question)));
  study.question.runs[2].figures = run_figures(*program(64, 0, 5));
  const auto odd = odd_run(scaling(std::move(study.question)));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->run, "64");
  EXPECT_EQ(odd->call.call, "Allreduce");
  EXPECT_EQ(odd->here, 5);
  EXPECT_EQ(odd->elsewhere, 3);
}

TEST(Scaling, names_a_run_that_computes_more_than_the_others_let_expect) {
  for (const std::size_t odd : {std::size_t{0}, std::size_t{2}, std::size_t{3}}) {
    Study study({4, 16, 64, 256});
    EXPECT_FALSE(odd_work(scaling(study.question)));
    const auto ranks = static_cast<trace::Rank>(study.question.runs[odd].place.ranks);
    study.question.runs[odd].figures = run_figures(*program(ranks, 0, 3, 2 * cells));
    const auto found = odd_work(scaling(std::move(study.question)));
    ASSERT_TRUE(found) << odd;
    EXPECT_EQ(found->run, std::to_string(ranks));
    EXPECT_NEAR(found->times, 2, 0.2);
  }
}

TEST(Scaling, names_two_runs_of_as_many_ranks_that_compute_different_amounts) {
  Study study({4, 16, 64});
  study.question.runs.push_back(study.question.runs[1]);
  study.question.runs.back().name = "again";
  EXPECT_FALSE(unequal_runs(scaling(study.question)));
  study.question.runs.back().figures = run_figures(*program(16, 0, 3, 2 * cells));
  const auto found = unequal_runs(scaling(study.question));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->less, "16");
  EXPECT_EQ(found->more, "again");
  EXPECT_NEAR(found->times, 2, 0.01);
  study.question.runs.back().place.size = 2;
  EXPECT_FALSE(unequal_runs(scaling(std::move(study.question)))) << "another size";
}

TEST(Scaling, names_no_run_by_its_work_where_three_cannot_tell) {
  Study study({4, 16, 64});
  study.question.runs[1].figures = run_figures(*program(16, 0, 3, 2 * cells));
  EXPECT_FALSE(odd_work(scaling(std::move(study.question))));
}

TEST(Scaling, finds_the_kernel_that_does_not_shrink) {
  Study study({4, 16, 64, 256});
  study.question.targets = {{.ranks = 1024}, {.ranks = 65536}};
  const Scaling answer = scaling(std::move(study.question));
  EXPECT_EQ(answer.mode, ScalingMode::strong);
  ASSERT_THAT(answer.kernels, SizeIs(2));
  const ScaledKernel& serial = answer.kernels.front();
  EXPECT_EQ(in_words(serial.volume().most.fit.laws.front(), answer.targets.back(), answer.mode),
            "does not shrink: serial");
  const ScaledKernel& shared = answer.kernels.back();
  EXPECT_EQ(formula(shared.volume().most.fit.laws.front()), "5.03316e+07/P");
  EXPECT_TRUE(shared.volume().most.fit.confirmed);
  EXPECT_DOUBLE_EQ(shared.volume().most.there[1]->value, 3.0 * cells / 65536);
  EXPECT_NEAR(serial.shares_there[1], 5000 / (5000 + 3.0 * cells / 65536), 1e-9);
  EXPECT_NEAR(answer.coverage.confirmed, 1, 1e-12);
}

TEST(Scaling, counts_calls_and_bytes_by_place) {
  Study study({4, 16, 64, 256});
  study.question.targets = {{.ranks = 1024}};
  const Scaling answer = scaling(std::move(study.question));
  const auto found =
      std::ranges::find(answer.calls, std::string("Allreduce"), [](const ScaledCall& call) { return call.key.call; });
  ASSERT_NE(found, answer.calls.end());
  EXPECT_EQ(found->key.place, (SitePath{{"build one", 200}}));
  EXPECT_EQ(formula(found->metrics[0].most.fit.laws.front()), "3");
  EXPECT_EQ(formula(found->metrics[1].most.fit.laws.front()), "12288/P^(1/2)");
}

TEST(Scaling, measures_how_work_is_shared_out) {
  Study study({4, 16, 64});
  study.question.targets = {{.ranks = 256}};
  const Scaling answer = scaling(std::move(study.question));
  ASSERT_THAT(answer.efficiencies, SizeIs(4));
  EXPECT_DOUBLE_EQ(*answer.efficiencies.front().instruction_scaling, 1);
  const double mean = (3.0 * cells + 5000) / 64;
  EXPECT_DOUBLE_EQ(*answer.efficiencies[2].load_balance, mean / (3.0 * cells / 64 + 5000));
  EXPECT_TRUE(answer.efficiencies.back().predicted);
  EXPECT_NEAR(*answer.efficiencies.back().instruction_scaling, 1, 1e-9);
}

TEST(Scaling, verifies_laws_with_a_check_run) {
  Study study({4, 16, 64, 256});
  study.question.check = study.question.runs.back();
  study.question.runs.pop_back();
  const Scaling answer = scaling(std::move(study.question));
  for (const ScaledKernel& kernel : answer.kernels) {
    ASSERT_TRUE(kernel.volume().most.check);
    EXPECT_TRUE(kernel.volume().most.check->exact);
  }
}

TEST(Scaling, draws_laws_of_what_small_runs_lack_from_the_others) {
  Study study({4, 16, 64, 256});
  study.question.runs.front().figures.kernels.begin()->second.metrics["instructions"] = {};
  const Scaling answer = scaling(std::move(study.question));
  const auto lacking = std::ranges::count_if(
      answer.kernels, [](const ScaledKernel& kernel) { return kernel.volume().most.without == 1; });
  EXPECT_EQ(lacking, 1);
  EXPECT_EQ(answer.coverage.none, 0);
}

TEST(Scaling, prefers_a_confirmed_law_that_begins_later) {
  Study study({4, 16, 64, 256, 1024});
  for (auto& [key, kernel] : study.question.runs.front().figures.kernels)
    kernel.metrics["instructions"].most *= 0.9; // all ranks are at an edge
  const Scaling answer = scaling(std::move(study.question));
  for (const ScaledKernel& kernel : answer.kernels) {
    EXPECT_EQ(kernel.volume().most.without, 1U);
    EXPECT_EQ(kernel.volume().most.fit.kind, LawKind::exact);
    EXPECT_EQ(kernel.volume().mean.without, 0U);
  }
}

TEST(Scaling, finds_the_law_of_a_kernel_by_those_of_its_visits_and_of_each_visit) {
  // Stages of a butterfly: log2 P - 1 visits, each of a share of the points and what does not depend on it.
  const auto visits = [](double p) { return 3 * (std::log2(p) - 1); };
  const auto each = [](double p) { return 109 + 458752 / p; };
  ScalingQuestion question{.targets = {{.ranks = 64}}, .unit = "instructions"};
  for (const trace::Rank ranks : {2, 4, 8, 16, 32}) {
    trace::MemorySource source(ranks);
    const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      source.compute(rank, 1000, source.add_kernel({{0, 300}, {0, 100}}));
      source.add(rank, {.kind = ActionKind::barrier});
      for (int visit = 0; visit < static_cast<int>(visits(ranks)); ++visit) {
        source.compute(rank, static_cast<std::uint64_t>(each(ranks)), kernel);
        source.add(rank, {.kind = ActionKind::barrier});
      }
    }
    source.finalize();
    question.runs.push_back({std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(source)});
  }
  const Scaling answer = scaling(std::move(question));
  const auto stages = std::ranges::find_if(
      answer.kernels, [](const ScaledKernel& kernel) { return kernel.key.begin.front().second == 100U; });
  ASSERT_NE(stages, answer.kernels.end());
  const ScaledMetric& volume = stages->volume();
  EXPECT_TRUE(volume.sure());
  ASSERT_TRUE(volume.most.there[0]);
  EXPECT_DOUBLE_EQ(volume.most.there[0]->value, visits(64) * each(64));
}

/// A run whose kernels all end in one function.
ScaledRun run_of_main(const trace::MemorySource& source) {
  const trace::Rank ranks = source.run().size;
  ScaledRun run{std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(source)};
  std::map<KernelKey, std::string> names;
  for (const auto& [key, kernel] : run.figures.kernels)
    names[key] = "main";
  add_functions(run.figures, names, "instructions");
  return run;
}

TEST(Scaling, gives_a_function_the_sum_of_its_kernels_laws) {
  // Two kernels that end in one function: a share of the points of a column, and what is the same everywhere.
  ScalingQuestion question{.targets = {{.ranks = 64}}, .unit = "instructions"};
  for (const trace::Rank ranks : {4, 6, 12, 20, 30}) {
    trace::MemorySource source(ranks);
    const auto side = balanced_grid(static_cast<std::uint64_t>(ranks), 2)[0];
    for (trace::Rank rank = 0; rank < ranks; ++rank) {
      source.compute(rank, 192'000 * side, source.add_kernel({{0, 100}, {0, 200}}));
      source.add(rank, {.kind = ActionKind::barrier});
      source.compute(rank, 7'207'200 / static_cast<std::uint64_t>(ranks) + 11, source.add_kernel({{0, 200}, {0, 300}}));
      source.add(rank, {.kind = ActionKind::barrier});
    }
    source.finalize();
    question.runs.push_back(run_of_main(source));
  }
  const Scaling answer = scaling(std::move(question));
  ASSERT_THAT(answer.functions, SizeIs(1));
  const ScaledFigure& most = answer.functions.front().metrics.front().most;
  double sum = 0;
  for (const ScaledKernel& kernel : answer.kernels)
    sum += kernel.volume().most.there[0]->value;
  ASSERT_TRUE(most.there[0]);
  EXPECT_DOUBLE_EQ(most.there[0]->value, sum);
  EXPECT_FALSE(most.summed);
  ASSERT_FALSE(most.fit.laws.empty());
  EXPECT_NEAR(most.fit.laws.front().at({.ranks = 64}), sum, 1e-6 * sum);
}

/// What rank 0 does for all grows with their number; the rest is shared out, by no law, and most on another rank.
ScaledRun run_with_a_part_that_grows(trace::Rank ranks) {
  trace::MemorySource source(ranks);
  const trace::KernelId grows = source.add_kernel({{0, 100}, {0, 200}});
  const trace::KernelId shared = source.add_kernel({{0, 200}, {0, 300}});
  source.description().regions = {"step"};
  constexpr trace::RegionId step = 0;
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    const auto all = static_cast<std::uint64_t>(ranks);
    source.add(rank, {.kind = ActionKind::region_begin, .region = step});
    if (rank == 0) source.compute(rank, 1050 + 10'000 * all, grows);
    source.add(rank, {.kind = ActionKind::barrier});
    source.compute(rank, 4'000'000 / all + all * 7'919 % 1'000 * 10 + (rank + 1 == ranks ? 100 : 0), shared);
    source.add(rank, {.kind = ActionKind::region_end, .region = step});
    source.add(rank, {.kind = ActionKind::barrier});
  }
  source.finalize();
  return run_of_main(source);
}

TEST(Scaling, says_no_less_of_a_function_or_region_than_its_kernels_come_to) {
  ScalingQuestion question{.targets = {{.ranks = 64}, {.ranks = 65536}}, .unit = "instructions"};
  for (const trace::Rank ranks : {4, 6, 8, 9})
    question.runs.push_back(run_with_a_part_that_grows(ranks));
  question.check = run_with_a_part_that_grows(12);
  const Scaling answer = scaling(std::move(question));
  ASSERT_THAT(answer.functions, SizeIs(1));
  ASSERT_THAT(answer.regions, SizeIs(1));
  EXPECT_THAT(answer.runs.back().figures.regions_of, SizeIs(2));
  for (const ScaledPart& part : {answer.functions.front(), answer.regions.front()}) {
    const ScaledMetric& volume = part.metrics.front();
    for (std::size_t target = 0; target < 2; ++target) {
      const double ranks = answer.targets[target].ranks;
      ASSERT_TRUE(volume.most.there[target] && volume.mean.there[target]) << part.name;
      const double recorded = 1050 + 10'000 * ranks + 4e6 / ranks;
      EXPECT_GE(volume.most.there[target]->value, 1050 + 10'000 * ranks) << part.name;
      EXPECT_NEAR(volume.most.there[target]->value, recorded, 0.05 * recorded) << part.name;
      EXPECT_GE(volume.mean.there[target]->value, 10'000) << part.name;
    }
    EXPECT_TRUE(volume.most.summed);
    EXPECT_FALSE(volume.most.fit.confirmed);
  }
}

/// A figure with an approximate law: what it is now, and the same at any target. Runs left out say little of it.
ScaledFigure rough_figure(double now, double there) {
  return {.values = {now},
          .fit = {.kind = LawKind::approximate,
                  .left_out_error = 0.09,
                  .left_over = 1,
                  .laws = {ScaleLaw{{{ScaleTerm{}, there}}}},
                  .least = {.ranks = 2},
                  .largest = {.ranks = 16}},
          .there = {ScalePrediction{there, there / 2, there * 2}}};
}

/// What a function comes to on 1024 ranks whose own law says `most` of the rank that has most of it, and 130 of the
/// mean. Its two kernels, with most on different ranks, have 400 and 90 at most on 16 ranks, and 300 and 80 there.
ScaledMetric function_of_two_kernels(double most) {
  const KernelKey one{{{"solver", 100}}, {{"solver", 200}}};
  const KernelKey other{{{"solver", 200}}, {{"solver", 300}}};
  Scaling scaling{.targets = {{.ranks = 1024}}, .unit = "instructions"};
  scaling.runs.push_back({"16", {.ranks = 16}, {}});
  scaling.runs.front().figures.functions_of = {{one, {"solve"}}, {other, {"solve"}}};
  scaling.kernels = {{.key = one, .metrics = {{"instructions", rough_figure(100, 60), rough_figure(400, 300)}}},
                     {.key = other, .metrics = {{"instructions", rough_figure(50, 40), rough_figure(90, 80)}}}};
  scaling.functions = {{"solve", {{"instructions", rough_figure(150, 130), rough_figure(420, most)}}}};
  take_kernel_sums(scaling);
  return scaling.functions.front().metrics.front();
}

TEST(Scaling, takes_no_law_of_a_function_that_leaves_what_its_kernels_allow) {
  const double as_now = 300 + (420.0 - 400) / (490 - 400) * (380 - 300);
  for (const double own : {250.0, 420.0}) {
    const ScaledMetric metric = function_of_two_kernels(own);
    EXPECT_DOUBLE_EQ(metric.mean.there[0]->value, 100) << "the sum";
    EXPECT_DOUBLE_EQ(metric.most.there[0]->value, as_now) << own;
    EXPECT_TRUE(metric.most.fit.laws.empty()) << "no formula says another value";
  }
  const ScaledMetric between = function_of_two_kernels(350);
  EXPECT_DOUBLE_EQ(between.most.there[0]->value, 350);
  EXPECT_FALSE(between.most.summed);
}

TEST(Scaling, finds_no_law_of_the_rank_that_has_most_by_which_it_has_more_than_all_ranks) {
  Study study({3, 4, 5});
  study.question.targets = {{.ranks = 64}};
  for (ScaledRun& run : study.question.runs) {
    // What all share out, and one rank has more and more of.
    OverRanks& volume = run.figures.kernels.begin()->second.metrics.at("instructions");
    volume = {6e6 / run.place.ranks, 2.1e6 + 1e5 * std::pow(run.place.ranks - 3, 2.3)};
  }
  const KernelKey key = study.question.runs.front().figures.kernels.begin()->first;
  const Scaling answer = scaling(std::move(study.question));
  const ScaledMetric& volume = std::ranges::find(answer.kernels, key, &ScaledKernel::key)->volume();
  ASSERT_TRUE(volume.mean.fit.sure());
  EXPECT_FALSE(volume.most.fit.laws.empty());
  for (const ScaleLaw& law : volume.most.fit.laws)
    EXPECT_LE(law.at({.ranks = 64}), 6e6 * (1 + 1e-6)) << formula(law);
}

TEST(Scaling, drops_laws_of_the_mean_that_exceed_what_the_rank_that_has_most_has_exactly) {
  ScalingQuestion question{.targets = {{.ranks = 64}, {.ranks = 1024}}, .unit = "instructions"};
  for (const trace::Rank ranks : {4, 6, 8, 9, 12}) {
    trace::MemorySource source(ranks);
    const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
    const auto side = static_cast<trace::Rank>(balanced_grid(static_cast<std::uint64_t>(ranks), 2)[1]);
    for (trace::Rank rank = 0; rank < ranks; ++rank)
      for (int step = 0; step < 10; ++step) {
        if (rank % side != side - 1) source.compute(rank, 76, kernel); // who has a neighbour
        source.add(rank, {.kind = ActionKind::barrier});
      }
    source.finalize();
    question.runs.push_back({std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(source)});
  }
  const Scaling answer = scaling(std::move(question));
  const ScaledMetric& visits = answer.kernels.front().metrics[1];
  ASSERT_EQ(visits.name, "visits");
  ASSERT_TRUE(visits.most.fit.sure());
  for (std::size_t target = 0; target < 2; ++target) {
    ASSERT_TRUE(visits.most.there[target] && visits.mean.there[target]);
    EXPECT_EQ(visits.most.there[target]->value, 10);
    EXPECT_LE(visits.mean.there[target]->value, 10);
  }
}

/// Ranks of a line, each of which computes more than the one before.
ScaledRun rising_run(trace::Rank ranks) {
  trace::MemorySource source(ranks);
  const trace::KernelId kernel = source.add_kernel({{0, 100}, {0, 200}});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    source.compute(rank, 50'000 + 9'000 * static_cast<std::uint64_t>(rank), kernel);
    source.add(rank, {.kind = ActionKind::barrier});
  }
  source.finalize();
  return {std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(source)};
}

TEST(Scaling, of_ranks_that_differ_more_and_more_leaves_more_open_the_more_there_are) {
  const auto at = [](std::vector<ScalePlace> targets) {
    ScalingQuestion question{.targets = std::move(targets), .unit = "instructions"};
    for (const trace::Rank ranks : {4, 6, 9, 12})
      question.runs.push_back(rising_run(ranks));
    return scaling(std::move(question));
  };
  const Scaling both = at({{.ranks = 16}, {.ranks = 64}});
  const auto truth = [](trace::Rank ranks) { return 50'000 + 9'000 * (static_cast<double>(ranks) - 1); };
  const ScaledMetric& volume = both.kernels.front().volume();
  for (std::size_t target = 0; target < 2; ++target) {
    const double recorded = truth(target == 0 ? 16 : 64);
    EXPECT_LE(volume.most.there[target]->low, recorded);
    EXPECT_GE(volume.most.there[target]->high, recorded);
  }
  ASSERT_FALSE(both.kernels.front().classes.empty());
  for (const ScaledClass& one : both.kernels.front().classes)
    for (std::size_t target = 0; target < 2; ++target)
      EXPECT_LE(one.volume.there[target] ? one.volume.there[target]->value : 0,
                volume.most.there[target]->value * (1 + 1e-9))
          << one.position << ": no position has more than the rank that has most";
  const Scaling alone = at({{.ranks = 16}});
  EXPECT_EQ(alone.kernels.front().volume().most.there[0]->value, volume.most.there[0]->value)
      << "no target decides for another";
  EXPECT_EQ(alone.kernels.front().volume().most.there[0]->high, volume.most.there[0]->high);
}

/// A kernel whose volume falls by the same with each rank: an exact law that is below 0 from 100 ranks on.
std::unique_ptr<trace::MemorySource> ending_program(trace::Rank ranks) {
  auto source = std::make_unique<trace::MemorySource>(ranks);
  const trace::KernelId stays = source->add_kernel({{0, 100}, {0, 200}});
  const trace::KernelId ends = source->add_kernel({{0, 200}, {0, 300}});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    source->compute(rank, 50'000, stays);
    source->add(rank, {.kind = ActionKind::barrier});
    source->compute(rank, 1'000 * static_cast<std::uint64_t>(100 - ranks), ends);
    source->add(rank, {.kind = ActionKind::barrier});
  }
  source->finalize();
  return source;
}

TEST(Scaling, takes_nothing_where_a_confirmed_law_has_come_to_an_end) {
  ScalingQuestion question{.targets = {{.ranks = 64}, {.ranks = 1000}}, .unit = "instructions"};
  for (const trace::Rank ranks : {4, 6, 10, 16, 20})
    question.runs.push_back(
        {std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(*ending_program(ranks))});
  const Scaling answer = scaling(std::move(question));
  const ScaledKernel& ends = answer.kernels.back();
  EXPECT_EQ(ends.key.begin.front().second, 200U);
  ASSERT_TRUE(ends.volume().most.there[1]);
  EXPECT_FALSE(ends.volume().most.there[0]->ended);
  EXPECT_TRUE(ends.volume().most.there[1]->ended);
  EXPECT_EQ(ends.shares_there[1], 0) << "not what it has now";
  EXPECT_NEAR(ends.shares_there[0], 36.0 / 86, 1e-9);
  EXPECT_FALSE(answer.efficiencies.back().instruction_scaling) << "the whole is not known there either";
}

TEST(Scaling, confirms_no_law_of_the_ranks_by_two_numbers_of_them) {
  const auto answer = [](trace::Rank checked) {
    ScalingQuestion question{.targets = {{.ranks = 1024, .size = 1}}, .sizes_given = true, .unit = "instructions"};
    const auto add = [](trace::Rank ranks, std::uint64_t size) {
      return ScaledRun{std::to_string(ranks),
                       {.ranks = static_cast<double>(ranks), .size = static_cast<double>(size)},
                       run_figures(*program(ranks, 100 * size + static_cast<std::uint64_t>(ranks), 3, cells * size))};
    };
    for (const trace::Rank ranks : {4, 16})
      for (const std::uint64_t size : {1, 2})
        question.runs.push_back(add(ranks, size));
    question.check = add(checked, 3);
    return scaling(std::move(question));
  };
  const auto confirmed = [](const Scaling& scaling) {
    return std::ranges::any_of(scaling.kernels,
                               [](const ScaledKernel& kernel) { return kernel.volume().most.fit.confirmed; });
  };
  EXPECT_FALSE(confirmed(answer(16)));
  EXPECT_TRUE(confirmed(answer(64)));
}

TEST(Scaling, gives_one_rank_no_more_than_all_have_together) {
  const auto figure = [](double slope, bool sure) {
    return ScaledFigure{.fit = {.kind = sure ? LawKind::exact : LawKind::approximate,
                                .confirmed = sure,
                                .laws = {ScaleLaw{{{ScaleTerm{.ranks = {.numerator = 1}}, slope}}}},
                                .least = {.ranks = 4},
                                .largest = {.ranks = 16}}};
  };
  const MetricPrediction there = predict(ScaledMetric{"visits", figure(1, true), figure(5000, false)}, {.ranks = 1000});
  EXPECT_EQ(there.mean->value, 1000);
  EXPECT_EQ(there.most->value, 1000 * 1000);
}

TEST(Scaling, gives_the_rank_with_most_no_less_than_the_mean) {
  const auto metric = [](double mean, double most, bool confirmed) {
    const auto figure = [&](double slope, bool sure) {
      return ScaledFigure{.fit = {.kind = LawKind::exact,
                                  .confirmed = sure,
                                  .laws = {ScaleLaw{{{ScaleTerm{.ranks = {.numerator = 1}}, slope}}}},
                                  .least = {.ranks = 4},
                                  .largest = {.ranks = 16}}};
    };
    return ScaledMetric{"instructions", figure(mean, false), figure(most, confirmed)};
  };
  const ScalePlace far{.ranks = 1000};
  const MetricPrediction by_most = predict(metric(2, 1, true), far);
  EXPECT_EQ(by_most.mean->value, 1000) << "the law of the rank with most reaches, that of the mean does not";
  EXPECT_EQ(by_most.most->value, 1000);
  const MetricPrediction larger = predict(metric(2, 1, false), far);
  EXPECT_EQ(larger.most->value, 2000);
  EXPECT_EQ(larger.most->low, 1000) << "what its own law says stays in the interval";
  const MetricPrediction apart = predict(metric(1, 2, false), far);
  EXPECT_EQ(apart.mean->value, 1000);
  EXPECT_EQ(apart.most->value, 2000);
}

/// Ranks of a grid that share out 33 points along each side, the first of them having one more.
std::unique_ptr<trace::MemorySource> sharing_program(trace::Rank ranks) {
  const RankGrid grid = GridRule{.dimensions = 2}.grid(ranks);
  auto source = std::make_unique<trace::MemorySource>(ranks);
  const trace::KernelId kernel = source->add_kernel({{0, 100}, {0, 200}});
  for (trace::Rank rank = 0; rank < ranks; ++rank) {
    const Shares of = shares(grid, rank, {33, 33, 0});
    const auto high = static_cast<std::uint64_t>(of[0]);
    const auto wide = static_cast<std::uint64_t>(of[1]);
    source->compute(rank, 200 + 30 * high + 1431 * high * wide, kernel);
    source->add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = 40 * high, .receive_bytes = 8});
    source->add(rank, {.kind = ActionKind::scatter, .peer = 0, .bytes = 8, .receive_bytes = 40 * wide});
    source->add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = 40 * wide, .receive_bytes = 8});
  }
  source->finalize();
  return source;
}

ScaledRun sharing_run(trace::Rank ranks) {
  return {std::to_string(ranks), {.ranks = static_cast<double>(ranks)}, run_figures(*sharing_program(ranks))};
}

TEST(Scaling, takes_ranks_by_their_shares_of_points_where_no_law_of_their_number_is_exact) {
  ScalingQuestion question{.check = sharing_run(36), .targets = {{.ranks = 64}}, .unit = "instructions"};
  for (const trace::Rank ranks : {9, 12, 16, 20, 25})
    question.runs.push_back(sharing_run(ranks));
  const Scaling answer = scaling(std::move(question));
  ASSERT_THAT(answer.kernels, SizeIs(1));
  const ScaledMetric& volume = answer.kernels.front().volume();
  EXPECT_FALSE(volume.most.fit.sure());
  ASSERT_THAT(volume.by_ranks, SizeIs(2)) << "the check run and the target";
  EXPECT_TRUE(volume.sure());
  EXPECT_TRUE(volume.most.check->exact);
  EXPECT_TRUE(volume.mean.check->exact);
  const ScaledRun there = sharing_run(64);
  const OverRanks& recorded = there.figures.kernels.begin()->second.metrics.at("instructions");
  EXPECT_DOUBLE_EQ(volume.most.there[0]->value, recorded.most);
  EXPECT_NEAR(volume.mean.there[0]->value, recorded.mean, 1e-6 * recorded.mean);
  EXPECT_THAT(volume.law(), HasSubstr("s1: share of 33 points along side 1"));
  EXPECT_NEAR(answer.coverage.confirmed, 1, 1e-12);
  EXPECT_NEAR(*answer.efficiencies.back().load_balance, recorded.mean / recorded.most, 1e-9);
}

TEST(ShareSearch, prefers_shares_of_all_to_those_along_sides_that_tell_as_well) {
  std::vector<RankGrid> grids;
  std::vector<Observation> figure;
  for (const trace::Rank ranks : {4, 8, 16}) {
    grids.push_back(GridRule{.dimensions = 3}.grid(ranks));
    for (trace::Rank rank = 0; rank < ranks; ++rank)
      figure.push_back({.run = static_cast<std::uint32_t>(grids.size() - 1),
                        .rank = rank,
                        .value = 109 + 458'752 / static_cast<std::uint64_t>(ranks)});
  }
  const ShareLaws found = ShareSearch(grids).laws(figure, {SharedPoints{}});
  ASSERT_TRUE(found.exact);
  ASSERT_THAT(found.laws, SizeIs(1));
  EXPECT_THAT(found.laws.front().text(), testing::StartsWith("109 + 458752/p1/p2/p3"));
}

class OneProgram : public testing::Test {
protected:
  OneProgram() {
    for (const trace::Rank count : {4, 16, 64})
      sources_.push_back(program(count));
  }
  std::vector<NamedRun> runs() const {
    std::vector<NamedRun> result;
    for (const auto& source : sources_)
      result.push_back({"run-" + std::to_string(source->run().size) + ".tia",
                        &source->run(),
                        {.ranks = static_cast<double>(source->run().size)}});
    return result;
  }
  /// Returns what is said of the runs; empty where nothing is wrong with them.
  std::string refusal(bool last_checks = false) const {
    try {
      demand_one_program(runs(), last_checks);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  trace::Run& last() { return sources_.back()->description(); }
  std::vector<std::unique_ptr<trace::MemorySource>> sources_;
};

TEST_F(OneProgram, of_three_sizes_is_taken) {
  EXPECT_EQ(refusal(), "");
}

TEST_F(OneProgram, needs_three_runs_beside_the_check) {
  EXPECT_THAT(refusal(true), HasSubstr("2 runs are too few"));
}

TEST_F(OneProgram, names_runs_of_different_programs) {
  last().provenance.program = "/bin/other";
  EXPECT_THAT(refusal(),
              testing::AllOf(HasSubstr("different programs: solver and other"), HasSubstr("run-4.tia and run-64.tia")));
}

TEST_F(OneProgram, names_another_program_before_builds_for_each_number_of_ranks) {
  for (std::size_t i = 0; i < 2; ++i) {
    trace::Run& run = sources_[i]->description();
    run.provenance.program = "/bin/solver." + std::to_string(run.size);
    run.modules.front() = {run.provenance.program, "build for " + std::to_string(run.size)};
  }
  last().provenance.program = "/bin/solver.x";
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("different programs: solver.4 and solver.x"),
                                        HasSubstr("run-4.tia and run-64.tia")));
}

TEST_F(OneProgram, names_runs_of_different_builds) {
  last().modules.front().build_id = "build two";
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("different builds of solver"), HasSubstr("run-64.tia")));
}

TEST_F(OneProgram, names_runs_that_counted_different_things) {
  last().counter.unit = trace::VolumeUnit::nanoseconds;
  EXPECT_THAT(refusal(), HasSubstr("counted different things"));
  last() = sources_.front()->run();
  EXPECT_THAT(refusal(), HasSubstr("the same recording"));
}

TEST_F(OneProgram, names_the_counter_of_a_run_that_knows_no_build_for_it_counted_nothing) {
  last().modules.clear();
  last().counter.unit = trace::VolumeUnit::none;
  EXPECT_THAT(refusal(), HasSubstr("counted different things"));
}

TEST_F(OneProgram, names_runs_that_profiled_different_events) {
  last().profile_events = {"PAPI_L3_TCM"};
  EXPECT_THAT(refusal(), HasSubstr("different events: none and PAPI_L3_TCM"));
}

TEST_F(OneProgram, names_a_run_that_is_not_complete) {
  last().ranks.pop_back();
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("not complete"), HasSubstr("run-64.tia")));
}

TEST_F(OneProgram, names_a_run_that_is_extrapolated) {
  last().provenance.extrapolated = "from others";
  last().provenance.run_identity = sources_.front()->run().provenance.run_identity;
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("the run is extrapolated"), HasSubstr("run-64.tia")));
}

TEST_F(OneProgram, needs_three_numbers_of_ranks) {
  sources_.back() = program(16, 99);
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("only 2 different"), HasSubstr("--size-of")));
}

} // namespace
} // namespace timeless::analysis
