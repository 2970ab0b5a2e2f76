// Timelines as files.
#include "base/error.h"
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "replay/timeline/timeline.h"
#include "tests/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <protozero/pbf_reader.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::replay::test::timeline_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using timeline::Timeline;
using timeline::TimelineFormat;
using timeline::TimelineOptions;
using trace::ActionKind;
using trace::MemorySource;

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    all.push_back(line);
  return all;
}

/// Returns the program of figure 2 of Tong et al., an early receiver: rank 0 computes for 12 and receives what rank 1
/// sends at 18.
MemorySource early_receiver() {
  MemorySource program(2);
  program.compute(0, 12);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .bytes = 2});
  program.compute(1, 18);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .bytes = 2});
  program.finalize();
  return program;
}

class TimelineFiles : public testing::Test {
protected:
  const timeless::test::TemporaryDirectory directory;
  const fs::path file = directory / "timeline";

  /// Returns the file of a replay on the figure's machine, and one that is twice as slow.
  std::string written(const trace::Source& program, TimelineOptions how, ReplayOptions options = {}) const {
    const Network machine =
        flat_machine(program.run().size, {{.latency = 2, .byte_time = 5, .memory_copy = 1},
                                          {.latency = 4, .byte_time = 10, .memory_copy = 2, .compute_scale = 2}});
    how.file = file;
    how.existing = Existing::replace;
    Timeline timeline(std::move(how));
    options.observer = &timeline;
    timeline.finish(replay(program, machine, options));
    return content(file);
  }
};

TEST_F(TimelineFiles, timed_text_names_when_an_action_ended_and_how_long_it_took) {
  EXPECT_THAT(lines(written(early_receiver(), {.file = {}, .format = TimelineFormat::text})),
              ElementsAre("[12.000000000] 0 compute 12 12.000000000", "[18.000000000] 1 compute 18 18.000000000",
                          "[20.000000000] 1 send 0 2 2.000000000", "[20.000000000] 1 finalize 0.000000000",
                          "[32.000000000] 0 recv 1 2 20.000000000", "[32.000000000] 0 finalize 0.000000000"));
}

TEST_F(TimelineFiles, another_lane_has_times_of_its_own) {
  EXPECT_THAT(written(early_receiver(), {.file = {}, .format = TimelineFormat::text, .lane = "1"}),
              HasSubstr("[64.000000000] 0 recv 1 2 40.000000000\n"));
}

TEST_F(TimelineFiles, comma_separated_values_hold_every_bit_of_the_times) {
  const auto all = lines(written(early_receiver(), {.file = {}, .format = TimelineFormat::csv}));
  ASSERT_EQ(all.size(), 7U);
  EXPECT_THAT(all[0], HasSubstr("rank,action,call,start,end,duration,wait,latency,bandwidth"));
  EXPECT_EQ(all[3], "0,1,Recv,12,32,20,8,2,10,0,,,2,,,1,,0,0,,");
  EXPECT_EQ(all[4], "1,1,Send,18,20,2,0,0,0,0,,,2,,0,,,0,0,,");
}

TEST_F(TimelineFiles, further_threads_of_a_rank_are_named_and_have_rows_of_their_own) {
  MemorySource program(1);
  program.compute(0, 5);
  program.add(0, {.kind = ActionKind::thread, .peer = 3});
  program.compute(0, 7);
  program.finalize();
  EXPECT_THAT(written(program, {.file = {}, .format = TimelineFormat::csv}),
              testing::AllOf(HasSubstr("0,0,compute,0,5,5,"), HasSubstr("0,2,compute,0,7,7,"), HasSubstr(",3\n")));
  EXPECT_THAT(written(program, {.file = {}, .format = TimelineFormat::paje}), HasSubstr("rank 0, thread 3"));
  EXPECT_THAT(written(program, {.file = {}, .format = TimelineFormat::perfetto}), HasSubstr("rank 0, thread 3"));
}

TEST_F(TimelineFiles, a_window_and_ranks_leave_the_others_out) {
  EXPECT_THAT(lines(written(early_receiver(), {.file = {}, .format = TimelineFormat::text, .from = 19, .to = 25})),
              ElementsAre("[20.000000000] 1 send 0 2 2.000000000", "[20.000000000] 1 finalize 0.000000000",
                          "[32.000000000] 0 recv 1 2 20.000000000"));
  EXPECT_THAT(lines(written(early_receiver(), {.file = {}, .format = TimelineFormat::text, .ranks = {{1, 5}}})),
              ElementsAre("[18.000000000] 1 compute 18 18.000000000", "[20.000000000] 1 send 0 2 2.000000000",
                          "[20.000000000] 1 finalize 0.000000000"));
}

