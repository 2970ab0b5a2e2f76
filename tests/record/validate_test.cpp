// Predictions beside launches of real programs. How long anything takes is never compared with anything.
#include "replay/network/compute_costs.h"
#include "tests/record/shell.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace timeless::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A program that was recorded and calibrated, once for all tests.
class Validate : public testing::Test {
protected:
  static void SetUpTestSuite() {
    place = new Workplace;
    ASSERT_EQ(place->run("timeless record --counter icount -o run -- mpirun -np 2 stencil").status, 0);
    const Ran ran = place->run("timeless calibrate compute run -o rates.json --launches 2 -- mpirun -np 2 stencil");
    ASSERT_EQ(ran.status, 0) << ran.errors;
  }
  static void TearDownTestSuite() {
    delete place;
    place = nullptr;
  }
  static Ran validate(const std::string& options, const std::string& command = "mpirun -np 2 stencil") {
    const std::string launches = options.find("--launches") == std::string::npos ? "--launches 2 " : "";
    return place->run("timeless validate " + launches + options + " -- " + command);
  }
  static Workplace* place;
};
Workplace* Validate::place = nullptr;

TEST_F(Validate, predicts_by_what_a_processor_costs_without_the_program) {
  json costs;
  for (const std::string_view cost : replay::compute_cost_names)
    costs[std::string(cost)] = cost == "instruction" ? 1e-10 : 0;
  const json machine{{"format", "timeless.machine/1"},
                     {"processors", 2},
                     {"caches", {{"first_bytes", 32768}, {"second_bytes", 1048576}, {"last_bytes", 16777216}}},
                     {"alone", costs}};
  ASSERT_EQ(place->run("echo '" + machine.dump() + "' > machine.json").status, 0);
  const Ran ran = validate("--network e10g --machine machine.json --json");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json answer = json::parse(ran.output);
  EXPECT_EQ(answer.at("kind"), "prediction");
  EXPECT_THAT(answer.at("because").dump(), HasSubstr("without the program"));
  EXPECT_GT(answer.at("predictions").at(0).at("makespan").at("predicted_seconds"), 0);
  EXPECT_EQ(validate("--network e10g --machine machine.json --rates rates.json").status, 2);
}

TEST_F(Validate, puts_what_was_predicted_beside_what_was_measured) {
  const Ran ran = validate("--network e10g --rates rates.json --json");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json answer = json::parse(ran.output);
  EXPECT_EQ(answer.at("schema"), "timeless.validate/1");
  EXPECT_EQ(answer.at("kind"), "self-consistency");
  EXPECT_EQ(answer.at("ranks"), 2);
  EXPECT_EQ(answer.at("launches_seconds").size(), 2U);
  const json& one = answer.at("predictions").at(0);
  EXPECT_EQ(one.at("backend"), "model");
  for (const char* part : {"makespan", "computation", "communication"}) {
    const json& times = one.at(part);
    EXPECT_NEAR(times.at("error").get<double>(),
                times.at("predicted_seconds").get<double>() / times.at("measured_seconds").get<double>() - 1, 1e-12);
    const double low = times.at("measured_interval_seconds").at(0);
    const double high = times.at("measured_interval_seconds").at(1);
    const double predicted = times.at("predicted_seconds");
    EXPECT_EQ(times.at("distinguishable"), predicted < low || predicted > high);
  }
  EXPECT_TRUE(one.at("with_measured_computation").at("predicted_seconds").is_number());
  EXPECT_FALSE(one.at("calls").empty());
  ASSERT_FALSE(one.at("kernels").empty());
  EXPECT_THAT(one.at("kernels").at(0).at("name").get<std::string>(), HasSubstr("MPI_"));
}

TEST_F(Validate, gives_every_predicted_time_the_interval_that_its_rates_let_expect) {
  const auto expect_around = [](const json& times) {
    ASSERT_TRUE(times.at("predicted_interval_seconds").is_array()) << times;
    EXPECT_LE(times.at("predicted_interval_seconds").at(0), times.at("predicted_seconds"));
    EXPECT_GE(times.at("predicted_interval_seconds").at(1), times.at("predicted_seconds"));
  };
  const Ran ran = validate("--platform ethernet-10g --rates rates.json --json");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json answer = json::parse(ran.output);
  for (const json& one : answer.at("predictions")) {
    for (const char* part : {"computation", "communication", "with_measured_communication"})
      expect_around(one.at(part));
    for (const json& part : one.at("calls"))
      expect_around(part);
    // A kernel whose launches tell no spread has none.
    for (const json& part : one.at("kernels"))
      if (!part.at("predicted_interval_seconds").is_null()) expect_around(part);
  }
}

