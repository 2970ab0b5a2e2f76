#include "tools/reporting/path_window.h"

#include <algorithm>
#include <set>

namespace timeless::tools {

namespace {

using replay::PathSegment;

bool between_ranks(const PathSegment& segment) {
  return segment.kind == PathSegment::Kind::message || segment.kind == PathSegment::Kind::collective;
}

/// The place of what takes longest between ranks; the middle of the path where nothing is.
std::size_t centre_of(std::span<const PathSegment> path) {
  std::size_t centre = path.size() / 2;
  double longest = 0;
  for (std::size_t i = 0; i < path.size(); ++i)
    if (between_ranks(path[i]) && path[i].end - path[i].begin > longest) {
      longest = path[i].end - path[i].begin;
      centre = i;
    }
  return centre;
}

ActivityKind doing_of(const replay::ObservedAction& observed) {
  return observed.action.kind == trace::ActionKind::compute ? ActivityKind::computing : ActivityKind::other;
}

} // namespace

const char* name(ActivityKind doing) {
  switch (doing) {
  case ActivityKind::nothing:
    return "nothing";
  case ActivityKind::computing:
    return "compute";
  case ActivityKind::waiting:
    return "wait";
  case ActivityKind::latency:
    return "latency";
  case ActivityKind::bandwidth:
    return "bandwidth";
  case ActivityKind::other:
    break;
  }
  return "other";
}

PathWindow path_window(std::span<const PathSegment> path, std::size_t pieces, std::size_t most_ranks) {
  PathWindow window;
  if (path.empty() || pieces == 0) return window;
  const std::size_t centre = centre_of(path);
  const std::size_t first = centre - std::min(centre, pieces / 2);
  const std::size_t last = std::min(path.size() - 1, centre + pieces / 2);
  // Long computations at the ends would leave no room for what is between.
  const double margin = std::max(4 * (path[centre].end - path[centre].begin), 1e-9);
  window.begin = first == centre ? path[first].begin : std::max(path[first].begin, path[first].end - margin);
  window.end = last == centre ? path[last].end : std::min(path[last].end, path[last].begin + margin);
  std::set<trace::Rank> ranks;
  for (const std::size_t step : {std::size_t{0}, std::size_t{1}})
    for (std::size_t i = first; i <= last; ++i)
      for (const trace::Rank rank : {path[i].rank, path[i].from})
        if (rank != trace::no_rank && ranks.size() < most_ranks && (step == 1 || (i + 2 >= centre && i <= centre + 2)))
          ranks.insert(rank);
  for (const trace::Rank rank : ranks)
    window.rows.push_back({.rank = rank, .spans = {}});
  for (std::size_t i = first; i <= last; ++i)
    if (ranks.contains(path[i].rank) && (path[i].from == trace::no_rank || ranks.contains(path[i].from)))
      window.path.push_back(path[i]);
  return window;
}

WindowObserver::WindowObserver(PathWindow& window, std::size_t lane, std::size_t columns)
    : window_(window), lane_(lane), columns_(columns) {
  for (std::size_t row = 0; row < window.rows.size(); ++row)
    row_of_[window.rows[row].rank] = row;
}

std::size_t WindowObserver::lane(std::span<const std::string> /*lanes*/) {
  return lane_;
}

void WindowObserver::begin(const trace::Run& /*run*/) {
  seconds_.assign(window_.rows.size() * columns_ * kinds, 0);
}

void WindowObserver::observe(const replay::ObservedAction& action) {
  const auto row = row_of_.find(action.rank);
  if (row == row_of_.end() || action.end < window_.begin || action.start > window_.end) return;
  // As the model divides it: first the rank waits, then come latency and bytes, then the processor's own part; a
  // sender's own part comes before it waits, and is short.
  double at = action.start;
  for (const auto& [seconds, doing] : {std::pair{action.wait, ActivityKind::waiting},
                                       {action.latency, ActivityKind::latency},
                                       {action.bandwidth, ActivityKind::bandwidth}}) {
    add(row->second, at, at + seconds, doing);
    at += seconds;
  }
  add(row->second, at, action.end, doing_of(action));
}

void WindowObserver::add(std::size_t row, double begin, double end, ActivityKind doing) {
  const double width = (window_.end - window_.begin) / static_cast<double>(columns_);
  if (!(width > 0)) return;
  begin = std::max(begin, window_.begin);
  end = std::min(end, window_.end);
  if (!(begin < end)) return;
  const auto column = [&](double time) {
    return std::min(columns_ - 1, static_cast<std::size_t>((time - window_.begin) / width));
  };
  for (std::size_t i = column(begin); i <= column(end); ++i) {
    const double from = window_.begin + static_cast<double>(i) * width;
    const double part = std::min(end, from + width) - std::max(begin, from);
    if (part > 0) seconds_[(row * columns_ + i) * kinds + static_cast<std::size_t>(doing)] += part;
  }
}

void WindowObserver::finish() {
  if (seconds_.empty()) return;
  const double width = (window_.end - window_.begin) / static_cast<double>(columns_);
  for (std::size_t row = 0; row < window_.rows.size(); ++row)
    for (std::size_t column = 0; column < columns_; ++column) {
      const auto* const here = &seconds_[(row * columns_ + column) * kinds];
      const auto* const most = std::max_element(here, here + kinds);
      if (!(*most > 0)) continue;
      const auto doing = static_cast<ActivityKind>(most - here);
      std::vector<PathWindow::Span>& spans = window_.rows[row].spans;
      const double begin = window_.begin + static_cast<double>(column) * width;
      if (!spans.empty() && spans.back().doing == doing && spans.back().end >= begin - width / 2)
        spans.back().end = begin + width;
      else
        spans.push_back({begin, begin + width, doing});
    }
}

} // namespace timeless::tools