TEST_F(TimelineFiles, do_not_depend_on_the_memory_they_are_sorted_in_nor_on_the_order_of_turns) {
  const MemorySource program = random_program(7, {.most_ranks = 6, .most_events = 2000});
  for (const auto format :
       {TimelineFormat::perfetto, TimelineFormat::paje, TimelineFormat::csv, TimelineFormat::text}) {
    const std::string expected = written(program, {.file = {}, .format = format});
    EXPECT_GT(expected.size(), 10000U);
    for (const std::uint32_t budget : {1U, 5U, 100000U}) {
      ReplayOptions options;
      options.budget = budget;
      EXPECT_TRUE(written(program, {.file = {}, .format = format, .memory = 2000}, options) == expected);
    }
  }
}

/// A perfetto file, taken apart: what each track shows.
struct Slice {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::vector<std::uint64_t> flows;
  std::vector<std::uint64_t> ending_flows;
  std::map<std::string, std::string> annotations;
};

struct Decoded {
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::string, std::vector<Slice>> slices; ///< by track
};

std::map<std::uint64_t, std::string> read_name(protozero::pbf_reader entry) {
  std::uint64_t number = 0;
  std::string name;
  while (entry.next())
    if (entry.tag() == 1)
      number = entry.get_uint64();
    else
      name = entry.get_string();
  return {{number, name}};
}

Decoded decode(const std::string& bytes) {
  Decoded decoded;
  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::string> annotation_names;
  protozero::pbf_reader trace(bytes);
  while (trace.next(1)) {
    protozero::pbf_reader packet = trace.get_message();
    std::uint64_t time = 0;
    std::uint32_t sequence = 0;
    while (packet.next()) {
      switch (packet.tag()) {
      case 8:
        time = packet.get_uint64();
        break;
      case 10:
        sequence = packet.get_uint32();
        break;
      case 12: {
        protozero::pbf_reader data = packet.get_message();
        while (data.next())
          if (data.tag() == 2)
            names.merge(read_name(data.get_message()));
          else if (data.tag() == 3)
            annotation_names.merge(read_name(data.get_message()));
          else
            data.skip();
        break;
      }
      case 60: {
        protozero::pbf_reader track = packet.get_message();
        std::uint64_t uuid = 0;
        std::string name;
        while (track.next())
          if (track.tag() == 1) {
            uuid = track.get_uint64();
          } else if (track.tag() == 3 || track.tag() == 4) {
            const protozero::pbf_tag_type name_tag = track.tag() == 3 ? 6 : 5;
            protozero::pbf_reader of = track.get_message();
            while (of.next())
              if (of.tag() == name_tag)
                name = of.get_string();
              else
                of.skip();
          } else {
            track.skip();
          }
        decoded.tracks[uuid] = name;
        break;
      }
      case 11: {
        protozero::pbf_reader event = packet.get_message();
        int type = 0;
        std::uint64_t uuid = 0;
        Slice slice;
        slice.begin = time;
        while (event.next())
          switch (event.tag()) {
          case 4: {
            std::string name;
            std::string value;
            protozero::pbf_reader annotation = event.get_message();
            while (annotation.next())
              switch (annotation.tag()) {
              case 1:
                name = annotation_names.at(annotation.get_uint64());
                break;
              case 4:
                value = std::to_string(annotation.get_int64());
                break;
              case 5:
                value = std::to_string(annotation.get_double());
                break;
              case 6:
                value = annotation.get_string();
                break;
              default:
                annotation.skip();
              }
            slice.annotations[name] = value;
            break;
          }
          case 9:
            type = event.get_int32();
            break;
          case 10:
            slice.name = names.at(event.get_uint64());
            break;
          case 11:
            uuid = event.get_uint64();
            break;
          case 47:
            slice.flows.push_back(event.get_fixed64());
            break;
          case 48:
            slice.ending_flows.push_back(event.get_fixed64());
            break;
          default:
            event.skip();
          }
        std::vector<Slice>& slices = decoded.slices[decoded.tracks.at(uuid)];
        if (type == 1) {
          EXPECT_TRUE(slice.ending_flows.empty());
          slices.push_back(slice);
        } else {
          slices.at(slices.size() - 1).end = time;
          slices.back().ending_flows = slice.ending_flows;
        }
        break;
      }
      default:
        packet.skip();
      }
    }
    EXPECT_EQ(sequence, 1U);
  }
  return decoded;
}

