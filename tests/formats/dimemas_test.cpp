#include "base/error.h"
#include "replay/lowering.h"
#include "tests/trace/samples.h"
#include "trace/formats/dimemas/dimemas_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::trace::formats {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

/// A .dim file, read by the grammar of Dimemas' own reader.
struct Dimemas {
  int tasks = 0;
  int communicators_announced = 0;
  std::map<int, std::string> communicators;        ///< by number: the tasks
  std::map<int, std::vector<std::string>> records; ///< by task: what follows task and thread, the record's number
                                                   ///< first; without a first computation of no time
};

Dimemas read(const std::string& text) {
  static const std::regex header(R"re(#DIMEMAS:"([^"]+)":1,(\d{15}):(\d+)\((1(?:,1)*)\),(\d+),0)re");
  static const std::regex communicator(R"(d:1:(\d+):(\d+):([\d:]+))");
  static const std::regex record(
      R"((1):(\d+):0:(\d+\.\d{9})|(2):(\d+):0:(\d+:\d+:\d+:\d+:[0-3])|(3):(\d+):0:(\d+:\d+:\d+:\d+:[0-2])|(10):(\d+):0:(\d+:\d+:\d+:0:\d+:\d+:1))");
  Dimemas found;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  std::smatch parts;
  EXPECT_TRUE(std::regex_match(line, parts, header)) << line;
  found.tasks = std::stoi(parts[3]);
  found.communicators_announced = std::stoi(parts[5]);
  EXPECT_EQ(parts[4].length(), 2 * found.tasks - 1) << "a thread for each task";
  const std::size_t table = std::stoull(parts[2]);
  EXPECT_EQ(text.substr(table, 4), "s:0:");
  std::map<int, std::size_t> places;
  std::istringstream offsets(text.substr(table));
  for (int task = 0; std::getline(offsets, line); ++task) {
    const std::string beginning = "s:" + std::to_string(task) + ":";
    EXPECT_EQ(line.substr(0, beginning.size()), beginning);
    places[task] = std::stoull(line.substr(beginning.size()));
  }
  EXPECT_EQ(places.size(), static_cast<std::size_t>(found.tasks));
  for (std::size_t at = text.find('\n') + 1; at < table; at += line.size() + 1) {
    line = text.substr(at, text.find('\n', at) - at);
    if (std::regex_match(line, parts, communicator)) {
      found.communicators[std::stoi(parts[1])] = parts[3];
      continue;
    }
    EXPECT_TRUE(std::regex_match(line, parts, record)) << line;
    for (std::size_t group = 1; group + 2 < parts.size(); group += 3) {
      if (!parts[group].matched) continue;
      auto& of_task = found.records[std::stoi(parts[group + 1])];
      if (of_task.empty()) {
        EXPECT_EQ(places[std::stoi(parts[group + 1])], at) << "a task begins at its place";
      }
      of_task.push_back(parts[group].str() + ":" + parts[group + 2].str());
    }
  }
  // Dimemas leaves out tasks that do not begin with computation.
  EXPECT_EQ(found.records.size(), static_cast<std::size_t>(found.tasks));
  for (auto& [task, records] : found.records) {
    EXPECT_THAT(records.front(), testing::StartsWith("1:")) << "task " << task;
    if (records.front() == "1:0.000000000") records.erase(records.begin());
  }
  return found;
}

class DimemasWriter : public testing::Test {
protected:
  Dimemas write(const Source& source, double rate = 1e9) {
    report_ = write_dimemas(source, output_,
                            {.force = true, .lower = replay::lowering(source.run()), .rate = rate, .progress = {}});
    return read(trace::test::file_bytes(output_));
  }
  timeless::test::TemporaryDirectory directory_;
  std::filesystem::path output_ = directory_ / "run.dim";
  ExportReport report_;
};

TEST_F(DimemasWriter, bursts_are_seconds_and_messages_name_task_bytes_tag_communicator_and_how) {
  MemorySource program(2);
  const RequestId both[] = {0, 1};
  program.compute(0, 3'000'000'002);
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 100});
  program.add(0, {.kind = ActionKind::send, .mode = SendMode::synchronous, .peer = 1, .tag = 8, .bytes = 5});
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 9, .bytes = 6, .request = 0});
  program.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 10, .bytes = 4, .request = 1});
  program.add(0, {.kind = ActionKind::wait_all, .requests = both});
  program.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 100});
  program.finalize();
  const Dimemas dim = write(program, 2e9);
  EXPECT_EQ(dim.tasks, 2);
  EXPECT_THAT(dim.communicators, ElementsAre(Pair(1, "0:1")));
  EXPECT_THAT(dim.records.at(0), ElementsAre("1:1.500000001", "2:1:100:7:1:0", "2:1:5:8:1:1", "3:1:6:9:1:1",
                                             "2:1:4:10:1:2", "3:1:6:9:1:2"));
  EXPECT_THAT(dim.records.at(1), ElementsAre("3:0:100:7:1:0"));
}

