// record --profile memory: what kernels' accesses find in caches of any size.
#include "tests/record/shell.h"

#include "gather/parts/rank_files.h"
#include "trace/archive/reader.h"
#include "trace/model/memory_events.h"

#include <gmock/gmock.h>

#include <vector>

namespace timeless::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<trace::RankRecord> recorded(const Workplace& place, const std::string& directory) {
  const Ran ran = place.run("timeless record --profile memory -o " + directory + " -- mpirun -np 2 stencil");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("memory accesses too"));
  std::vector<trace::RankRecord> ranks;
  for (const gather::RankFile& file : gather::list_rank_files(place / directory)) {
    const trace::ArchiveReader archive(file.path);
    EXPECT_EQ(archive.run().profile_events, trace::memory_events());
    ranks.push_back(archive.run().ranks.at(0));
  }
  EXPECT_EQ(ranks.size(), 2U);
  return ranks;
}

std::uint64_t sum_of(const trace::RankRecord& record, std::size_t event) {
  std::uint64_t sum = 0;
  for (const trace::KernelProfile& profile : record.profile)
    sum += profile.sums.at(event);
  return sum;
}

TEST(MemoryProfile, is_the_same_in_every_run_and_counts_the_volumes_instructions) {
  const Workplace place;
  const auto first = recorded(place, "first");
  const auto second = recorded(place, "second");
  for (std::size_t rank = 0; rank < 2; ++rank) {
    ASSERT_FALSE(first[rank].profile.empty());
    EXPECT_GT(sum_of(first[rank], trace::memory_loads), 1000U);
    // What a rank prints differs, and where its data stand: the first rank's times, the size of the environment.
    for (const std::size_t event : {trace::memory_instructions, trace::memory_loads, trace::memory_stores}) {
      const auto counted = static_cast<double>(sum_of(first[rank], event));
      EXPECT_NEAR(static_cast<double>(sum_of(second[rank], event)), counted, 0.001 * counted) << event;
    }
  }
  const Ran gathered = place.run("timeless gather first -o run.tia && timeless info run.tia --profile && "
                                 "timeless info run.tia --profile --json && timeless check run.tia");
  EXPECT_EQ(gathered.status, 0) << gathered.errors;
  EXPECT_THAT(gathered.output, HasSubstr("miss 32KiB"));
  EXPECT_THAT(gathered.output, HasSubstr("cache_misses"));
  EXPECT_THAT(gathered.output, HasSubstr("SEQ_LINES_512"));
}

TEST(MemoryProfile, is_icounts_alone) {
  const Workplace place;
  const Ran other = place.run("timeless record --counter cputime --profile memory -o t -- mpirun -np 2 stencil");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("--profile memory is icount's"));
  const Ran by_hand = place.run("TIMELESS_PROFILE=memory timeless record --counter none -o u -- mpirun -np 1 stencil");
  EXPECT_EQ(by_hand.status, 5);
  EXPECT_THAT(by_hand.errors, HasSubstr("taken by icount alone"));
}

} // namespace
} // namespace timeless::test
