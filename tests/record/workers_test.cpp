// What icount says of worker threads: the loops they ran, and little for starting, waiting and ending.
#include "tests/record/shell.h"

#include "gather/parts/rank_files.h"
#include "trace/archive/reader.h"

#include <gmock/gmock.h>

#include <vector>

namespace timeless::test {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;
using trace::ActionKind;

struct Workers {
  std::vector<std::uint64_t> sums; ///< a burst each, where workers did something
  std::vector<std::uint64_t> maxima;
  bool operator==(const Workers&) const = default;
};

Workers workers_of(const std::filesystem::path& file, trace::Rank rank) {
  const trace::ArchiveReader archive(file);
  Workers workers;
  trace::ActionBlock block;
  for (const auto stream = archive.open(rank); stream->next(block);)
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      if (action.kind == ActionKind::workers_sum) workers.sums.push_back(volume);
      if (action.kind == ActionKind::workers_maximum) workers.maxima.push_back(volume);
    });
  return workers;
}

std::vector<Workers> record(int ranks, const std::string& program, const std::string& output,
                            const std::string& prefix = "") {
  const Workplace place;
  const Ran ran = place.run(prefix + " timeless record --counter icount -o trace -- mpirun -np " +
                            std::to_string(ranks) + " " + program);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.output, output) << ran.errors;
  std::vector<Workers> found;
  for (const gather::RankFile& file : gather::list_rank_files(place / "trace"))
    found.push_back(workers_of(file.path, file.rank));
  return found;
}

/// Two instructions an iteration; the rest is what OpenMP does, of which no more is known than that it is little.
auto loops(std::uint64_t iterations, std::uint64_t threads) {
  constexpr std::uint64_t most_beside = 2000;
  return AllOf(Ge(2 * iterations), Le(2 * iterations + threads * most_beside));
}

void expect_hybrid(const std::string& program) {
  constexpr std::uint64_t unit = 100'000;
  const std::vector<Workers> ranks = record(2, program + " 100000", "19200000 iterations\n");
  ASSERT_EQ(ranks.size(), 2U);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    // On their way to sleep, threads may reach into a burst that is none of theirs, at the end.
    ASSERT_THAT(ranks[rank].sums.size(), AllOf(Ge(4U), Le(5U)));
    for (std::uint64_t phase = 1; phase <= 3; ++phase) {
      const std::uint64_t share = unit * phase * (rank + 1);
      EXPECT_THAT(ranks[rank].sums[phase - 1], loops((2 + 3 + 4) * share, 3));
      EXPECT_THAT(ranks[rank].maxima[phase - 1], loops(4 * share, 1));
    }
    EXPECT_THAT(ranks[rank].sums[3], loops((1 + 2 + 3) * unit, 3));
    EXPECT_THAT(ranks[rank].maxima[3], loops(3 * unit, 1));
  }
}

TEST(WorkersUnderIcount, of_openmp_in_c_did_what_they_were_told_and_hardly_more) {
  expect_hybrid("hybrid_c");
}

TEST(WorkersUnderIcount, of_openmp_in_fortran_did_what_they_were_told_and_hardly_more) {
  expect_hybrid("hybrid_fortran");
}

TEST(WorkersUnderIcount, that_wait_for_nobody_did_exactly_the_same_in_every_run_on_one_core_or_all) {
  const std::string output = "smallest 600\nsmallest 600\n";
  const std::vector<Workers> first = record(2, "worker_threads attributes", output);
  ASSERT_EQ(first.size(), 2U);
  for (const Workers& rank : first) {
    ASSERT_EQ(rank.sums.size(), 1U);
    EXPECT_THAT(rank.sums[0], loops(600, 1));
    EXPECT_EQ(rank, first[0]);
  }
  EXPECT_EQ(record(2, "worker_threads attributes", output), first);
  EXPECT_EQ(record(2, "worker_threads attributes", output, "taskset -c 0"), first);
}

} // namespace
} // namespace timeless::test
