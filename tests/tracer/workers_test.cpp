// PAPI's true path in whole programs, on a pretended counter that counts the iterations of a known loop exactly.
#include "recorded.h"
#include "tests/counters/breakpoints.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace timeless::test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using trace::ActionKind;

Volume own(std::uint64_t volume) {
  return {ActionKind::compute, volume};
}
Volume sum(std::uint64_t volume) {
  return {ActionKind::workers_sum, volume};
}
Volume maximum(std::uint64_t volume) {
  return {ActionKind::workers_maximum, volume};
}

/// An event that is not PAPI_TOT_INS, which is tested on a loop of the tracer's own.
const std::string counter = "papi:PAPI_TOT_CYC";

/// Records with PAPI on the pretended counter of this kind.
TracedRun record_counted(int ranks, const std::string& program, const std::string& arguments,
                         const std::string& pmu = "FAKE_PMU=breakpoint") {
  return record_traced({.ranks = ranks,
                        .program = program,
                        .arguments = arguments,
                        .environment = "LD_PRELOAD=" TIMELESS_PRELOAD ":" FAKE_PMU_LIBRARY
                                       " LIBPFM_FORCE_PMU=amd64_fam17h_zen1 OMP_WAIT_POLICY=passive "
                                       "TIMELESS_COUNTER=" +
                                       counter + " " + pmu});
}

class PapiWorkers : public testing::Test {
protected:
  void SetUp() override {
    if (!breakpoints_count()) GTEST_SKIP() << "this kernel counts no execution breakpoints";
  }

  /// Returns what one rank's threads did in this case of the program, which must run as it does untraced.
  static std::vector<Volume> volumes_of(const std::string& case_name) {
    const TracedRun recording = record_counted(1, "worker_threads", case_name);
    EXPECT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
    EXPECT_EQ(recording.outcome.output,
              run_plain({.ranks = 1, .program = "worker_threads", .arguments = case_name}).output);
    EXPECT_EQ(recording.outcome.errors.find("could not be counted"), std::string::npos) << recording.outcome.errors;
    return recording.ranks.at(0).all_volumes;
  }
};

void expect_hybrid(const std::string& program) {
  const TracedRun recording = record_counted(2, program, "10");
  ASSERT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
  EXPECT_EQ(recording.outcome.output, "1920 iterations\n");
  ASSERT_EQ(recording.ranks.size(), 2U);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    const std::uint64_t share = 10 * (rank + 1);
    EXPECT_THAT(recording.ranks[rank].all_volumes,
                ElementsAre(own(share), sum(9 * share), maximum(4 * share),             //
                            own(2 * share), sum(2 * 9 * share), maximum(2 * 4 * share), //
                            own(3 * share), sum(3 * 9 * share), maximum(3 * 4 * share), //
                            sum(60), maximum(30)))
        << "rank " << rank;
    EXPECT_EQ(recording.ranks[rank].run.counter.threads, "calling, workers apart");
  }
}

TEST_F(PapiWorkers, of_openmp_in_c_are_recorded_with_their_sum_and_maximum) {
  expect_hybrid("hybrid_c");
}

TEST_F(PapiWorkers, of_openmp_in_fortran_are_recorded_with_their_sum_and_maximum) {
  expect_hybrid("hybrid_fortran");
}

TEST_F(PapiWorkers, count_however_they_end) {
  EXPECT_THAT(volumes_of("ends"), ElementsAre(sum(100 + 200 + 300 + 400), maximum(400)));
}

TEST_F(PapiWorkers, older_than_mpi_count_from_its_beginning_and_not_while_recording_is_off) {
  EXPECT_THAT(volumes_of("older"),
              ElementsAre(sum(1000), maximum(500), sum(2000), maximum(1000), sum(100), maximum(50)));
}

TEST_F(PapiWorkers, may_be_created_by_workers) {
  EXPECT_THAT(volumes_of("nested"), ElementsAre(sum(750), maximum(500)));
}

#ifndef TIMELESS_SANITIZED // takes more stack
TEST_F(PapiWorkers, may_have_the_smallest_stack_there_is) {
  EXPECT_THAT(volumes_of("attributes"), ElementsAre(sum(600), maximum(600)));
}
#endif

