// Every way that the command writes a file: what is there is whole or as it was before, and no link is followed.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace timeless::tools {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::timeless_command;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A command that writes OUT, from a trace TRACE, ranks' files RUN, a platform PLATFORM and a list of hosts HOSTS.
struct Way {
  const char* name;
  std::vector<std::string> arguments;
  const char* input; ///< what it reads
  /// What a file may have at most on the disk that is full: less than the output.
  rlim_t room;
  std::vector<std::string> also = {}; ///< what is made beside OUT
};

std::vector<std::string> replaying(const char* format) {
  return {"replay", "TRACE", "--network", "e1g", "--timeline", "OUT", "--timeline-format", format};
}
std::vector<std::string> converting(const char* format) {
  return {"convert", "TRACE", "--to", format, "-o", "OUT"};
}

const std::vector<Way> ways{
    {"timeline_perfetto", replaying("perfetto"), "TRACE", 2000},
    {"timeline_paje", replaying("paje"), "TRACE", 2000},
    {"timeline_csv", replaying("csv"), "TRACE", 2000},
    {"timeline_text", replaying("text"), "TRACE", 2000},
    {"timeline_otf2", replaying("otf2"), "TRACE", 2000},
    {"timeline_smpi",
     {"replay", "TRACE", "--platform", "PLATFORM", "--backend", "smpi", "--timeline", "OUT", "--timeline-format",
      "csv"},
     "PLATFORM",
     2000},
    {"timeline_simgrid",
     {"replay", "TRACE", "--platform", "PLATFORM", "--backend", "smpi", "--timeline", "OUT", "--timeline-format",
      "simgrid"},
     "TRACE",
     8000},
    {"convert", {"convert", "TRACE", "-o", "OUT"}, "TRACE", 500},
    {"convert_goal", converting("goal"), "TRACE", 2000},
    {"convert_goal_binary", converting("goal-binary"), "TRACE", 2000},
    {"convert_dimemas", converting("dimemas"), "TRACE", 2000},
    {"convert_ti", converting("ti"), "TRACE", 2000, {"OUT_files"}},
    {"gather", {"gather", "RUN", "-o", "OUT"}, "RUN/rank-000000.tia", 500},
    {"plan", {"plan", "--ranks", "2", "--hosts", "HOSTS", "--memory-per-rank", "1M", "-o", "OUT"}, "HOSTS", 5},
    {"platform_new",
     {"platform", "new", "--nodes", "4", "--bandwidth", "10Gbps", "--latency", "1us", "-o", "OUT"},
     nullptr,
     100},
    {"platform_upgrade", {"platform", "upgrade", "PLATFORM", "-o", "OUT"}, "PLATFORM", 100},
};

class Outputs : public testing::TestWithParam<Way> {
protected:
  Outputs() {
    trace::MemorySource run(2);
    for (int round = 0; round < 500; ++round)
      for (const trace::Rank rank : {0, 1}) {
        run.compute(rank, 1000U + static_cast<std::uint64_t>(round * round % 997));
        if (rank == 0) run.add(0, {.kind = trace::ActionKind::send, .peer = 1, .bytes = 1000});
        if (rank == 1) run.add(1, {.kind = trace::ActionKind::receive, .peer = 0, .bytes = 1000});
      }
    run.finalize();
    trace::test::write_archive(run, inputs_ / "TRACE");
    fs::create_directory(inputs_ / "RUN");
    trace::test::write_archive(run, inputs_ / "RUN/rank-000000.tia");
    std::ofstream(inputs_ / "HOSTS") << "a cores=2 memory=4G\n";
    fs::copy_file(TIMELESS_TEST_PLATFORMS "/shared.xml", inputs_ / "PLATFORM");
    before_ = state_of(inputs_.path());
  }

  static std::map<std::string, std::string> state_of(const fs::path& directory) {
    std::map<std::string, std::string> state;
    for (const auto& entry : fs::recursive_directory_iterator(directory))
      state[entry.path().lexically_relative(directory)] =
          entry.is_regular_file() && !entry.is_symlink() ? trace::test::file_bytes(entry.path()) : "no file";
    return state;
  }

  std::vector<std::string> arguments(const fs::path& output, bool force) const {
    std::vector<std::string> words = GetParam().arguments;
    for (std::string& word : words) {
      if (word == "OUT") word = output;
      if (fs::exists(inputs_ / word)) word = inputs_ / word;
    }
    if (force) words.emplace_back("--force");
    return words;
  }
  Outcome write(const fs::path& output, bool force = false) const { return timeless_command(arguments(output, force)); }
  Outcome write(bool force = false) const { return write(output_, force); }

