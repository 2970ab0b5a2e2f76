// Threads that replay from one archive, whose reader they share.
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "tests/temporary_directory.h"
#include "tests/trace/samples.h"
#include "tests/trace/shared_structures.h"
#include "trace/archive/reader.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace timeless::replay::test::archive_partition_test {
namespace {

using trace::test::share_structures;
using trace::test::write_archive;

TEST(LanePartition, of_one_archive_have_the_same_bits_as_of_memory) {
  for (std::uint64_t seed = 6500; seed < 6510; ++seed) {
    const timeless::test::TemporaryDirectory directory;
    const trace::MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 300});
    write_archive(program, directory / "own.tia");
    const trace::ArchiveReader own(directory / "own.tia");
    share_structures(own, directory / "shared.tia");
    const trace::ArchiveReader shared(directory / "shared.tia");
    std::vector<std::uint64_t> lanes(40);
    std::iota(lanes.begin(), lanes.end(), seed);
    std::vector<Result> results;
    for (const trace::Source* source :
         {static_cast<const trace::Source*>(&program), static_cast<const trace::Source*>(&own),
          static_cast<const trace::Source*>(&shared)}) {
      IntegerMachine machine(program.run().size, seed, lanes);
      ReplayOptions options;
      options.threads = source == &program ? 1 : 4;
      results.push_back(replay(*source, machine, options));
    }
    for (const Result& result : results)
      for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        ASSERT_TRUE(same_bits(result.lanes[lane], results.front().lanes[lane])) << "seed " << seed << ", lane " << lane;
  }
}

} // namespace
} // namespace timeless::replay::test::archive_partition_test
