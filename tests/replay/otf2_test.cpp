// OTF2 archives of a replay, read with OTF2's own library and put beside the comma-separated timeline of the same
// replay.
#include "base/error.h"
#include "machines.h"
#include "random_program.h"
#include "replay/replay.h"
#include "replay/timeline/timeline.h"
#include "tests/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace timeless::replay::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using timeline::Timeline;
using timeline::TimelineFormat;
using timeline::TimelineOptions;
using trace::ActionKind;
using trace::MemorySource;

/// An event as text: "Enter MPI_Send", "Send to 1 in 0 tag 5 bytes 8".
struct Record {
  std::uint64_t time;
  std::string words;
  bool operator==(const Record&) const = default;
};

/// All that an archive says.
struct Archive {
  std::map<std::uint32_t, std::string> strings;
  std::map<std::uint32_t, std::string> regions;
  std::map<std::uint64_t, std::uint64_t> events; ///< how many a location announces
  std::map<std::uint32_t, std::string> communicators;
  std::uint64_t resolution = 0;
  std::uint64_t length = 0;
  std::map<std::uint64_t, std::vector<Record>> records; ///< by location

  OTF2_CallbackCode add(std::uint64_t location, std::uint64_t time, std::string words) {
    records[location].push_back({time, std::move(words)});
    return OTF2_CALLBACK_SUCCESS;
  }
};

Archive& archive_of(void* data) {
  return *static_cast<Archive*>(data);
}

void read_definitions(OTF2_Reader* reader, Archive& archive) {
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, [](void* data, OTF2_StringRef self, const char* text) {
    archive_of(data).strings[self] = text;
    return OTF2_CALLBACK_SUCCESS;
  });
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
      callbacks, [](void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                    OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
        archive_of(data).regions[self] = archive_of(data).strings.at(name);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks,
                                                    [](void* data, OTF2_LocationRef self, OTF2_StringRef,
                                                       OTF2_LocationType, std::uint64_t events, OTF2_LocationGroupRef) {
                                                      archive_of(data).events[self] = events;
                                                      return OTF2_CALLBACK_SUCCESS;
                                                    });
  OTF2_GlobalDefReaderCallbacks_SetCommCallback(
      callbacks, [](void* data, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef, OTF2_CommRef, OTF2_CommFlag) {
        archive_of(data).communicators[self] = archive_of(data).strings.at(name);
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
      callbacks, [](void* data, std::uint64_t resolution, std::uint64_t, std::uint64_t length, std::uint64_t) {
        archive_of(data).resolution = resolution;
        archive_of(data).length = length;
        return OTF2_CALLBACK_SUCCESS;
      });
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &archive);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), OTF2_SUCCESS);
}

void hear_events(OTF2_GlobalEvtReaderCallbacks* callbacks) {
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time,
                                                               void* data, OTF2_AttributeList*, OTF2_RegionRef region) {
    return archive_of(data).add(location, time, "Enter " + archive_of(data).regions.at(region));
  });
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time,
                                                               void* data, OTF2_AttributeList*, OTF2_RegionRef region) {
    return archive_of(data).add(location, time, "Leave " + archive_of(data).regions.at(region));
  });
  OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
      callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t to,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
        std::ostringstream words;
        words << "Send to " << to << " in " << communicator << " tag " << tag << " bytes " << bytes;
        return archive_of(data).add(location, time, words.str());
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
      callbacks, [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, std::uint32_t from,
                    OTF2_CommRef communicator, std::uint32_t tag, std::uint64_t bytes) {
        std::ostringstream words;
        words << "Receive from " << from << " in " << communicator << " tag " << tag << " bytes " << bytes;
        return archive_of(data).add(location, time, words.str());
      });
  OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
      callbacks,
      [](OTF2_LocationRef location, OTF2_TimeStamp time, void* data, OTF2_AttributeList*, OTF2_CollectiveOp operation,
         OTF2_CommRef communicator, std::uint32_t root, std::uint64_t sent, std::uint64_t received) {
        std::ostringstream words;
        words << "Collective " << int{operation} << " in " << communicator << " root " << static_cast<int>(root)
              << " bytes " << sent << " " << received;
        return archive_of(data).add(location, time, words.str());
      });
}

