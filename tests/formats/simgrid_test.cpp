// What SimGrid's own tools make of the text, and what its tracer says of a program that ours recorded, too.
#include "gather/merge/files_source.h"
#include "replay/lowering.h"
#include "replay/simgrid/mapping.h"
#include "replay/simgrid/simgrid_platform.h"
#include "replay/smpi/smpi_replay.h"
#include "tests/record/shell.h"
#include "tests/trace/samples.h"
#include "trace/formats/ti/ti.h"
#include "trace/formats/ti/ti_writer.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using timeless::test::Ran;
using timeless::test::Workplace;

const std::string platform_file = TIMELESS_PLATFORMS "/graphene.xml";

const replay::SimgridPlatform& platform() {
  static const replay::SimgridPlatform loaded = replay::SimgridPlatform::load(platform_file);
  return loaded;
}

class SimGrid : public testing::Test {
protected:
  void write(const Source& source, const std::string& name) const {
    write_ti(source, place_ / name, {.force = true, .lower = replay::lowering(source.run()), .progress = {}});
  }

  /// Returns the seconds that smpirun's replay of a text takes, rank i on host i.
  double smpirun_seconds(const std::string& name, Rank ranks) const {
    std::string hosts;
    for (Rank rank = 0; rank < ranks; ++rank)
      hosts += platform().hosts()[static_cast<std::size_t>(rank)].name + "\n";
    place_.write("hosts", hosts);
    const Ran ran = place_.run("timeout 300 smpirun -np " + std::to_string(ranks) + " -platform " + platform_file +
                               " -hostfile hosts -replay " + name + " --cfg=smpi/host-speed:1e9 2>&1");
    EXPECT_EQ(ran.status, 0) << ran.output;
    const std::string says = "Simulation time ";
    const std::size_t at = ran.output.find(says);
    if (at == std::string::npos) {
      ADD_FAILURE() << ran.output;
      return 0;
    }
    return std::stod(ran.output.substr(at + says.size()));
  }

  static double memory_seconds(const Source& source) {
    replay::Mapping mapping;
    for (Rank rank = 0; rank < source.run().size; ++rank)
      mapping.node_of_rank.push_back(static_cast<std::uint32_t>(rank));
    return replay::smpi_replay(source, platform(), mapping).replay.lanes.front().makespan;
  }

  /// The same time from memory, by smpirun from the text, and by smpirun from the text read and written again.
  void expect_one_time(const Source& source) {
    const Rank ranks = source.run().size;
    const double expected = memory_seconds(source);
    ASSERT_GT(expected, 1) << "six decimals would be less than six digits";
    write(source, "run.txt");
    EXPECT_NEAR(smpirun_seconds("run.txt", ranks), expected, 1e-6 * expected);
    const auto back = open_ti(place_ / "run.txt");
    EXPECT_NEAR(memory_seconds(*back), expected, 1e-6 * expected);
    write(*back, "again.txt");
    EXPECT_NEAR(smpirun_seconds("again.txt", ranks), expected, 1e-6 * expected);
  }

  Workplace place_;
};

TEST_F(SimGrid, smpirun_takes_as_long_for_messages_as_our_replay_in_smpi) {
  MemorySource program(8);
  for (int round = 0; round < 4; ++round)
    for (Rank rank = 0; rank < 8; ++rank) {
      const Rank right = (rank + 1) % 8;
      const Rank left = (rank + 7) % 8;
      const Bytes bytes = Bytes{1000} << (4 * static_cast<unsigned>(round)); // 1 kB to 4 MB: eager and not
      const RequestId all[] = {0, 1};
      program.compute(rank, 2'2'500'000'000 + 1'000'000 * static_cast<std::uint64_t>(rank));
      program.add(rank, {.kind = ActionKind::receive, .peer = left, .tag = 3, .bytes = bytes, .request = 0});
      program.add(rank, {.kind = ActionKind::send, .peer = right, .tag = 3, .bytes = bytes, .request = 1});
      program.compute(rank, 7'000'000);
      program.add(rank, {.kind = ActionKind::wait_all, .requests = all});
      program.add(rank, {.kind = ActionKind::exchange,
                         .peer = left,
                         .bytes = bytes / 2,
                         .receive_peer = right,
                         .receive_bytes = bytes / 2});
      if (rank % 2 == 0)
        program.add(rank, {.kind = ActionKind::send, .peer = right, .tag = 9, .bytes = bytes});
      else
        program.add(rank, {.kind = ActionKind::receive, .peer = left, .tag = 9, .bytes = bytes});
    }
  program.finalize();
  expect_one_time(program);
}

