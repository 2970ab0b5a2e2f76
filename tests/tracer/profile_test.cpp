#include "recorded.h"
#include "tests/counters/breakpoints.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <papi.h>

#include <string>
#include <vector>

/// Further events, summed up per kernel, in whole programs.
namespace timeless::test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using trace::KernelProfile;

TracedRun record_profiled(const std::string& environment) {
  return record_traced({.ranks = 2, .program = "profiled", .arguments = "", .environment = environment});
}

/// Returns whether PAPI counts the kernel's software events: it does not where it knows no processor like this one.
bool papi_has_software_events() {
  static const bool has = [] {
    void* const papi = ::dlopen("libpapi.so", RTLD_NOW | RTLD_LOCAL);
    if (papi == nullptr) return false;
    const auto initialize = reinterpret_cast<int (*)(int)>(::dlsym(papi, "PAPI_library_init"));
    const auto find = reinterpret_cast<int (*)(const char*, int*)>(::dlsym(papi, "PAPI_event_name_to_code"));
    int code = 0;
    return initialize != nullptr && find != nullptr && initialize(PAPI_VER_CURRENT) == PAPI_VER_CURRENT &&
           find("perf::PAGE-FAULTS", &code) == PAPI_OK;
  }();
  return has;
}

constexpr const char* no_software_events = "PAPI offers no software events on this processor";

TEST(Profile, counts_what_each_kernel_did) {
  if (!papi_has_software_events()) GTEST_SKIP() << no_software_events;
  const TracedRun recording =
      record_profiled("TIMELESS_COUNTER=cputime TIMELESS_PROFILE=perf::PAGE-FAULTS,perf::CPU-MIGRATIONS");
  ASSERT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
  EXPECT_EQ(recording.outcome.output, "2\n2\n");
  for (const RecordedRank& rank : recording.ranks) {
    EXPECT_THAT(rank.run.profile_events, ElementsAre("perf::PAGE-FAULTS", "perf::CPU-MIGRATIONS"));
    std::size_t touching = 0;
    for (const KernelProfile& profile : rank.record().profile) {
      ASSERT_EQ(profile.sums.size(), 2U);
      if (profile.sums[0] < 100) continue;
      ++touching;
      EXPECT_EQ(profile.bursts, 1U);
      EXPECT_GE(profile.sums[0], 300U);
#ifndef TIMELESS_SANITIZED // which touches pages of its own
      EXPECT_LT(profile.sums[0], 320U);
#endif
    }
    EXPECT_EQ(touching, 1U);
  }
}

TEST(Profile, needs_no_counter_of_computation) {
  if (!papi_has_software_events()) GTEST_SKIP() << no_software_events;
  const TracedRun recording = record_profiled("TIMELESS_PROFILE=perf::PAGE-FAULTS");
  ASSERT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
  const RecordedRank& rank = recording.ranks.at(0);
  EXPECT_TRUE(rank.volumes.empty());
  EXPECT_EQ(rank.run.kernels.size(), rank.record().profile.size());
  EXPECT_GE(rank.record().profile.size(), 5U);
}

TEST(Profile, is_none_unless_asked_for) {
  const TracedRun recording = record_profiled("TIMELESS_COUNTER=cputime TIMELESS_PROFILE=");
  ASSERT_EQ(recording.outcome.status, 0) << recording.outcome.errors;
  EXPECT_TRUE(recording.ranks.at(0).run.profile_events.empty());
  EXPECT_TRUE(recording.ranks.at(0).record().profile.empty());
}

void expect_profile_refused(const std::string& profile, int status, const std::string& words) {
  const TracedRun recording = record_profiled("TIMELESS_PROFILE=" + profile);
  EXPECT_EQ(recording.outcome.status, status) << profile;
  EXPECT_EQ(recording.outcome.output, "");
  EXPECT_THAT(recording.outcome.errors,
              AllOf(HasSubstr("timeless: "), HasSubstr("(TIMELESS_PROFILE)"), HasSubstr(words)));
  EXPECT_EQ(recording.outcome.errors.find("timeless: "), recording.outcome.errors.rfind("timeless: ")) << "one line";
  EXPECT_TRUE(recording.ranks.empty());
}

