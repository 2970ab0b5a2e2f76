// Rates from launches of real programs. How long anything takes is never compared with anything.
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// The program recorded by icount, once for all tests, and launches of it.
class CalibrateCompute : public testing::Test {
protected:
  static void SetUpTestSuite() {
    place = new Workplace;
    const Ran recorded = place->run("timeless record --counter icount -o run -- mpirun -np 2 stencil");
    ASSERT_EQ(recorded.status, 0) << recorded.errors;
    const Ran ran = place->run("timeless calibrate compute run -o rates.json --launches 3 --keep kept --json -- "
                               "mpirun -np 2 stencil > answer.json");
    ASSERT_EQ(ran.status, 0) << ran.errors;
  }
  static void TearDownTestSuite() {
    delete place;
    place = nullptr;
  }
  static Workplace* place;
};
Workplace* CalibrateCompute::place = nullptr;

TEST_F(CalibrateCompute, writes_where_when_and_on_what_the_rates_were_measured) {
  const json file = json::parse(place->read("rates.json"));
  EXPECT_EQ(file.at("format"), "timeless.rates/1");
  const json& instance = file.at("instances").at(0);
  EXPECT_EQ(instance.at("name"), "run");
  EXPECT_EQ(instance.at("counter"), "icount");
  EXPECT_EQ(instance.at("ranks"), 2);
  EXPECT_EQ(instance.at("clocks").at("walltime"), 3);
  EXPECT_GE(instance.at("launches"), 3);
  EXPECT_EQ(instance.at("date").get<std::string>().substr(0, 2), "20");
  EXPECT_FALSE(instance.at("hosts").empty());
  EXPECT_FALSE(instance.at("builds").empty());
  EXPECT_GE(instance.at("noise").at("spread"), 0);
  EXPECT_EQ(instance.at("noise").at("host"), instance.at("hosts").at(0));
  double shares = 0;
  for (const json& kernel : instance.at("kernels")) {
    shares += kernel.at("share").get<double>();
    EXPECT_GT(kernel.at("units_per_second"), 0);
    EXPECT_LE(kernel.at("interval").at(0), kernel.at("interval").at(1));
  }
  EXPECT_GT(shares, 0.9);
  const json answer = json::parse(place->read("answer.json"));
  EXPECT_EQ(answer.at("schema"), "timeless.calibrate-compute/1");
  EXPECT_EQ(answer.at("coverage"), instance.at("coverage").get<double>());
}

TEST_F(CalibrateCompute, takes_several_recordings_each_with_its_own_command) {
  ASSERT_EQ(place->run("timeless record --counter icount -o ring -- mpirun -np 2 ring").status, 0);
  const Ran both = place->run("timeless calibrate compute run ring -o both.json --launches 1 --keep apart --json -- "
                              "mpirun -np 2 stencil -- mpirun -np 2 ring");
  ASSERT_EQ(both.status, 0) << both.errors;
  const json answer = json::parse(both.output);
  ASSERT_EQ(answer.at("inputs").size(), 2U);
  EXPECT_EQ(answer.at("inputs").at(1).at("trace"), "ring");
  const json file = json::parse(place->read("both.json"));
  ASSERT_EQ(file.at("instances").size(), 2U);
  EXPECT_EQ(file.at("instances").at(0).at("name"), "run");
  EXPECT_EQ(file.at("instances").at(1).at("name"), "ring");
  EXPECT_EQ(place->run("timeless calibrate compute run ring -o again.both.json --from apart").status, 0);
  EXPECT_EQ(place->read("again.both.json"), place->read("both.json"));
}

TEST_F(CalibrateCompute, calls_inputs_by_all_of_their_names) {
  place->run("ln -sfn run cg.W && ln -sfn run cg.A && timeless gather run -o cg.B.tia");
  const Ran ran = place->run("timeless calibrate compute cg.W cg.A cg.B.tia -o cg.json --launches 1 -- mpirun -np 2 "
                             "stencil -- mpirun -np 2 stencil -- mpirun -np 2 stencil");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json file = json::parse(place->read("cg.json"));
  EXPECT_EQ(file.at("source"), "timeless calibrate compute: cg.W, cg.A, cg.B");
}

