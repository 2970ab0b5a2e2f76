#include "replay/simgrid/mapping.h"

#include "base/error.h"
#include "trace/model/memory_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace timeless::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns a run whose rank i was recorded on the i-th of these hosts.
trace::Run recorded(const std::vector<std::string>& hosts) {
  trace::MemorySource program(static_cast<trace::Rank>(hosts.size()));
  trace::Run run = program.run();
  run.hosts.clear();
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    std::uint32_t index = 0;
    while (index < run.hosts.size() && run.hosts[index].name != hosts[rank])
      ++index;
    if (index == run.hosts.size()) run.hosts.push_back({.name = hosts[rank], .cpu_model = {}});
    run.ranks[rank].host = index;
  }
  return run;
}

std::vector<PlatformHost> platform(std::vector<std::string> names, int cores = 1) {
  std::vector<PlatformHost> hosts;
  for (std::string& name : names)
    hosts.push_back({.name = std::move(name), .speed = 1e9, .cores = cores});
  return hosts;
}

class Hostfile {
public:
  explicit Hostfile(const std::string& text) : path_(std::filesystem::temp_directory_path() / unique_name()) {
    std::ofstream(path_) << text;
  }
  ~Hostfile() { std::filesystem::remove(path_); }
  Hostfile(const Hostfile&) = delete;
  Hostfile& operator=(const Hostfile&) = delete;
  const std::filesystem::path& path() const { return path_; }
  MappingRequest request() const { return {.rule = MappingRule::hostfile, .block = 0, .hostfile = path_}; }

private:
  static std::string unique_name() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string("timeless-hosts-") + test->name() + "-" + std::to_string(::getpid());
  }
  std::filesystem::path path_;
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

MappingRequest rule(MappingRule chosen, std::uint32_t block = 0) {
  return {.rule = chosen, .block = block, .hostfile = {}};
}

// On a preset, whose nodes are all alike.

TEST(MappingOnAPreset, folded_run_gets_one_rank_per_node_and_says_how_to_keep_it_together) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), {}, {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 1, 2));
  EXPECT_EQ(mapping.sentence, "3 ranks recorded on 1 host: one rank per node; --mapping recorded keeps them together");
}

TEST(MappingOnAPreset, run_recorded_on_several_hosts_keeps_them) {
  const Mapping mapping = map_ranks(recorded({"x", "x", "y", "x"}), {}, {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(mapping.nodes, ElementsAre("x", "y"));
  EXPECT_EQ(mapping.sentence, "4 ranks on 2 hosts as recorded");
}

TEST(MappingOnAPreset, recorded_keeps_a_folded_run_on_one_node) {
  EXPECT_THAT(map_ranks(recorded({"vm", "vm"}), {}, rule(MappingRule::recorded)).node_of_rank, ElementsAre(0, 0));
}

TEST(MappingOnAPreset, one_per_node_parts_what_was_together) {
  EXPECT_THAT(map_ranks(recorded({"x", "x", "y"}), {}, rule(MappingRule::one_per_node)).node_of_rank,
              ElementsAre(0, 1, 2));
}

TEST(MappingOnAPreset, blocks_hold_consecutive_ranks) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm", "vm", "vm"}), {}, rule(MappingRule::block, 2));
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 1, 1, 2));
  EXPECT_EQ(mapping.sentence, "5 ranks: 2 ranks per node");
}

TEST(MappingOnAPreset, hostfile_names_the_nodes) {
  const Hostfile file("a slots=2\nb\n");
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), {}, file.request());
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(mapping.nodes, ElementsAre("a", "b"));
}

// On a platform.

