#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Processes that gather together without an MPI launcher, each of whose steps can be the one at which it fails.
///
/// What is here takes the place of the MPI library in the program that is linked with it, and of the calls on files:
/// processes are forked, and their messages go through sockets between them. Steps are the MPI calls, but for those
/// that only ask, and the calls on files that make, change, read or remove them.
namespace timeless::test {

/// What goes wrong in a process.
enum class Fault { none, killed, input_output_error, disk_full };

/// Where, and at which of its steps, something goes wrong.
struct PlannedFault {
  Fault fault = Fault::none; ///< an error is given to calls on files only
  int process = 0;
  std::uint64_t step = 0; ///< from 1
};

/// How a process ended.
struct ProcessEnd {
  int status = 0; ///< what its work returned
  int signal = 0; ///< that ended it, or 0
  std::uint64_t steps = 0;
  bool fault_came = false; ///< the step was reached, and could fail so
  std::string message;     ///< of the Error it ended with
};

/// Runs `work` in so many processes, which are MPI_COMM_WORLD, and waits for them. When one is killed all others are,
/// as a launcher does it. Work that throws an Error ends with its exit code. A process that has not ended after a
/// minute is killed, too (its signal is SIGALRM).
std::vector<ProcessEnd> run_processes(int processes, const PlannedFault& planned, const std::function<void(int)>& work);

/// Counts a call on files as a step. Returns the error that it shall fail with, or 0.
int error_of_this_step();

} // namespace timeless::test
