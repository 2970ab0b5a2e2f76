// What `timeless record` itself says and decides.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace timeless::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;

/// Returns text with every run of white space as one space: lines are broken anywhere.
std::string joined(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;)
    line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST(Record, says_what_was_recorded_and_what_to_do_next) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- mpirun -np 2 stencil");
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("recorded 2 of 2 ranks"), HasSubstr("actions"), HasSubstr("counter none"),
                                HasSubstr("next: timeless gather trace"), Not(HasSubstr("warning"))));
}

TEST(Record, keeps_the_name_of_its_output_within_the_line) {
  const Workplace place;
  const Ran ran =
      place.run("timeless record --counter none -o \"$(printf 'two\\nlines\\033[2J')\" -- mpirun -np 1 stencil");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("next: timeless gather $'two\\012lines\\033[2J'\n"), Not(HasSubstr("\x1b"))));
}

TEST(Record, that_cannot_write_its_answer_keeps_the_status_of_the_program) {
  const Workplace place;
  for (const char* status : {"0", "7"}) {
    const Ran ran = place.run(std::string("timeless record --counter none --json /dev/full -o trace-") + status +
                              " -- sh -c 'exit " + status + "'");
    EXPECT_EQ(std::to_string(ran.status), status);
    EXPECT_THAT(ran.errors, HasSubstr("No space left on device"));
  }
}

TEST(Record, that_cannot_say_anything_keeps_the_status_of_the_program) {
  const Workplace place;
  for (const std::string errors : {"2>&-", "2> /dev/full", "2> >(true)"}) {
    place.run("rm -rf answer trace");
    // Its last words come when the reader of the pipe is gone.
    const Ran ran = place.run("bash -c 'timeless record --counter none --json answer -o trace -- "
                              "sh -c \"sleep 0.5; exit 3\" " +
                              errors + "'");
    EXPECT_EQ(ran.status, 3) << errors;
    // The answer is not in the place of standard error.
    EXPECT_EQ(nlohmann::json::parse(place.read("answer")).at("status"), 3) << errors;
  }
  EXPECT_EQ(place.run("timeless record --counter none -o ranks -- mpirun -np 2 sh -c 'exit 3' 2> /dev/full").status, 3);
}

TEST(Record, takes_no_value_of_a_variable_for_the_program) {
  const Workplace place;
  place.write("hydra", "#!/bin/sh\nshift 4\nexec \"$@\"\n");
  const Ran ran =
      place.run("mv hydra mpiexec.hydra; chmod +x mpiexec.hydra; timeless record --counter none -o trace -- "
                "./mpiexec.hydra -genv LD_LIBRARY_PATH $(command -v timeless) -n true");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("/true names no shared MPI library"));
}

TEST(Record, that_finds_no_room_says_so) {
  const Workplace place;
  // A file system of its own, where that is allowed.
  const std::string full = "unshare -rm sh -c 'mkdir full && mount -t tmpfs -o size=64k none full && ";
  if (place.run(full + "true'").status != 0) GTEST_SKIP() << "no file system can be mounted here";
  const Ran ran = place.run("rm -rf full; " + full + "timeless record --counter none -o full/trace -- sh -c true'");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("nothing was recorded: the disk that holds full/trace is full"),
                                Not(HasSubstr("MPI library"))));
}

TEST(Record, starts_nothing_where_its_answer_has_no_place) {
  const Workplace place;
  place.write("answer", "mine");
  EXPECT_EQ(place.run("timeless record --counter none --json answer -o trace -- touch started").status, 2);
  EXPECT_EQ(place.run("timeless record --counter none --json nowhere/x -o trace -- touch started").status, 1);
  EXPECT_EQ(place.run("ls started").status, 2);
  EXPECT_EQ(place.read("answer"), "mine");
  EXPECT_EQ(place.run("timeless record --counter none --json answer --force -o trace -- touch started").status, 0);
  EXPECT_THAT(place.read("answer"), HasSubstr("timeless.record/1"));
}

#ifndef TIMELESS_SANITIZED // which takes memory of its own
TEST(Record, keeps_the_most_memory_each_rank_had) {
  const Workplace place;
  const auto peak = [&](const std::string& size) {
    const std::string trace = "trace-" + size;
    place.run("timeless record --counter none -o " + trace + " -- mpirun -np 2 behave memory " + size);
    const auto answer = nlohmann::json::parse(place.run("timeless info --json " + trace).output);
    return answer.at("rank_records").at(1).at("peak_memory").get<double>() / (1 << 20);
  };
  const double small = peak("1");
  EXPECT_GT(small, 1);
  EXPECT_NEAR(peak("121") - small, 120, 10);
  EXPECT_THAT(place.run("timeless info trace-121").output, HasSubstr("memory         per rank at most"));
}