TEST_F(TimelineFiles, perfetto_shows_a_track_for_each_rank_and_a_flow_for_each_message) {
  const Decoded decoded = decode(written(early_receiver(), {.file = {}, .format = TimelineFormat::perfetto}));
  ASSERT_EQ(decoded.slices.size(), 2U);
  const std::vector<Slice>& receiver = decoded.slices.at("rank 0");
  const std::vector<Slice>& sender = decoded.slices.at("rank 1");
  ASSERT_EQ(receiver.size(), 3U);
  EXPECT_EQ(receiver[0].name, "compute");
  EXPECT_EQ(receiver[0].begin, 0U);
  EXPECT_EQ(receiver[0].end, 12'000'000'000U);
  EXPECT_EQ(receiver[0].annotations.at("volume"), "12");
  EXPECT_EQ(receiver[1].name, "Recv");
  EXPECT_EQ(receiver[1].begin, 12'000'000'000U);
  EXPECT_EQ(receiver[1].end, 32'000'000'000U);
  EXPECT_EQ(receiver[1].annotations.at("from rank"), "1");
  EXPECT_EQ(receiver[1].annotations.at("waiting (us)"), "8000000.000000");
  EXPECT_EQ(receiver[2].name, "Finalize");
  ASSERT_EQ(sender[1].name, "Send");
  EXPECT_EQ(sender[1].flows.size(), 1U);
  EXPECT_EQ(sender[1].flows, receiver[1].ending_flows);
  EXPECT_TRUE(receiver[0].flows.empty() && receiver[0].ending_flows.empty());
}

/// Perfetto drops a flow that ends before it has begun.
TEST_F(TimelineFiles, perfettos_flows_begin_before_they_end) {
  const MemorySource program = random_program(12, {.most_ranks = 6, .most_events = 1000});
  const Decoded decoded = decode(written(program, {.file = {}, .format = TimelineFormat::perfetto}));
  std::map<std::uint64_t, std::uint64_t> begins;
  for (const auto& [track, slices] : decoded.slices)
    for (const Slice& slice : slices)
      for (const std::uint64_t flow : slice.flows)
        EXPECT_TRUE(begins.emplace(flow, slice.begin).second);
  std::size_t ended = 0;
  std::size_t awaited = 0;
  for (const auto& [track, slices] : decoded.slices)
    for (const Slice& slice : slices)
      for (const std::uint64_t flow : slice.ending_flows) {
        ASSERT_TRUE(begins.contains(flow));
        EXPECT_LE(begins[flow], slice.end);
        awaited += begins[flow] > slice.begin ? 1 : 0;
        ++ended;
      }
  EXPECT_GT(ended, 20U);
  EXPECT_GT(awaited, 0U);
}

TEST_F(TimelineFiles, perfettos_slices_follow_one_another_without_gaps) {
  const MemorySource program = random_program(11, {.most_ranks = 6, .most_events = 1000});
  const Decoded decoded = decode(written(program, {.file = {}, .format = TimelineFormat::perfetto}));
  EXPECT_EQ(decoded.slices.size(), static_cast<std::size_t>(program.run().size));
  for (const auto& [track, slices] : decoded.slices)
    for (std::size_t i = 0; i < slices.size(); ++i) {
      ASSERT_LE(slices[i].begin, slices[i].end);
      ASSERT_EQ(slices[i].begin, i == 0 ? 0 : slices[i - 1].end) << track << ", " << slices[i].name;
    }
}

/// Returns the events of a Paje file as words: those after the definitions.
std::vector<std::vector<std::string>> paje_events(const std::string& text) {
  std::vector<std::vector<std::string>> events;
  for (const std::string& line : lines(text)) {
    if (line.starts_with('%')) continue;
    std::istringstream in(line);
    events.emplace_back(std::istream_iterator<std::string>(in), std::istream_iterator<std::string>());
  }
  return events;
}

TEST_F(TimelineFiles, paje_has_all_in_the_order_of_time_and_ends_what_it_begins) {
  const MemorySource program = random_program(13, {.most_ranks = 6, .most_events = 1000});
  double time = 0;
  std::map<std::string, int> open;
  std::map<std::string, int> links;
  std::map<std::string, int> taken;
  std::size_t states = 0;
  for (const auto& event : paje_events(written(program, {.file = {}, .format = TimelineFormat::paje}))) {
    const int kind = std::stoi(event[0]);
    if (kind <= 3) continue;
    const double now = std::stod(event[1]);
    ASSERT_GE(now, time);
    time = now;
    if (kind == 6) {
      ++open[event[3]];
      ++states;
    }
    if (kind == 9) --open[event[3]];
    if (kind == 9 || kind == 6) {
      ASSERT_EQ(open[event[3]], kind == 6 ? 1 : 0);
    }
    if (kind == 7) ++links[event.back()];
    if (kind == 8) ++taken[event.back()];
  }
  EXPECT_GT(states, 300U);
  EXPECT_GT(taken.size(), 20U);
  for (const auto& [key, times] : taken)
    EXPECT_TRUE(times == 1 && links[key] == 1) << key;
  EXPECT_TRUE(std::ranges::all_of(open, [](const auto& one) { return one.second == 0; }));
}

TEST_F(TimelineFiles, paje_links_in_a_window_the_messages_that_begin_and_end_there) {
  const MemorySource program = random_program(14, {.most_ranks = 6, .most_events = 1000});
  // By key, how often each is begun and ended.
  using Links = std::map<std::string, std::pair<int, int>>;
  const auto links = [&](TimelineOptions options) {
    options.format = TimelineFormat::paje;
    Links found;
    for (const auto& event : paje_events(written(program, std::move(options)))) {
      if (event[0] == "7") ++found[event.back()].first;
      if (event[0] == "8") ++found[event.back()].second;
    }
    return found;
  };
  const Links all = links({.file = {}});
  // As text does, which shows the end of each message that was taken.
  const double end = std::stod(lines(written(program, {.file = {}, .format = TimelineFormat::text})).back().substr(1));
  for (TimelineOptions some : {TimelineOptions{.file = {}, .from = end / 4, .to = end / 2},
                               TimelineOptions{.file = {}, .ranks = {{0, 0}, {2, 9}}},
                               TimelineOptions{.file = {}, .from = end / 4, .to = end / 2, .memory = 2000}}) {
    const Links shown = links(std::move(some));
    EXPECT_GT(shown.size(), 3U);
    EXPECT_LT(shown.size(), all.size());
    for (const auto& [key, times] : shown) {
      EXPECT_EQ(times, std::pair(1, 1)) << key;
      EXPECT_TRUE(all.contains(key));
    }
  }
}

/// With Paje's own reader, where it is installed.
TEST_F(TimelineFiles, pj_dump_reads_what_paje_is_given) {
  if (std::system("command -v pj_dump >/dev/null") != 0) GTEST_SKIP() << "no pj_dump here";
  written(early_receiver(), {.file = {}, .format = TimelineFormat::paje});
  const std::string command = "pj_dump " + file.string() + " >" + file.string() + ".read";
  ASSERT_EQ(std::system(command.c_str()), 0) << content(file.string() + ".read");
  const std::string read = content(file.string() + ".read");
  EXPECT_THAT(read, HasSubstr("State, rank 0, state, 12.000000, 32.000000, 20.000000, "));
  EXPECT_THAT(read, HasSubstr("Link, lane 0, message, 18.000000, 32.000000, 14.000000, message, rank 1, rank 0, "));
}

template <typename Work>
std::string error_of(const Work& work, Failure expected) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure(), expected);
    return error.what();
  }
  return "no error";
}

