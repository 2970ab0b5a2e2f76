#pragma once

#include "trace/codec/format.h"
#include "tracer/settings/settings.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace timeless::tracer {

/// Returns the file of a rank, or with another extension what stands beside it.
std::filesystem::path file_of_rank(const Settings& settings, int rank,
                                   std::string_view extension = trace::archive_extension);

/// Returns the recording (trace/model/recording.h) that has made this rank's file, which is there. A file says so once
/// all ranks of its run have theirs: until then this waits, for some seconds at most. 0 where the file does not say it.
std::uint32_t recording_of_file(const std::filesystem::path& file) noexcept;

} // namespace timeless::tracer
