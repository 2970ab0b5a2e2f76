#include "tools/replaying/smpi/simgrid_timeline.h"

#include "base/descriptors.h"
#include "base/error.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

namespace timeless::tools {

namespace {

/// SimGrid does not notice when its stream fails. A whole timeline destroys every container that it creates, last.
class Completeness {
public:
  void add(std::string_view text) {
    for (const char letter : text) {
      if (letter == ' ' && first_of_line_) balance_ += first_of_line_ == '6' ? 1 : first_of_line_ == '7' ? -1 : 0;
      first_of_line_ = last_ == '\n' ? letter : '\0';
      last_ = letter;
    }
  }
  bool whole() const { return last_ == '\n' && balance_ == 0; }

private:
  char last_ = '\n';
  char first_of_line_ = '\0'; ///< when it was the last letter
  long balance_ = 0;
};

} // namespace

SimgridTimeline::SimgridTimeline(ReplayRequest& request)
    : name_(request.timeline.file), file_(name_, request.timeline.existing()),
      scratch_(open_scratch(directory_of(request.timeline.file))) {
  const TimelineRequest& asked = request.timeline;
  if (request.prediction.platforms.size() > 1)
    throw Error(Failure::usage, "a timeline shows one machine", "--timeline",
                "name one --platform, and another file for the next");
  if (scalings(request.prediction).size() > 1 || !(asked.window.empty() && asked.ranks.empty() && asked.lane.empty()))
    throw Error(Failure::usage, "SimGrid writes a timeline of one simulation, and all of it", "--timeline-format",
                "ask for one configuration, or take another format");
  for (const char* setting : {"tracing:yes", "tracing/smpi:yes", "tracing/smpi/computing:yes"})
    request.prediction.settings.emplace_back(setting);
  request.prediction.settings.push_back("tracing/filename:/proc/self/fd/" + std::to_string(scratch_));
}

SimgridTimeline::~SimgridTimeline() {
  ::close(scratch_);
}

std::uint64_t SimgridTimeline::finish() {
  char buffer[65536];
  Completeness completeness;
  for (std::uint64_t place = 0;;) {
    const ssize_t got = read_at(scratch_, place, buffer, sizeof buffer);
    if (got < 0) throw Error(Failure::runtime, "cannot read SimGrid's timeline again", {}, std::strerror(errno));
    if (got == 0) break;
    completeness.add(std::string_view(buffer, static_cast<std::size_t>(got)));
    file_.write(std::string_view(buffer, static_cast<std::size_t>(got)));
    place += static_cast<std::uint64_t>(got);
  }
  if (!completeness.whole())
    throw Error(Failure::runtime, "cannot write the file: SimGrid could not write its timeline to the end",
                name_.string(), "free some space, or choose another directory");
  return file_.finish();
}

std::unique_ptr<SimgridTimeline> asked_simgrid_timeline(ReplayRequest& request) {
  if (!request.timeline.asked() || timeline_format(request.timeline) != "simgrid") return nullptr;
  return std::make_unique<SimgridTimeline>(request);
}

} // namespace timeless::tools