  /// The same where no file may have more than so many bytes; its answer goes nowhere.
  Outcome write_with_room(rlim_t bytes, bool force) const {
    std::array<int, 2> errors{};
    EXPECT_EQ(::pipe2(errors.data(), O_CLOEXEC), 0);
    const pid_t child = start(
        [&] {
          const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          ::dup2(errors[1], 2);
        },
        force);
    ::close(errors[1]);
    Outcome outcome;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = ::read(errors[0], buffer.data(), buffer.size())) > 0;)
      outcome.err.append(buffer.data(), static_cast<std::size_t>(got));
    ::close(errors[0]);
    outcome.status = ended(child);
    return outcome;
  }

  template <typename Prepare>
  pid_t start(Prepare prepare, bool force) const {
    std::vector<std::string> words = arguments(output_, force);
    words.insert(words.begin(), TIMELESS_COMMAND);
    std::vector<char*> pointers;
    for (std::string& word : words)
      pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child != 0) return child;
    for (const int stream : {0, 1, 2})
      ::dup2(::open("/dev/null", O_RDWR), stream);
    prepare();
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  static int ended(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  void expect_inputs_untouched() const { EXPECT_TRUE(state_of(inputs_.path()) == before_); }

  trace::test::TemporaryDirectory inputs_;
  trace::test::TemporaryDirectory outputs_;
  fs::path output_ = outputs_ / "OUT";
  std::map<std::string, std::string> before_;
};

TEST_P(Outputs, are_there_with_nothing_else_beside_them) {
  const Outcome outcome = write();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const auto& entry : fs::directory_iterator(outputs_.path())) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(name == "OUT" || std::ranges::count(GetParam().also, name) == 1) << name;
  }
  expect_inputs_untouched();
}

TEST_P(Outputs, that_exist_stay_as_they_are_unless_they_are_forced) {
  ASSERT_EQ(write().status, 0);
  const auto first = state_of(outputs_.path());
  const Outcome refused = write();
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_TRUE(state_of(outputs_.path()) == first);
  const Outcome forced = write(true);
  EXPECT_EQ(forced.status, 0) << forced.err;
  EXPECT_EQ(state_of(outputs_.path()).size(), first.size());
}

TEST_P(Outputs, on_a_full_disk_are_not_there_and_what_was_there_stays) {
  const Outcome full = write_with_room(GetParam().room, false);
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, AllOf(HasSubstr(output_), Not(HasSubstr("/.timeless")))) << "names the output";
  EXPECT_TRUE(state_of(outputs_.path()).empty());
  ASSERT_EQ(write().status, 0) << "the next try finds its place free";
  const auto first = state_of(outputs_.path());
  EXPECT_EQ(write_with_room(GetParam().room, true).status, 1);
  EXPECT_TRUE(state_of(outputs_.path()) == first);
}

TEST_P(Outputs, never_go_where_a_link_leads) {
  const fs::path victim = inputs_ / "victim";
  trace::test::write_bytes(victim, "mine");
  before_ = state_of(inputs_.path());
  for (const fs::path& target : {victim, inputs_ / "nothing"}) {
    fs::create_symlink(target, output_);
    EXPECT_EQ(write().status, 2);
    EXPECT_TRUE(fs::is_symlink(output_));
    expect_inputs_untouched();
    write(true); // OTF2 refuses it, too
    expect_inputs_untouched();
    fs::remove_all(output_);
    for (const std::string& name : GetParam().also)
      fs::remove_all(outputs_ / name);
  }
}

TEST_P(Outputs, leave_what_stands_under_the_names_that_once_were_used_on_the_way) {
  const std::vector<std::string> names{"OUT.part", ".timeless-lock-OUT", "OUT.tmp"};
  const fs::path victim = inputs_ / "victim";
  trace::test::write_bytes(victim, "mine");
  before_ = state_of(inputs_.path());
  fs::create_directory(outputs_ / "OUT.part");
  trace::test::write_bytes(outputs_ / "OUT.part/mine", "mine");
  EXPECT_EQ(write().status, 0);
  EXPECT_EQ(trace::test::file_bytes(outputs_ / "OUT.part/mine"), "mine");
  fs::remove_all(outputs_ / "OUT.part");
  fs::create_symlink(victim, outputs_ / "OUT.part");
  EXPECT_EQ(write(true).status, 0);
  expect_inputs_untouched();
}

TEST_P(Outputs, are_none_of_what_is_read_whatever_its_name) {
  if (GetParam().input == nullptr) GTEST_SKIP() << "reads nothing";
  const fs::path input = inputs_ / GetParam().input;
  const fs::path link = outputs_ / "link";
  const fs::path hard = outputs_ / "hard";
  fs::create_symlink(input, link);
  fs::create_hard_link(input, hard);
  for (const fs::path& output : {input, link, hard}) {
    const Outcome outcome = write(output, true);
    EXPECT_EQ(outcome.status, 2) << output << outcome.err;
    expect_inputs_untouched();
  }
}

TEST_P(Outputs, that_are_interrupted_are_whole_or_not_there) {
  ASSERT_EQ(write().status, 0);
  const auto whole = state_of(outputs_.path());
  for (int delay = 0; delay < 24; ++delay) {
    for (const auto& entry : fs::directory_iterator(outputs_.path()))
      fs::remove_all(entry.path());
    const pid_t child = start([] {}, false);
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * delay));
    ::kill(child, std::array{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(delay % 3)]);
    ended(child);
    for (const auto& [name, content] : state_of(outputs_.path())) {
      const auto known = whole.find(name);
      EXPECT_TRUE(known != whole.end() && known->second.size() == content.size()) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(each, Outputs, testing::ValuesIn(ways),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace timeless::tools