TEST_F(Validate, gives_each_kernel_the_interval_of_its_own_launches) {
  json rates = json::parse(place->read("rates.json"));
  json& kernels = rates.at("instances").at(0).at("kernels");
  ASSERT_GE(kernels.size(), 2U);
  for (json& kernel : kernels) {
    const double rate = kernel.at("units_per_second");
    kernel["own"] = true;
    kernel["fixed_seconds"] = 0;
    kernel["launches"] = {rate, rate};
  }
  json& longest =
      *std::ranges::max_element(kernels, {}, [](const json& kernel) { return kernel.at("seconds").get<double>(); });
  const double rate = longest.at("units_per_second");
  longest["launches"] = {rate * 2, rate / 4};
  place->write("apart.json", rates.dump());
  const Ran ran = validate("--network e10g --rates apart.json --json");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  const json answer = json::parse(ran.output);
  int varied = 0;
  for (const json& part : answer.at("predictions").at(0).at("kernels")) {
    const double seconds = part.at("predicted_seconds");
    const double low = part.at("predicted_interval_seconds").at(0);
    const double high = part.at("predicted_interval_seconds").at(1);
    const bool varies = low < 0.9 * seconds;
    varied += varies ? 1 : 0;
    EXPECT_NEAR(low, seconds * (varies ? 0.5 : 1), 1e-6 * seconds);
    EXPECT_NEAR(high, seconds * (varies ? 4 : 1), 1e-6 * seconds);
  }
  EXPECT_EQ(varied, 1) << ran.output;

  for (json& kernel : kernels)
    kernel["launches"] = {kernel.at("units_per_second")};
  place->write("one.json", rates.dump());
  const json of_one = json::parse(validate("--network e10g --rates one.json --json").output);
  EXPECT_TRUE(of_one.at("predictions").at(0).at("makespan").at("predicted_interval_seconds").is_null());
  for (const json& part : of_one.at("predictions").at(0).at("kernels"))
    EXPECT_TRUE(part.at("predicted_interval_seconds").is_null()) << part;
}

TEST_F(Validate, says_whose_the_error_is_and_what_kind_of_validation_it_was) {
  const Ran ran = validate("--network e10g --rates rates.json");
  EXPECT_THAT(ran.output, AllOf(HasSubstr("makespan"), HasSubstr("whose error"), HasSubstr("self-consistency"),
                                HasSubstr("calibrated: "), Not(HasSubstr("ASSUMED"))));
}

TEST_F(Validate, of_few_launches_says_that_they_say_little) {
  EXPECT_THAT(validate("--network e10g --rates rates.json").output, HasSubstr("2 launches: intervals of fewer than 5"));
}

TEST_F(Validate, measures_how_quiet_the_host_is_keeps_it_with_the_launches_and_says_where_it_is_not) {
  const Ran ran = validate("--network e10g --rates rates.json --keep noisy --json");
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_GE(json::parse(ran.output).at("noise").at("spread"), 0);
  place->run("echo '0.2000 0.9000 on vm' > noisy/noise");
  const json again =
      json::parse(place->run("timeless validate --network e10g --rates rates.json --from noisy --json").output);
  EXPECT_EQ(again.at("noise").at("host"), "vm");
  EXPECT_THAT(again.at("notes").dump(), HasSubstr("vm was too noisy to be compared with a prediction: a loop of 1 ms "
                                                  "varied by 20.0 %"));
  place->run("rm noisy/noise");
  EXPECT_TRUE(json::parse(place->run("timeless validate --network e10g --rates rates.json --from noisy --json").output)
                  .at("noise")
                  .is_null());
}

TEST_F(Validate, predicts_with_both_backends_on_a_platform) {
  const json answer = json::parse(validate("--platform ethernet-10g --rates rates.json --json").output);
  ASSERT_EQ(answer.at("predictions").size(), 2U);
  EXPECT_EQ(answer.at("predictions").at(0).at("backend"), "model");
  EXPECT_EQ(answer.at("predictions").at(1).at("backend"), "smpi");
  EXPECT_FALSE(answer.at("predictions").at(1).at("calls").empty());
}

TEST_F(Validate, of_rates_that_nobody_measured_is_called_an_assumption) {
  EXPECT_EQ(json::parse(validate("--network e10g --compute-rate 1e9 --json").output).at("kind"), "assumption");
}

TEST_F(Validate, refuses_what_no_prediction_can_use_before_anything_is_launched) {
  for (const char* options : {"--network nosuch.json --rates rates.json", "--network e10g --rates nosuch.json",
                              "--network e10g --rates rates.json --compute-rate 1e9",
                              "--network e10g --rates rates.json --hostfile nosuch"}) {
    const Ran ran = validate(options, "sh -c 'touch launched'");
    EXPECT_NE(ran.status, 0) << options;
    EXPECT_FALSE(std::filesystem::exists(*place / "launched")) << options;
  }
}

