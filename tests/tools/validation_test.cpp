// What `validate` prints of a comparison whose numbers are given, so that no clock decides what is seen.
#include "tools/render/validation/validation.h"
#include "tools/validating/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace timeless::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Of one second: a kernel of a quarter of it, and one of a thousandth.
Validation compared() {
  ValidatedPrediction one;
  one.backend = "model";
  one.makespan = {.predicted = 1, .measured = 1};
  one.kernels = {{.name = "1", .places = "MPI_Init .. MPI_Send", .time = {.predicted = 0.25, .measured = 0.2}},
                 {.name = "2", .places = "MPI_Send .. MPI_Finalize", .time = {.predicted = 1e-3, .measured = 1e-3}}};
  Validation validation;
  validation.command = "mpirun -np 2 stencil";
  validation.ranks = 2;
  validation.makespans = {1};
  validation.predictions = {one};
  return validation;
}

TEST(ValidationText, names_kernels_by_their_numbers_and_below_by_their_places) {
  const std::string text = to_text(compared());
  const std::size_t table = text.find("kernel, mean of ranks");
  ASSERT_NE(table, std::string::npos) << text;
  const std::size_t places = text.find("\n\n", table);
  EXPECT_THAT(text.substr(table, places - table), Not(HasSubstr("MPI_")));
  EXPECT_THAT(text.substr(places), HasSubstr("MPI_Init .. MPI_Send"));
}

TEST(ValidationText, leaves_out_what_takes_less_than_two_thousandths_of_the_run) {
  EXPECT_THAT(to_text(compared()), Not(HasSubstr("MPI_Finalize")));
  Validation short_ones = compared();
  short_ones.predictions.front().kernels.erase(short_ones.predictions.front().kernels.begin());
  EXPECT_THAT(to_text(short_ones), AllOf(Not(HasSubstr("kernel, mean of ranks")), HasSubstr("makespan")));
}

TEST(ValidationText, says_where_the_ranks_were) {
  EXPECT_THAT(to_text(compared()), Not(HasSubstr("mapping")));
  EXPECT_TRUE(to_json(compared())["predictions"][0]["mapping"].is_null());
  Validation placed = compared();
  placed.predictions.front().mapping = "recorded: 1 node";
  EXPECT_THAT(to_text(placed), HasSubstr("mapping       recorded: 1 node\n"));
  EXPECT_EQ(to_json(placed)["predictions"][0]["mapping"], "recorded: 1 node");
}

TEST(ValidationText, calls_intervals_after_what_they_are_by) {
  EXPECT_THAT(to_text(compared()), HasSubstr("by its rates"));
  Validation of_a_machine = compared();
  of_a_machine.interval_by = "its costs";
  EXPECT_THAT(to_text(of_a_machine), AllOf(HasSubstr("by its costs"), Not(HasSubstr("by its rates"))));
}

} // namespace
} // namespace timeless::tools