TEST_F(TimelineFiles, what_cannot_be_written_is_told_and_leaves_nothing) {
  EXPECT_THAT(error_of([&] { Timeline({.file = directory / "nowhere" / "timeline"}); }, Failure::runtime),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of(
                  [&] {
                    const MemorySource program = early_receiver();
                    const Network machine = flat_machine(2, {{.latency = 1}});
                    Timeline timeline({.file = "/dev/full", .format = TimelineFormat::csv});
                    ReplayOptions options;
                    options.observer = &timeline;
                    timeline.finish(replay(program, machine, options));
                  },
                  Failure::runtime),
              HasSubstr("No space left on device"));
  { const Timeline unfinished({.file = file}); }
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST_F(TimelineFiles, a_lane_that_is_not_there_or_in_a_deadlock_is_refused) {
  EXPECT_THAT(error_of([&] { written(early_receiver(), {.file = {}, .lane = "7"}); }, Failure::usage),
              HasSubstr("there is no configuration '7'"));
  MemorySource program(2);
  for (const trace::Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::send, .peer = 1 - rank, .bytes = 100});
    program.add(rank, {.kind = ActionKind::receive, .peer = 1 - rank, .bytes = 100});
  }
  program.finalize();
  const auto limited = [&] {
    const Network machine = flat_machine(2, {{.latency = 2}});
    Timeline timeline({.file = file});
    ReplayOptions options;
    options.eager_limit = 10;
    options.observer = &timeline;
    timeline.finish(replay(program, machine, options));
  };
  EXPECT_THAT(error_of([&] { limited(); }, Failure::invalid_input), HasSubstr("wait"));
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

} // namespace
} // namespace timeless::replay::test::timeline_test