TEST_F(Validate, says_what_computation_counts_by_whatever_gives_its_rate) {
  const json given = json::parse(
      place->run("timeless validate --network e10g --compute-rate 1e9 --launches 1 --json -- mpirun -np 2 stencil")
          .output);
  EXPECT_NE(given.at("compute"), "");
  EXPECT_TRUE(given.at("predictions").at(0).at("makespan").at("measured_interval_seconds").is_null());
  EXPECT_THAT(given.at("notes").dump(), HasSubstr("one launch: no spread is known"));
}

TEST_F(Validate, of_rates_of_another_number_of_ranks_or_program_is_a_prediction_or_a_re_prediction) {
  EXPECT_EQ(json::parse(validate("--network e10g --rates rates.json --json", "mpirun -np 1 stencil").output).at("kind"),
            "prediction");
  EXPECT_EQ(json::parse(validate("--network e10g --rates rates.json --json", "mpirun -np 2 ring").output).at("kind"),
            "re-prediction");
  place->run(
      "sed 's/\"hosts\": .*/\"hosts\": [/' rates.json | sed '/\"hosts\"/{n;s/\".*\"/\"elsewhere\"/}' > moved.json");
  EXPECT_EQ(json::parse(validate("--network e10g --rates moved.json --json").output).at("kind"), "prediction");
}

TEST_F(Validate, fails_where_it_is_told_to) {
  EXPECT_EQ(validate("--network e10g --compute-rate 1e3 --fail-on 10%").status, 4);
  EXPECT_EQ(validate("--network e10g --compute-rate 1e3 --fail-on 1e30").status, 0);
}

TEST_F(Validate, names_what_is_missing_and_the_commands_that_make_it) {
  const Ran nothing = validate("");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.errors, AllOf(HasSubstr("a network (--network or --platform)"), HasSubstr("rates (--rates)"),
                                    HasSubstr("timeless calibrate network"), HasSubstr("timeless calibrate compute")));
  EXPECT_THAT(validate("--network e10g").errors, AllOf(HasSubstr("rates"), Not(HasSubstr("calibrate network"))));
  EXPECT_THAT(validate("--network e10g,qdr --rates rates.json").errors, HasSubstr("one machine"));
}

TEST_F(Validate, keeps_the_recordings_where_it_is_told_to_and_takes_a_trace) {
  EXPECT_EQ(validate("--network e10g --rates rates.json --keep kept").status, 0);
  EXPECT_EQ(place->run("timeless check kept/icount-1").status, 0);
  EXPECT_EQ(validate("--network e10g --rates rates.json --trace kept/icount-1").status, 0);
  const Ran again = place->run("timeless validate --network e10g --rates rates.json --from kept --json");
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_EQ(json::parse(again.output).at("launches_seconds").size(), 2U);
  EXPECT_EQ(json::parse(again.output).at("program"), "stencil");
  EXPECT_EQ(place->run("timeless validate --network e10g --rates rates.json --from kept --json").output, again.output);
  EXPECT_THAT(place->run("timeless validate --network e10g --rates rates.json").errors, HasSubstr("nothing to launch"));
  const Ran rates = place->run("timeless calibrate compute run -o kept.json --from kept --json");
  ASSERT_EQ(rates.status, 0) << rates.errors;
  EXPECT_EQ(json::parse(rates.output).at("launches").at("walltime"), 2) << "a recording of volumes is no launch";
  EXPECT_THAT(validate("--network e10g --rates rates.json --trace kept/icount-1", "mpirun -np 1 stencil").errors,
              HasSubstr("the trace has 2 ranks, the command 1"));
  EXPECT_THAT(validate("--network e10g --rates rates.json", "mpirun -np 2 false").errors,
              HasSubstr("the launch ended with status 1"));
}

TEST_F(Validate, refuses_a_trace_of_another_program_than_was_launched) {
  const Ran ran = validate("--network e10g --rates rates.json --trace run", "mpirun -np 2 ring");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("the trace is of another program or input than was launched"),
                                HasSubstr("(rank 0, action "), Not(HasSubstr("walltime 2"))));
}

TEST_F(Validate, of_rates_of_another_program_names_it) {
  const json answer = json::parse(validate("--network e10g --rates rates.json --json", "mpirun -np 2 ring").output);
  EXPECT_EQ(answer.at("because"), "the rates are of this machine, of stencil, and ring is predicted");
}

TEST_F(Validate, says_where_the_launches_are_before_one_that_fails) {
  place->write("some.sh", "echo >>count\nif [ $(wc -l <count) -gt 2 ]; then exit 9; fi\nexec mpirun -np 2 stencil\n");
  const Ran ran = validate("--network e10g --rates rates.json --keep some", "sh some.sh");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, HasSubstr("(2 recordings) is kept in some, which --from reads"));
  EXPECT_EQ(place->run("timeless validate --network e10g --rates rates.json --from some").status, 0);
}

} // namespace
} // namespace timeless::test
