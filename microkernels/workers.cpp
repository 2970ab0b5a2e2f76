#include "microkernels/workers.h"

#include "base/error.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <sys/prctl.h>
#include <unistd.h>

namespace timeless::microkernels {

namespace {

[[noreturn]] void run_and_exit(const std::function<void()>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int status = 0;
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "microkernels: %s\n", error.what());
    status = 1;
  }
  std::fflush(stdout);
  _exit(status);
}

} // namespace

Workers::~Workers() {
  for (const Child& worker : all_)
    if (worker.process() > 0) kill(worker.process(), SIGKILL);
}

void Workers::start(const std::function<void()>& work) {
  std::fflush(stdout); // else each process writes what is pending
  all_.push_back(Child::fork([&] { run_and_exit(work); }));
}

void Workers::wait() {
  for (std::size_t ended = 0; ended < all_.size(); ++ended)
    if (all_[first_to_end(all_)].wait().code() != 0) throw Error(Failure::runtime, "a process ended early");
}

} // namespace timeless::microkernels