TEST_F(SimGrid, smpirun_takes_as_long_for_collectives_as_our_replay_in_smpi) {
  MemorySource program(8);
  const std::vector<Bytes> counts = {10, 2000, 0, 40'000, 5, 6, 7, 800};
  for (Rank rank = 0; rank < 8; ++rank) {
    program.compute(rank, 1'500'000'000 + 10'000'000 * static_cast<std::uint64_t>(rank));
    const auto self = static_cast<std::size_t>(rank);
    const bool root = rank == 2;
    for (const Bytes bytes : {Bytes{8}, Bytes{40'000}, Bytes{4'000'000}}) {
      program.add(rank, {.kind = ActionKind::broadcast, .peer = 2, .bytes = bytes});
      program.add(rank, {.kind = ActionKind::reduce, .peer = 2, .bytes = bytes, .element_bytes = 8});
      program.add(rank, {.kind = ActionKind::allreduce, .bytes = bytes, .element_bytes = 8});
      program.add(rank, {.kind = ActionKind::allgather, .bytes = bytes / 8, .receive_bytes = bytes / 8});
      program.add(rank, {.kind = ActionKind::alltoall, .bytes = bytes / 8, .receive_bytes = bytes / 8});
      program.add(rank, {.kind = ActionKind::gather, .peer = 2, .bytes = bytes, .receive_bytes = root ? bytes : 0});
      program.add(rank, {.kind = ActionKind::scatter, .peer = 2, .bytes = root ? bytes : 0, .receive_bytes = bytes});
    }
    program.add(rank, {.kind = ActionKind::barrier});
    program.add(rank, {.kind = ActionKind::allgatherv, .bytes = counts[self], .receive_counts = counts});
    program.add(rank, {.kind = ActionKind::gatherv,
                       .peer = 2,
                       .bytes = counts[self],
                       .receive_counts = root ? std::span<const Bytes>(counts) : std::span<const Bytes>()});
    program.add(rank, {.kind = ActionKind::scatterv,
                       .peer = 2,
                       .receive_bytes = counts[self],
                       .counts = root ? std::span<const Bytes>(counts) : std::span<const Bytes>()});
    const std::vector<Bytes> same(8, counts[self]);
    program.add(rank, {.kind = ActionKind::alltoallv, .counts = same, .receive_counts = counts});
    program.add(rank, {.kind = ActionKind::scan, .flags = flag_noncommutative, .bytes = 800, .element_bytes = 4});
  }
  program.finalize();
  expect_one_time(program);
}

TEST_F(SimGrid, smpirun_takes_reductions_that_are_scattered_for_those_of_an_operation_that_commutes) {
  const std::vector<Bytes> few = {16, 800, 0, 8000, 8, 40, 8, 8};
  const std::vector<Bytes> equal(8, 80'000);
  const std::vector<Bytes> many = {2'400'000, 2'400'000, 800'000, 1'600'000, 8'000, 0, 1'600'000, 800'000};
  for (const std::vector<Bytes>& counts : {few, equal, many}) { // SimGrid has other algorithms for each
    MemorySource program(8);
    for (Rank rank = 0; rank < 8; ++rank) {
      program.compute(rank, 5'000'000'000);
      for (int again = 0; again < 20; ++again)
        program.add(rank, {.kind = ActionKind::reduce_scatter, .element_bytes = 8, .counts = counts});
    }
    program.finalize();
    expect_one_time(program);
  }
}

TEST_F(SimGrid, smpirun_replays_a_message_that_no_int_of_bytes_counts) {
  MemorySource program(2);
  program.compute(0, 1'000'000'000);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .bytes = 3'000'000'000});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .bytes = 3'000'000'000});
  program.finalize();
  write(program, "run.txt");
  const double seconds = smpirun_seconds("run.txt", 2);
  EXPECT_NEAR(seconds, memory_seconds(program), 1e-6 * seconds);
}

TEST_F(SimGrid, smpirun_replays_what_the_text_has_no_words_for_as_messages) {
  MemorySource program(6);
  const CommunicatorId even = program.add_communicator({0, 2, 4});
  const CommunicatorId odd = program.add_communicator({5, 3, 1});
  const RequestId request[] = {0};
  for (Rank rank = 0; rank < 6; ++rank) {
    const CommunicatorId own = rank % 2 == 0 ? even : odd;
    program.add(rank, {.kind = ActionKind::comm_split, .new_communicator = own});
    program.add(rank, {.kind = ActionKind::allreduce, .communicator = own, .bytes = 100'000, .element_bytes = 8});
    program.add(rank, {.kind = ActionKind::broadcast, .communicator = own, .peer = 1, .bytes = 3'000'000});
    program.add(rank, {.kind = ActionKind::alltoall, .bytes = 5000, .receive_bytes = 5000, .request = 0});
    program.compute(rank, 4'000'000'000);
    program.add(rank, {.kind = ActionKind::wait, .requests = request});
    const Rank neighbours[] = {(rank + 5) % 6, (rank + 1) % 6};
    program.add(rank, {.kind = ActionKind::neighbor_allgather,
                       .tag = 2,
                       .bytes = 1'000'000,
                       .receive_bytes = 1'000'000,
                       .ranks = neighbours});
  }
  program.finalize();
  write(program, "run.txt");
  const double seconds = smpirun_seconds("run.txt", 6);
  EXPECT_GT(seconds, 1.0);
  EXPECT_LT(seconds, 1.5);
}

/// Returns what a rank does but compute, as both tracers can say it.
std::vector<std::string> calls(const Source& source, Rank rank) {
  std::vector<std::string> all;
  for (const trace::test::OwnedAction& owned : trace::test::actions_of(source, rank)) {
    const Action& action = owned.action;
    if (has_volume(action.kind)) continue;
    std::string line = mpi_name(action);
    if (action.peer != no_rank) line += " peer " + std::to_string(action.peer);
    if (family(action.kind) == ActionFamily::point_to_point) line += " tag " + std::to_string(action.tag);
    if (action.bytes != 0) line += " bytes " + std::to_string(action.bytes);
    if (action.receive_bytes != 0) line += " in " + std::to_string(action.receive_bytes);
    all.push_back(line);
  }
  return all;
}

TEST_F(SimGrid, its_tracer_and_ours_say_the_same_of_one_program) {
  const std::string source = TIMELESS_PATTERNS;
  const Ran built = place_.run("smpicc -O1 -o simulated " + source + " 2>&1 && mpicc -O1 -o real " + source + " 2>&1");
  ASSERT_EQ(built.status, 0) << built.output;
  std::string hosts;
  for (int i = 0; i < 4; ++i)
    hosts += platform().hosts()[static_cast<std::size_t>(i)].name + "\n";
  place_.write("hosts", hosts);
  const Ran simulated = place_.run("timeout 300 smpirun -np 4 -platform " + platform_file +
                                   " -hostfile hosts -trace-ti -trace-file theirs.txt --cfg=smpi/host-speed:1e9 "
                                   "./simulated 2>&1");
  ASSERT_EQ(simulated.status, 0) << simulated.output;
  const Ran recorded = place_.run("timeless record --counter none -o trace -- mpirun -np 4 ./real 2>&1");
  ASSERT_EQ(recorded.status, 0) << recorded.output;

  const auto theirs = open_ti(place_ / "theirs.txt");
  const auto ours = gather::open_run(place_ / "trace");
  ASSERT_EQ(theirs->run().size, 4);
  for (Rank rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(calls(*theirs, rank), calls(*ours, rank)) << "rank " << rank;
    EXPECT_GT(calls(*ours, rank).size(), 40U);
  }
}

} // namespace
} // namespace timeless::trace::formats
