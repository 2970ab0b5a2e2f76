#pragma once

#include "base/files/new_file.h"
#include "replay/timeline/event.h"

#include <filesystem>
#include <memory>
#include <span>

namespace timeless::replay::timeline {

/// Writes events as they come, in the order it asks for.
class TimelineWriter {
public:
  virtual ~TimelineWriter() = default;
  virtual void event(const Event& event, std::span<const std::uint64_t> received) = 0;
  /// Ends the file after the last event; returns the bytes of what the writer made itself.
  virtual std::uint64_t end() { return 0; }
};

std::unique_ptr<TimelineWriter> perfetto_writer(NewFile& output, const Labels& labels);
std::unique_ptr<TimelineWriter> paje_writer(NewFile& output, const Labels& labels);
std::unique_ptr<TimelineWriter> csv_writer(NewFile& output, const Labels& labels);
std::unique_ptr<TimelineWriter> text_writer(NewFile& output, const Labels& labels);
/// Writes a directory, which gets its name when it is whole. Throws Error(usage) where something has the name; where it
/// is to be replaced, where that is anything but an OTF2 archive of these writers.
std::unique_ptr<TimelineWriter> otf2_writer(const std::filesystem::path& directory, Existing existing,
                                            const Labels& labels);
/// Throws as it would, before there is anything to write.
void check_otf2_directory(const std::filesystem::path& directory, Existing existing);

} // namespace timeless::replay::timeline