TEST(Plan, measures_what_a_rank_of_the_program_takes) {
  const Workplace place;
  place.write("hosts", "a slots=2 memory=1G\n");
  const auto memory = [&](const std::string& arguments) {
    const Ran ran = place.run("timeless plan --ranks 2 --hosts hosts --measure --counter none --json " + arguments);
    EXPECT_EQ(ran.status, 0) << ran.errors;
    return nlohmann::json::parse(ran.output);
  };
  const double small = memory("-- behave memory 1").at("memory_per_rank").get<double>() / (1 << 20);
  const auto large = memory("-- behave memory 121");
  EXPECT_NEAR(large.at("memory_per_rank").get<double>() / (1 << 20) - small, 120, 10);
  EXPECT_EQ(large.at("memory_notes").size(), 0U);
}
#endif

TEST(Plan, ends_a_measured_program_that_lasts_and_takes_what_it_had) {
  const Workplace place;
  place.write("hosts", "a slots=2 memory=1G\n");
  const Ran ran = place.run("timeless plan --ranks 2 --hosts hosts --measure --measure-for 2 --counter none --json -- "
                            "behave wait");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const auto answer = nlohmann::json::parse(ran.output);
  EXPECT_GT(answer.at("memory_per_rank"), 1 << 20);
  EXPECT_THAT(answer.at("memory_notes").at(0).get<std::string>(), HasSubstr("ended after 2 s"));
}

TEST(Plan, tells_what_a_program_said_that_could_not_be_measured) {
  const Workplace place;
  place.write("hosts", "a slots=2 memory=1G\n");
  const Ran ran = place.run("timeless plan --ranks 2 --hosts hosts --measure --counter none -- behave exit 3");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("status 3"), HasSubstr("--memory-per-rank")));
}

TEST(Record, takes_a_command_without_the_two_dashes) {
  const Workplace place;
  EXPECT_EQ(place.run("timeless record --counter none -o trace behave exit 3").status, 3);
}

#ifndef TIMELESS_SANITIZED // Valgrind runs no such program
TEST(Record, automatic_without_hardware_counters_uses_icount_and_says_what_it_costs) {
  const Workplace place;
  const Ran ran = place.run("timeless record -o trace -- behave");
  if (ran.errors.find("PAPI_TOT_INS (hardware") != std::string::npos)
    GTEST_SKIP() << "this machine has hardware counters";
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("no hardware counters here"), HasSubstr("icount"), HasSubstr("2-9x slower"),
                                HasSubstr("counter icount (exact instructions)"), Not(HasSubstr("\\n"))));
}

TEST(Record, papi_where_only_icount_works_is_answered_with_icount) {
  const Workplace place;
  const Ran ran = place.run("timeless record -o trace --counter papi:NO_SUCH_EVENT -- behave");
  EXPECT_THAT(ran.errors, HasSubstr("choose --counter icount, which works here"));
  EXPECT_THAT(ran.errors, Not(HasSubstr("install valgrind")));
}
#endif

TEST(Record, automatic_takes_papi_where_it_counts) {
  const Workplace place;
  // Execution breakpoints cannot count in another program's code, but page faults can stand for any event but
  // instructions.
  const Ran ran = place.run("LIBPFM_FORCE_PMU=amd64_fam17h_zen1 LD_PRELOAD=" FAKE_PMU_LIBRARY " FAKE_PMU=page-faults "
                            "timeless record -o trace --counter papi:PAPI_TOT_CYC -- behave");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("counter PAPI_TOT_CYC (hardware events)"));
}

TEST(Record, a_counter_that_cannot_count_here_is_exit_status_5) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter papi:NO_SUCH_EVENT -o trace -- behave");
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.errors, HasSubstr("NO_SUCH_EVENT"));
}

TEST(Record, a_counter_that_does_not_exist_is_exit_status_2) {
  const Workplace place;
  for (const char* counter : {"papy", "none:x", "papi:"})
    EXPECT_EQ(place.run(std::string("timeless record --counter ") + counter + " -o trace -- behave").status, 2)
        << counter;
}

