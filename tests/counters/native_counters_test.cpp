#include "tests/counters/breakpoints.h"
#include "tests/counters/counted.h"

#include <gmock/gmock.h>

namespace timeless::test {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

// LIBPFM_FORCE_PMU makes PAPI take this machine for one whose counters it knows; fake_pmu.c makes the kernel agree.
Counted count_with_fake_pmu(const std::string& kind, const std::string& choice) {
  return count(choice, "LIBPFM_FORCE_PMU=amd64_fam17h_zen1 LD_PRELOAD=" FAKE_PMU_LIBRARY " FAKE_PMU=" + kind);
}

TEST(NativeCounters, none_counts_nothing_and_says_so) {
  const Counted none = count("none");
  EXPECT_EQ(none.text("unit"), "none");
  EXPECT_EQ(none.volume("loop_1000"), 0);
  EXPECT_EQ(none.volume("skew"), 0);
}

TEST(NativeCounters, cpu_time_is_in_nanoseconds_and_marked_inexact) {
  const Counted time = count("cputime");
  EXPECT_EQ(time.text("name"), "cputime");
  EXPECT_EQ(time.text("unit"), "ns");
  EXPECT_EQ(time.text("exactness"), "inexact");
  EXPECT_GT(time.volume("loop_1000"), 0);
}

TEST(NativeCounters, time_that_passes_is_in_nanoseconds_and_marked_inexact) {
  const Counted time = count("walltime");
  EXPECT_EQ(time.text("name"), "walltime");
  EXPECT_EQ(time.text("unit"), "ns");
  EXPECT_EQ(time.text("exactness"), "inexact");
  EXPECT_GT(time.volume("loop_1000"), 0);
}

TEST(NativeCounters, cpu_time_of_workers_is_read_from_another_thread) {
  const Counted time = count("cputime");
  EXPECT_GT(time.volume("workers_looped_maximum"), 0);
  EXPECT_GT(time.volume("workers_looped_sum"), time.volume("workers_looped_maximum"));
  EXPECT_GT(time.volume("workers_gone_maximum"), 0);
  EXPECT_EQ(time.volume("uncounted_workers"), 0);
}

TEST(NativeCounters, icount_needs_its_tool_and_names_the_way_there) {
  EXPECT_THAT(count("icount").text("error"),
              AllOf(StartsWith("5 "), HasSubstr("icount tool"), HasSubstr("timeless record --counter icount")));
}

TEST(NativeCounters, an_event_that_does_not_exist_is_refused) {
  EXPECT_THAT(count("papi:NO_SUCH_EVENT").text("error"), AllOf(StartsWith("5 "), HasSubstr("NO_SUCH_EVENT")));
}

class CountingPmu : public testing::Test {
protected:
  static void SetUpTestSuite() { counted = count_with_fake_pmu("breakpoint", "papi"); }
  void SetUp() override {
    if (!breakpoints_count()) GTEST_SKIP() << "this kernel counts no execution breakpoints: " << counted.all;
  }
  static Counted counted;
};
Counted CountingPmu::counted;

TEST_F(CountingPmu, makes_papi_count_the_calling_thread_exactly) {
  EXPECT_EQ(counted.text("name"), "PAPI_TOT_INS");
  EXPECT_THAT(counted.text("version"), StartsWith("PAPI 7."));
  EXPECT_EQ(counted.text("unit"), "instructions");
  EXPECT_EQ(counted.text("exactness"), "hardware");
  EXPECT_EQ(counted.volume("skew"), 0);
  EXPECT_EQ(counted.volume("loop_1000"), 1000);
  EXPECT_EQ(counted.volume("loop_1500"), 1500);
  EXPECT_EQ(counted.volume("thread_loop_70000"), 70'000);
  EXPECT_EQ(counted.volume("beside_thread_loop_50000"), 0);
  EXPECT_EQ(counted.volume("failed_reads"), 0);
}

TEST_F(CountingPmu, makes_papi_count_workers_exactly_from_another_thread) {
  EXPECT_EQ(counted.volume("workers_present_at_first"), 0);
  EXPECT_EQ(counted.volume("workers_present"), 1);
  EXPECT_EQ(counted.volume("workers_looped_sum"), 1000 + 2000 + 3000 + 4000);
  EXPECT_EQ(counted.volume("workers_looped_maximum"), 4000);
  EXPECT_EQ(counted.volume("workers_idle_sum"), 0);
  EXPECT_EQ(counted.volume("workers_gone_sum"), 9000);
  EXPECT_EQ(counted.volume("workers_in_a_row_sum"), 1000 + 2000 + 3000);
  EXPECT_EQ(counted.volume("workers_in_a_row_maximum"), 3000);
  EXPECT_EQ(counted.volume("workers_turncoat_sum"), 3000);
  EXPECT_EQ(counted.volume("workers_present_at_last"), 0);
  EXPECT_EQ(counted.volume("uncounted_workers"), 0);
}

TEST_F(CountingPmu, is_what_automatic_takes_where_there_is_no_icount) {
  EXPECT_EQ(count_with_fake_pmu("breakpoint", "auto").text("name"), "PAPI_TOT_INS");
}

TEST(FakePmu, papi_that_counts_something_else_fails_its_self_test) {
  EXPECT_THAT(count_with_fake_pmu("page-faults", "papi").text("error"),
              AllOf(StartsWith("5 "), HasSubstr("self-test failed"), HasSubstr("in a loop of 40000 instructions")));
}

TEST(FakePmu, automatic_does_not_fall_back_to_time_when_papi_lies) {
  EXPECT_THAT(count_with_fake_pmu("page-faults", "auto").text("error"),
              AllOf(StartsWith("5 "), HasSubstr("self-test failed"), HasSubstr("timeless record")));
}

TEST(FakePmu, a_forbidden_counter_names_the_setting_that_forbids_it) {
  EXPECT_THAT(count_with_fake_pmu("EACCES", "papi").text("error"),
              AllOf(StartsWith("5 "), HasSubstr("perf_event_paranoid")));
}

TEST(FakePmu, an_absent_counter_is_said_to_be_absent) {
  EXPECT_THAT(count_with_fake_pmu("ENOENT", "papi").text("error"),
              AllOf(StartsWith("5 "), HasSubstr("'PAPI_TOT_INS' cannot be counted"), HasSubstr("icount")));
}

} // namespace
} // namespace timeless::test
