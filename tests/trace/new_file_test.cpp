#include "base/files/new_file.h"

#include "base/error.h"
#include "tests/temporary_directory.h"
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>

namespace timeless::trace {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NewFiles : public ::testing::Test {
protected:
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()));
  }

  Error refusal(const std::function<void()>& attempt) {
    try {
      attempt();
    } catch (const Error& error) {
      return error;
    }
    return Error(Failure::partial, "not refused");
  }

  timeless::test::TemporaryDirectory directory_;
  fs::path name_ = directory_ / "out";
};

TEST_F(NewFiles, have_their_name_when_they_are_whole_and_not_before) {
  {
    NewFile file(name_, Existing::refuse);
    file.write("whole");
    EXPECT_FALSE(fs::exists(name_));
    EXPECT_EQ(file.finish(), 5U);
  }
  EXPECT_EQ(test::file_bytes(name_), "whole");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(NewFiles, that_are_not_finished_leave_nothing) {
  {
    NewFile file(name_, Existing::refuse);
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(entries(), 0U);
}

TEST_F(NewFiles, leave_nothing_when_their_process_is_killed) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    NewFile file(name_, Existing::refuse);
    file.write(std::string(1 << 20, 'x'));
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(NewFiles, replace_what_exists_only_when_told_and_only_as_a_whole) {
  test::write_bytes(name_, "older");
  EXPECT_EQ(refusal([&] { NewFile(name_, Existing::refuse); }).failure(), Failure::usage);
  {
    NewFile file(name_, Existing::replace);
    file.write("newer");
    EXPECT_EQ(test::file_bytes(name_), "older");
    file.finish();
  }
  EXPECT_EQ(test::file_bytes(name_), "newer");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(NewFiles, do_not_take_a_name_that_came_into_use_meanwhile) {
  NewFile file(name_, Existing::refuse);
  file.write("mine");
  test::write_bytes(name_, "another's");
  EXPECT_EQ(refusal([&] { file.finish(); }).failure(), Failure::usage);
  EXPECT_EQ(test::file_bytes(name_), "another's");
}

TEST_F(NewFiles, never_write_where_a_link_points_to) {
  const fs::path victim = directory_ / "victim";
  test::write_bytes(victim, "mine");
  fs::create_symlink(victim, name_);
  EXPECT_EQ(refusal([&] { NewFile(name_, Existing::refuse); }).failure(), Failure::usage);
  write_file(name_, "new", Existing::replace);
  EXPECT_EQ(test::file_bytes(victim), "mine");
  EXPECT_FALSE(fs::is_symlink(name_));
  EXPECT_EQ(test::file_bytes(name_), "new");
}

TEST_F(NewFiles, refuse_a_link_that_points_nowhere) {
  fs::create_symlink(directory_ / "nothing", name_);
  EXPECT_EQ(refusal([&] { NewFile(name_, Existing::refuse); }).failure(), Failure::usage);
  EXPECT_FALSE(fs::exists(directory_ / "nothing"));
}

TEST_F(NewFiles, have_the_permissions_that_the_mask_leaves) {
  const mode_t before = ::umask(027);
  write_file(name_, "text", Existing::refuse);
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat(name_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(NewFiles, write_their_beginning_last_where_it_is_known_last) {
  NewFile file(name_, Existing::refuse);
  file.write("head, body");
  file.write_over(0, "HEAD");
  EXPECT_EQ(file.finish(), 10U);
  EXPECT_EQ(test::file_bytes(name_), "HEAD, body");
}

TEST_F(NewFiles, that_the_disk_has_no_room_for_leave_what_was_there) {
  test::write_bytes(name_, "older");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = 1000, .rlim_max = 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const Error error = refusal([&] { write_file(name_, std::string(100'000, 'x'), Existing::replace); });
    ::_exit(error.failure() == Failure::runtime && error.where() == name_ ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(test::file_bytes(name_), "older");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(NewFiles, that_are_devices_are_written_as_they_are) {
  write_file("/dev/null", "text", Existing::refuse);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const Error error = refusal([] { write_file("/dev/full", "text", Existing::refuse); });
  EXPECT_EQ(error.failure(), Failure::runtime);
  EXPECT_THAT(error.description(), HasSubstr("No space left"));
}

TEST_F(NewFiles, that_are_open_descriptors_are_written_as_they_are) {
  test::write_bytes(name_, "before ");
  const int open = ::open(name_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(open, 0);
  const fs::path descriptor = "/dev/fd/" + std::to_string(open);
  const fs::path link = directory_ / "link";
  fs::create_symlink(descriptor, link);
  write_file(link, "after", Existing::replace);
  ::close(open);
  EXPECT_EQ(test::file_bytes(name_), "before after");
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST_F(NewFiles, refuse_directories_and_places_that_are_not_there) {
  EXPECT_EQ(refusal([&] { NewFile(directory_.path(), Existing::replace); }).failure(), Failure::usage);
  EXPECT_EQ(refusal([&] { NewFile(directory_ / "nowhere" / "out", Existing::replace); }).failure(), Failure::runtime);
}

TEST_F(NewFiles, are_kept_apart_from_inputs_by_any_name_of_theirs) {
  const fs::path input = directory_ / "input";
  test::write_bytes(input, "read");
  fs::create_symlink(input, directory_ / "link");
  fs::create_hard_link(input, directory_ / "hard");
  const std::array inputs{directory_ / "nothing", input};
  for (const fs::path& output :
       {input, directory_ / "link", directory_ / "hard", directory_ / "." / "input", directory_ / "." / "nothing"})
    EXPECT_EQ(refusal([&] { demand_output_apart(output, inputs); }).failure(), Failure::usage) << output;
  demand_output_apart(name_, inputs);
  test::write_bytes(name_, "other");
  demand_output_apart(name_, inputs);
}

} // namespace
} // namespace timeless::trace
