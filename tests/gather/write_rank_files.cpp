// write_rank_files DIRECTORY SIZE RANKS [ROUNDS [IDENTITY [COUNTER [NOISE]]]]: writes the rank files of a synthetic run
// of SIZE ranks. RANKS is a comma-separated list of ranks; "3!" writes rank 3 as a killed process leaves it.

#include "tests/gather/synthetic_run.h"

#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: write_rank_files DIRECTORY SIZE RANKS [ROUNDS [IDENTITY [COUNTER [NOISE]]]]\n";
    return 2;
  }
  timeless::test::SyntheticRun run{.size = std::atoi(argv[2])};
  if (argc > 4) run.rounds = std::atoi(argv[4]);
  if (argc > 5) run.identity = std::stoull(argv[5]);
  if (argc > 6) run.counter.name = argv[6];
  if (argc > 7) run.noise = std::atoi(argv[7]);
  std::filesystem::create_directories(argv[1]);
  std::istringstream ranks(argv[3]);
  for (std::string rank; std::getline(ranks, rank, ',');) {
    const bool killed = rank.ends_with('!');
    timeless::test::write_rank_file(run, std::stoi(rank), argv[1], {.finish = !killed, .finalize = !killed});
  }
  return 0;
}
