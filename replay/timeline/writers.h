#pragma once

#include "replay/timeline/event.h"
#include "replay/timeline/output.h"

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

} // namespace timeless::replay::timeline