TEST_F(CalibrateCompute, refuses_several_recordings_without_as_many_commands) {
  const auto refused = [](const std::string& words, const std::string& command) {
    const Ran ran = place->run("timeless calibrate compute " + command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.errors, HasSubstr(words));
  };
  place->run("mkdir -p other && ln -sfn ../run other/run");
  refused("2 recordings, and 1 command", "run other/run -o no.json -- mpirun -np 2 stencil");
  refused("one of which is empty", "run other/run -o no.json -- mpirun -np 2 stencil --");
  refused("two recordings are called 'run'", "run other/run -o no.json -- true -- true");
  refused("one name for several", "run other/run -o no.json --name a -- true -- true");
  refused("--whole", "run other/run -o no.json --whole -- true -- true");
}

TEST_F(CalibrateCompute, makes_the_same_file_again_of_the_same_recordings) {
  EXPECT_EQ(place->run("timeless calibrate compute run -o again.json --from kept").status, 0);
  EXPECT_EQ(place->read("again.json"), place->read("rates.json"));
}

TEST_F(CalibrateCompute, is_what_replays_rest_on) {
  const Ran text = place->run("timeless replay run --network e10g --rates rates.json");
  EXPECT_THAT(text.output, AllOf(HasSubstr("compute   calibrated: "), HasSubstr("rates.json (run, 20"),
                                 HasSubstr("interval  e10g: "), Not(HasSubstr("ASSUMED"))));
  const json answer = json::parse(place->run("timeless replay run --network e10g --rates rates.json --json").output);
  EXPECT_FALSE(answer.at("compute_assumed"));
  const json& one = answer.at("configurations").at(0);
  EXPECT_EQ(one.at("compute_rate").at("from"), "calibration");
  EXPECT_LE(one.at("makespan_interval_seconds").at(0), one.at("makespan_seconds"));
  EXPECT_GE(one.at("makespan_interval_seconds").at(1), one.at("makespan_seconds"));
  const Ran smpi = place->run("timeless replay run --platform graphene --backend smpi --rates rates.json");
  EXPECT_THAT(smpi.output, AllOf(HasSubstr("compute   calibrated: "), HasSubstr("interval  graphene: ")));
}

TEST_F(CalibrateCompute, draws_noise_that_no_thread_and_no_process_changes) {
  const std::string replay = " replay run --network e1g,e10g,qdr --rates rates.json --noise 42 --json";
  const json once = json::parse(place->run("timeless" + replay + " --threads 1").output);
  EXPECT_EQ(json::parse(place->run("timeless" + replay + " --threads 2").output), once);
  const json several =
      json::parse(place
                      ->run("mpirun -np 2 timeless-mpi replay run --network e1g,e10g,qdr --rates rates.json --noise 42 "
                            "--json")
                      .output);
  const json other =
      json::parse(place->run("timeless replay run --network e1g,e10g,qdr --rates rates.json --noise 43 --json").output);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& makespan = once.at("configurations").at(i).at("makespan_seconds");
    EXPECT_EQ(several.at("configurations").at(i).at("makespan_seconds"), makespan);
    EXPECT_NE(other.at("configurations").at(i).at("makespan_seconds"), makespan);
  }
}

TEST_F(CalibrateCompute, adds_another_input_to_what_is_there) {
  place->run("cp rates.json two.json");
  EXPECT_EQ(place->run("timeless calibrate compute run -o two.json --add --name other --from kept").status, 0);
  const json file = json::parse(place->read("two.json"));
  ASSERT_EQ(file.at("instances").size(), 2U);
  EXPECT_EQ(file.at("instances").at(1).at("name"), "other");
  EXPECT_EQ(place->run("timeless calibrate compute run -o two.json --add --name other --from kept").status, 0);
  EXPECT_EQ(json::parse(place->read("two.json")).at("instances").size(), 2U) << "of the same name it takes the place";
}

