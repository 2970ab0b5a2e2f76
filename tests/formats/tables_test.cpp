// What info and dump show, as tables.
#include "base/escaping.h"
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace timeless::trace {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using tools::test::timeless_command;

class Tables : public testing::Test {
protected:
  Tables() {
    MemorySource run(3);
    const CommunicatorId turned = run.add_communicator({2, 0});
    const RequestId one[] = {0};
    run.description().provenance.program = "/bin/with \"quotes\", and a comma";
    run.compute(0, 1000);
    for (int i = 0; i < 2; ++i) {
      run.add(0, {.kind = ActionKind::send, .peer = 1, .tag = 7, .bytes = 400});
      run.add(1, {.kind = ActionKind::receive, .peer = 0, .tag = 7, .bytes = 400});
    }
    run.add(0, {.kind = ActionKind::send, .communicator = turned, .peer = 0, .tag = 1, .bytes = 5, .request = 0});
    run.add(2, {.kind = ActionKind::receive, .communicator = turned, .peer = 1, .tag = 1, .bytes = 5});
    run.add(0, {.kind = ActionKind::wait, .requests = one});
    for (const Rank rank : {0, 2})
      run.add(rank, {.kind = ActionKind::broadcast, .communicator = turned, .peer = 1, .bytes = 9});
    run.finalize();
    trace::test::write_archive(run, path_);
  }

  /// Returns lines of what a verb prints.
  std::vector<std::string> lines(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, path_.string());
    const auto outcome = timeless_command(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<std::string> all;
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);)
      all.push_back(line);
    return all;
  }

  trace::test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "run.tia";
};

TEST_F(Tables, the_matrix_has_who_sends_whom_how_much_by_communicator_and_nothing_else) {
  EXPECT_THAT(lines({"info", "--matrix", "--csv"}), ElementsAre("communicator,source,destination,kind,messages,bytes",
                                                                "0,0,1,message,2,800", "1,0,2,message,1,5"));
  const auto outcome = timeless_command({"info", path_, "--matrix", "--json"});
  const json matrix = json::parse(outcome.out).at("matrix");
  ASSERT_EQ(matrix.size(), 2U);
  EXPECT_EQ(matrix[1].at("destination"), 2);
  EXPECT_EQ(matrix[1].at("bytes"), 5);
}

TEST_F(Tables, the_matrix_has_what_collectives_send_where_that_is_asked_for) {
  EXPECT_THAT(lines({"info", "--matrix", "--with-collectives", "--csv"}),
              ElementsAre("communicator,source,destination,kind,messages,bytes", "0,0,1,message,2,800",
                          "1,0,2,message,1,5", "1,0,2,collective,1,9"));
}

TEST_F(Tables, the_matrix_as_text_has_the_same_figures) {
  EXPECT_THAT(lines({"info", "--matrix"}), Contains(testing::ContainsRegex("0 +1 +message +0 +2 +800")));
}

TEST_F(Tables, an_action_is_a_row_with_every_field_in_its_column) {
  EXPECT_THAT(lines({"dump", "--csv", "--rank", "0"}),
              ElementsAre("rank,action,call,volume,kernel,communicator,peer,tag,bytes,receive_peer,receive_tag,"
                          "receive_bytes,element_bytes,request,new_communicator,requests,counts,receive_counts,region,"
                          "ranks,sources,destinations,flags,entry_ns,exit_ns",
                          "0,0,compute,1000,0,,,,,,,,,,,,,,,,,,,,", "0,1,Send,,,0,1,7,400,,,,,,,,,,,,,,,,",
                          "0,2,Send,,,0,1,7,400,,,,,,,,,,,,,,,,", "0,3,Isend,,,1,0,1,5,,,,,0,,,,,,,,,,,",
                          "0,4,Wait,,,,,,,,,,,,,0,,,,,,,,,", "0,5,Bcast,,,1,1,,9,,,,,,,,,,,,,,,,",
                          "0,6,Finalize,,,,,,,,,,,,,,,,,,,,,,"));
}

TEST_F(Tables, all_that_info_shows_has_its_path) {
  const auto all = lines({"info", "--csv"});
  EXPECT_EQ(all.front(), "path,value");
  EXPECT_THAT(all, Contains("calls.Send.count,2"));
  EXPECT_THAT(all, Contains("rank_records.2.rank,2"));
  EXPECT_THAT(all, Contains("provenance.program,\"/bin/with \"\"quotes\"\", and a comma\""));
}

TEST_F(Tables, kernels_are_rows) {
  const auto all = lines({"info", "--kernels", "--csv"});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_THAT(all[0], HasSubstr("kernel,from.call,"));
  EXPECT_THAT(all[1], HasSubstr(",1000.0,"));
}

/// A region for each name that is hard to print, and a program of that sort.
void write_names(const std::filesystem::path& path) {
  std::filesystem::remove(path);
  MemorySource run(1);
  run.description().provenance.program = "two\nlines\x1b[2J";
  run.description().regions = {"a,b", "say \"hi\"", "two\nlines", "\xc3\xbc", "lat\xe9n"};
  for (RegionId region = 0; region < 5; ++region) {
    run.add(0, {.kind = ActionKind::region_begin, .region = region});
    run.add(0, {.kind = ActionKind::region_end, .region = region});
  }
  run.finalize();
  trace::test::write_archive(run, path);
}