TEST(MappingOnAPlatform, recorded_hosts_are_kept_when_all_exist_there) {
  const Mapping mapping = map_ranks(recorded({"n3", "n1", "n3"}), platform({"n1", "n2", "n3"}, 4), {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(2, 0, 2));
  EXPECT_EQ(mapping.sentence, "3 ranks on 2 hosts as recorded");
  EXPECT_THAT(mapping.notes, IsEmpty());
}

TEST(MappingOnAPlatform, recorded_hosts_are_known_by_the_part_before_the_dot) {
  EXPECT_THAT(map_ranks(recorded({"n2", "n1"}), platform({"n1.site.org", "n2.site.org"}), {}).node_of_rank,
              ElementsAre(1, 0));
}

TEST(MappingOnAPlatform, strange_recorded_hosts_give_one_rank_per_host_in_its_order) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm"}), platform({"n1", "n2", "n3"}), {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 1));
  EXPECT_THAT(mapping.sentence, HasSubstr("one rank per host"));
  EXPECT_THAT(mapping.sentence, HasSubstr("recorded hosts are not on this platform"));
}

TEST(MappingOnAPlatform, more_ranks_than_hosts_fill_the_cores) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), platform({"n1", "n2"}, 2), {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(mapping.sentence, HasSubstr("one rank per core"));
  EXPECT_THAT(mapping.notes, IsEmpty());
}

TEST(MappingOnAPlatform, more_ranks_than_cores_start_again_and_say_so) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), platform({"n1", "n2"}), {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 1, 0));
  EXPECT_THAT(mapping.notes, ElementsAre(HasSubstr("n1: 2 ranks on 1 core")));
}

TEST(MappingOnAPlatform, blocks_beyond_the_last_host_start_again_and_say_so) {
  const Mapping mapping =
      map_ranks(recorded({"vm", "vm", "vm", "vm", "vm"}), platform({"n1", "n2"}, 8), rule(MappingRule::block, 2));
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(mapping.notes, ElementsAre(HasSubstr("start again at its first host")));
}

TEST(MappingOnAPlatform, recorded_hosts_that_are_not_there_are_an_error_when_asked_for) {
  EXPECT_THAT(message_of([] { map_ranks(recorded({"vm"}), platform({"n1"}), rule(MappingRule::recorded)); }),
              HasSubstr("no host 'vm'"));
}

TEST(MappingOnAPlatform, hostfile_gives_slots_in_order_and_starts_again_when_they_end) {
  const Hostfile file("# two hosts\nn2:2\n\nn1 slots=1 max_slots=4   # one\n");
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm", "vm"}), platform({"n1", "n2"}, 4), file.request());
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(mapping.sentence, HasSubstr("4 ranks on 2 hosts of hostfile"));
  EXPECT_THAT(mapping.notes, ElementsAre(HasSubstr("3 slots for 4 ranks")));
}

TEST(MappingOnAPlatform, hostfile_with_a_strange_host_is_an_error_with_its_line) {
  const Hostfile file("n1\nnowhere\n");
  EXPECT_THAT(message_of([&] {
                map_ranks(recorded({"vm", "vm"}), platform({"n1"}), file.request());
              }),
              testing::AllOf(HasSubstr("no host 'nowhere'"), HasSubstr(file.path().string() + ":2")));
}

TEST(AHostfile, is_read_in_all_forms_that_Open_MPI_takes) {
  const std::vector<std::pair<std::string, std::uint32_t>> forms{{"n", 1},
                                                                 {"n slots=2", 2},
                                                                 {"n slots = 2", 2},
                                                                 {"n cpu=2", 2},
                                                                 {"n\tcount =2", 2},
                                                                 {"me@n", 1},
                                                                 {"me@n slots= 3", 3},
                                                                 {"me@n:3", 3},
                                                                 {"n max_slots=4", 4},
                                                                 {"n slots=2 max-slots = 4", 2},
                                                                 {"n max_slots=4 slots=2", 2},
                                                                 {"n:2 count_max=4", 2},
                                                                 {"n slots=2 // two", 2},
                                                                 {"n user_name=me slots=2", 2},
                                                                 {"n sockets=2 cores = 8", 1},
                                                                 {"\xef\xbb\xbfn slots=2", 2},
                                                                 {"n slots=2\r", 2}};
  for (const auto& [line, slots] : forms) {
    const Hostfile file(line + "\n");
    const std::vector<HostSlots> read = read_hostfile(file.path());
    ASSERT_EQ(read.size(), 1U) << line;
    EXPECT_EQ(read[0].host, "n") << line;
    EXPECT_EQ(read[0].slots, slots) << line;
  }
}

