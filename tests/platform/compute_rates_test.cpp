#include "replay/network/compute_rates.h"

#include "../temporary_directory.h"
#include "base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace timeless::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RatesFile : public testing::Test {
protected:
  RatesFile() {
    run_.modules = {{.path = "/opt/bin/lu.x"}, {.path = "/usr/lib/libm.so"}};
    run_.kernels = {{.begin = {0, 0x10}, .end = {0, 0x20}},
                    {.begin = {0, 0x20}, .end = {1, 0x10}},
                    {.begin = {0, 0x10}, .end = {0, 0x20}, .begin_caller = 3}};
  }

  ComputeRates rates(const std::string& text) {
    const std::filesystem::path file = folder_ / "rates.json";
    std::ofstream(file, std::ios::binary) << R"({"format": "timeless.rates/1", )" << text << "}";
    return read_rates(file);
  }

  template <typename Use>
  std::string refusal(Use use) {
    try {
      use();
    } catch (const Error& error) {
      EXPECT_EQ(error.failure(), Failure::invalid_input);
      EXPECT_THAT(error.where(), HasSubstr("rates.json"));
      EXPECT_FALSE(error.advice().empty());
      return error.description() + " | " + error.where();
    }
    return "accepted";
  }

  test::TemporaryDirectory folder_;
  trace::Run run_;
};

TEST_F(RatesFile, gives_kernels_their_time_in_proportion_to_all_others) {
  const auto factors = [&](const std::string& kernels) {
    return kernel_factors(rates(R"("units_per_second": 8, "kernels": {)" + kernels + "}"), run_);
  };
  EXPECT_THAT(factors(R"("1": 2)"), ElementsAre(1, 4, 1));
  EXPECT_THAT(factors(R"("lu.x+0x20..libm.so+0x10": 16)"), ElementsAre(1, 0.5, 1));
  EXPECT_THAT(factors(R"("/opt/bin/lu.x+16..lu.x+32": 2)"), ElementsAre(4, 1, 4)) << "whoever called";
  EXPECT_TRUE(kernel_factors(rates(R"("units_per_second": 8)"), run_).empty());
}

TEST_F(RatesFile, refuses_kernels_there_are_not_and_kernels_named_twice) {
  const auto with = [&](const std::string& kernels) {
    return refusal([&] { kernel_factors(rates(R"("units_per_second": 8, "kernels": {)" + kernels + "}"), run_); });
  };
  for (const char* name :
       {"3", "-1", "main", "lu.x+0x10..lu.x+0x21", "x.lu+0x10..lu.x+0x20", "lu.x+..lu.x+", "..", "+1..+1"})
    EXPECT_THAT(with(std::string("\"") + name + "\": 1"),
                HasSubstr(std::string("no such kernel among the run's 3 | ") + (folder_ / "rates.json").string() +
                          ": kernels." + name));
  EXPECT_THAT(with(R"("0": 1, "lu.x+0x10..lu.x+0x20": 2)"), HasSubstr("kernel 0 is named twice"));
  EXPECT_THAT(refusal([&] { kernel_factors(rates(R"("kernels": {"0": 1})"), run_); }),
              HasSubstr("without the rate of all others"));
}

TEST_F(RatesFile, gives_hosts_their_rate_else_the_files_else_the_platforms) {
  const std::vector<std::string> nodes{"a.site", "b", "b.site"};
  const std::vector<double> platform{1, 2, 3};
  EXPECT_THAT(seconds_per_unit(rates(R"("hosts": {"a": 8, "b": 4})"), nodes, platform), ElementsAre(0.125, 0.25, 0.25));
  EXPECT_THAT(seconds_per_unit(rates(R"("hosts": {"b": 4, "b.site": 2})"), nodes, platform), ElementsAre(1, 0.25, 0.5));
  EXPECT_THAT(seconds_per_unit(rates(R"("units_per_second": 8, "hosts": {"b.site": 2})"), nodes, platform),
              ElementsAre(0.125, 0.125, 0.5));
}

TEST_F(RatesFile, refuses_hosts_there_are_not_and_hosts_without_a_rate) {
  const std::vector<std::string> nodes{"a", "b"};
  EXPECT_THAT(refusal([&] {
                seconds_per_unit(rates(R"("hosts": {"c": 8})"), nodes, std::vector<double>{1, 1});
              }),
              HasSubstr("no such host"));
  EXPECT_THAT(refusal([&] { seconds_per_unit(rates(R"("hosts": {"a": 8})"), nodes, {}); }),
              HasSubstr("no rate for host 'b'"));
}

TEST_F(RatesFile, with_a_mistake_is_refused_by_key) {
  const auto read = [&](const std::string& text) { return refusal([&] { rates(text); }); };
  EXPECT_EQ(read(R"("units_per_second": 8, "source": "measured")"), "accepted");
  EXPECT_THAT(read(R"("source": "x")"), HasSubstr("no rate at all"));
  EXPECT_THAT(read(R"("units_per_second": 0)"), HasSubstr("units_per_second"));
  EXPECT_THAT(read(R"("hosts": {"a": -1})"), HasSubstr("hosts.a"));
  EXPECT_THAT(read(R"("hosts": [1])"), HasSubstr("not an object"));
  EXPECT_THAT(read(R"("kernel": {"0": 1})"), HasSubstr("this key means nothing here"));
}

} // namespace
} // namespace timeless::replay