TEST_F(CalibrateCompute, judges_what_it_is_to_add_to_before_anything_is_launched) {
  const auto refused = [&](const std::string& file, const std::string& options, const std::string& run = "run") {
    const std::string before = place->read(file);
    const Ran ran = place->run("timeless calibrate compute " + run + " -o " + file + " --add " + options +
                               " -- sh -c 'touch launched'");
    EXPECT_NE(ran.status, 0);
    EXPECT_FALSE(std::filesystem::exists(*place / "launched")) << file;
    EXPECT_EQ(place->read(file), before);
    return ran.errors;
  };
  place->write("hand.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9})");
  place->write("broken.json", "{");
  EXPECT_THAT(refused("hand.json", ""), HasSubstr("these rates are not of kernels"));
  EXPECT_THAT(refused("broken.json", ""), HasSubstr("this is no JSON"));
  place->run("mkdir elsewhere; timeless record --counter icount -o elsewhere/run -- mpirun -np 2 ring");
  place->run("cp rates.json others.json");
  EXPECT_THAT(refused("others.json", "", "elsewhere/run"),
              HasSubstr("'run' is an input of stencil there, and this one is of ring"));
  place->run("sed 's/\"icount\"/\"PAPI_TOT_INS\"/' rates.json > of-papi.json");
  EXPECT_THAT(refused("of-papi.json", "--name new"), HasSubstr("for volumes counted by PAPI_TOT_INS"));
  const Ran added = place->run(
      "timeless calibrate compute elsewhere/run -o others.json --add --name ring --launches 1 -- mpirun -np 2 ring");
  EXPECT_EQ(added.status, 0) << added.errors;
  EXPECT_EQ(json::parse(place->read("others.json")).at("instances").size(), 2U);
}

TEST_F(CalibrateCompute, keeps_the_launches_before_one_that_fails_or_does_not_end) {
  // The first two launches run, the third does as told.
  const auto third = [&](const std::string& does) {
    place->run("rm -f count");
    place->write("some.sh",
                 "echo >>count\nif [ $(wc -l <count) -gt 2 ]; then " + does + "; fi\nexec mpirun -np 2 stencil\n");
    return place->run("timeless calibrate compute run -o some.json --force --launches 4 --limit 20s -- sh some.sh");
  };
  const Ran failed = third("exit 9");
  EXPECT_EQ(failed.status, 1);
  EXPECT_THAT(failed.errors, AllOf(HasSubstr("the launch ended with status 9"),
                                   HasSubstr("(2 recordings) is kept in some.launches, which --from reads")));
  EXPECT_FALSE(std::filesystem::exists(*place / "some.json"));
  EXPECT_EQ(place->run("timeless calibrate compute run -o some.json --from some.launches").status, 0);
  const Ran hung = third("exec sleep 1000");
  EXPECT_EQ(hung.status, 1);
  EXPECT_THAT(hung.errors,
              AllOf(HasSubstr("the launch did not end within 20 s"), HasSubstr("kept in some.launches-2")));
  const Ran interrupted = third("kill -TERM $PPID; exec sleep 1000");
  EXPECT_EQ(interrupted.status, 1);
  EXPECT_THAT(interrupted.errors, HasSubstr("the launch was interrupted (Terminated)"));
  EXPECT_THAT(place->run("ls -A | grep timeless").output, "") << "nothing half-written is left";
}

