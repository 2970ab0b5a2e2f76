// A deeper stack: the same call from different functions of the program.
#include "tests/kernels/listed.h"

#include "gather/parts/rank_files.h"
#include "trace/archive/reader.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// Functions from a call outwards, each with its line: "exchange:26 < large_phase:40 < main:57".
std::string path_text(const json& end) {
  std::string text = end.value("function", "?") + ":" + std::to_string(end.value("line", 0));
  for (const json& caller : end.at("callers"))
    text += " < " + caller.value("function", "?") + ":" + std::to_string(caller.value("line", 0));
  return text;
}

std::vector<std::string> paths(const Listed& listed, const std::string& call) {
  std::vector<std::string> texts;
  for (const json& end : listed.ends(call))
    texts.push_back(path_text(end));
  return texts;
}

std::string at(const std::string& function, const std::string& site) {
  return function + ":" + std::to_string(line_of_site("layers.c", site));
}

TEST(Stack, of_one_address_makes_one_site_of_a_communication_layer) {
  const Workplace place;
  record(place, "trace", "layers");
  EXPECT_THAT(paths(list_kernels(place, "trace"), "MPI_Sendrecv"), testing::ElementsAre(at("exchange", "exchange")));
}

TEST(Stack, of_two_addresses_tells_who_called_the_communication_layer) {
  const Workplace place;
  record(place, "trace", "layers", "--stack 2");
  const Listed listed = list_kernels(place, "trace");
  EXPECT_THAT(paths(listed, "MPI_Sendrecv"),
              testing::UnorderedElementsAre(at("exchange", "exchange") + " < " + at("small_phase", "small phase"),
                                            at("exchange", "exchange") + " < " + at("large_phase", "large phase")));
  const json heaviest = listed.kernels().at(0);
  EXPECT_EQ(heaviest.at("to").at("callers").at(0).at("function"), "large_phase");
}

TEST(Stack, deeper_than_the_program_ends_at_main) {
  const Workplace place;
  record(place, "trace", "layers", "--stack 32");
  const auto found = paths(list_kernels(place, "trace"), "MPI_Sendrecv");
  EXPECT_EQ(found.size(), 2U);
  EXPECT_THAT(found, testing::Each(testing::ContainsRegex(" < main:[0-9]+$")));
  EXPECT_THAT(
      place.run("timeless info --kernels trace").output,
      testing::ContainsRegex("MPI_Sendrecv in exchange .layers.c:[0-9]+. < large_phase .layers.c:[0-9]+. < main"));
}

TEST(Stack, deeper_than_a_stripped_program_leaves_out_what_starts_it) {
  const Workplace place;
  std::filesystem::copy_file(built("layers"), place / "layers");
  ASSERT_EQ(place.run(OBJCOPY " --strip-all layers").status, 0);
  record(place, "trace", "./layers", "--stack 32");
  const json end = list_kernels(place, "trace").end("MPI_Sendrecv");
  ASSERT_EQ(end.at("callers").size(), 2U) << end;
  for (const json& caller : end.at("callers"))
    EXPECT_THAT(caller.at("module").get<std::string>(), testing::EndsWith("/layers"));
}

TEST(Stack, survives_gathering_and_is_the_same_in_all_ranks) {
  const Workplace place;
  record(place, "trace", "mpirun -np 3 layers", "--stack 3");
  ASSERT_EQ(place.run("timeless gather trace -o run.tia").status, 0);
  const Listed apart = list_kernels(place, "trace");
  const Listed gathered = list_kernels(place, "run.tia");
  EXPECT_EQ(gathered.kernels(), apart.kernels());
  EXPECT_EQ(paths(gathered, "MPI_Sendrecv").size(), 2U);
  for (const json& kernel : gathered.kernels())
    EXPECT_EQ(kernel.at("ranks").at("count"), 3) << kernel;
}

TEST(Stack, passes_through_fortran_and_through_a_library) {
  const Workplace place;
  record(place, "fortran", "procedures", "--stack 2");
  const Listed fortran = list_kernels(place, "fortran");
  for (const json& end : fortran.ends("MPI_Barrier"))
    EXPECT_EQ(end.at("callers").at(0).value("function", ""), "procedures") << end;
  record(place, "layers", "layers", "--stack 2");
  const json reduction = list_kernels(place, "layers").end("MPI_Allreduce");
  EXPECT_EQ(reduction.value("function", ""), "solve");
  EXPECT_EQ(reduction.at("callers").at(0).value("function", ""), "main");
}

TEST(Stack, ends_where_a_function_says_nothing_of_its_frame) {
  const Workplace place;
  record(place, "trace", "layers_frameless", "--stack 8");
  const Listed listed = list_kernels(place, "trace");
  EXPECT_THAT(paths(listed, "MPI_Sendrecv"), testing::ElementsAre(at("exchange", "exchange")));
  EXPECT_THAT(paths(listed, "MPI_Allreduce"), testing::Each(HasSubstr("solve:")));
}

TEST(Stack, of_no_sensible_depth_is_refused) {
  const Workplace place;
  for (const char* depth : {"0", "33", "deep", "-1"}) {
    EXPECT_EQ(place.run(std::string("timeless record --stack ") + depth + " -- layers").status, 2) << depth;
    const Ran ran = place.run(
        "LD_PRELOAD=" TIMELESS_LIBRARY " TIMELESS_COUNTER=none TIMELESS_STACK=" + std::string(depth) + " layers");
    EXPECT_EQ(ran.status, 2) << depth;
    EXPECT_THAT(ran.errors, HasSubstr("TIMELESS_STACK"));
  }
}

#ifdef ICOUNT_IS_BUILT

/// Returns volumes of a recording, in the order of its actions.
std::vector<std::uint64_t> volumes(const Workplace& place, const std::string& directory) {
  std::vector<std::uint64_t> all;
  for (const gather::RankFile& file : gather::list_rank_files(place / directory)) {
    const trace::ArchiveReader archive(file.path);
    trace::ActionBlock block;
    for (const auto stream = archive.open(file.rank); stream->next(block);)
      all.insert(all.end(), block.volumes().begin(), block.volumes().end());
  }
  return all;
}

TEST(Stack, does_not_count_as_the_programs_work_and_kernels_count_exactly) {
  const Workplace place;
  record(place, "flat", "layers 6", "--counter icount");
  record(place, "deep", "layers 6", "--counter icount --stack 16");
  EXPECT_THAT(volumes(place, "flat"), testing::SizeIs(testing::Ge(20U)));
  EXPECT_EQ(volumes(place, "flat"), volumes(place, "deep"));
  // The same loop, 200,000 steps of it and 20,000.
  const Listed listed = list_kernels(place, "deep");
  std::map<std::string, double> means;
  for (const json& kernel : listed.kernels()) {
    EXPECT_EQ(kernel.at("least"), kernel.at("most")) << kernel;
    means[path_text(kernel.at("to"))] = kernel.at("mean").get<double>();
  }
  const double large = means.at(at("exchange", "exchange") + " < " + at("large_phase", "large phase") + " < " +
                                at("main", "call of large phase"));
  EXPECT_NEAR(large / means.at(at("main", "barrier")), 10, 0.02);
}

#endif

} // namespace
} // namespace timeless::test