TEST(Record, refuses_a_directory_that_holds_a_run) {
  const Workplace place;
  ASSERT_EQ(place.run("timeless record --counter none -o trace -- behave").status, 0);
  const Ran again = place.run("timeless record --counter none -o trace -- behave");
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, AllOf(HasSubstr("already holds a recorded run"), HasSubstr("trace"), HasSubstr("-o")));
}

TEST(Record, a_command_that_does_not_exist_is_exit_status_2) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -- ./no-such-program");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("no-such-program"));
}

TEST(Record, a_program_without_mpi_leaves_nothing_and_that_is_said) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -- echo hello");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.output, "hello\n");
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("nothing was recorded"), HasSubstr("echo"), HasSubstr("shared MPI library")));
}

TEST(Record, a_rank_that_dies_is_named_and_the_status_stays_the_programs) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- behave signal 9");
  EXPECT_EQ(ran.status, 128 + 9);
  EXPECT_THAT(ran.errors, HasSubstr("rank 0 did not reach MPI_Finalize"));
}

#ifndef TIMELESS_SANITIZED // Valgrind runs no such program
TEST(Record, a_program_for_avx512_dies_with_the_remedy_named) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter icount -o trace -- behave avx512");
  EXPECT_EQ(ran.status, 128 + 4);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("AVX-512"), HasSubstr("-mno-avx512f")));
}

TEST(Record, leaves_no_empty_logs) {
  const Workplace place;
  ASSERT_EQ(place.run("timeless record --counter icount -o trace -- mpirun -np 2 behave").status, 0);
  EXPECT_THAT(place.run("ls trace").output, "rank-000000.tia\nrank-000001.tia\n");
}
#endif

TEST(Record, a_signal_sent_to_it_reaches_the_program) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace -- behave wait > out & recorder=$!; "
                            "for i in $(seq 1200); do grep -q waiting out && break; sleep 0.05; done; "
                            "kill -TERM $recorder; wait $recorder");
  EXPECT_EQ(ran.status, 128 + 15);
  EXPECT_THAT(ran.errors, HasSubstr("rank 0 did not reach MPI_Finalize"));
}

TEST(Record, writes_json_to_a_file_because_stdout_is_the_programs) {
  const Workplace place;
  const Ran ran = place.run("timeless record --counter none -o trace --json answer.json -- mpirun -np 2 behave exit 3");
  EXPECT_THAT(ran.output, IsEmpty());
  const auto answer = nlohmann::json::parse(place.read("answer.json"));
  EXPECT_EQ(answer.at("schema"), "timeless.record/1");
  EXPECT_EQ(answer.at("status"), 3);
  EXPECT_EQ(answer.at("ranks"), 2);
  EXPECT_EQ(answer.at("ranks_recorded"), 2);
  EXPECT_EQ(answer.at("complete"), true);
}

TEST(Record, reaches_other_hosts_of_open_mpi_beside_the_users_own_variables) {
  // A stand-in for ssh: another host is this one, without any of our environment.
  const Workplace place;
  place.write("no-ssh", "#!/bin/sh\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\nshift\n"
                        "exec env -i HOME=\"$HOME\" PATH=\"$PATH\" OMPI_ALLOW_RUN_AS_ROOT=1 "
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=\"$ASAN_OPTIONS\" sh -c \"$*\"\n");
  const Ran ran = place.run("chmod +x no-ssh; export OMPI_MCA_plm_rsh_agent=$PWD/no-ssh "
                            "PRTE_MCA_plm_ssh_agent=$PWD/no-ssh OWN='a value'; mkdir 'a dir'; "
                            "timeless record --counter none -o 'a dir/trace' -- mpirun -x OWN --host elsewhere:2 -np 2 "
                            "sh -c 'echo $OWN; exec behave'");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ran.output, "a value\na value\n");
  EXPECT_THAT(ran.errors, HasSubstr("recorded 2 of 2 ranks"));
}

TEST(Doctor, finds_that_recording_works_here_and_says_so_in_json_too) {
  const Workplace place;
  const Ran text = place.run("timeless doctor");
  EXPECT_EQ(text.status, 0) << text.output;
  EXPECT_THAT(text.output, AllOf(HasSubstr("icount"), HasSubstr("exactly"), HasSubstr("Recording works here")));
  const auto answer = nlohmann::json::parse(place.run("timeless doctor --json").output);
  EXPECT_EQ(answer.at("schema"), "timeless.doctor/1");
  EXPECT_EQ(answer.at("recording_possible"), true);
  for (const auto& check : answer.at("checks"))
    EXPECT_THAT(check.at("health").get<std::string>(), testing::AnyOf("ok", "warning")) << check;
}