TEST_F(DimemasWriter, collectives_name_operation_communicator_root_and_bytes) {
  MemorySource program(3);
  const CommunicatorId turned = program.add_communicator({2, 0});
  for (Rank rank = 0; rank < 3; ++rank) {
    program.add(rank, {.kind = ActionKind::reduce, .peer = 1, .bytes = 16, .element_bytes = 8});
    program.add(rank, {.kind = ActionKind::barrier});
  }
  for (const Rank rank : {0, 2})
    program.add(rank, {.kind = ActionKind::broadcast, .communicator = turned, .peer = 1, .bytes = 9});
  program.finalize();
  const Dimemas dim = write(program);
  EXPECT_EQ(dim.communicators_announced, 2);
  EXPECT_THAT(dim.communicators, ElementsAre(Pair(1, "0:1:2"), Pair(2, "2:0")));
  // Of a reduction the root's task, of others whether it is the root.
  EXPECT_THAT(dim.records.at(0), ElementsAre("10:10:1:1:0:16:0:1", "10:0:1:1:0:0:0:1", "10:1:2:1:0:9:0:1"));
  EXPECT_THAT(dim.records.at(1), ElementsAre("10:10:1:1:0:16:16:1", "10:0:1:0:0:0:0:1"));
  EXPECT_THAT(dim.records.at(2), ElementsAre("10:10:1:1:0:16:0:1", "10:0:1:0:0:0:0:1", "10:1:2:0:0:0:9:1"));
}

TEST_F(DimemasWriter, collectives_say_what_a_member_gives_and_gets_in_all) {
  MemorySource program(2);
  for (Rank rank = 0; rank < 2; ++rank) {
    program.add(rank, {.kind = ActionKind::alltoall, .bytes = 10, .receive_bytes = 10});
    program.add(rank, {.kind = ActionKind::gather, .peer = 1, .bytes = 3, .receive_bytes = rank == 1 ? Bytes{3} : 0});
  }
  program.finalize();
  const Dimemas dim = write(program);
  EXPECT_THAT(dim.records.at(0), ElementsAre("10:8:1:1:0:20:20:1", "10:2:1:0:0:3:0:1"));
  EXPECT_THAT(dim.records.at(1), ElementsAre("10:8:1:0:0:20:20:1", "10:2:1:1:0:3:6:1"));
}

TEST_F(DimemasWriter, nonblocking_collectives_are_messages_and_what_is_left_out_is_told) {
  MemorySource program(2);
  const RequestId one[] = {0};
  for (Rank rank = 0; rank < 2; ++rank) {
    program.add(rank, {.kind = ActionKind::allreduce, .bytes = 64, .element_bytes = 8, .request = 0});
    program.compute(rank, 5);
    program.add(rank, {.kind = ActionKind::wait, .requests = one});
  }
  program.add(0, {.kind = ActionKind::probe, .peer = 1, .bytes = 3});
  program.finalize();
  const Dimemas dim = write(program);
  EXPECT_THAT(dim.records.at(0), ElementsAre("3:1:64:1:1:1", "2:1:64:1:1:2", "1:0.000000005", "3:1:64:1:1:2"));
  EXPECT_THAT(report_.lowered, Contains(Pair("Iallreduce as messages that all start at once", 2)));
  EXPECT_THAT(report_.lost, ElementsAre(Pair("Probe", 1)));
}

TEST_F(DimemasWriter, exchanges_and_counts_keep_to_the_grammar) {
  MemorySource program(2);
  const Bytes counts[] = {3, 4};
  for (const Rank rank : {0, 1}) {
    program.add(rank, {.kind = ActionKind::exchange,
                       .peer = 1 - rank,
                       .tag = 1,
                       .bytes = 5,
                       .receive_peer = 1 - rank,
                       .receive_tag = 1,
                       .receive_bytes = 5});
    program.add(rank, {.kind = ActionKind::alltoallv, .counts = counts, .receive_counts = counts});
  }
  program.finalize();
  EXPECT_THAT(write(program).records.at(0),
              ElementsAre("3:1:5:1:1:1", "2:1:5:1:1:0", "3:1:5:1:1:2", "10:9:1:1:0:7:7:1"));
}

TEST_F(DimemasWriter, a_rank_that_does_nothing_computes_for_no_time) {
  MemorySource program(2);
  program.compute(0, 5);
  program.finalize();
  EXPECT_THAT(write(program).records.at(1), IsEmpty());
}

} // namespace
} // namespace timeless::trace::formats
