// Lets programs of an MPI that cannot be recorded run as they are. This library has MPI's functions under their names,
// and no way to give a program's calls to an MPI whose handles it does not know, nor to tell for which of two a call is
// meant: so such a program begins anew, without it.
#include "tracer/mpi/other_mpi.h"

#include "base/launched_rank.h"
#include "tracer/common/own_code.h"
#include "tracer/mpi/abi.h"
#include "tracer/mpi/mpi_modules.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace timeless::tracer {

namespace {

constexpr const char* preload_list = "LD_PRELOAD";

/// Returns the list without the entry that is this library, by the name the dynamic linker found it under; nothing
/// where there is none.
std::optional<std::string> without_this_library(std::string_view list) {
  const std::string_view own = path_of_code(__ehdr_start);
  if (own.empty()) return std::nullopt;
  bool found = false;
  std::string rest;
  while (!list.empty()) {
    const std::size_t end = list.find_first_of(": ");
    const std::string_view entry = list.substr(0, end);
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
    if (entry == own) found = true;
    if (entry.empty() || entry == own) continue;
    if (!rest.empty()) rest += ':';
    rest += entry;
  }
  return found ? std::optional(rest) : std::nullopt;
}

std::string named(const LoadedMpi& mpi) {
  return mpi.path + " (" + name_of(mpi.abi) + ")";
}

std::string is_not_known(std::string_view mpi) {
  return "the program's MPI, " + std::string(mpi) +
         ", has a binary interface that is not known; known are those of Open MPI, of MPICH and its relatives, and of "
         "MPI 5's standard";
}

/// The ranks of a program have all the same to say.
void say_not_recorded(const std::string& why, const char* so) {
  const char* const rank = launched_rank();
  if (rank == nullptr || std::string_view(rank) == "0")
    std::fprintf(stderr, "timeless: not recorded: %s; %s\n", why.c_str(), so);
}

/// Returns why this process's MPI cannot be recorded, in words; empty where it can.
std::string why_not_recorded() {
  const std::vector<LoadedMpi> loaded = loaded_interfaces();
  // One of the standard interface may be built on its maker's own.
  if (loaded.size() > 1 && std::ranges::find(loaded, Abi::standard, &LoadedMpi::abi) == loaded.end())
    return "the program and its libraries are linked with two MPIs, " + named(loaded[0]) + " and " + named(loaded[1]) +
           ", whose functions have the same names: link all of them with one";
  if (abi_of_process() != Abi::unknown) return {};
  return is_not_known(mpi_of_process());
}

/// Before the program begins, and before it begins under another tool.
__attribute__((constructor(101))) void leave_programs_of_another_mpi(int /*argc*/, char** argv,
                                                                     char** /*environment*/) {
  const char* const list = std::getenv(preload_list);
  if (list == nullptr) return;
  const std::string why = why_not_recorded();
  if (why.empty()) return;
  const std::string before = list;
  const std::optional<std::string> rest = without_this_library(before);
  if (!rest) return;
  if (rest->empty())
    unsetenv(preload_list);
  else
    setenv(preload_list, rest->c_str(), 1);
  say_not_recorded(why, "the program runs without libtimeless.so");
  execv("/proc/self/exe", argv);
  setenv(preload_list, before.c_str(), 1);
}

} // namespace

bool is_of_another_mpi(std::string_view path) {
  if (abi_of_library(path) != Abi::unknown) return false;
  say_not_known(path);
  return true;
}

void say_not_known(std::string_view path) {
  static constinit std::atomic_flag said;
  if (!said.test_and_set()) say_not_recorded(is_not_known(path), "the program's calls go to it alone");
}

} // namespace timeless::tracer