TEST(Doctor, says_what_is_missing_and_ends_with_5) {
  const Workplace place;
  const Ran ran = place.run(
      "mkdir nothing; ln -s $(command -v sh) nothing/; t=$(command -v timeless); PATH=$PWD/nothing $t doctor");
  EXPECT_EQ(ran.status, 5);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("missing  MPI"), HasSubstr("no mpirun in PATH"), HasSubstr("does not work")));
}

/// Returns what `timeless doctor` says of a command.
Ran examined(const Workplace& place, const std::string& command) {
  Ran ran = place.run("timeless doctor -- " + command);
  ran.output = joined(ran.output.substr(std::min(ran.output.find(" program  "), ran.output.size())));
  EXPECT_THAT(place.run("ls -A").output, Not(HasSubstr("doctor"))) << "files left";
  return ran;
}

TEST(Doctor, tries_a_command_up_to_the_end_of_its_mpi_init) {
  const Workplace place;
  const Ran ran = examined(place, "mpirun -np 2 sh -c 'echo before; exec behave'");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("2 of 2 ranks came through MPI_Init recorded"), HasSubstr("counter icount"),
                                HasSubstr("Next: timeless record -- mpirun -np 2 sh -c 'echo before; exec behave'")));
}

TEST(Doctor, asks_the_launcher_of_the_command_which_mpi_it_is_of) {
  // Open MPI says so only where its launcher is called mpirun or mpiexec: OpenRTE is also it.
  for (const std::string version : {"mpirun (Open MPI) 9.9.9", "mpirun.mine (OpenRTE) 9.9.9"}) {
    const Workplace place;
    place.write("mpirun.mine",
                "#!/bin/sh\n[ \"$1\" != --version ] || { echo '" + version + "'; exit; }\nexec mpirun \"$@\"\n");
    const Ran ran = place.run("chmod +x mpirun.mine; timeless doctor -- nice -n 1 ./mpirun.mine -np 2 behave");
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr(version), HasSubstr("2 of 2 ranks")));
  }
}

TEST(Doctor, ends_a_command_that_does_not_come_through_mpi_init) {
  const Workplace place;
  const Ran waits = place.run("timeless doctor --timeout 6 -- mpirun -np 1 behave : -np 1 sleep 300");
  EXPECT_EQ(waits.status, 5);
  EXPECT_THAT(waits.output, testing::ContainsRegex("the command was ended after 6 s: .*behave"));
  const Ran never = place.run("timeless doctor --timeout 2 -- mpirun -np 1 env -i PATH=$PATH sleep 300");
  EXPECT_EQ(never.status, 5);
  EXPECT_THAT(place.run("ls -A").output, Not(HasSubstr("doctor"))) << "files left";
}

TEST(Doctor, says_what_keeps_a_program_from_being_recorded) {
  const Workplace place;
  place.write("clean", "#!/bin/sh\nexec env -i PATH=\"$PATH\" \"$@\"\n");
  place.write("hides", "#!/bin/sh\nexec env -i PATH=\"$PATH\" behave\n");
  place.write("contained", "#!/bin/sh\nLD_PRELOAD=/not/there/libtimeless.so exec \"$@\"\n");
  place.write("fails", "#!/bin/sh\necho no input >&2\nexit 3\n");
  place.write("toy.c",
              "int MPI_Init(int* a, char*** b) { return 0; } int PMPI_Init(int* a, char*** b) { return 0; }\n");
  place.write("main.c", "int MPI_Init(int*, char***); int main(void) { return MPI_Init(0, 0); }\n");
  const Ran made = place.run(
      "chmod +x clean hides contained fails && cp $(command -v behave) own && chmod u+s own && cc -shared -fPIC toy.c "
      "-o "
      "libmpi.so.12 -Wl,-soname,libmpi.so.12 && cc main.c -o unknown $PWD/libmpi.so.12 -Wl,-rpath,$PWD && cc main.c "
      "toy.c "
      "-o inside && cc -static main.c toy.c -o alone");
  ASSERT_EQ(made.status, 0) << made.errors;
  for (const auto& [command, reason] : {
           std::pair{"./clean behave", "but not to .*behave: what starts that cleans the environment"},
           {"./hides", "to no program that is linked with MPI: what starts that cleans the environment"},
           {"./contained behave", "in a container or on another host, the library is not"},
           {"./fails behave", "ended with status 3 before .*: no input"},
           {"false", "ended with status 1 before .*, and said nothing"},
           {"./alone", "is statically linked, so that nothing can be preloaded into it"},
           {"./inside", "has an MPI library within itself"},
           {"./own", "is set-uid or set-gid"},
           {"./unknown", "a binary interface that is not known"},
           {"true", "never came through MPI_Init"},
       }) {
    const Ran ran = examined(place, std::string("mpirun -np 2 ") + command);
    EXPECT_EQ(ran.status, 5) << command;
    EXPECT_THAT(ran.output, testing::ContainsRegex(reason)) << command;
  }
}