TEST(MappingOnAPlatform, hosts_may_have_more_cores_than_memory_holds) {
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), platform({"n1", "n2"}, 2147483647), {});
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 0));
}

TEST(AHostfile, may_have_more_slots_than_memory_holds) {
  const Hostfile file("a slots=4294967295\nb slots=4294967295\n");
  const Mapping mapping = map_ranks(recorded({"vm", "vm", "vm"}), {}, file.request());
  EXPECT_THAT(mapping.node_of_rank, ElementsAre(0, 0, 0));
  EXPECT_THAT(mapping.notes, IsEmpty());
}

TEST(AHostfile, that_makes_no_sense_is_an_error_with_its_line) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"a slots=0\n", "cannot understand 'slots=0'"},
           {"a\nb slots=x\n", ":2"},
           {"a:\n", "'a:'"},
           {":3\n", "':3'"},
           {"a 4\n", "cannot understand '4'"},
           {"a slots\n", "cannot understand 'slots'"},
           {"a slots =\n", "cannot understand 'slots='"},
           {"a max_slots=many\n", "cannot understand 'max_slots=many'"},
           {"^a\n", "cannot be left out"},
           {"+n1\n", "name the hosts"},
           {"me@you@a\n", "user@host"},
           {"me@\n", "begin the line with a host"},
           {"rank 0=a slot=1\n", "cannot understand '0=a'"},
           {"slots=2\n", "begin the line with a host"},
           {"# nobody\n\n", "names no host"},
           {std::string("a slots=2\nb\0\n", 13), ":2"},
           {std::string(1000, '\0'), "as text"},
           {std::string(1000, 'a') + "\n", "is not a host"},
       }) {
    const Hostfile file(text);
    EXPECT_THAT(message_of([&] { read_hostfile(file.path()); }), HasSubstr(expected)) << text;
  }
  EXPECT_THAT(message_of([] { read_hostfile("/nowhere/hosts"); }), HasSubstr("cannot read"));
  EXPECT_THAT(message_of([] { read_hostfile("/tmp"); }), HasSubstr("cannot read"));
}

TEST(MappingText, says_which_rule) {
  EXPECT_EQ(parse_mapping("auto", {}).rule, MappingRule::automatic);
  EXPECT_EQ(parse_mapping("", {}).rule, MappingRule::automatic);
  EXPECT_EQ(parse_mapping("auto", "hosts").rule, MappingRule::hostfile);
  EXPECT_EQ(parse_mapping("hostfile", "hosts").rule, MappingRule::hostfile);
  EXPECT_EQ(parse_mapping("recorded", {}).rule, MappingRule::recorded);
  EXPECT_EQ(parse_mapping("one-per-node", {}).rule, MappingRule::one_per_node);
  EXPECT_EQ(parse_mapping("block:4", {}).rule, MappingRule::block);
  EXPECT_EQ(parse_mapping("block:4", {}).block, 4U);
}

TEST(MappingText, of_another_kind_is_a_usage_error) {
  for (const char* text : {"block", "block:", "block:0", "block:x", "block:4x", "Recorded", "host"})
    EXPECT_THAT(message_of([&] { parse_mapping(text, {}); }), HasSubstr("no mapping is called")) << text;
  EXPECT_THAT(message_of([] { parse_mapping("hostfile", {}); }), HasSubstr("--hostfile"));
  EXPECT_THAT(message_of([] { parse_mapping("recorded", "hosts"); }), HasSubstr("contradict"));
}

} // namespace
} // namespace timeless::replay
