// What is left of programs that hang, are killed or lose their disk, as the commands show it.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Starts a program of which rank 1 waits in MPI_Recv and the others in MPI_Barrier, waits until they do, runs
/// `commands`, and ends the program as a batch system does.
Ran with_hanging_program(const Workplace& place, const std::string& commands, const std::string& before = "") {
  return place.run(
      before +
      "timeless record --counter none -o trace -- mpirun -np 3 behave hang > out 2> record.err & "
      "recorder=$!; "
      "for i in $(seq 600); do timeless info trace > seen 2> /dev/null; "
      "grep -q 'MPI_Recv from 0' seen && grep -q 'MPI_Barrier  *ranks 0, *2' seen && break; sleep 0.1; done; " +
      commands + "; kill -TERM $recorder; wait $recorder");
}

TEST(HangingProgram, shows_where_its_ranks_wait_and_for_whom) {
  const Workplace place;
  const Ran ran =
      with_hanging_program(place, "timeless info trace; echo \"status $?\"; timeless info trace --json > info");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("still running"), HasSubstr("MPI_Recv from 0, tag 42"),
                                HasSubstr("called at behave+0x"), HasSubstr("last  Irecv from 0, tag 41"),
                                HasSubstr("open  Irecv from 0, tag 41"), HasSubstr("status 6")));
  const std::string groups = ran.output.substr(ran.output.find("where the ranks stand"));
  EXPECT_LT(groups.find("MPI_Recv from"), groups.find("MPI_Barrier")) << "the call of the fewest ranks first";
  const json answer = json::parse(place.read("info"));
  ASSERT_EQ(answer.at("not_finalized").size(), 3U);
  const json& rank = answer.at("not_finalized").at(1);
  EXPECT_EQ(rank.at("in").at(0).at("call"), "MPI_Recv");
  EXPECT_EQ(rank.at("in").at(0).at("with"), "from 0, tag 42");
  EXPECT_EQ(rank.at("open_requests"), 1);
  EXPECT_EQ(answer.at("rank_records").at(1).at("actions"), 2);
}

TEST(HangingProgram, can_be_gathered_and_checked_while_it_hangs) {
  const Workplace place;
  const Ran ran =
      with_hanging_program(place, "timeless gather trace -o run.tia; echo \"gather $?\"; timeless check run.tia; "
                                  "echo \"check $?\"; timeless replay trace --network e1g; echo \"replay $?\"");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("gather 6"), HasSubstr("check 6"), HasSubstr("replay 6")));
  EXPECT_THAT(ran.errors, HasSubstr("still running"));
}

TEST(KilledProgram, by_the_end_of_its_time_has_the_reason_in_every_rank) {
  const Workplace place;
  // On a busy machine the SIGKILL that mpirun lets follow its SIGTERM might come before a rank has seen that.
  const Ran ran = with_hanging_program(place, "true", "export OMPI_MCA_odls_base_sigkill_timeout=8; ");
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(place.read("record.err"),
              AllOf(HasSubstr("ranks 0-2 did not reach MPI_Finalize"), HasSubstr("rank 1: killed by SIGTERM"),
                    HasSubstr("ranks 0, 2: killed by SIGTERM")));
  const json answer = json::parse(place.run("timeless info trace --json").output);
  for (const json& rank : answer.at("not_finalized")) {
    EXPECT_THAT(rank.at("ending_reason").get<std::string>(), HasSubstr("killed by SIGTERM (Terminated)"));
    EXPECT_EQ(rank.at("actions"), rank.at("rank") == 1 ? 2 : 1);
  }
  const Ran gathered = place.run("timeless gather trace -o run.tia; echo $?; timeless info run.tia; echo $?");
  EXPECT_THAT(gathered.output, AllOf(HasSubstr("\n6\n"), HasSubstr("killed by SIGTERM")));
}

TEST(KilledProgram, has_the_rank_that_died_of_itself_named_first) {
  const Workplace place;
  const Ran ran = place.run("export OMPI_MCA_odls_base_sigkill_timeout=8; timeless record --counter none --json answer "
                            "-o trace -- mpirun -np 1 behave hang : -np 1 behave signal 11");
  const std::string all =
      "ranks 0, 1 did not reach MPI_Finalize: the trace ends where the recording did (rank 1: killed "
      "by SIGSEGV (Segmentation fault), which it sent itself; rank 0: killed by SIGTERM (Terminated)";
  EXPECT_THAT(ran.errors, HasSubstr(all));
  EXPECT_THAT(json::parse(place.read("answer")).at("complaints").at(0).get<std::string>(), HasSubstr(all));
}

TEST(KilledProgram, by_sigkill_keeps_what_it_did_last) {
  const Workplace place;
  place.run("timeless record --counter none -o trace -- behave signal 9");
  const Ran ran = place.run("timeless check trace; echo $?");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("SIGKILL"), HasSubstr("\n6\n")));
}

TEST(MissingRank, is_named_and_makes_the_answer_partial) {
  const Workplace place;
  ASSERT_EQ(place.run("timeless record --counter none -o trace -- mpirun -np 2 behave").status, 0);
  const Ran ran =
      place.run("rm trace/rank-000001.tia; for verb in info check; do timeless $verb trace; echo $verb $?; done");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("rank 1"), HasSubstr("info 6"), HasSubstr("check 6")));
}

