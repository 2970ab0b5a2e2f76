#pragma once

#include "replay/result/observer.h"
#include "replay/result/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace timeless::tools {

/// What a rank's time went into, at one moment.
enum class ActivityKind : std::uint8_t { nothing, computing, waiting, latency, bandwidth, other };
const char* name(ActivityKind doing);

/// What some ranks did around a place of the critical path.
struct PathWindow {
  double begin = 0; ///< seconds
  double end = 0;
  struct Span {
    double begin = 0;
    double end = 0;
    ActivityKind doing = ActivityKind::nothing;
  };
  struct Row {
    trace::Rank rank = 0;
    std::vector<Span> spans; ///< by time
  };
  std::vector<Row> rows;                 ///< by rank
  std::vector<replay::PathSegment> path; ///< the pieces of the critical path in it, on these ranks
};

/// Returns where to look: some pieces of the path around the message or collective that takes longest on it, and the
/// ranks that they are on, at most `most_ranks`. An empty window where there is no path.
PathWindow path_window(std::span<const replay::PathSegment> path, std::size_t pieces = 24, std::size_t most_ranks = 12);

/// Fills a window's rows from a replay of one configuration, which it observes: each of `columns` stretches of the
/// window has what the rank did longest in it.
class WindowObserver : public replay::Observer {
public:
  WindowObserver(PathWindow& window, std::size_t lane, std::size_t columns = 400);
  std::size_t lane(std::span<const std::string> lanes) override;
  void begin(const trace::Run& run) override;
  void observe(const replay::ObservedAction& action) override;
  /// Writes the rows; to be called after the replay.
  void finish();

private:
  static constexpr std::size_t kinds = 6;
  void add(std::size_t row, double begin, double end, ActivityKind doing);

  PathWindow& window_;
  std::size_t lane_;
  std::size_t columns_;
  std::map<trace::Rank, std::size_t> row_of_;
  std::vector<double> seconds_; ///< by row, column and kind
};

} // namespace timeless::tools
