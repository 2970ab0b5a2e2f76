#include "base/launched_rank.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_status.h"
#include "tools/cli/help_text.h"
#include "tools/cli/interruption.h"
#include "tools/cli/locate.h"
#include "tools/mpi/command.h"
#include "tools/version.h"

#include <CLI/CLI.hpp>

#include <mpi.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace timeless::tools {
namespace {

constexpr std::array commands{
    MpiCommand{"gather", "Gather the rank files of a run from several nodes into one archive", add_mpi_gather},
    MpiCommand{"ping", "Measure the network between the processes, for calibration", add_mpi_ping},
    MpiCommand{"replay", "Predict a run's time with several processes, each replaying a block of the ranks",
               add_mpi_replay},
};

/// Returns true on the process that speaks for all, as far as its launcher tells before MPI_Init.
bool speaks_before_init() {
  const char* const launched = launched_rank();
  const char* const rank = launched != nullptr ? launched : std::getenv("SLURM_PROCID");
  return rank == nullptr || std::string_view(rank) == "0";
}

#ifdef OPEN_MPI
/// Leaves processes that a launcher of MPICH or its relatives has started (hydra, PMI) to the program
/// that is built for those: with this one's MPI, each would be a world of its own. Throws Error(missing_capability)
/// where there is none.
void leave_to_launchers_mpi(char** argv) {
  const char* const size = std::getenv("PMI_SIZE");
  if (std::getenv("PMI_RANK") == nullptr || size == nullptr || std::getenv("OMPI_COMM_WORLD_RANK") != nullptr ||
      std::getenv("PMIX_RANK") != nullptr)
    return;
  const std::string other = (preloaded_library().parent_path() / "timeless-mpi-mpich").string();
  ::execv(other.c_str(), argv);
  if (std::string_view(size) == "1") return;
  if (!speaks_before_init()) std::exit(0);
  throw Error(Failure::missing_capability, "the launcher is MPICH's, or of a relative, and this program Open MPI's",
              other, "start it with Open MPI's mpirun, or build Timeless where MPICH is installed (mpicc.mpich)");
}

/// Begins anew with the libmpi of the mpirun that has started this process, where that is another Open MPI: their
/// libraries of one name stand in for each other, but with the wrong one each process would be a world of its own.
/// Open MPI 5 and later tell where theirs is.
void take_launchers_library(char** argv) {
  namespace fs = std::filesystem;
  const char* const directory = std::getenv("OMPI_LIBDIR_LOC");
  Dl_info loaded{};
  if (directory == nullptr || ::dladdr(reinterpret_cast<void*>(&MPI_Init), &loaded) == 0) return;
  const fs::path library(loaded.dli_fname);
  const fs::path launchers = directory / library.filename();
  std::error_code unknown;
  if (!fs::exists(launchers, unknown) || fs::equivalent(library, launchers, unknown)) return;
  const char* const paths = std::getenv("LD_LIBRARY_PATH");
  const std::string before = paths == nullptr ? "" : paths;
  if (before.starts_with(directory)) return; // begun anew already
  ::setenv("LD_LIBRARY_PATH", (std::string(directory) + ":" + before).c_str(), 1);
  ::execv("/proc/self/exe", argv);
}
#else
void leave_to_launchers_mpi(char** /*argv*/) {}
void take_launchers_library(char** /*argv*/) {}
#endif

/// Throws Error(missing_capability) where the launcher has started several processes and MPI knows of one: that
/// launcher is not of this MPI, and each process would do the whole by itself.
void check_world() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const launched = launched_apart(size);
  if (launched == nullptr) return;
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string_view name(version.data(), static_cast<std::size_t>(length));
  throw Error(Failure::missing_capability,
              std::string("the launcher has started ") + launched + " processes, of which MPI makes a world each",
              std::string(name.substr(0, name.find_first_of(",\n"))),
              "start it with the mpirun of this MPI, or build Timeless with the launcher's mpicc");
}

/// Takes the launcher's terminal for standard error in the first process, when that is mpirun's own child, so that a
/// progress bar finds one: mpirun puts a pipe between its terminal and its processes.
void adopt_terminal_of_launcher() {
  if (::isatty(STDERR_FILENO) != 0) return;
  const std::string launcher = "/proc/" + std::to_string(::getppid()) + "/fd/2";
  const int terminal = ::open(launcher.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return;
  if (::isatty(terminal) != 0) ::dup2(terminal, STDERR_FILENO);
  ::close(terminal);
}

/// Runs the action between MPI_Init and MPI_Finalize. Only process 0 reports, and only its code is not 0: an MPI
/// launcher that sees several failures tells of each. One that sees a failure interrupts the processes that are left.
int run_under_mpi(const MpiAction& action) {
  // Threads that read and write files beside the one that calls MPI.
  int threads = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) adopt_terminal_of_launcher();
  remove_temporary_files_when_interrupted(rank == 0);
  int code = 0;
  try {
    check_world();
    code = action();
  } catch (const Error& error) {
    if (rank == 0 && speaks_before_init()) print_error(error);
    code = static_cast<int>(error.failure());
  }
  MPI_Finalize();
  return rank == 0 ? code : 0;
}

int run(int argc, char** argv) {
  CLI::App app("The parts of Timeless that run under mpirun.", "timeless-mpi");
  app.set_version_flag("--version", std::string("timeless-mpi ") + version);
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  MpiAction action;
  for (const MpiCommand& row : commands) {
    CLI::App* command = app.add_subcommand(row.name, row.summary);
    command->option_defaults()->always_capture_default();
    command->callback([&action, perform = row.add(*command)] { action = perform; });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return speaks_before_init() ? app.exit(asked_for_help) : 0;
  } catch (const CLI::ParseError& problem) {
    if (speaks_before_init()) print_error({Failure::usage, problem.what(), "", "see timeless-mpi --help"});
    return static_cast<int>(Failure::usage);
  }
  return run_under_mpi(action);
}

} // namespace
} // namespace timeless::tools

int main(int argc, char** argv) {
  return timeless::tools::exit_status_of([&] {
    timeless::tools::leave_to_launchers_mpi(argv);
    timeless::tools::take_launchers_library(argv);
    return timeless::tools::run(argc, argv);
  });
}
