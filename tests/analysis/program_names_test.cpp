#include "analysis/trace/program_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace timeless::analysis {
namespace {

std::vector<std::string> called(const std::vector<NamedProgram>& programs) {
  return program_names(programs);
}

using Names = std::vector<std::string>;

TEST(ProgramNames, leave_out_the_number_of_ranks_that_an_executable_is_built_for) {
  EXPECT_EQ(called({{"ft.S.8", 8}, {"ft.S.16", 16}, {"cg.S.16", 16}}), (Names{"ft.S", "ft.S", "cg.S.16"}));
  EXPECT_EQ(called({{"bt.A.4.mpi_io_full", 4}, {"bt.A.16.mpi_io_full", 16}}),
            (Names{"bt.A.mpi_io_full", "bt.A.mpi_io_full"}));
  EXPECT_EQ(called({{"solve-2", 2}, {"solve_4", 4}}), (Names{"solve", "solve"}));
}

TEST(ProgramNames, stay_as_they_are_where_that_brings_nothing_together) {
  EXPECT_EQ(called({{"ft.S.8", 8}}), Names{"ft.S.8"});
  EXPECT_EQ(called({{"lmp", 8}, {"lmp", 16}}), (Names{"lmp", "lmp"}));
  EXPECT_EQ(called({{"app-2.1", 2}, {"app-2.1", 4}}), (Names{"app-2.1", "app-2.1"})) << "that is a version";
  EXPECT_EQ(called({{"ft.S.8", 8}, {"ft.W.8", 8}}), (Names{"ft.S.8", "ft.W.8"})) << "another problem";
  EXPECT_EQ(called({{"ft.S.8", 8}, {"ft.S.32", 16}}), (Names{"ft.S.8", "ft.S.32"})) << "not its number of ranks";
  EXPECT_EQ(called({{"8", 8}, {"x8", 8}, {"", 4}}), (Names{"8", "x8", ""}));
}

} // namespace
} // namespace timeless::analysis
