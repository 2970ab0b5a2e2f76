#include "tracer/storage/rank_file.h"

#include "trace/archive/reader.h"
#include "trace/model/recording.h"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

namespace timeless::tracer {

std::filesystem::path file_of_rank(const Settings& settings, int rank, std::string_view extension) {
  char name[32];
  std::snprintf(name, sizeof name, "rank-%06d%s", rank, std::string(extension).c_str());
  return settings.directory / name;
}

std::uint32_t recording_of_file(const std::filesystem::path& file) noexcept {
  constexpr std::chrono::milliseconds pause(20);
  constexpr int attempts = 500;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    try {
      if (const std::uint64_t run = trace::ArchiveReader(file).run().provenance.run_identity; run != 0)
        return trace::recording_of(run);
    } catch (const std::exception&) { // nothing stands in it yet
    }
    std::error_code failure;
    if (!std::filesystem::exists(file, failure)) return 0; // its run did not take place
    std::this_thread::sleep_for(pause);
  }
  return 0;
}

} // namespace timeless::tracer
