// icount's volumes belong to the program: the same in every run, and however few cores the ranks share.
#include "tests/record/shell.h"

#include "gather/parts/rank_files.h"
#include "trace/archive/reader.h"

#include <gmock/gmock.h>

#include <sstream>
#include <vector>

namespace timeless::test {
namespace {

/// Returns every action of a rank with its volume, in order, as text.
std::vector<std::string> actions_of(const std::filesystem::path& file, trace::Rank rank) {
  const trace::ArchiveReader archive(file);
  std::vector<std::string> actions;
  trace::ActionBlock block;
  for (const auto stream = archive.open(rank); stream->next(block);)
    trace::for_each_action(block, [&](const trace::Action& action, std::uint64_t volume) {
      std::ostringstream text;
      text << trace::mpi_name(action) << " peer " << action.peer << " tag " << action.tag << " bytes " << action.bytes
           << " kernel " << action.kernel << " volume " << volume;
      actions.push_back(text.str());
    });
  return actions;
}

using Recording = std::vector<std::vector<std::string>>;

Recording record(const std::string& prefix, const std::string& program) {
  const Workplace place;
  const Ran ran = place.run(prefix + " timeless record --counter icount -o trace -- mpirun -np 4 " + program);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  Recording ranks;
  for (const gather::RankFile& file : gather::list_rank_files(place / "trace"))
    ranks.push_back(actions_of(file.path, file.rank));
  EXPECT_EQ(ranks.size(), 4U) << ran.errors;
  return ranks;
}

void expect_identical(const Recording& left, const Recording& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t rank = 0; rank < left.size(); ++rank) {
    ASSERT_EQ(left[rank].size(), right[rank].size()) << "rank " << rank;
    for (std::size_t i = 0; i < left[rank].size(); ++i)
      ASSERT_EQ(left[rank][i], right[rank][i]) << "rank " << rank;
  }
}

void expect_reproducible(const std::string& program, std::size_t least_actions) {
  const Recording first = record("", program);
  ASSERT_GE(first.at(1).size(), least_actions);
  expect_identical(first, record("", program));
  expect_identical(first, record("taskset -c 0", program));
}

TEST(Reproducible, a_c_program_between_runs_and_between_one_core_and_all) {
  expect_reproducible("stencil", 400);
}

TEST(Reproducible, a_fortran_program_between_runs_and_between_one_core_and_all) {
  expect_reproducible("ring", 80);
}

} // namespace
} // namespace timeless::test
