// Collectives where SMPI chooses as MPICH does, and nothing contends: what is left is how the two models see them.
#include "tests/smpi/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace timeless::replay {
namespace {

using trace::Action;
using trace::ActionKind;
using trace::Bytes;
using trace::MemorySource;

const SimgridPlatform& mpich() {
  return machine(TIMELESS_TEST_PLATFORMS "/mpich.xml");
}

struct Makespans {
  double smpi = 0;
  double steps = 0; ///< carried out step by step
  double table = 0; ///< by the table of costs
};

/// Of a collective of `members`, each of whom has a part of this many bytes.
Makespans makespans(Action action, trace::Rank members, Bytes bytes) {
  const bool parts = action.kind == ActionKind::gather || action.kind == ActionKind::scatter ||
                     action.kind == ActionKind::allgather || action.kind == ActionKind::alltoall ||
                     action.kind == ActionKind::reduce_scatter_block;
  action.bytes = bytes;
  if (parts) action.bytes = action.receive_bytes = bytes / static_cast<Bytes>(members) / 8 * 8;
  if (action.kind == ActionKind::reduce_scatter_block) action.receive_bytes = 0;
  if (action.kind == ActionKind::barrier) action.bytes = 0;
  action.element_bytes = 8;
  MemorySource program(members);
  for (trace::Rank rank = 0; rank < members; ++rank)
    program.add(rank, action);
  program.finalize();
  const Mapping mapping = one_per_host(members);
  const auto model = [&](CollectiveModel collectives) {
    const Network network = simgrid_network(mpich(), program.run(), mapping);
    ReplayOptions options;
    options.collectives = collectives;
    return last(ends(replay(program, network, options)));
  };
  return {.smpi = last(smpi_ends(program, mpich(), mapping)),
          .steps = model(CollectiveModel::schedule),
          .table = model(CollectiveModel::mpich)};
}

constexpr ActionKind all_kinds[] = {ActionKind::barrier,   ActionKind::broadcast, ActionKind::reduce,
                                    ActionKind::allreduce, ActionKind::gather,    ActionKind::scatter,
                                    ActionKind::allgather, ActionKind::alltoall,  ActionKind::reduce_scatter_block,
                                    ActionKind::scan};

/// Where SimGrid's choice is MPICH's.
bool chooses_alike(ActionKind kind, Bytes bytes, trace::Rank members) {
  const bool small = bytes < 2048;
  if (kind == ActionKind::broadcast || kind == ActionKind::allreduce) return small;
  // SimGrid goes pairwise from 32768 bytes a pair on, MPICH above.
  if (kind == ActionKind::alltoall && bytes / static_cast<Bytes>(members) == 32768) return false;
  return kind != ActionKind::reduce_scatter_block && kind != ActionKind::scan;
}

TEST(CollectivesAsMPICH, take_step_by_step_what_they_take_in_SMPI_where_both_choose_alike) {
  for (const ActionKind kind : all_kinds)
    for (const Bytes bytes : {Bytes{1024}, Bytes{1} << 20U})
      for (const trace::Rank members : {2, 4, 8, 12, 16, 32}) {
        if (!chooses_alike(kind, bytes, members)) continue;
        const Makespans found = makespans({.kind = kind, .peer = 0}, members, bytes);
        EXPECT_NEAR(found.steps / found.smpi, 1, 1e-9)
            << trace::name(kind) << " of " << bytes << " bytes, " << members << " members";
      }
}

TEST(CollectivesAsMPICH, take_by_the_table_what_they_take_in_SMPI_among_a_power_of_two_of_members) {
  for (const ActionKind kind : all_kinds)
    for (const Bytes bytes : {Bytes{1024}, Bytes{1} << 20U})
      for (const trace::Rank members : {2, 4, 8, 16, 32}) {
        // The table's alltoall moves each member's own part, too.
        if (!chooses_alike(kind, bytes, members) || kind == ActionKind::alltoall) continue;
        const Makespans found = makespans({.kind = kind, .peer = 0}, members, bytes);
        EXPECT_NEAR(found.table / found.smpi, 1, 1e-9)
            << trace::name(kind) << " of " << bytes << " bytes, " << members << " members";
      }
}

TEST(CollectivesAsMPICH, differ_from_SMPI_by_less_than_a_factor_of_4_where_it_chooses_otherwise) {
  for (const ActionKind kind : all_kinds)
    for (const Bytes bytes : {Bytes{1024}, Bytes{1} << 20U})
      for (const trace::Rank members : {8, 12}) {
        const Makespans found = makespans({.kind = kind, .peer = 0}, members, bytes);
        const std::string what = std::string(trace::name(kind)) + " of " + std::to_string(bytes) + " bytes, " +
                                 std::to_string(members) + " members";
        EXPECT_LT(std::abs(std::log(found.steps / found.smpi)), std::log(4.01)) << what;
        EXPECT_LT(std::abs(std::log(found.table / found.smpi)), std::log(4.01)) << what;
      }
}

// SMPI multiplies the parts' counts by the number of ranks they stand for, as ints, in gathers along a tree: given
// bytes it wants room for a negative number of them.
TEST(CollectivesAsMPICH, gather_parts_that_only_together_exceed_an_int) {
  constexpr Bytes part = 400'000'000;
  static_assert(8 * part > 0x7fffffff);
  MemorySource program(8);
  for (trace::Rank rank = 0; rank < 8; ++rank)
    program.add(rank, {.kind = ActionKind::gather, .peer = 0, .bytes = part, .receive_bytes = part});
  program.finalize();
  // The root's children send 1, 2 and 4 parts in turn.
  const double seconds = 7 * static_cast<double>(part) * 1e-9;
  EXPECT_NEAR(last(smpi_ends(program, mpich(), one_per_host(8))), seconds, 1e-4);
}

// SMPI's scatter along a tree receives into room for all parts; beyond an int that counts as small, and the receive
// waits where no large message comes.
TEST(CollectivesAsMPICH, scatter_parts_that_only_together_exceed_an_int) {
  constexpr Bytes part = 400'000'000;
  MemorySource program(8);
  for (trace::Rank rank = 0; rank < 8; ++rank)
    program.add(rank, {.kind = ActionKind::scatter, .peer = 0, .bytes = part, .receive_bytes = part});
  program.finalize();
  const SmpiResult result = smpi_replay(program, mpich(), one_per_host(8));
  EXPECT_NEAR(result.replay.lanes.front().makespan, static_cast<double>(part) * 1e-9, 1e-4);
  EXPECT_THAT(result.replay.notes, testing::Contains(testing::HasSubstr("scatter go by SMPI's default algorithms")));
}

// SimGrid's choice for these are pairs, which it then refuses.
TEST(CollectivesAsMPICH, alltoall_large_parts_among_an_odd_number_of_ranks) {
  constexpr Bytes part = 1'000'000;
  MemorySource program(5);
  for (trace::Rank rank = 0; rank < 5; ++rank)
    program.add(rank, {.kind = ActionKind::alltoall, .bytes = part, .receive_bytes = part});
  program.finalize();
  const SmpiResult result = smpi_replay(program, mpich(), one_per_host(5));
  EXPECT_NEAR(result.replay.lanes.front().makespan, 4 * static_cast<double>(part) * 1e-9, 1e-4);
  EXPECT_THAT(result.replay.notes, testing::Contains(testing::HasSubstr("goes round a ring")));
}

} // namespace
} // namespace timeless::replay
