#include "tools/replaying/simgrid_timeline.h"

#include "trace/error.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace timeless::tools {

SimgridTimeline::SimgridTimeline(ReplayRequest& request) : file_(request.timeline.file) {
  const TimelineRequest& asked = request.timeline;
  if (scalings(request.prediction).size() > 1 || !(asked.window.empty() && asked.ranks.empty() && asked.lane.empty()))
    throw Error(Failure::usage, "SimGrid writes a timeline of one simulation, and all of it", "--timeline-format",
                "ask for one configuration, or take another format");
  part_ = file_;
  part_ += ".part";
  // SimGrid says little of a file it cannot write.
  for (const auto& path : {file_, part_})
    if (std::ofstream file(path); !file)
      throw Error(Failure::runtime, "cannot write the timeline", path.string(), std::strerror(errno));
  for (const char* setting : {"tracing:yes", "tracing/smpi:yes", "tracing/smpi/computing:yes"})
    request.prediction.settings.emplace_back(setting);
  request.prediction.settings.push_back("tracing/filename:" + part_.string());
}

SimgridTimeline::~SimgridTimeline() {
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void SimgridTimeline::finish() {
  std::error_code error;
  std::filesystem::copy_file(part_, file_, std::filesystem::copy_options::overwrite_existing, error);
  if (error) throw Error(Failure::runtime, "cannot write the timeline", file_.string(), error.message());
}

std::unique_ptr<SimgridTimeline> asked_simgrid_timeline(ReplayRequest& request) {
  if (!request.timeline.asked() || request.timeline.format != "simgrid") return nullptr;
  return std::make_unique<SimgridTimeline>(request);
}

} // namespace timeless::tools
