#include "trace/formats/common/undescribed_run.h"

#include <numeric>
#include <string>

namespace timeless::trace::formats {

Run undescribed_run(Rank size, const std::filesystem::path& path, std::string_view counter, VolumeUnit unit,
                    std::string_view source) {
  Run run;
  run.size = size;
  run.counter = {.name = std::string(counter),
                 .version = {},
                 .unit = unit,
                 .exactness = Exactness::inexact,
                 .threads = "not said"};
  run.provenance.program = path.filename().string();
  run.provenance.mpi_library = "not said: read from " + std::string(source);
  Communicator world;
  world.members.resize(static_cast<std::size_t>(size));
  std::iota(world.members.begin(), world.members.end(), 0);
  run.communicators.push_back(std::move(world));
  run.modules.emplace_back();
  run.kernels.push_back({.begin = {.module = 0, .offset = 0}, .end = {.module = 0, .offset = 1}});
  for (Rank rank = 0; rank < size; ++rank) {
    run.hosts.push_back({.name = "rank-" + std::to_string(rank), .cpu_model = {}});
    run.ranks.push_back({.rank = rank, .host = static_cast<std::uint32_t>(rank)});
  }
  return run;
}

} // namespace timeless::trace::formats