/// Fields of comma-separated values, by RFC 4180.
std::vector<std::vector<std::string>> cells(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && text[i + 1] == '"')
      rows.back().back() += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      rows.back().emplace_back();
    else if (c == '\n' && !quoted)
      rows.push_back({""});
    else
      rows.back().back() += c;
  }
  rows.pop_back();
  return rows;
}

TEST_F(Tables, names_are_the_same_in_json_and_csv_and_keep_to_their_line_in_text) {
  write_names(path_);
  const std::vector<std::string> names{"a,b", "say \"hi\"", "two\nlines", "\xc3\xbc", "lat\xef\xbf\xbdn"};
  const std::vector<std::string> shown{"a,b", "say \"hi\"", "two\\nlines", "\xc3\xbc", "lat\\xe9n"};
  const auto rows = cells(timeless_command({"dump", path_, "--csv"}).out);
  std::istringstream lines_of_json(timeless_command({"dump", path_, "--json"}).out);
  std::string line;
  std::getline(lines_of_json, line);
  ASSERT_EQ(rows.size(), 12U);
  const auto column = std::ranges::find(rows[0], "region") - rows[0].begin();
  for (std::size_t action = 0; action < 10; ++action) {
    ASSERT_TRUE(std::getline(lines_of_json, line));
    EXPECT_EQ(json::parse(line).at("region"), names[action / 2]);
    EXPECT_EQ(rows[action + 1][static_cast<std::size_t>(column)], shown[action / 2]);
  }
  EXPECT_THAT(lines({"dump"}), Contains("0 4 region_begin region=two\\nlines"));
  EXPECT_EQ(lines({"dump"}).size(), 11U);
  EXPECT_THAT(lines({"info", "--regions"}), Contains(HasSubstr("two\\nlines ")));
  EXPECT_THAT(lines({"info"}).front(), HasSubstr("two\\nlines\\x1b[2J"));
  const auto regions = cells(timeless_command({"info", path_, "--regions", "--csv"}).out);
  EXPECT_EQ(regions.size(), 6U);
  EXPECT_EQ(regions[3][0], "two\\nlines");
}

TEST_F(Tables, every_value_of_the_json_answer_is_a_row_of_its_path) {
  write_names(path_);
  const json answer = json::parse(timeless_command({"info", path_, "--json"}).out);
  std::map<std::string, std::string> values;
  const json flat = answer.flatten();
  for (const auto& [place, value] : flat.items()) {
    std::string path = place.substr(1);
    std::ranges::replace(path, '/', '.');
    if (!value.is_structured() && !value.is_null() && path != "schema")
      values[path] = value.is_string() ? escaped(value.get<std::string>()) : value.dump();
  }
  std::map<std::string, std::string> found;
  for (const auto& row : cells(timeless_command({"info", path_, "--csv"}).out))
    found[row[0]] = row[1];
  EXPECT_EQ(found["path"], "value");
  found.erase("path");
  EXPECT_EQ(found, values);
}

TEST_F(Tables, a_neighbourhood_tells_its_sources_from_its_destinations) {
  MemorySource run(4);
  const Rank neighbours[] = {2, no_rank, 0, 3, 1};
  const auto sources = std::span(neighbours).first(2);
  run.add(0, {.kind = ActionKind::neighbor_allgather, .tag = 3, .bytes = 8, .receive_bytes = 8, .ranks = neighbours});
  run.add(0, {.kind = ActionKind::neighbor_alltoall, .tag = 3, .bytes = 8, .receive_bytes = 8, .ranks = sources});
  run.add(0, {.kind = ActionKind::neighbor_alltoall, .tag = 1, .bytes = 8, .receive_bytes = 8});
  run.add(0, {.kind = ActionKind::neighbor_alltoall, .tag = 0, .bytes = 8, .receive_bytes = 8});
  run.finalize();
  std::filesystem::remove(path_);
  trace::test::write_archive(run, path_);
  const std::string call = "communicator=0 bytes=8 receive_bytes=8";
  EXPECT_THAT(lines({"dump", "--rank", "0", "--count", "4"}),
              ElementsAre("0 0 Neighbor_allgather " + call + " sources=[2,-1] destinations=[0,3,1]",
                          "0 1 Neighbor_alltoall " + call + " sources=[2,-1] destinations=[]",
                          "0 2 Neighbor_alltoall " + call + " sources=[] destinations=[]",
                          "0 3 Neighbor_alltoall " + call));
  const json first = json::parse(lines({"dump", "--json"}).at(1));
  EXPECT_EQ(first.at("sources"), json({2, -1}));
  EXPECT_EQ(first.at("destinations"), json({0, 3, 1}));
  EXPECT_FALSE(first.contains("ranks"));
  const auto rows = cells(timeless_command({"dump", path_, "--csv"}).out);
  const auto value = [&](const char* column) {
    return rows[1].at(static_cast<std::size_t>(std::ranges::find(rows[0], column) - rows[0].begin()));
  };
  EXPECT_EQ(value("sources"), "2 -1");
  EXPECT_EQ(value("destinations"), "0 3 1");
}

TEST_F(Tables, csv_and_json_at_once_are_refused) {
  EXPECT_EQ(timeless_command({"info", path_, "--csv", "--json"}).status, 2);
  EXPECT_EQ(timeless_command({"info", path_, "--with-collectives"}).status, 2);
}

} // namespace
} // namespace timeless::trace
