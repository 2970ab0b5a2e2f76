// Runs that do not know where in a program they compute.
#include "tests/formats/dumpi_writer.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace timeless::trace::formats {
namespace {

using dumpi::Call;
using nlohmann::json;
using test::DumpiWriter;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using tools::test::Outcome;
using tools::test::timeless_command;

class UnknownPlaces : public testing::Test {
protected:
  /// Returns two ranks that compute before a barrier, and then not at all.
  std::string text() {
    const std::string path = directory_ / "steps.txt";
    trace::test::write_bytes(path, "0 init\n0 compute 1000\n0 barrier\n0 finalize\n"
                                   "1 init\n1 compute 3000\n1 barrier\n1 finalize\n");
    return path;
  }

  /// Returns a trace of one rank that computes between calls of different kinds.
  std::string dumpi() {
    std::vector<DumpiWriter> ranks(1);
    ranks[0].init();
    ranks[0].call(Call::Allreduce, {1, 14, 3, 2});
    ranks[0].call(Call::Barrier, {2});
    ranks[0].call(Call::Allreduce, {1, 14, 3, 2});
    ranks[0].finalize();
    return write_dumpi(directory_.path(), ranks).string();
  }

  timeless::test::TemporaryDirectory directory_;
};

json answer(const std::vector<std::string>& words) {
  const Outcome outcome = timeless_command(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

TEST_F(UnknownPlaces, have_no_module_and_no_offset_but_the_calls_that_are_known) {
  const json kernel = answer({"info", "--from", "ti", text(), "--kernels", "--json"}).at("kernels").at(0);
  EXPECT_TRUE(kernel.at("from").at("module").is_null());
  EXPECT_TRUE(kernel.at("from").at("offset").is_null());
  EXPECT_EQ(kernel.at("from").at("call"), "MPI_Init");
  EXPECT_EQ(kernel.at("to").at("call"), "MPI_Barrier");
  const Outcome listing = timeless_command({"info", "--from", "ti", text(), "--kernels"});
  EXPECT_THAT(listing.out, AllOf(HasSubstr("to   MPI_Barrier\n"), Not(HasSubstr("+0x"))));
  EXPECT_THAT(timeless_command({"info", "--from", "ti", text(), "--kernels", "--csv"}).out, Not(HasSubstr("steps")));
}

TEST_F(UnknownPlaces, have_no_call_where_it_is_not_always_the_same) {
  const std::string path = directory_ / "mixed.txt";
  trace::test::write_bytes(path, "0 init\n0 compute 1000\n0 barrier\n0 compute 50\n0 finalize\n");
  const json kernel = answer({"info", "--from", "ti", path, "--kernels", "--json"}).at("kernels").at(0);
  EXPECT_TRUE(kernel.at("from").at("call").is_null());
  EXPECT_TRUE(kernel.at("to").at("call").is_null());
  EXPECT_THAT(timeless_command({"info", "--from", "ti", path, "--kernels"}).out,
              HasSubstr("from no known place\n      to   no known place\n"));
}

TEST_F(UnknownPlaces, are_none_in_a_division_by_kernel_and_nothing_to_warn_of) {
  const std::vector<std::string> asked{"replay", "--from", "ti", text(), "--network", "qdr", "--by", "kernel"};
  const Outcome outcome = timeless_command(asked);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("to   MPI_Barrier\n"), Not(HasSubstr("steps.txt+"))));
  std::vector<std::string> as_json = asked;
  as_json.emplace_back("--json");
  const json answered = answer(as_json);
  for (const json& part : answered.at("configurations").at(0).at("by_kernel"))
    if (part.contains("from")) {
      EXPECT_TRUE(part.at("from").is_null() || part.at("from").get<std::string>().starts_with("MPI_"));
      EXPECT_EQ(part.at("to"), "MPI_Barrier");
    }
}

TEST_F(UnknownPlaces, stay_unknown_in_an_archive_and_kernels_between_other_calls_others) {
  const std::string archive = directory_ / "run.tia";
  ASSERT_EQ(timeless_command({"convert", "--from", "dumpi", dumpi(), "-o", archive}).status, 0);
  const json direct = answer({"info", "--from", "dumpi", dumpi(), "--kernels", "--json", "--top", "0"}).at("kernels");
  const json kernels = answer({"info", archive, "--kernels", "--json", "--top", "0"}).at("kernels");
  EXPECT_EQ(kernels, direct);
  ASSERT_GE(kernels.size(), 2U);
  for (const json& kernel : kernels)
    EXPECT_TRUE(kernel.at("from").at("module").is_null());
  EXPECT_THAT(timeless_command({"info", archive, "--kernels"}).out,
              AllOf(HasSubstr("from MPI_Allreduce\n      to   MPI_Barrier\n"),
                    HasSubstr("from MPI_Barrier\n      to   MPI_Allreduce\n"), Not(HasSubstr("+0x"))));
}

} // namespace
} // namespace timeless::trace::formats
