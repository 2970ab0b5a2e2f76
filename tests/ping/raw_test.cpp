#include "base/error.h"
#include "ping/raw.h"

#include <gmock/gmock.h>

#include <string>

namespace timeless::ping {
namespace {

const MeasurementContext circumstances{.date = "2026-11-23T01:30:00Z",
                                       .library = "Some MPI v1",
                                       .hosts = {"a", "b"},
                                       .nodes = {0, 1},
                                       .seed = 7,
                                       .most_bytes = 4096,
                                       .waiting = "yields",
                                       .noise = "0.0123 0.0800 on a"};

Measurement sample() {
  return {.order = {.experiment = Experiment::train, .second = 1, .bytes = 1420, .messages = 10, .gap = 1.25e-5},
          .rank = 0,
          .repetition = 3,
          .start = 0.1 + 0.2,
          .seconds = 1.0 / 3};
}

std::string text() {
  return head(circumstances) + line(sample());
}

TEST(RawFile, reads_back_to_the_last_bit_what_it_wrote) {
  const Raw raw = read_raw(text() + text(), "raw.csv");
  ASSERT_EQ(raw.launches.size(), 2U);
  EXPECT_EQ(raw.launches[1], circumstances);
  ASSERT_EQ(raw.lines.size(), 2U);
  EXPECT_EQ(raw.lines[1].launch, 1U);
  const Measurement one = raw.lines[0].measurement;
  EXPECT_EQ(one.order.experiment, Experiment::train);
  EXPECT_EQ(one.order.bytes, 1420U);
  EXPECT_EQ(one.order.gap, 1.25e-5);
  EXPECT_EQ(one.start, 0.1 + 0.2);
  EXPECT_EQ(one.seconds, 1.0 / 3);
  EXPECT_EQ(head(circumstances) + line(one), text());
}

TEST(RawFile, may_have_the_line_ends_of_other_systems) {
  std::string returned = text();
  for (std::size_t end = returned.find('\n'); end != std::string::npos; end = returned.find('\n', end + 2))
    returned.insert(end, 1, '\r');
  const Raw raw = read_raw(returned, "raw.csv");
  EXPECT_EQ(raw.launches.at(0), circumstances);
  EXPECT_EQ(raw.lines.at(0).measurement.seconds, 1.0 / 3);
}

TEST(RawFile, that_was_cut_short_keeps_its_whole_lines) {
  const std::string whole = text();
  for (std::size_t length = head(circumstances).size(); length < whole.size(); ++length) {
    bool cut = false;
    const Raw raw = read_raw(std::string_view(whole).substr(0, length), "raw.csv", [&] { cut = true; });
    EXPECT_TRUE(raw.lines.empty());
    EXPECT_EQ(cut, length > head(circumstances).size());
  }
}

TEST(RawFile, is_not_what_has_no_whole_line) {
  for (const char* text : {"x", "\xd5 no measurements", "# format: timeless"})
    EXPECT_THROW(read_raw(text, "raw.csv", [] { ADD_FAILURE() << "a raw file that was cut off"; }), Error) << text;
}

TEST(RawFile, counts_collectives_without_a_common_start_and_what_was_cut) {
  const std::string all = text() + without_common_start(Experiment::broadcast, 3) + text() +
                          without_common_start(Experiment::barrier, 2) + cut_line("2 of 5 launches were made");
  const Raw raw = read_raw(all, "raw.csv");
  EXPECT_EQ(raw.without_common_start, 5U);
  EXPECT_EQ(raw.cut, std::vector<std::string>{"2 of 5 launches were made"});
  EXPECT_TRUE(is_raw_line(without_common_start(Experiment::barrier, 2)));
}

void refused(const std::string& text, const std::string& where) {
  try {
    read_raw(text, "raw.csv");
    FAIL() << "accepted: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), Failure::invalid_input);
    EXPECT_EQ(error.where(), where) << text;
  }
}

TEST(RawFile, is_refused_by_line_where_it_makes_no_sense) {
  refused("", "raw.csv");
  refused("size,duration\n1,2\n", "raw.csv:1");
  const std::string begin = head(circumstances);
  for (const char* wrong :
       {"round_trip,0,1,0,8,1,0,0,0\n", "round_trip,0,1,0,8,1,0,0,0,1,1\n", "nothing,0,1,0,8,1,0,0,0,1\n",
        "round_trip,0,2,0,8,1,0,0,0,1\n", "round_trip,0,-1,0,8,1,0,0,0,1\n", "round_trip,0,1,0,8,1,0,0,0,-1\n",
        "round_trip,0,1,0,8,1,0,0,0,nan\n", "# no common start: x of barrier\n", "round_trip,0,1,0,8x,1,0,0,0,1\n",
        "\n", "# date\n"})
    refused(begin + wrong, "raw.csv:11");
}

TEST(Experiments, have_names_of_their_own) {
  for (std::size_t number = 0; number < experiments; ++number) {
    const auto one = static_cast<Experiment>(number);
    EXPECT_EQ(experiment(name(one)), one);
  }
}

/// Returns why a file is refused.
std::string refusal(const std::string& file) {
  try {
    read_raw(file, "raw.csv");
  } catch (const Error& error) {
    return error.description();
  }
  return {};
}

TEST(RawFile, refuses_messages_of_a_rank_to_itself) {
  Measurement one = sample();
  one.order.second = one.order.first;
  EXPECT_THAT(refusal(head(circumstances) + line(one)), testing::HasSubstr("rank 0 measured with itself"));
  one.order.experiment = Experiment::copy;
  EXPECT_EQ(refusal(head(circumstances) + line(one)), "");
  one.order.experiment = Experiment::broadcast;
  EXPECT_EQ(refusal(head(circumstances) + line(one)), "");
}

TEST(RawFile, refuses_what_does_not_say_how_quiet_a_host_was) {
  for (const char* noise : {"abc", "0.1 on a", "0.1 x on a", "0.1 -1 on a"}) {
    MeasurementContext noisy = circumstances;
    noisy.noise = noise;
    EXPECT_NE(refusal(head(noisy) + line(sample())), "") << noise;
  }
}

} // namespace
} // namespace timeless::ping
