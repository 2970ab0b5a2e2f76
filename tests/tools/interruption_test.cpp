// Ctrl-C ends a command as it ends others: by the signal, with its progress bar gone, and says what is left.
#include "tests/trace/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

namespace timeless::tools {
namespace {

using testing::HasSubstr;

class Interrupted : public testing::TestWithParam<std::vector<std::string>> {
protected:
  /// Much to simulate, in a small file.
  Interrupted() {
    trace::MemorySource run(2, 5000);
    for (int round = 0; round < 600'000; ++round)
      for (const trace::Rank rank : {0, 1})
        run.add(rank, {.kind = trace::ActionKind::allreduce, .bytes = 8, .element_bytes = 8});
    run.finalize();
    trace::test::write_archive(run, trace_);
  }

  trace::test::TemporaryDirectory directory_;
  std::string trace_ = directory_ / "run.tia";
};

TEST_P(Interrupted, ends_by_the_signal_and_leaves_no_bar_on_the_terminal) {
  std::vector<std::string> words{TIMELESS_COMMAND, "replay", trace_};
  words.insert(words.end(), GetParam().begin(), GetParam().end());
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  std::string shown;
  bool interrupted = false;
  for (char buffer[4096];;) {
    const ssize_t got = ::read(terminal, buffer, sizeof buffer);
    if (got <= 0) break;
    shown.append(buffer, static_cast<std::size_t>(got));
    if (interrupted || shown.find(" %  ") == std::string::npos) continue;
    interrupted = ::write(terminal, "\x03", 1) == 1; // as the key does: to all processes of the terminal
  }
  ::close(terminal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(interrupted) << "no bar was shown: " << shown;
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << shown;
  EXPECT_THAT(shown, HasSubstr("\r\033[Ktimeless: interrupted; finished outputs are kept, unfinished ones are removed, "
                               "what was printed is not complete"));
}

/// "1,1.001,1.002,...": a configuration each.
std::string factors(int count) {
  std::string text = "1";
  for (int i = 1; i < count; ++i)
    text += "," + std::to_string(1 + 0.001 * i);
  return text;
}

INSTANTIATE_TEST_SUITE_P(each, Interrupted,
                         testing::Values(std::vector<std::string>{"--platform", "graphene", "--backend", "smpi"},
                                         std::vector<std::string>{"--network", "e1g", "--threads", "1", "--latency",
                                                                  factors(10), "--bandwidth", factors(10), "--cpu",
                                                                  factors(10)}),
                         [](const auto& each) { return each.index == 0 ? "smpi" : "model"; });

} // namespace
} // namespace timeless::tools
