#include "base/files/temporary_file.h"

#include "base/error.h"
#include "base/files/exclusive.h"
#include "tests/temporary_directory.h"
#include "tools/cli/interruption.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

namespace timeless::trace {
namespace {

void write(const std::filesystem::path& path) {
  std::ofstream(path) << "content";
}

bool empty(const timeless::test::TemporaryDirectory& directory) {
  return std::filesystem::is_empty(directory.path());
}

TEST(TemporaryFile, is_removed_with_its_owner) {
  const timeless::test::TemporaryDirectory directory;
  {
    const TemporaryFile file(directory.path(), "test");
    write(file.path());
    EXPECT_FALSE(empty(directory));
  }
  EXPECT_TRUE(empty(directory));
}

TEST(TemporaryFile, belongs_to_whom_it_was_moved_to) {
  const timeless::test::TemporaryDirectory directory;
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

TEST(ExclusiveFile, is_a_new_one_never_one_that_is_there_nor_what_a_link_leads_to) {
  const timeless::test::TemporaryDirectory directory;
  write(directory / "file");
  std::filesystem::create_symlink("nowhere", directory / "link");
  for (const char* const name : {"file", "link"}) {
    EXPECT_LT(open_exclusively(directory / name, O_RDWR), 0) << name;
    EXPECT_EQ(errno, EEXIST) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "nowhere"));
  const int file = open_exclusively(directory / "new", O_RDWR);
  EXPECT_GE(file, 0);
  ::close(file);
}

TEST(TemporaryFile, kept_under_a_name_stays) {
  const timeless::test::TemporaryDirectory directory;
  {
    TemporaryFile file(directory.path(), "test");
    write(file.path());
    file.keep_as(directory / "kept", Existing::refuse);
  }
  EXPECT_TRUE(std::filesystem::exists(directory / "kept"));
}

TEST(TemporaryFile, is_called_by_the_name_of_what_it_is_on_its_way_to) {
  const timeless::test::TemporaryDirectory directory;
  std::filesystem::path path;
  {
    const TemporaryFile folder(directory.path(), "test", "the output");
    path = folder.path();
    EXPECT_EQ(output_of(path), "the output");
    EXPECT_EQ(output_of(path / "part"), "the output/part");
    const TemporaryFile other(directory.path(), "test");
    EXPECT_EQ(output_of(other.path()), other.path());
  }
  EXPECT_EQ(output_of(path), path);
}

TEST(TemporaryFile, does_not_take_the_name_of_a_file_that_came_meanwhile_unless_told) {
  const timeless::test::TemporaryDirectory directory;
  {
    TemporaryFile file(directory.path(), "test");
    write(file.path());
    std::ofstream(directory / "kept") << "another's";
    EXPECT_THROW(file.keep_as(directory / "kept", Existing::refuse), Error);
    EXPECT_EQ(std::filesystem::file_size(directory / "kept"), 9U);
    file.keep_as(directory / "kept", Existing::replace);
  }
  EXPECT_EQ(std::filesystem::file_size(directory / "kept"), 7U);
}

TEST(TemporaryFile, is_created_only_where_nothing_is_not_even_a_link) {
  const timeless::test::TemporaryDirectory directory;
  for (const bool dangling : {true, false}) {
    const std::filesystem::path victim = directory / "victim";
    if (!dangling) write(victim);
    const TemporaryFile file(directory / "planted");
    std::filesystem::create_symlink(victim, file.path());
    EXPECT_THROW(file.create(), Error);
    EXPECT_EQ(std::filesystem::exists(victim), !dangling);
  }
  EXPECT_EQ(std::filesystem::file_size(directory / "victim"), 7U);
}

TEST(TemporaryFile, has_a_name_that_cannot_be_foretold) {
  const timeless::test::TemporaryDirectory directory;
  const auto name_of_child = [&] {
    int ends[2];
    if (::pipe(ends) != 0) return std::string();
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string name = TemporaryFile(directory.path(), "test").path().filename();
      ::_exit(::write(ends[1], name.data(), name.size()) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    char text[512];
    const ssize_t got = ::read(ends[0], text, sizeof text);
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    const std::string name(text, static_cast<std::size_t>(got > 0 ? got : 0));
    return name.substr(name.rfind('-') + 1);
  };
  const std::string one = name_of_child();
  EXPECT_EQ(one.size(), 16U);
  EXPECT_NE(one, name_of_child());
}

TEST(TemporaryFile, that_is_a_directory_goes_with_all_that_is_in_it_but_not_where_links_lead) {
  const timeless::test::TemporaryDirectory directory;
  const timeless::test::TemporaryDirectory other;
  write(other / "mine");
  {
    const TemporaryFile made(directory.path(), "test");
    made.create_directory();
    std::filesystem::create_directories(made.path() / "a" / "b");
    for (int i = 0; i < 500; ++i)
      write(made.path() / "a" / ("a file with quite a long name, number " + std::to_string(i)));
    std::filesystem::create_directory_symlink(other.path(), made.path() / "a" / "b" / "link");
  }
  EXPECT_TRUE(empty(directory));
  EXPECT_TRUE(std::filesystem::exists(other / "mine"));
}

TEST(TemporaryFile, that_is_a_directory_replaces_one_that_is_not_empty) {
  const timeless::test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "kept");
  write(directory / "kept" / "old");
  {
    TemporaryFile made(directory.path(), "test");
    made.create_directory();
    write(made.path() / "new");
    EXPECT_THROW(made.keep_as(directory / "kept", Existing::refuse), Error);
    made.keep_as(directory / "kept", Existing::replace);
  }
  EXPECT_TRUE(std::filesystem::exists(directory / "kept" / "new"));
  EXPECT_FALSE(std::filesystem::exists(directory / "kept" / "old"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(TemporaryFile, is_removed_by_an_interruption_that_still_ends_the_program) {
  const timeless::test::TemporaryDirectory directory;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      tools::remove_temporary_files_when_interrupted();
      const TemporaryFile file(directory.path(), "test");
      write(file.path());
      const TemporaryFile folder(directory.path(), "test");
      folder.create_directory();
      write(folder.path() / "part");
      std::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_TRUE(empty(directory));
  }
}

TEST(TemporaryFile, that_is_to_be_kept_gets_its_name_when_interrupted_without_what_is_begun_in_it) {
  const timeless::test::TemporaryDirectory directory;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    tools::remove_temporary_files_when_interrupted();
    TemporaryFile folder(directory.path(), "test");
    folder.create_directory();
    write(folder.path() / "whole");
    folder.keep_when_interrupted(directory / "other");
    folder.keep_when_interrupted(directory / "kept");
    const TemporaryFile part(folder.path(), "test");
    write(part.path());
    std::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory / "kept"), {}), 1);
  EXPECT_TRUE(std::filesystem::exists(directory / "kept" / "whole"));
}

} // namespace
} // namespace timeless::trace