TEST(FullDisk, stops_the_recording_leaves_the_program_alone_and_is_told_in_the_trace) {
  const Workplace place;
  if (place.run("unshare -m sh -c 'mkdir -p full && mount -t tmpfs -o size=600k none full'").status != 0)
    GTEST_SKIP() << "needs to be root, to mount a file system of its own";
  const Ran ran =
      place.run("mkdir -p full; unshare -m sh -c 'mount -t tmpfs -o size=600k none full; "
                "timeless record --counter none -o full/trace -- behave chatter 400000; echo \"status $?\"; "
                "ls full/trace; timeless info full/trace --json > info; timeless check full/trace'");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("chattered\nstatus 0\nrank-000000.tia\n"), HasSubstr("INCOMPLETE")));
  EXPECT_THAT(ran.errors, HasSubstr("recording stopped on rank 0, the program goes on"));
  const json answer = json::parse(place.read("info"));
  EXPECT_EQ(answer.at("rank_records").at(0).at("ending"), "stopped");
  EXPECT_THAT(answer.at("rank_records").at(0).at("ending_reason").get<std::string>(),
              HasSubstr("No space left on device"));
  EXPECT_GT(answer.at("actions"), 50000);
}

TEST(Interrupted, before_MPI_Init_says_that_nothing_was_recorded_and_looks_for_no_other_reason) {
  const Workplace place;
  const Ran ran = place.run("timeout -s INT 1 timeless record --counter none -o trace -- sleep 60; ls -A trace");
  EXPECT_EQ(ran.output, "");
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("interrupted before the program was through MPI_Init: nothing was recorded"),
                                Not(HasSubstr("doctor"))));
}

TEST(FullDisk, from_the_start_leaves_the_program_alone_and_says_that_nothing_was_recorded) {
  const Workplace place;
  if (place.run("unshare -m sh -c 'mkdir -p full && mount -t tmpfs -o size=600k none full'").status != 0)
    GTEST_SKIP() << "needs to be root, to mount a file system of its own";
  // No room for bytes, or for names of files: for none, or for those of one rank only.
  for (const std::string size : {"size=600k", "nr_inodes=3", "nr_inodes=4"})
    for (const std::string counter : {"none", "icount"}) {
      SCOPED_TRACE(size + " " + counter);
      const Ran ran = place.run("unshare -m sh -c 'mount -t tmpfs -o " + size + " none full; mkdir full/trace; " +
                                (size == "size=600k" ? "dd if=/dev/zero of=full/rest bs=4k status=none 2>/dev/null; "
                                 : counter == "none" ? "touch full/trace/one; "
                                                     : "") +
                                "timeless record --counter " + counter +
                                " -o full/trace -- mpirun -np 2 behave chatter 2000; echo \"status $?\"'");
      EXPECT_EQ(ran.output, "chattered\nchattered\nstatus 0\n");
      EXPECT_THAT(ran.errors,
                  AllOf(HasSubstr("NOT recorded, the program goes on: "), HasSubstr("No space left on device"),
                        HasSubstr("nothing was recorded"), Not(HasSubstr("removed while"))));
    }
}

TEST(FileSizeLimit, stops_the_recording_and_not_the_program) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- behave chatter 200000 300000; echo $?; "
                            "timeless info trace --json > info");
  EXPECT_EQ(ran.output, "chattered\n0\n") << ran.errors;
  const json answer = json::parse(place.read("info"));
  EXPECT_EQ(answer.at("rank_records").at(0).at("ending"), "stopped");
  EXPECT_THAT(answer.at("rank_records").at(0).at("ending_reason").get<std::string>(), HasSubstr("File too large"));
  EXPECT_GT(answer.at("actions"), 4000);
}

TEST(RemovedDirectory, is_told_once_and_leaves_the_program_alone) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- behave remove trace");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.output, "removed: 0\n");
  EXPECT_THAT(ran.errors, HasSubstr("removed while it was being written"));
}

TEST(Scripts, around_a_program_and_programs_beside_it_run_as_ever) {
  const Workplace place;
  place.write("script.sh", "#!/bin/sh\necho before | cat\nbehave exit 3\nstatus=$?\nls script.sh\nexit $status\n");
  const Ran ran = place.run("chmod +x script.sh; timeless record --counter none -o trace -- ./script.sh");
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.output, "before\nscript.sh\n");
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("recorded 1 of 1 ranks"), Not(HasSubstr("warning"))));
}

TEST(Directories, removed_while_the_program_runs_are_said_to_be) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- sh -c 'rm -r trace; behave; rm -rf trace'");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("trace was removed while the program ran"), Not(HasSubstr("MPI_Init"))));
}

TEST(Scripts, with_several_mpi_programs_run_them_all_and_record_the_first) {
  const Workplace place;
  place.write("script.sh", "#!/bin/sh\nmpirun -np 2 behave exit 0\nmpirun -np 2 behave exit 4\n");
  const Ran ran = place.run("chmod +x script.sh; timeless record --counter none -o trace -- ./script.sh");
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("recorded 2 of 2 ranks"), HasSubstr("timeless: NOT recorded: ")));
}

} // namespace
} // namespace timeless::test
