#include "base/error.h"
#include "tracer/counters/candidates.h"

#include <gmock/gmock.h>

#include <array>

namespace timeless::tracer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ActiveCounter counting(std::string name) {
  return {.identity = {.name = std::move(name), .version = {}, .unit = trace::VolumeUnit::instructions},
          .read = []() noexcept { return std::uint64_t{7}; }};
}

[[noreturn]] void refuse(const char* why) {
  throw Error(Failure::missing_capability, why, "a test", "a remedy");
}

constexpr Candidate first_works{"first", false, true, [](std::string_view) { return counting("first"); }};
constexpr Candidate first_fails{"first", false, true,
                                [](std::string_view) -> ActiveCounter { refuse("first is absent"); }};
constexpr Candidate second_works{"second", true, true,
                                 [](std::string_view event) { return counting("second " + std::string(event)); }};
constexpr Candidate second_fails{"second", true, true,
                                 [](std::string_view) -> ActiveCounter { refuse("second lies"); }};
constexpr Candidate clock_only{"clock", false, false, [](std::string_view) { return counting("clock"); }};
constexpr Candidate breaks{"breaks", false, true,
                           [](std::string_view) -> ActiveCounter { throw Error(Failure::runtime, "broken"); }};

std::string chosen(std::string_view choice, std::initializer_list<Candidate> table) {
  return choose_counter(choice, {table.begin(), table.size()}).identity.name;
}

/// Returns what the choice fails with.
Error failure_of(std::string_view choice, std::initializer_list<Candidate> table) {
  try {
    choose_counter(choice, {table.begin(), table.size()});
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("it did not fail");
}

TEST(CounterChoice, automatic_takes_the_first_that_works) {
  EXPECT_EQ(chosen("auto", {first_works, second_works}), "first");
  EXPECT_EQ(chosen("auto", {first_fails, second_works}), "second ");
}

TEST(CounterChoice, no_choice_is_automatic) {
  EXPECT_EQ(chosen("", {first_works, second_works}), "first");
}

TEST(CounterChoice, automatic_never_takes_one_that_must_be_asked_for) {
  const Error error = failure_of("auto", {first_fails, second_fails, clock_only});
  EXPECT_EQ(error.failure(), Failure::missing_capability);
}

TEST(CounterChoice, automatic_failure_names_every_reason_and_the_remedies) {
  const Error error = failure_of("auto", {first_fails, second_fails, clock_only});
  EXPECT_THAT(error.what(), AllOf(HasSubstr("first is absent"), HasSubstr("second lies"), HasSubstr("timeless record"),
                                  HasSubstr("perf_event_paranoid"), HasSubstr("cputime"), HasSubstr("none")));
}

TEST(CounterChoice, automatic_does_not_step_over_a_defect) {
  EXPECT_EQ(failure_of("auto", {breaks, second_works}).failure(), Failure::runtime);
}

TEST(CounterChoice, a_named_counter_is_taken_or_fails_but_never_replaced) {
  EXPECT_EQ(chosen("clock", {first_works, second_works, clock_only}), "clock");
  EXPECT_EQ(failure_of("first", {first_fails, second_works}).description(), "first is absent");
}

TEST(CounterChoice, what_follows_the_colon_reaches_the_counter) {
  EXPECT_EQ(chosen("second:perf::CYCLES", {first_works, second_works}), "second perf::CYCLES");
}

TEST(CounterChoice, what_does_not_exist_is_a_usage_error_naming_what_does) {
  for (const char* choice : {"third", "first:event", "second:", "Auto", " "}) {
    const Error error = failure_of(choice, {first_works, second_works});
    EXPECT_EQ(error.failure(), Failure::usage) << choice;
    EXPECT_THAT(error.what(), AllOf(HasSubstr("auto"), HasSubstr("first"), HasSubstr("second:EVENT")));
  }
}

TEST(CounterChoice, time_is_not_among_what_automatic_may_take) {
  for (const Candidate& candidate : candidates())
    EXPECT_EQ(candidate.automatic, candidate.name == "icount" || candidate.name == "papi") << candidate.name;
  EXPECT_EQ(candidates().front().name, "icount");
}

TEST(CounterChoice, skew_is_calibrated_whatever_is_chosen) {
  static std::uint64_t volume = 0;
  constexpr Candidate costly{"costly", false, true, [](std::string_view) -> ActiveCounter {
                               return {.identity = {}, .read = []() noexcept { return volume += 31; }};
                             }};
  EXPECT_EQ(choose_counter("costly", std::array{costly}).skew, 31);
}

} // namespace
} // namespace timeless::tracer
