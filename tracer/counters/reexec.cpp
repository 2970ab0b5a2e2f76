// Puts an MPI program under the icount tool when it starts, whatever started it.
//
// No launcher's command line is looked at: the preloaded library is in every process, sees at start whether its process
// is an MPI program or may become one, and executes it again under the tool, with the same arguments, environment and
// directory.
#include "base/error.h"
#include "base/launched_rank.h"
#include "tracer/counters/icount_process.h"
#include "tracer/counters/reexec_environment.h"
#include "tracer/counters/tool_command.h"
#include "tracer/icount/icount.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace timeless::tracer {
namespace {

namespace fs = std::filesystem;

std::optional<Reexec> arrived;

bool icount_chosen() {
  const char* choice = std::getenv("TIMELESS_COUNTER");
  return choice != nullptr && std::string_view(choice) == "icount";
}

bool is_loaded(const char* symbol) {
  return dlsym(RTLD_DEFAULT, symbol) != nullptr;
}

/// An interpreter loads MPI only when its program asks for it (mpi4py), too late to begin anew. In a rank's process it
/// is taken to; elsewhere, it may as well be the script that starts mpirun.
bool may_load_mpi() {
  constexpr std::array interpreters = {"Py_Main", "jl_init", "R_ReplDLLinit", "perl_parse"};
  return launched_rank() != nullptr && std::ranges::any_of(interpreters, is_loaded);
}

/// By a function that this library does not have, as it has PMPI_Init.
bool is_mpi_program() {
  return is_loaded("PMPI_Initialized") || may_load_mpi();
}

/// Creates the log, and the trace's directory where need be. Where that cannot be, the tool's words go nowhere: without
/// a log it would end the program.
fs::path create_log() {
  const char* given = std::getenv("TIMELESS_DIR");
  const fs::path directory = fs::absolute(given == nullptr || *given == '\0' ? "timeless-trace" : given);
  std::error_code failure;
  fs::create_directories(directory, failure);
  std::string host(256, '\0');
  if (gethostname(host.data(), host.size() - 1) != 0) host = "unknown";
  const fs::path log = directory / ("icount-" + std::string(host.c_str()) + "-" + std::to_string(getpid()) + ".log");
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return "/dev/null";
  ::close(descriptor);
  return log;
}

/// Returns only by throwing.
void execute_under_tool(char** argv) {
  const fs::path log = create_log();
  ToolCommand command = tool_command(argv, log);
  std::vector<char*> arguments;
  for (std::string& argument : command.arguments)
    arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const bool renamed = !command.own_name && argv[0] != nullptr;
  enter_environment({.process = getpid(), .log = log}, command.directory, arguments.data(),
                    renamed ? std::optional<std::string>(argv[0]) : std::nullopt);
  // Resolving a symbol at its first call would count as the program's work. What launched this process may not have
  // been given the variable (Slurm's commands cannot do with it).
  setenv("LD_BIND_NOW", "1", 1);
  execv(command.tool.c_str(), arguments.data());
  const int reason = errno;
  leave_environment(nullptr);
  throw Error(Failure::missing_capability,
              "the icount tool cannot be executed (" + std::string(std::strerror(reason)) + ")");
}

void begin_under_tool(char** argv) {
  arrived = leave_environment(argv);
  if (!icount_chosen() || ICOUNT_ABI() != 0) return;
  if (RUNNING_ON_VALGRIND) return set_icount_refusal("the process runs under Valgrind, but not under its icount tool");
  if (arrived && arrived->process == getpid())
    return set_icount_refusal("the process was executed under the icount tool, but does not find itself there");
  if (!is_mpi_program())
    return set_icount_refusal(
        "the MPI library was loaded after the process had started: start it by mpirun if it is an interpreter "
        "(mpirun -np 1 python3 ...), else preload the MPI library too (LD_PRELOAD=libmpi.so.40)");
  execute_under_tool(argv);
}

__attribute__((constructor)) void at_start(int /*argc*/, char** argv, char** /*environment*/) {
  // Whatever goes wrong is told at MPI_Init: before, this may be no business of ours.
  try {
    begin_under_tool(argv);
  } catch (const Error& error) {
    set_icount_refusal(error.description());
  } catch (const std::exception& error) {
    set_icount_refusal(error.what());
  }
}

/// Leaves no empty log behind.
__attribute__((destructor)) void at_end() {
  if (!arrived || arrived->process != getpid()) return;
  std::error_code none;
  if (fs::is_regular_file(arrived->log, none) && fs::file_size(arrived->log, none) == 0) fs::remove(arrived->log, none);
}

} // namespace
} // namespace timeless::tracer
