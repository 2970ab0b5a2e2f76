// Tells `timeless doctor` which processes this library has come into: a line each in the file that it names.
#include "tracer/process/self_test.h"

#include "base/launched_rank.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace timeless::tracer {

namespace {

constexpr const char* file_variable = "TIMELESS_SELF_TEST";

/// After the constructor that leaves programs of an MPI that is not known (other_mpi.cpp): they begin anew without this
/// library.
__attribute__((constructor(102))) void note_process() {
  const char* const file = std::getenv(file_variable);
  if (file == nullptr) return;
  // On other hosts there need not be such a file.
  const int log = ::open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return;
  std::array<char, 4096> executable{};
  if (::readlink("/proc/self/exe", executable.data(), executable.size() - 1) < 0) executable[0] = '\0';
  const char* const rank = launched_rank();
  dprintf(log, "%s %d %s\n", rank != nullptr ? rank : "-", static_cast<int>(::getpid()), executable.data());
  ::close(log);
}

} // namespace

bool in_self_test() noexcept {
  return std::getenv(file_variable) != nullptr;
}

} // namespace timeless::tracer