Archive read(const fs::path& directory) {
  Archive archive;
  OTF2_Reader* const reader = OTF2_Reader_Open((directory / "traces.otf2").c_str());
  EXPECT_NE(reader, nullptr);
  if (reader == nullptr) return archive;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  read_definitions(reader, archive);
  for (const auto& [location, events] : archive.events)
    if (events > 0) OTF2_Reader_SelectLocation(reader, location);
  OTF2_Reader_OpenDefFiles(reader);
  OTF2_Reader_OpenEvtFiles(reader);
  for (const auto& [location, events] : archive.events) {
    if (events == 0) continue;
    OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, location);
    std::uint64_t count = 0;
    OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
    OTF2_Reader_CloseDefReader(reader, local);
    OTF2_Reader_GetEvtReader(reader, location);
  }
  OTF2_Reader_CloseDefFiles(reader);
  OTF2_GlobalEvtReader* const all = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const callbacks = OTF2_GlobalEvtReaderCallbacks_New();
  hear_events(callbacks);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, all, callbacks, &archive);
  OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
  std::uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalEvents(reader, all, &count), OTF2_SUCCESS);
  OTF2_Reader_CloseGlobalEvtReader(reader, all);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_Close(reader);
  return archive;
}

/// Returns the cells of a comma-separated timeline without its head.
std::vector<std::vector<std::string>> rows(const fs::path& file) {
  std::vector<std::vector<std::string>> all;
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    all.emplace_back();
    std::istringstream cells(line + ",");
    for (std::string cell; std::getline(cells, cell, ',');)
      all.back().push_back(cell);
  }
  return all;
}

class Otf2 : public testing::Test {
protected:
  const timeless::test::TemporaryDirectory directory;
  const fs::path made = directory / "timeline.otf2";

  double second = 1; ///< what a unit of the machine's figures takes

  void write(const trace::Source& program, TimelineOptions how) const {
    const Network machine = flat_machine(
        program.run().size,
        {{.latency = 2 * second, .byte_time = 5 * second, .memory_copy = second, .compute_scale = second}});
    Timeline timeline(std::move(how));
    ReplayOptions options;
    options.observer = &timeline;
    timeline.finish(replay(program, machine, options));
  }
  Archive written(const trace::Source& program, TimelineOptions how = {.file = {}}) const {
    how.file = made;
    how.existing = Existing::replace;
    how.format = TimelineFormat::otf2;
    write(program, std::move(how));
    return read(made);
  }
};

TEST_F(Otf2, a_message_leaves_where_it_is_sent_and_comes_where_it_is_received) {
  // Figure 2 of Tong et al., an early receiver.
  MemorySource program(2);
  program.compute(0, 12);
  program.add(0, {.kind = ActionKind::receive, .peer = 1, .tag = 4, .bytes = 2});
  program.compute(1, 18);
  program.add(1, {.kind = ActionKind::send, .peer = 0, .tag = 4, .bytes = 2});
  program.finalize();
  const Archive archive = written(program);
  constexpr std::uint64_t tick = 1'000'000'000'000;
  EXPECT_EQ(archive.resolution, tick);
  EXPECT_EQ(archive.length, 32 * tick);
  EXPECT_THAT(archive.records.at(0),
              ElementsAre(Record{0, "Enter compute"}, Record{12 * tick, "Leave compute"},
                          Record{12 * tick, "Enter MPI_Recv"}, Record{32 * tick, "Receive from 1 in 0 tag 4 bytes 2"},
                          Record{32 * tick, "Leave MPI_Recv"}, Record{32 * tick, "Enter MPI_Finalize"},
                          Record{32 * tick, "Leave MPI_Finalize"}));
  EXPECT_THAT(archive.records.at(1),
              ElementsAre(Record{0, "Enter compute"}, Record{18 * tick, "Leave compute"},
                          Record{18 * tick, "Enter MPI_Send"}, Record{18 * tick, "Send to 0 in 0 tag 4 bytes 2"},
                          Record{20 * tick, "Leave MPI_Send"}, Record{20 * tick, "Enter MPI_Finalize"},
                          Record{20 * tick, "Leave MPI_Finalize"}));
  EXPECT_EQ(archive.communicators.at(0), "MPI_COMM_WORLD");
}

TEST_F(Otf2, collectives_name_what_they_do_their_communicator_and_root) {
  MemorySource program(3);
  const trace::CommunicatorId turned = program.add_communicator({2, 0});
  for (const trace::Rank rank : {0, 2}) {
    program.add(rank, {.kind = ActionKind::broadcast, .communicator = turned, .peer = 1, .bytes = 8});
    program.add(rank, {.kind = ActionKind::barrier, .communicator = turned});
  }
  program.finalize();
  const Archive archive = written(program);
  std::vector<std::string> words;
  for (const Record& record : archive.records.at(2))
    if (record.words.starts_with("Collective")) words.push_back(record.words);
  EXPECT_THAT(words,
              ElementsAre("Collective " + std::to_string(OTF2_COLLECTIVE_OP_BCAST) + " in 1 root 1 bytes 0 8",
                          "Collective " + std::to_string(OTF2_COLLECTIVE_OP_BARRIER) + " in 1 root -1 bytes 0 0"));
}

