#pragma once

#include "trace/model/ids.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace timeless::gather {

/// A rank's own archive, as the preloaded library leaves it: DIR/rank-000042.tia.
struct RankFile {
  trace::Rank rank = trace::no_rank;
  std::filesystem::path path;
};

/// Returns the rank in a rank file's name; nothing when the name is no rank file's.
std::optional<trace::Rank> rank_of_file_name(std::string_view name);

/// Returns the rank files of a directory, by rising rank; none when the directory does not exist. Throws Error(runtime)
/// when it cannot be listed.
std::vector<RankFile> list_rank_files(const std::filesystem::path& directory);

/// Returns where the processes are recorded that those of this directory have spawned, each MPI_COMM_WORLD a run of its
/// own: DIR/spawned-1, DIR/spawned-2, ... None for a path that is no directory.
std::vector<std::filesystem::path> list_spawned_worlds(const std::filesystem::path& directory);

} // namespace timeless::gather
