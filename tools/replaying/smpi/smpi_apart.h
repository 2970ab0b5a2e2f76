#pragma once

#include "replay/smpi/smpi_replay.h"
#include "trace/model/source.h"

#include <filesystem>
#include <string>
#include <vector>

namespace timeless::tools {

/// Runs smpi_replay() of one run on a platform file that a process of its own loads, with SimGrid's `settings`: SimGrid
/// holds one platform per process. Throws as the loading and the replay do, and Error(usage) for an observer, who would
/// be told nothing.
replay::SmpiResult smpi_replay_apart(const trace::Source& source, const std::filesystem::path& platform,
                                     const std::vector<std::string>& settings, const replay::Mapping& mapping,
                                     replay::SmpiOptions options);

} // namespace timeless::tools
