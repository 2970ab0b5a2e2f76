#pragma once

#include "replay/timeline/event.h"
#include "replay/timeline/output.h"

#include <filesystem>
#include <memory>
#include <span>

namespace timeless::replay::timeline {

/// Writes events as they come, in the order it asks for.
class TimelineWriter {
public:
  virtual ~TimelineWriter() = default;
  virtual void event(const Event& event, std::span<const std::uint64_t> received) = 0;
  /// After the last event.
  virtual void end() {}
};

std::unique_ptr<TimelineWriter> perfetto_writer(Output& output, const Labels& labels);
std::unique_ptr<TimelineWriter> paje_writer(Output& output, const Labels& labels);
std::unique_ptr<TimelineWriter> csv_writer(Output& output, const Labels& labels);
std::unique_ptr<TimelineWriter> text_writer(Output& output, const Labels& labels);
/// Writes a directory, which gets its name when it is whole. Throws Error(usage) where something else has the name.
std::unique_ptr<TimelineWriter> otf2_writer(const std::filesystem::path& directory, const Labels& labels);
/// Throws as it would, before there is anything to write.
void check_otf2_directory(const std::filesystem::path& directory);

} // namespace timeless::replay::timeline