TEST_F(CalibrateCompute, keeps_its_launches_where_the_disk_is_full_in_the_end) {
  if (place->run("unshare -m sh -c 'mkdir -p full && mount -t tmpfs -o size=4m none full'").status != 0)
    GTEST_SKIP() << "needs to be root, to mount a file system of its own";
  const Ran ran = place->run(
      "unshare -m sh -c 'mount -t tmpfs -o size=4m none full; timeless calibrate compute run -o full/rates.json "
      "--launches 1 --limit 5min -- sh -c \"mpirun -np 2 stencil; dd if=/dev/zero of=full/rest bs=1k status=none "
      "2>/dev/null; true\"; echo \"status $?\"; ls full; rm full/rest; "
      "timeless calibrate compute run -o full/rates.json --from full/rates.launches; echo \"status $?\"'");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("status 1\nrates.launches\nrest\n"), HasSubstr("status 0")));
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("No space left on device"), HasSubstr("is kept in full/rates.launches")));
}

TEST_F(CalibrateCompute, keeps_how_quiet_the_host_was_with_its_launches_and_says_it_wherever_they_are_used) {
  std::filesystem::copy(*place / "kept", *place / "noisy", std::filesystem::copy_options::recursive);
  place->write("noisy/noise", "0.2000 0.9000 on a\n");
  const Ran ran = place->run("timeless calibrate compute run -o noisy.json --from noisy");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const std::string warning = "a was too noisy to be calibrated: a loop of 1 ms varied by 20.0 %";
  EXPECT_THAT(ran.output, HasSubstr(warning));
  EXPECT_THAT(place->run("timeless calibrate show noisy.json").output, HasSubstr(warning));
  EXPECT_THAT(place->run("timeless replay run --network e10g --rates noisy.json").output,
              HasSubstr("noisy.json (run): " + warning));
}

TEST_F(CalibrateCompute, of_one_launch_says_no_spread_and_no_interval) {
  const Ran ran = place->run("timeless calibrate compute run -o one.json --launches 1 --json -- mpirun -np 2 stencil");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json answer = json::parse(ran.output);
  EXPECT_TRUE(answer.at("whole").at("spread").is_null());
  EXPECT_EQ(answer.at("whole").at("launches").size(), 1U);
  for (const json& kernel : answer.at("kernels"))
    EXPECT_TRUE(kernel.at("interval").is_null());
  const json instance = json::parse(place->read("one.json")).at("instances").at(0);
  EXPECT_TRUE(instance.at("interval").is_null() && instance.at("whole_spread").is_null());
  EXPECT_TRUE(instance.at("kernels").at(0).at("interval").is_null());
  EXPECT_THAT(place->run("timeless calibrate show one.json").output,
              AllOf(HasSubstr("1 launch"), Not(HasSubstr("1 launches"))));
  const Ran replayed = place->run("timeless replay run --network e10g --rates one.json");
  EXPECT_THAT(replayed.output, AllOf(HasSubstr("are from one launch"), Not(HasSubstr("1 launches")),
                                     Not(HasSubstr("by the launches that the rates are from"))));
}

TEST_F(CalibrateCompute, gives_one_rate_for_everything_where_that_is_asked_for) {
  EXPECT_EQ(place->run("timeless calibrate compute run -o whole.json --whole --from kept").status, 0);
  const json file = json::parse(place->read("whole.json"));
  EXPECT_FALSE(file.contains("instances"));
  EXPECT_GT(file.at("units_per_second"), 0);
  EXPECT_GE(file.at("launches").size(), 3U);
  const Ran replayed = place->run("timeless replay run --network e10g --rates whole.json");
  EXPECT_EQ(replayed.status, 0);
  EXPECT_THAT(replayed.output, HasSubstr("by the launches that the rates are from"));
  EXPECT_THAT(replayed.output, HasSubstr("compute   calibrated: one rate for everything, "));
  const json& measurement = file.at("measurement");
  EXPECT_EQ(measurement.at("name"), "run");
  EXPECT_FALSE(measurement.at("hosts").empty());
  EXPECT_EQ(measurement.at("launches"), file.at("launches").size());
  EXPECT_THAT(place->run("timeless calibrate show whole.json").output,
              AllOf(HasSubstr("run: " + measurement.at("date").get<std::string>() + " on "), HasSubstr("3 launches,")));
  EXPECT_THAT(place->run("timeless replay run --network e10g --rates whole.json --noise 1").errors,
              HasSubstr("this file has one rate for everything"));
}

