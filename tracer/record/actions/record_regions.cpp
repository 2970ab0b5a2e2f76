#include "tracer/record/actions/record.h"

namespace timeless::tracer::record {

void begin_region(Recorder& recorder, std::string_view name) {
  const trace::RegionId region = recorder.regions().number(name);
  const bool recorded = recorder.append({.kind = ActionKind::region_begin, .region = region}).exists();
  recorder.regions().enter(recorder.thread().number(), region, recorded);
}

void end_region(Recorder& recorder, std::string_view name) {
  const trace::RegionId region = recorder.regions().number(name);
  const trace::Action end{.kind = ActionKind::region_end, .region = region};
  const std::optional<bool> begin_recorded = recorder.regions().leave(recorder.thread().number(), region);
  if (!begin_recorded)
    recorder.append(end);
  else if (*begin_recorded)
    recorder.append_of_recorded(end);
}

} // namespace timeless::tracer::record
