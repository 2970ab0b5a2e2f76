// timeless-mpi ping, as far as it goes without the command line, for smpirun: time is simulated.
// Usage: smpi_ping SECONDS LARGEST_MESSAGE SEED
#include "ping/ping.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <time.h>
#include <unistd.h>

namespace {

void pass(double seconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(seconds);
  time.tv_nsec = static_cast<long>(std::ceil((seconds - static_cast<double>(time.tv_sec)) * 1e9));
  nanosleep(&time, nullptr);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = argc == 4 ? 0 : 2;
  try {
    if (status == 0)
      timeless::ping::ping(MPI_COMM_WORLD, {.plan = {.most_bytes = std::strtoull(argv[2], nullptr, 10),
                                                     .budget = std::strtod(argv[1], nullptr),
                                                     .seed = std::strtoull(argv[3], nullptr, 10)},
                                            .write = [](const std::string& text) { std::fputs(text.c_str(), stdout); },
                                            .progress = {},
                                            .timing = {.now = MPI_Wtime, .work = pass, .idle = pass}});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "smpi_ping: %s\n", problem.what());
    status = 1;
  }
  MPI_Finalize();
  return status;
}
