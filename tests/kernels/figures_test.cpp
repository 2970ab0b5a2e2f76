#include "analysis/trace/kernel_figures.h"

#include "trace/model/memory_source.h"

#include <gmock/gmock.h>

#include <cmath>

namespace timeless::analysis {
namespace {

using trace::ActionKind;
using trace::KernelId;
using trace::MemorySource;

/// Kernel 0 is MemorySource's own.
KernelId between(MemorySource& run, std::uint64_t begin, std::uint64_t end) {
  return run.add_kernel({.begin = {0, begin}, .end = {0, end}});
}

TEST(KernelFigures, are_over_all_visits_of_all_ranks) {
  MemorySource run(2, 3); // computations and what ends them fall into different blocks
  const KernelId kernel = between(run, 1, 2);
  for (const std::uint64_t volume : {2U, 4U, 6U}) {
    run.compute(0, volume, kernel);
    run.add(0, {.kind = ActionKind::barrier});
  }
  run.compute(1, 8, kernel);
  run.add(1, {.kind = ActionKind::barrier});
  run.finalize();
  const KernelFigures figures = kernel_figures(run).at(kernel);
  EXPECT_EQ(figures.visits, 4U);
  EXPECT_DOUBLE_EQ(figures.volume, 20);
  EXPECT_DOUBLE_EQ(figures.mean, 5);
  EXPECT_DOUBLE_EQ(figures.least, 2);
  EXPECT_DOUBLE_EQ(figures.most, 8);
  EXPECT_DOUBLE_EQ(figures.variation(), std::sqrt(5.0) / 5);
  EXPECT_EQ(figures.ranks, 2U);
  EXPECT_DOUBLE_EQ(figures.least_of_rank, 8);
  EXPECT_DOUBLE_EQ(figures.most_of_rank, 12);
  EXPECT_EQ(figures.end_call, "MPI_Barrier");
}

TEST(KernelFigures, of_equal_large_volumes_do_not_vary) {
  MemorySource run(1);
  const KernelId kernel = between(run, 1, 2);
  for (int i = 0; i < 100000; ++i)
    run.compute(0, 1234567890123, kernel);
  run.finalize();
  EXPECT_EQ(kernel_figures(run).at(kernel).variation(), 0);
}

TEST(KernelFigures, of_a_rank_that_never_came_do_not_count) {
  MemorySource run(3);
  const KernelId kernel = between(run, 1, 2);
  run.compute(1, 5, kernel);
  run.finalize();
  const KernelFigures figures = kernel_figures(run).at(kernel);
  EXPECT_EQ(figures.ranks, 1U);
  EXPECT_DOUBLE_EQ(figures.least_of_rank, 5);
}

TEST(KernelFigures, name_the_calls_at_both_ends_and_init_before_the_first) {
  MemorySource run(1);
  const KernelId first = between(run, 1, 2);
  const KernelId second = between(run, 2, 3);
  run.compute(0, 5, first);
  run.add(0, {.kind = ActionKind::send, .peer = 0, .request = 0});
  run.compute(0, 5, second);
  const trace::RequestId request = 0;
  run.add(0, {.kind = ActionKind::resolved, .peer = 0, .request = 0});
  run.add(0, {.kind = ActionKind::wait, .requests = {&request, 1}});
  run.finalize();
  const auto kernels = kernel_figures(run);
  EXPECT_EQ(kernels.at(first).begin_call, "MPI_Init");
  EXPECT_EQ(kernels.at(first).end_call, "MPI_Isend");
  EXPECT_EQ(kernels.at(second).begin_call, "MPI_Isend");
  EXPECT_EQ(kernels.at(second).end_call, "MPI_Wait");
}

TEST(KernelFigures, hold_the_work_of_other_threads_apart) {
  MemorySource run(1, 2);
  const KernelId kernel = between(run, 1, 2);
  for (int i = 0; i < 3; ++i) {
    run.compute(0, 5, kernel);
    run.volume(0, ActionKind::workers_sum, 20, kernel);
    run.volume(0, ActionKind::workers_maximum, 12, kernel);
    run.add(0, {.kind = ActionKind::barrier});
  }
  run.finalize();
  const KernelFigures figures = kernel_figures(run).at(kernel);
  EXPECT_EQ(figures.visits, 3U);
  EXPECT_DOUBLE_EQ(figures.volume, 15);
  EXPECT_DOUBLE_EQ(figures.workers, 60);
  EXPECT_EQ(figures.end_call, "MPI_Barrier");
}

TEST(HeaviestKernels, hold_those_that_only_worker_threads_computed_in) {
  MemorySource run(1);
  const KernelId kernel = between(run, 1, 2);
  run.volume(0, ActionKind::workers_sum, 20, kernel);
  run.finalize();
  EXPECT_THAT(heaviest(kernel_figures(run)), testing::ElementsAre(kernel));
}

TEST(KernelFigures, do_not_name_a_call_where_there_are_several) {
  MemorySource run(1);
  const KernelId kernel = between(run, 1, 2);
  run.compute(0, 5, kernel);
  run.add(0, {.kind = ActionKind::barrier});
  run.compute(0, 5, kernel);
  run.add(0, {.kind = ActionKind::send, .peer = 0});
  run.finalize();
  EXPECT_EQ(kernel_figures(run).at(kernel).end_call, "");
}

TEST(HeaviestKernels, come_first_and_those_never_visited_not_at_all) {
  MemorySource run(1);
  const KernelId light = between(run, 1, 2);
  const KernelId never = between(run, 1, 3);
  const KernelId heavy = between(run, 2, 3);
  run.compute(0, 1, light);
  run.compute(0, 9, heavy);
  run.finalize();
  EXPECT_THAT(heaviest(kernel_figures(run)), testing::ElementsAre(heavy, light));
  EXPECT_EQ(kernel_figures(run).at(never).visits, 0U);
}

} // namespace
} // namespace timeless::analysis
