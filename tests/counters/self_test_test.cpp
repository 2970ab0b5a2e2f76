#include "tracer/counters/machine.h"
#include "tracer/counters/self_test.h"

#include <gmock/gmock.h>

namespace timeless::tracer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A counter that says this much more at each read; the self-test reads before and after its loop of 40 000
// instructions.
std::int64_t each_read = 0;
std::uint64_t read_so_far = 0;
std::uint64_t stepping() noexcept {
  return read_so_far += static_cast<std::uint64_t>(each_read);
}

std::string distrust_of_step(std::int64_t each) {
  each_read = each;
  read_so_far = std::uint64_t{1} << 40U;
  return distrust_of_instruction_counter(stepping);
}

TEST(SelfTest, a_counter_of_the_right_size_is_trusted) {
  EXPECT_THAT(distrust_of_step(40'000), IsEmpty());
  EXPECT_THAT(distrust_of_step(40'900), IsEmpty());
}

TEST(SelfTest, a_counter_sixteen_times_off_is_not) {
  EXPECT_THAT(distrust_of_step(16 * 40'000), HasSubstr("counted 640000 in a loop of 40000 instructions"));
  EXPECT_THAT(distrust_of_step(40'000 / 16), HasSubstr("counted 2500 in a loop of 40000 instructions"));
}

TEST(SelfTest, a_counter_that_stands_still_is_not) {
  EXPECT_THAT(distrust_of_step(0), HasSubstr("counted 0"));
}

TEST(SelfTest, a_counter_that_goes_backwards_is_not) {
  EXPECT_THAT(distrust_of_step(-40'000), HasSubstr("went backwards"));
  EXPECT_THAT(distrust_of_counter(stepping), HasSubstr("went backwards"));
}

TEST(SelfTest, of_other_events_only_the_direction_is_tested) {
  each_read = 0;
  EXPECT_THAT(distrust_of_counter(stepping), IsEmpty());
}

TEST(Skew, is_the_least_of_many_differences) {
  static std::uint64_t reads = 0;
  const auto noisy = []() noexcept { return reads += (reads % 7 == 0 ? 900 : 51); };
  EXPECT_EQ(calibrate_skew(noisy), 51);
}

TEST(Machine, cpu_model_is_found_whatever_the_architecture_calls_it) {
  EXPECT_EQ(cpu_model_in("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7352\nflags\t: fpu\n"), "AMD EPYC 7352");
  EXPECT_EQ(cpu_model_in("processor : 0\ncpu : POWER9, altivec supported\n"), "POWER9, altivec supported");
  EXPECT_EQ(cpu_model_in("CPU implementer : 0x41\nCPU part : 0xd0c\n"), "implementer 0x41 part 0xd0c");
  EXPECT_EQ(cpu_model_in(""), "unknown");
  EXPECT_EQ(cpu_model_in("model name"), "unknown");
}

} // namespace
} // namespace timeless::tracer
