#include "gather/temporary_file.h"

#include "tests/gather/synthetic_run.h"
#include "tools/interruption.h"
#include "trace/error.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace timeless::gather {
namespace {

void write(const std::filesystem::path& path) {
  std::ofstream(path) << "content";
}

bool empty(const test::TemporaryDirectory& directory) {
  return std::filesystem::is_empty(directory.path());
}

TEST(TemporaryFile, is_removed_with_its_owner) {
  const test::TemporaryDirectory directory;
  {
    const TemporaryFile file(directory.path(), "test");
    write(file.path());
    EXPECT_FALSE(empty(directory));
  }
  EXPECT_TRUE(empty(directory));
}

TEST(TemporaryFile, belongs_to_whom_it_was_moved_to) {
  const test::TemporaryDirectory directory;
  TemporaryFile one(directory.path(), "test");
  write(one.path());
  {
    TemporaryFile other(std::move(one));
    EXPECT_TRUE(std::filesystem::exists(other.path()));
    TemporaryFile third(directory.path(), "test");
    write(third.path());
    third = std::move(other);
    EXPECT_TRUE(std::filesystem::exists(third.path()));
  }
  EXPECT_TRUE(empty(directory));
}

TEST(TemporaryFile, kept_under_a_name_stays) {
  const test::TemporaryDirectory directory;
  {
    TemporaryFile file(directory.path(), "test");
    write(file.path());
    file.keep_as(directory / "kept", false);
  }
  EXPECT_TRUE(std::filesystem::exists(directory / "kept"));
}

TEST(TemporaryFile, does_not_take_the_name_of_a_file_that_came_meanwhile_unless_told) {
  const test::TemporaryDirectory directory;
  {
    TemporaryFile file(directory.path(), "test");
    write(file.path());
    std::ofstream(directory / "kept") << "another's";
    EXPECT_THROW(file.keep_as(directory / "kept", false), Error);
    EXPECT_EQ(std::filesystem::file_size(directory / "kept"), 9U);
    file.keep_as(directory / "kept", true);
  }
  EXPECT_EQ(std::filesystem::file_size(directory / "kept"), 7U);
}

TEST(TemporaryFile, is_removed_by_an_interruption_that_still_ends_the_program) {
  const test::TemporaryDirectory directory;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      tools::remove_temporary_files_when_interrupted();
      const TemporaryFile file(directory.path(), "test");
      write(file.path());
      std::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(empty(directory));
  }
}

} // namespace
} // namespace timeless::gather
