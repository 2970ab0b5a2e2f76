#include "tests/temporary_directory.h"

#include <gmock/gmock.h>

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/// What recording asks of the operating system while a program just goes on: nothing but to write its blocks.
namespace timeless::test {

namespace {

using testing::HasSubstr;

// The marks of the program `steady`.
constexpr int begin_mark = -1001;
constexpr int end_mark = -1002;
constexpr long actions = 1'000'000;
constexpr long actions_per_block = 16384; // unless TIMELESS_BUFFER_SIZE says otherwise

struct Steady {
  bool traceable = true; ///< false where no process may trace another
  int status = -1;
  std::string output;
  std::map<long, long> system_calls; ///< by number, of the main thread between the marks
};

[[noreturn]] void become_program(const std::vector<std::string>& environment, const std::string& output) {
  for (const std::string& setting : environment)
    ::putenv(const_cast<char*>(setting.c_str()));
  if (::freopen(output.c_str(), "w", stdout) == nullptr || ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
    ::_exit(126);
  const std::string count = std::to_string(actions);
  ::execl(TIMELESS_PROGRAMS "/steady", "steady", count.c_str(), nullptr);
  ::_exit(127);
}

/// Follows the process to its end and counts what it asks for between the marks.
void follow(pid_t process, Steady& result) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process || !WIFSTOPPED(status)) {
    result.traceable = false;
    return;
  }
  ::ptrace(PTRACE_SETOPTIONS, process, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  bool counting = false;
  bool entering = true;
  int signal = 0;
  while (::ptrace(PTRACE_SYSCALL, process, nullptr, signal) == 0 && ::waitpid(process, &status, 0) == process &&
         WIFSTOPPED(status)) {
    signal = WSTOPSIG(status);
    if (signal == SIGTRAP) signal = 0; // it has executed a program
    if (signal != (SIGTRAP | 0x80)) continue;
    signal = 0;
    if (std::exchange(entering, !entering)) {
      user_regs_struct registers{};
      ::ptrace(PTRACE_GETREGS, process, nullptr, &registers);
      const auto number = static_cast<long>(registers.orig_rax);
      const int argument = static_cast<int>(registers.rdi);
      if (number == SYS_close && argument == end_mark) counting = false;
      if (counting) ++result.system_calls[number];
      if (number == SYS_close && argument == begin_mark) counting = true;
    }
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Steady run_steady(std::vector<std::string> environment) {
  const TemporaryDirectory directory;
  const std::string output = directory / "output";
  environment.insert(environment.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                         "OMPI_MCA_btl=self,vader", "OMPI_MCA_hwloc_base_binding_policy=none",
                                         "HWLOC_COMPONENTS=-gl,-opencl,-cuda,-nvml,-rsmi,-levelzero,-pci,-linuxio",
                                         "TIMELESS_DIR=" + (directory / "trace").string()});
  Steady result;
  const pid_t process = ::fork();
  if (process == 0) become_program(environment, output);
  follow(process, result);
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  result.output = text.str();
  return result;
}

TEST(Steady, a_million_actions_allocate_nothing_and_make_no_system_call_but_to_write_blocks) {
  const Steady plain = run_steady({});
  if (!plain.traceable) GTEST_SKIP() << "no process may trace another here";
  ASSERT_EQ(plain.status, 0);
  Steady traced = run_steady({"LD_PRELOAD=" TIMELESS_PRELOAD, "TIMELESS_COUNTER=none"});
  ASSERT_EQ(traced.status, 0);
  EXPECT_THAT(traced.output, HasSubstr("libtimeless.so allocations 0\n"));
  const long blocks = std::exchange(traced.system_calls[SYS_pwrite64], 0);
  EXPECT_GE(blocks, actions / actions_per_block - 1) << "nothing was recorded";
  EXPECT_LE(blocks, actions / actions_per_block + 1);
  // Before each write, how large a file may become: beyond, writing would kill the program.
  EXPECT_LE(std::exchange(traced.system_calls[SYS_prlimit64], 0), blocks);
  // And whether the descriptor is still the trace's: the program may have closed it.
  EXPECT_LE(std::exchange(traced.system_calls[SYS_newfstatat], 0) + std::exchange(traced.system_calls[SYS_fstat], 0),
            blocks);
  for (const auto& [number, times] : traced.system_calls)
    EXPECT_LE(times, plain.system_calls.contains(number) ? plain.system_calls.at(number) : 0) << "call " << number;
}

} // namespace

} // namespace timeless::test