TEST(GatherUnderMpi, works_with_the_launcher_of_another_mpi) {
  const Workplace place;
  if (place.run("mpiexec.mpich --version").status != 0) GTEST_SKIP() << "needs MPICH beside Open MPI";
  ASSERT_EQ(place.run("timeless record --counter none -o trace -- mpirun -np 2 behave").status, 0);
  const Ran ran = place.run("mpiexec.mpich -np 2 timeless-mpi gather trace -o run.tia");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("gathered 2 of 2 ranks into run.tia"));
}

TEST(Record, names_a_launcher_that_makes_a_world_of_each_process) {
  const Workplace place;
  if (place.run("mpiexec.mpich --version").status != 0) GTEST_SKIP() << "needs MPICH beside Open MPI";
  const Ran ran = place.run("timeless record --counter none -o trace -- mpiexec.mpich -np 3 behave");
  EXPECT_EQ(ran.status, 0);
  const std::string warning =
      "timeless: warning: the launcher has started 3 processes, of which MPI makes a world each";
  EXPECT_THAT(ran.errors, HasSubstr(warning));
  EXPECT_THAT(ran.errors, HasSubstr("recorded 1 of 1 ranks"));
  EXPECT_EQ(ran.errors.find(warning), ran.errors.rfind(warning)) << "once";
  const Ran alone = place.run("timeless record --counter none -o alone -- mpirun -np 1 behave");
  EXPECT_THAT(alone.errors, Not(HasSubstr("a world each")));
}

TEST(GatherUnderMpi, takes_the_library_of_the_open_mpi_that_starts_it) {
  // A copy of the library is another Open MPI's, which tells where it is as the mpirun of Open MPI 5 does.
  const Workplace place;
  const Ran made = place.run("mkdir own && cp $(ldd $(command -v timeless-mpi) | sed -n 's/.*libmpi[.]so.* => "
                             "\\([^ ]*\\).*/\\1/p') own/");
  if (made.status != 0) GTEST_SKIP() << "needs timeless-mpi with Open MPI: " << made.errors;
  const auto library = [&](const std::string& directory) {
    return place
        .run("OMPI_LIBDIR_LOC=" + directory + " LD_DEBUG=libs timeless-mpi --version 2>&1 | grep '^timeless-mpi\\|" +
             "calling init: .*libmpi[.]so'")
        .output;
  };
  EXPECT_THAT(library("$PWD/own"), AllOf(HasSubstr((place / "own/libmpi.so").string()), HasSubstr("timeless-mpi ")));
  EXPECT_THAT(library("$PWD/none"), AllOf(Not(HasSubstr("own/libmpi.so")), HasSubstr("timeless-mpi ")));
}

TEST(GatherUnderMpi, refuses_to_be_many_worlds_of_one_process) {
  const Workplace place;
  ASSERT_EQ(place.run("timeless record --counter none -o trace -- mpirun -np 2 behave").status, 0);
  const std::string launched = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=";
  const Ran first = place.run(launched + "0 timeless-mpi gather trace -o run.tia");
  EXPECT_EQ(first.status, 5);
  EXPECT_THAT(first.errors, HasSubstr("started 2 processes, of which MPI makes a world each"));
  const Ran second = place.run(launched + "1 timeless-mpi gather trace -o run.tia");
  EXPECT_EQ(second.status, 5);
  EXPECT_THAT(second.output + second.errors, IsEmpty());
  EXPECT_THAT(place.run("ls").output, Not(HasSubstr("run.tia")));
}

} // namespace
} // namespace timeless::test