TEST_F(PapiWorkers, cease_to_be_workers_when_they_call_mpi) {
  EXPECT_THAT(volumes_of("caller"), ElementsAre(own(700), own(900)));
}

TEST_F(PapiWorkers, that_are_in_mpi_at_once_are_counted_each_for_itself) {
  std::vector<Volume> expected;
  for (const std::uint64_t thread : {1, 2, 3})
    for (const std::uint64_t exchange : {0, 1, 2, 3, 4})
      expected.push_back(own(100 * thread + exchange));
  EXPECT_THAT(volumes_of("callers"), UnorderedElementsAreArray(expected));
}

TEST_F(PapiWorkers, cease_to_be_workers_even_by_a_call_that_leaves_no_trace) {
  EXPECT_THAT(volumes_of("poller"), ElementsAre(own(90 + 70)));
}

TEST_F(PapiWorkers, are_none_where_a_thread_is_the_rank) {
  EXPECT_THAT(volumes_of("rank-in-a-thread"), ElementsAre(own(60)));
}

TEST_F(PapiWorkers, that_call_mpi_in_their_last_moments_are_counted_until_then) {
  EXPECT_THAT(volumes_of("last-moments"), ElementsAre(own(80), own(80), own(80), own(80)));
}

TEST_F(PapiWorkers, of_a_forked_child_are_none_of_the_rank) {
  EXPECT_THAT(volumes_of("forked"), ElementsAre(sum(40), maximum(40)));
}

TEST_F(PapiWorkers, and_the_main_thread_count_until_a_finalize_that_is_called_at_exit) {
  EXPECT_THAT(volumes_of("exit"), ElementsAre(own(400), own(450)));
}

TEST_F(PapiWorkers, that_cannot_be_counted_are_told_of_at_the_end) {
  // The rank itself takes one event, and each of its three threads wants one.
  const TracedRun recording = record_counted(1, "hybrid_c", "10", "FAKE_PMU=breakpoint FAKE_PMU_EVENTS=2");
  EXPECT_EQ(recording.outcome.status, 0);
  EXPECT_EQ(recording.outcome.output, "660 iterations\n");
  EXPECT_THAT(recording.outcome.errors, HasSubstr("worker threads that could not be counted"));
}

TEST_F(PapiWorkers, and_own_volumes_that_cannot_be_read_any_more_are_told_of_at_the_end) {
  const TracedRun recording = record_counted(1, "hybrid_c", "10", "FAKE_PMU=breakpoint FAKE_PMU_READS=2030");
  EXPECT_EQ(recording.outcome.status, 0);
  EXPECT_EQ(recording.outcome.output, "660 iterations\n");
  EXPECT_THAT(recording.outcome.errors, HasSubstr("the counter could not be read "));
}

/// A job that was to be recorded does not run unrecorded.
void expect_counter_refused(const std::string& pmu, const std::string& reason) {
  const TracedRun recording = record_counted(2, "hybrid_c", "10", pmu);
  EXPECT_EQ(recording.outcome.status, 5);
  EXPECT_THAT(recording.outcome.output, IsEmpty());
  EXPECT_THAT(recording.outcome.errors, AllOf(HasSubstr("timeless: 'PAPI_TOT_CYC' cannot be counted: " + reason),
                                              HasSubstr("timeless record --counter icount")));
}

TEST(PapiRefused, that_is_forbidden_ends_the_job_at_init_naming_the_setting) {
  expect_counter_refused("FAKE_PMU=EACCES", "Permission level does not permit operation");
}

TEST(PapiRefused, that_does_not_exist_ends_the_job_at_init) {
  expect_counter_refused("FAKE_PMU=ENOENT", "Event does not exist");
}

TEST(PapiRefused, that_finds_no_descriptor_ends_the_job_at_init) {
  expect_counter_refused("FAKE_PMU=breakpoint FAKE_PMU_EVENTS=0",
                         "Too many events or attributes (or more open files than the process may have)");
}

} // namespace

} // namespace timeless::test
