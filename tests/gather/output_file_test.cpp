#include "gather/parts/output_file.h"

#include "base/error.h"
#include "tests/temporary_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace timeless::gather {
namespace {

using test::TemporaryDirectory;
using ::testing::HasSubstr;

void write(const std::filesystem::path& path, const char* content) {
  std::ofstream(path) << content;
}

std::size_t files_in(const TemporaryDirectory& directory) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory.path()), std::filesystem::directory_iterator()));
}

Error refusal(const std::filesystem::path& name, bool replace = false) {
  try {
    const OutputFile file(name, replace);
  } catch (const Error& error) {
    return error;
  }
  return Error(Failure::partial, "not refused");
}

TEST(OutputFile, gets_its_name_when_kept_and_leaves_nothing_else) {
  const TemporaryDirectory directory;
  {
    OutputFile file(directory / "run.tia", false);
    write(file.path(), "whole");
    EXPECT_FALSE(std::filesystem::exists(directory / "run.tia"));
    file.keep();
  }
  EXPECT_EQ(std::filesystem::file_size(directory / "run.tia"), 5U);
  EXPECT_EQ(files_in(directory), 1U);
}

TEST(OutputFile, that_is_not_kept_leaves_nothing) {
  const TemporaryDirectory directory;
  {
    const OutputFile file(directory / "run.tia", false);
    write(file.path(), "half");
  }
  EXPECT_EQ(files_in(directory), 0U);
}

TEST(OutputFile, is_written_by_one_at_a_time) {
  const TemporaryDirectory directory;
  {
    OutputFile first(directory / "run.tia", true);
    EXPECT_EQ(refusal(directory / "run.tia", true).failure(), Failure::runtime);
    EXPECT_THAT(refusal(directory / "run.tia").description(), HasSubstr("another process is gathering"));
    const OutputFile other_name(directory / "run2.tia", false);
    write(first.path(), "whole");
    first.keep();
    EXPECT_EQ(refusal(directory / "run.tia").failure(), Failure::usage);
  }
  EXPECT_EQ(std::filesystem::file_size(directory / "run.tia"), 5U);
  const OutputFile again(directory / "run.tia", true);
}

TEST(OutputFile, removes_what_a_killed_process_left_and_nothing_of_others) {
  const TemporaryDirectory directory;
  const OutputFile other(directory / "other.tia", false);
  write(other.path(), "another's");
  const std::size_t before = files_in(directory);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const OutputFile file(directory / "run.tia", false);
    write(file.path(), "half");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(files_in(directory), before + 2);
  { const OutputFile next(directory / "run.tia", false); }
  EXPECT_EQ(files_in(directory), before);
  EXPECT_TRUE(std::filesystem::exists(other.path()));
}

TEST(OutputFile, does_not_follow_a_link_that_stands_where_its_lock_is_kept) {
  const TemporaryDirectory directory;
  const TemporaryDirectory other;
  std::filesystem::path lock;
  {
    const OutputFile file(directory / "run.tia", false);
    for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
      if (entry.path().filename().string().starts_with(".timeless-lock-")) lock = entry.path();
  }
  ASSERT_FALSE(lock.empty());
  write(other / "victim", "mine");
  for (const auto& victim : {other / "victim", other / "nothing"}) {
    std::filesystem::create_symlink(victim, lock);
    const Error error = refusal(directory / "run.tia");
    EXPECT_EQ(error.failure(), Failure::runtime);
    EXPECT_EQ(error.where(), lock);
    std::filesystem::remove(lock);
  }
  EXPECT_EQ(std::filesystem::file_size(other / "victim"), 4U);
  EXPECT_EQ(files_in(other), 1U);
}

TEST(OutputFile, refuses_a_directory_and_a_place_that_is_not_there) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "there");
  EXPECT_EQ(refusal(directory / "there", true).failure(), Failure::usage);
  EXPECT_EQ(refusal(directory / "nowhere" / "run.tia").failure(), Failure::runtime);
}

} // namespace
} // namespace timeless::gather
