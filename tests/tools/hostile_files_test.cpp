// Every verb that reads, and everything there is to read: what is no such file is told, with its name, and nothing
// hangs or dies of it.
#include "tests/tools/command.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using test::timeless_command;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

/// A command that reads FILE beside a trace TRACE that is well.
struct Reader {
  const char* name;
  std::vector<std::string> arguments;
};

const std::vector<Reader> readers{
    {"info", {"info", "FILE"}},
    {"dump", {"dump", "FILE"}},
    {"check", {"check", "FILE"}},
    {"convert", {"convert", "FILE", "-o", "OUT"}},
    {"classify", {"classify", "FILE"}},
    {"replay", {"replay", "FILE", "--network", "e1g"}},
    {"compare", {"compare", "FILE", "FILE"}},
    {"extrapolate", {"extrapolate", "FILE", "FILE", "FILE", "--ranks", "64", "-o", "OUT"}},
    {"scale", {"scale", "FILE", "FILE", "FILE", "--to", "64"}},
    {"dumpi", {"info", "--from", "dumpi", "FILE"}},
    {"goal", {"info", "--from", "goal", "FILE"}},
    {"goal_binary", {"info", "--from", "goal-binary", "FILE"}},
    {"ti", {"info", "--from", "ti", "FILE"}},
    {"network", {"replay", "TRACE", "--network", "FILE"}},
    {"rates", {"replay", "TRACE", "--network", "e1g", "--rates", "FILE"}},
    {"hostfile", {"replay", "TRACE", "--network", "e1g", "--hostfile", "FILE"}},
    {"platform", {"replay", "TRACE", "--platform", "FILE"}},
    {"platform_in_smpi", {"replay", "TRACE", "--platform", "FILE", "--backend", "smpi"}},
    {"platform_check", {"platform", "check", "FILE"}},
    {"platform_show", {"platform", "show", "FILE"}},
    {"platform_upgrade", {"platform", "upgrade", "FILE", "-o", "OUT"}},
    {"advisor_rows", {"advise", "train", "FILE", "-o", "OUT"}},
    {"advisor_model", {"advise", "TRACE", "--platform", "graphene", "--model", "FILE"}},
    {"plan", {"plan", "--ranks", "2", "--hosts", "FILE", "--memory-per-rank", "1M"}},
};

class HostileFiles : public testing::TestWithParam<Reader> {
protected:
  HostileFiles() {
    trace::MemorySource run(2);
    for (const trace::Rank rank : {0, 1})
      run.add(rank, {.kind = trace::ActionKind::barrier});
    run.finalize();
    trace::test::write_archive(run, directory_ / "TRACE");
  }

  Outcome read(const std::string& file) const {
    std::vector<std::string> words = GetParam().arguments;
    for (std::string& word : words) {
      if (word == "FILE") word = file;
      if (word == "OUT" || word == "TRACE") word = directory_ / word;
    }
    return timeless_command(words);
  }

  void expect_refused(const std::string& what, const std::string& file) const {
    const Outcome outcome = read(file);
    EXPECT_THAT(outcome.status, AnyOf(1, 2, 3)) << what << ": " << outcome.err << outcome.out;
    EXPECT_THAT(outcome.err + outcome.out, HasSubstr(fs::path(file).filename().string())) << what;
    EXPECT_THAT(outcome.err + outcome.out,
                Not(AnyOf(HasSubstr("this is a defect"), HasSubstr("Segmentation"), HasSubstr("std::"))))
        << what;
    EXPECT_FALSE(fs::exists(directory_ / "OUT")) << what;
  }

  trace::test::TemporaryDirectory directory_;
  std::string file_ = directory_ / "hostile";
};

TEST_P(HostileFiles, are_refused_by_name) {
  std::mt19937 random(1);
  std::string noise(5000, '\0');
  for (char& byte : noise)
    byte = static_cast<char>(random());
  const std::map<std::string, std::string> contents{
      {"empty", ""},
      {"a zero byte", std::string(1, '\0')},
      {"zero bytes", std::string(100'000, '\0')},
      {"noise", noise},
      {"a line without end", std::string(3'000'000, '\x01')},
      {"open brackets", std::string(200'000, '[')},
      {"open elements",
       [] {
         std::string text = "<?xml version='1.0'?><platform version=\"4.1\">";
         for (int i = 0; i < 50'000; ++i)
           text += "<zone>";
         return text;
       }()},
      {"negative everything", "-1 -1 -1 -1\n-9223372036854775808\n=-1\n"},
  };
  for (const auto& [what, content] : contents) {
    trace::test::write_bytes(file_, content);
    expect_refused(what, file_);
  }
}

TEST_P(HostileFiles, that_are_none_are_refused_and_not_waited_for) {
  expect_refused("nothing", directory_ / "nothing");
  fs::create_directory(directory_ / "folder");
  expect_refused("a directory", directory_ / "folder");
  expect_refused("an endless device", "/dev/zero");
  expect_refused("an empty device", "/dev/null");
  fs::create_symlink(file_, file_);
  expect_refused("a link to itself", file_);
}

INSTANTIATE_TEST_SUITE_P(each, HostileFiles, testing::ValuesIn(readers),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace timeless::tools
