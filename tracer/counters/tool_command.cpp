#include "tracer/counters/tool_command.h"

#include "base/error.h"
#include "tracer/counters/memory_profile.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace timeless::tracer {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string why) {
  throw Error(Failure::missing_capability, std::move(why), "TIMELESS_COUNTER=icount", "see `timeless doctor`");
}

/// Returns the directory that the user says, else the one beside this library, in the build tree as in the installed
/// one.
fs::path tool_directory() {
  if (const char* given = std::getenv("TIMELESS_ICOUNT_TOOL"); given != nullptr && *given != '\0') return given;
  Dl_info library{};
  if (dladdr(reinterpret_cast<void*>(&tool_directory), &library) == 0 || library.dli_fname == nullptr)
    fail("the place of libtimeless.so is unknown, so that of the icount tool is too");
  std::error_code none;
  return fs::canonical(library.dli_fname, none).parent_path() / "valgrind";
}

bool same_file(const std::string& path, const struct stat& wanted) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino;
}

/// Returns the first executable of this name in PATH.
std::string found_in_path(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    std::string candidate(rest.substr(0, end));
    candidate.append("/").append(name);
    if (end > 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

/// Returns true when Valgrind, given the program's own argv[0], would find this very program.
bool names_itself(const std::string& name, const struct stat& program) {
  if (name.empty() || name.front() == '-') return false;
  return same_file(name.find('/') == std::string::npos ? found_in_path(name) : name, program);
}

/// Valgrind expands % in the names of logs.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char letter : path)
    text.append(letter == '%' ? "%%" : std::string(1, letter));
  return text;
}

/// Valgrind gives a program at most 16 MiB of stack unless told; those with large automatic arrays raise the limit.
std::string stack_option() {
  constexpr rlim_t most = rlim_t{1} << 30U;
  constexpr rlim_t page = 4096;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) fail("the limit of the stack is unknown");
  return "--main-stacksize=" + std::to_string(std::min(limit.rlim_cur, most) / page * page);
}

} // namespace

std::vector<std::string> tool_options(const fs::path& tool, const fs::path& log) {
  const char* profile = std::getenv("TIMELESS_PROFILE");
  return {tool.string(),
          "--tool=icount",
          profile != nullptr && profile == memory_profile ? "--memory=yes" : "--memory=no",
          "--command-line-only=yes", // no .valgrindrc, no VALGRIND_OPTS
          "--quiet",
          "--vgdb=no",
          "--trace-children=no", // a child that is an MPI program finds its own way here
          "--run-libc-freeres=no",
          "--run-cxx-freeres=no",
          stack_option(),
          "--log-file=" + escaped(log.string())};
}

ToolCommand tool_command(char* const* argv, const fs::path& log) {
  ToolCommand command;
  command.directory = tool_directory();
  command.tool = command.directory / "icount-amd64-linux";
  if (access(command.tool.c_str(), X_OK) != 0) fail("the icount tool is not at " + command.tool.string());
  struct stat program {};
  if (stat("/proc/self/exe", &program) != 0) fail("/proc/self/exe does not lead to the program");
  if (access("/proc/self/exe", R_OK) != 0) fail("the program's file may be executed, but not read");

  command.arguments = tool_options(command.tool, log);
  const std::string name = *argv == nullptr ? "" : *argv;
  command.own_name = names_itself(name, program);
  command.arguments.push_back(command.own_name ? name : fs::read_symlink("/proc/self/exe").string());
  if (*argv != nullptr)
    for (++argv; *argv != nullptr; ++argv)
      command.arguments.emplace_back(*argv);
  return command;
}

} // namespace timeless::tracer