TEST_F(CalibrateCompute, refuses_launches_that_are_not_what_was_recorded) {
  const auto refused = [&](const std::string& command, const std::string& launches = "--launches 1 ") {
    const Ran ran = place->run("timeless calibrate compute run -o no.json " + launches + command);
    EXPECT_NE(ran.status, 0);
    EXPECT_FALSE(std::filesystem::exists(*place / "no.json")) << command;
    return ran.errors;
  };
  EXPECT_THAT(refused("-- mpirun -np 1 stencil"), HasSubstr("the launch has 1 rank"));
  EXPECT_THAT(refused("-- mpirun -np 2 ring"), HasSubstr("the launch did not do what was recorded"));
  EXPECT_THAT(refused("-- mpirun -np 2 false"), HasSubstr("the launch ended with status 1"));
  EXPECT_THAT(refused("-- nowhere/mpirun"), HasSubstr("cannot be executed"));
  EXPECT_THAT(refused(""), HasSubstr("nothing to launch"));
  EXPECT_THAT(refused("--from nowhere", ""), HasSubstr("no recordings of launches are here"));
  EXPECT_THAT(refused("--from kept -- mpirun -np 2 stencil", ""), HasSubstr("leave out the command, or --from"));
  EXPECT_THAT(refused("--from kept"), HasSubstr("--from excludes --launches"));
  EXPECT_THAT(refused("-- mpirun -np 2 stencil 7 7 7"), HasSubstr("the launch has another input than was recorded"));
  EXPECT_THAT(refused("--limit 0s -- mpirun -np 2 stencil"), HasSubstr("--limit: "));
  EXPECT_THAT(refused("--keep /dev/null/here -- mpirun -np 2 stencil"), HasSubstr("no recording can be kept there"));
}

TEST_F(CalibrateCompute, takes_volumes_and_times_of_one_launch_where_a_hardware_counter_counts) {
  // Page faults stand for an event, and count what they count: some in the first computation of a program.
  const std::string counted =
      "LIBPFM_FORCE_PMU=amd64_fam17h_zen1 LD_PRELOAD=" FAKE_PMU_LIBRARY " FAKE_PMU=page-faults ";
  const Ran recorded =
      place->run(counted + "timeless record -o events --counter papi:PAPI_TOT_CYC -- mpirun -np 2 stencil");
  ASSERT_EQ(recorded.status, 0) << recorded.errors;
  const Ran ran =
      place->run(counted + "timeless calibrate compute events -o events.json --launches 2 --keep events-kept "
                           "-- mpirun -np 2 stencil");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(place->run("timeless info events-kept/papi:PAPI_TOT_CYC-2").status, 0);
  EXPECT_EQ(json::parse(place->read("events.json")).at("instances").at(0).at("counter"), "PAPI_TOT_CYC");
  EXPECT_EQ(place->run("timeless replay events --network e10g --rates events.json").status, 0);
  EXPECT_THAT(place->run("timeless replay run --network e10g --rates events.json").errors,
              HasSubstr("rates for volumes counted by PAPI_TOT_CYC, and a trace counted by icount"));
}

TEST_F(CalibrateCompute, needs_volumes_that_are_no_times) {
  const Ran ran = place->run("timeless calibrate compute kept/walltime-1 -o no.json --from kept");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("counter is walltime"));
}

TEST_F(CalibrateCompute, says_where_noise_has_nothing_to_draw_from) {
  place->write("hand.json", R"({"format": "timeless.rates/1", "units_per_second": 1e9})");
  EXPECT_THAT(place->run("timeless replay run --network e10g --rates hand.json --noise 1").errors,
              HasSubstr("--noise draws from measured rates"));
}

} // namespace
} // namespace timeless::test