TEST(ProfileSettings, that_make_no_sense_are_refused_in_one_line) {
  expect_profile_refused(",", 2, "'' is no event");
  expect_profile_refused("perf::PAGE-FAULTS,", 2, "'' is no event");
  expect_profile_refused("perf::PAGE-FAULTS,perf::PAGE-FAULTS", 2, "'perf::PAGE-FAULTS' stands there twice");
  expect_profile_refused("A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q", 2, "17 events are too many");
}

TEST(ProfileSettings, an_event_that_does_not_exist_is_named_with_what_does) {
  if (!papi_has_software_events()) GTEST_SKIP() << no_software_events;
  expect_profile_refused("perf::PAGE-FAULTS,NO_SUCH_EVENT", 5, "'NO_SUCH_EVENT' cannot be counted: ");
  expect_profile_refused("NO_SUCH_EVENT", 5, "available here");
}

TEST(ProfileSettings, events_that_the_processor_has_and_nobody_may_count_are_not_offered) {
  const TracedRun recording =
      record_profiled("LD_PRELOAD=" TIMELESS_LIBRARY ":" FAKE_PMU_LIBRARY
                      " LIBPFM_FORCE_PMU=amd64_fam17h_zen1 FAKE_PMU=ENOENT TIMELESS_PROFILE=PAPI_BR_INS");
  EXPECT_EQ(recording.outcome.status, 5);
  EXPECT_THAT(recording.outcome.errors,
              AllOf(HasSubstr("'PAPI_BR_INS' cannot be counted"), HasSubstr("no processor counters are available")));
}

/// On a pretended processor whose events count the iterations of a known loop.
class PapiProfile : public testing::Test {
protected:
  static TracedRun record_with_papi(const std::string& environment) {
    return record_profiled(
        "LD_PRELOAD=" TIMELESS_LIBRARY ":" FAKE_PMU_LIBRARY
        " LIBPFM_FORCE_PMU=amd64_fam17h_zen1 FAKE_PMU=breakpoint TIMELESS_COUNTER=papi:PAPI_TOT_CYC " +
        environment);
  }

  void SetUp() override {
    if (!breakpoints_count()) GTEST_SKIP() << "this kernel counts no execution breakpoints";
    without = record_with_papi("");
    ASSERT_EQ(without.outcome.status, 0) << without.outcome.errors;
  }

  TracedRun without;
};

TEST_F(PapiProfile, counts_together_with_the_volumes_and_does_not_change_them) {
  const TracedRun with = record_with_papi("TIMELESS_PROFILE=PAPI_TOT_INS");
  ASSERT_EQ(with.outcome.status, 0) << with.outcome.errors;
  ASSERT_EQ(with.ranks.size(), 2U);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(with.ranks[rank].volumes, ElementsAre(1000, 110, 110, 110, 110, 110, 7));
    EXPECT_EQ(with.ranks[rank].volumes, without.ranks[rank].volumes);
    EXPECT_EQ(with.ranks[rank].actions, without.ranks[rank].actions);
    std::vector<std::uint64_t> sums;
    for (const KernelProfile& profile : with.ranks[rank].record().profile)
      sums.push_back(profile.sums.at(0));
    // Also of the two bursts without a volume: the one that touches pages, and the one that ends in MPI_Pcontrol.
    EXPECT_THAT(sums, testing::UnorderedElementsAre(1000, 110, 440, 0, 0, 7));
  }
}

TEST_F(PapiProfile, counts_by_itself_where_something_else_counts_the_volumes) {
  const TracedRun with = record_with_papi("TIMELESS_COUNTER=cputime TIMELESS_PROFILE=PAPI_TOT_INS,PAPI_BR_INS");
  ASSERT_EQ(with.outcome.status, 0) << with.outcome.errors;
  const auto& profile = with.ranks.at(0).record().profile;
  ASSERT_FALSE(profile.empty());
  EXPECT_THAT(profile.at(0).sums, ElementsAre(1000, 1000));
}

TEST_F(PapiProfile, events_that_do_not_fit_together_are_named) {
  const TracedRun with = record_with_papi("FAKE_PMU_EVENTS=2 TIMELESS_PROFILE=PAPI_TOT_INS,PAPI_BR_INS");
  EXPECT_EQ(with.outcome.status, 5);
  EXPECT_THAT(with.outcome.errors,
              HasSubstr("'PAPI_BR_INS' cannot be counted together with PAPI_TOT_INS and PAPI_TOT_CYC: "));
}

} // namespace

} // namespace timeless::test