TEST_F(Otf2, says_what_comma_separated_values_say) {
  second = 1e-7;
  std::size_t messages = 0;
  for (const std::uint64_t seed : {3U, 7U, 19U}) {
    const MemorySource program = random_program(seed, {.most_ranks = 6, .most_events = 600});
    const Archive archive = written(program);
    const fs::path csv = directory / "timeline.csv";
    write(program, {.file = csv, .existing = Existing::replace, .format = TimelineFormat::csv});
    std::map<std::uint64_t, std::size_t> place;
    for (const auto& row : rows(csv)) {
      const std::uint64_t rank = std::stoull(row[0]);
      const auto& records = archive.records.at(rank);
      std::size_t& next = place[rank];
      ASSERT_LT(next, records.size());
      const std::string region = row[2] == "compute" ? "compute" : "MPI_" + row[2];
      EXPECT_EQ(records[next],
                (Record{static_cast<std::uint64_t>(std::llround(std::stod(row[3]) * 1e12)), "Enter " + region}));
      while (++next < records.size() && !records[next].words.starts_with("Leave ")) {
        const std::string& words = records[next].words;
        if (!words.starts_with("Send ")) continue;
        EXPECT_THAT(words, HasSubstr(" in " + row[18] + " tag " + row[17] + " bytes " + row[12]));
        ++messages;
      }
      ASSERT_LT(next, records.size());
      EXPECT_EQ(records[next++],
                (Record{static_cast<std::uint64_t>(std::llround(std::stod(row[4]) * 1e12)), "Leave " + region}));
    }
    for (const auto& [rank, records] : archive.records)
      EXPECT_EQ(place[rank], records.size()) << "rank " << rank;
  }
  EXPECT_GT(messages, 100U);
}

/// Returns how often each tag and size is sent and received in each communicator.
std::map<std::string, std::pair<int, int>> ends(const Archive& archive) {
  std::map<std::string, std::pair<int, int>> found;
  for (const auto& [rank, records] : archive.records)
    for (const Record& record : records) {
      const std::string what = record.words.substr(std::min(record.words.size(), record.words.find(" in ")));
      if (record.words.starts_with("Send ")) ++found[what].first;
      if (record.words.starts_with("Receive ")) ++found[what].second;
    }
  return found;
}

TEST_F(Otf2, in_a_window_or_of_some_ranks_messages_are_received_that_are_shown_being_sent) {
  second = 1e-7;
  const MemorySource program = random_program(14, {.most_ranks = 6, .most_events = 1000});
  const auto all = ends(written(program));
  ASSERT_GT(all.size(), 5U);
  const std::uint64_t length = read(made).length;
  const double end = static_cast<double>(length) * 1e-12;
  for (const TimelineOptions& some : {TimelineOptions{.file = {}, .from = end / 4, .to = end / 2},
                                      TimelineOptions{.file = {}, .ranks = {{0, 0}, {2, 9}}}}) {
    int received = 0;
    for (const auto& [what, times] : ends(written(program, some))) {
      EXPECT_LE(times.second, times.first) << what;
      received += times.second;
    }
    EXPECT_GT(received, 0);
  }
}

/// With OTF2's own tool, where it is installed.
TEST_F(Otf2, otf2_print_reads_it) {
  if (std::system("command -v otf2-print >/dev/null") != 0) GTEST_SKIP() << "no otf2-print here";
  second = 1e-7;
  const MemorySource program = random_program(5, {.most_ranks = 4, .most_events = 100});
  for (const bool some : {false, true}) {
    TimelineOptions how{.file = {}};
    if (some) how.ranks = {{1, 1}};
    written(program, how);
    const std::string output = (directory / "printed").string();
    const std::string command = "otf2-print -A " + (made / "traces.otf2").string() + " >" + output + " 2>&1";
    std::ifstream in(output);
    EXPECT_EQ(std::system(command.c_str()), 0) << in.rdbuf();
  }
}

TEST_F(Otf2, replaces_an_older_archive_when_told_and_nothing_else) {
  MemorySource program(1);
  program.compute(0, 5);
  program.finalize();
  written(program);
  EXPECT_EQ(written(program).records.at(0).size(), 4U);
  const auto open = [&](Existing existing) {
    Timeline({.file = made, .existing = existing, .format = TimelineFormat::otf2});
  };
  EXPECT_THROW(open(Existing::refuse), Error);
  for (const fs::path& precious : {made / "precious", made / "traces" / "precious"}) {
    std::ofstream(precious) << "text";
    EXPECT_THROW(open(Existing::replace), Error);
    EXPECT_TRUE(fs::exists(precious));
    fs::remove(precious);
  }
  open(Existing::replace);
  fs::remove_all(made);
  fs::create_directory(made);
  EXPECT_THROW(open(Existing::replace), Error) << "an empty directory is no archive";
  EXPECT_THROW(Timeline({.file = directory / "nowhere" / "x", .format = TimelineFormat::otf2}), Error);
}

} // namespace
} // namespace timeless::replay::test
