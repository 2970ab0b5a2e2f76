#include "trace/codec/definitions/definitions.h"

#include "base/error.h"
#include "tests/trace/samples.h"
#include "trace/codec/format.h"

#include <gtest/gtest.h>

#include <random>

namespace timeless::trace {
namespace {

Definitions everything() {
  Definitions all = definitions_of(test::varied_run().run());
  all.counter = Counter{"icount", "1", VolumeUnit::nanoseconds, Exactness::inexact, "all"};
  all.provenance = Provenance{"timeless 1",        "Open MPI", "/bin/x",         "2026-01-01T00:00:00Z",
                              0xfedcba9876543210U, "",         {"./x", "-n", ""}};
  all.communicators.push_back({.members = {2, 0, 1}, .remote_members = {1}, .identity = ~std::uint64_t{0}});
  all.communicators.push_back({.members = {0, 1, 2}, .grid = {{.extent = 3, .periodic = true}, {.extent = 1}}});
  all.ranks[1].ending = Ending::stopped;
  all.ranks[1].ending_reason = "disk full";
  all.ranks[1].unrecorded_calls = {{"MPI_Put", 12}, {"MPI_File_write", 1}};
  all.modules = {{.path = "/bin/x", .build_id = std::string("\0\xff id", 5)}, {.path = "/lib/y.so"}};
  all.callers = {{.site = {0, 0x10}}, {.site = {1, 0x20}, .caller = 0}};
  all.kernels.push_back({.begin = {0, 1}, .end = {1, 2}, .begin_caller = 1, .end_caller = 0});
  all.profile_events = {"PAPI_TOT_CYC", "PAPI_L2_TCM"};
  all.volume_error = 2000000;
  all.ranks[0].recorded_time = 123456789012;
  all.ranks[0].peak_memory = 3ULL << 40U;
  all.ranks[0].profile = {{.kernel = 1, .bursts = 7, .sums = {~std::uint64_t{0}, 0}}};
  all.numbers.push_back({.rank = 2, .communicators = {0, 2, 1}, .kernels = {1, 0}, .regions = {2, 1, 0}});
  return all;
}

TEST(Definitions, read_back_as_they_were_written) {
  EXPECT_EQ(decode_definitions(encode(everything())), everything());
}

TEST(Definitions, hold_members_of_other_worlds_at_their_places) {
  constexpr Rank other = foreign_rank;
  Definitions definitions;
  definitions.size = 3;
  definitions.communicators = {{.members = {0, 1, 2}},
                               {.members = {0, 1, 2}, .remote_members = {other, other, other}},
                               {.members = {other, 2, other, other, 1, 0, other}}};
  const Definitions read = decode_definitions(encode(definitions));
  EXPECT_EQ(read.communicators, definitions.communicators);
  EXPECT_EQ(read.communicators[2].foreign_members(), 4U);
  trace::Run run;
  apply(read, run);
  EXPECT_EQ(run.communicators.size(), 3U);
}

TEST(Definitions, refuse_a_grid_of_other_places_than_members) {
  for (const std::vector<GridDimension>& grid : {std::vector<GridDimension>{{.extent = 2}},
                                                 {{.extent = 3}, {.extent = 0}},
                                                 {{.extent = 2}, {.extent = 2}},
                                                 std::vector<GridDimension>(9, {.extent = 1U << 30U})}) {
    Definitions definitions;
    definitions.size = 3;
    definitions.communicators = {{.members = {0, 1, 2}, .grid = grid}};
    trace::Run run;
    EXPECT_THROW(apply(definitions, run), Error);
  }
}

TEST(Definitions, the_world_of_a_million_ranks_takes_a_few_bytes) {
  Definitions definitions;
  definitions.communicators.emplace_back();
  for (Rank rank = 0; rank < 1000000; ++rank)
    definitions.communicators[0].members.push_back(rank);
  const std::string bytes = encode(definitions);
  EXPECT_LT(bytes.size(), 40U);
  EXPECT_EQ(decode_definitions(bytes), definitions);
}

TEST(Definitions, a_few_bytes_cannot_claim_memory_for_endless_members) {
  Definitions definitions;
  for (int i = 0; i < 8; ++i) {
    definitions.communicators.emplace_back();
    for (Rank rank = 0; rank < max_ranks - 1; ++rank)
      definitions.communicators.back().members.push_back(rank);
  }
  EXPECT_THROW(decode_definitions(encode(definitions)), Error);
}

TEST(Definitions, damaged_messages_never_do_more_than_throw) {
  const std::string whole = encode(everything());
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 20000; ++trial) {
    std::string bytes = whole.substr(0, random() % (whole.size() + 1));
    for (std::size_t changes = random() % 4; changes > 0 && !bytes.empty(); --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    try {
      trace::Run run;
      apply(decode_definitions(bytes), run);
    } catch (const Error& problem) {
      EXPECT_EQ(problem.failure(), Failure::invalid_input);
    }
  }
}

TEST(Definitions, without_build_ids_and_callers_are_what_they_were_before_there_were_any) {
  Definitions definitions;
  definitions.modules = {{.path = "/bin/x"}};
  definitions.kernels = {{.begin = {0, 1}, .end = {0, 2}}};
  EXPECT_EQ(encode(definitions), std::string("\x32\x06/bin/x\x3a\x08\x08\x00\x10\x01\x18\x00\x20\x02", 18));
  EXPECT_EQ(decode_definitions(encode(definitions)), definitions);
}

TEST(Definitions, with_more_build_ids_than_modules_are_refused) {
  EXPECT_THROW(decode_definitions("\x52\x02id"), Error);
}

TEST(Definitions, later_ones_add_to_earlier_ones_and_replace_a_rank) {
  trace::Run run;
  apply(definitions_of(test::varied_run(3).run()), run);
  const std::size_t kernels = run.kernels.size();
  Definitions more;
  more.kernels.push_back({{0, 1}, {0, 2}});
  more.ranks.push_back({.rank = 1, .host = 0, .ending = Ending::stopped, .actions = 5});
  apply(more, run);
  EXPECT_EQ(run.kernels.size(), kernels + 1);
  EXPECT_EQ(run.ranks.size(), 3U);
  EXPECT_EQ(run.find(1)->ending, Ending::stopped);
}

struct Contradiction {
  const char* name;
  void (*make)(Definitions&);
};

class ContradictoryDefinitions : public testing::TestWithParam<Contradiction> {};

TEST_P(ContradictoryDefinitions, are_refused) {
  trace::Run run;
  apply(definitions_of(test::varied_run(3).run()), run);
  Definitions definitions;
  GetParam().make(definitions);
  EXPECT_THROW(apply(definitions, run), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Each, ContradictoryDefinitions,
    testing::Values(Contradiction{"another_size", [](Definitions& d) { d.size = 4; }},
                    Contradiction{"another_counter", [](Definitions& d) { d.counter = Counter{.name = "other"}; }},
                    Contradiction{"member_out_of_range",
                                  [](Definitions& d) {
                                    d.communicators = {{.members = {0, 3}}};
                                  }},
                    Contradiction{"member_twice",
                                  [](Definitions& d) {
                                    d.communicators = {{.members = {1, 1}}};
                                  }},
                    Contradiction{"profile_of_unknown_kernel",
                                  [](Definitions& d) { d.ranks = {{.rank = 1, .profile = {{.kernel = 99}}}}; }},
                    Contradiction{"profile_of_other_events",
                                  [](Definitions& d) { d.ranks = {{.rank = 1, .profile = {{.sums = {5}}}}}; }},
                    Contradiction{"kernel_in_unknown_module",
                                  [](Definitions& d) {
                                    d.kernels = {{{9, 0}, {0, 0}}};
                                  }},
                    Contradiction{"kernel_with_unknown_caller",
                                  [](Definitions& d) {
                                    d.kernels = {{.begin = {0, 0}, .end = {0, 0}, .end_caller = 0}};
                                  }},
                    Contradiction{"caller_in_unknown_module",
                                  [](Definitions& d) {
                                    d.callers = {{.site = {9, 0}}};
                                  }},
                    Contradiction{"caller_that_calls_itself",
                                  [](Definitions& d) {
                                    d.callers = {{.site = {0, 0}, .caller = 0}};
                                  }},
                    Contradiction{"rank_out_of_range", [](Definitions& d) { d.ranks = {{.rank = 3}}; }},
                    Contradiction{"rank_on_unknown_host", [](Definitions& d) { d.ranks = {{.rank = 1, .host = 99}}; }}),
    [](const auto& parameter) { return parameter.param.name; });

} // namespace
} // namespace timeless::trace
