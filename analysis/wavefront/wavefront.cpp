#include "analysis/wavefront/wavefront.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace timeless::analysis {

namespace {

/// Returns the points of one of several processors along an edge.
std::uint32_t share(std::uint32_t points, std::uint32_t processors, std::uint32_t which) {
  return points / processors + (which < points % processors ? 1 : 0);
}

/// T_send, T_comm and T_recv of one message.
struct Message {
  double send = 0;
  double total = 0;
  double receive = 0;
};

/// What a processor's messages cost. The upper sweep is the lower one from the opposite corner: `opposite` maps its
/// processors to those whose places they take.
class WavefrontSweep {
public:
  WavefrontSweep(const Wavefront& wavefront, const replay::NetworkDescription& network, bool upper)
      : wavefront_(wavefront), network_(network), upper_(upper) {}

  double work(std::uint32_t column, std::uint32_t row) const {
    return slice(column, row) * (upper_ ? wavefront_.work.upper : wavefront_.work.lower); // (1)
  }
  double jacobian(std::uint32_t column, std::uint32_t row) const {
    return slice(column, row) * (upper_ ? wavefront_.work.upper_jacobian : wavefront_.work.lower_jacobian); // (2), (3)
  }
  /// Returns the message from the processor to the one that comes after it in its column.
  Message south(std::uint32_t column, std::uint32_t row) const {
    return message(column, row, column, row + 1, wavefront_.bytes_south(place(column, wavefront_.columns)));
  }
  Message east(std::uint32_t column, std::uint32_t row) const {
    return message(column, row, column + 1, row, wavefront_.bytes_east(place(row, wavefront_.rows)));
  }

private:
  std::uint32_t place(std::uint32_t which, std::uint32_t of) const { return upper_ ? of - 1 - which : which; }
  double slice(std::uint32_t column, std::uint32_t row) const {
    return wavefront_.slice(place(column, wavefront_.columns), place(row, wavefront_.rows));
  }
  std::uint32_t node(std::uint32_t column, std::uint32_t row) const {
    const auto rank = wavefront_.rank(place(column, wavefront_.columns), place(row, wavefront_.rows));
    return static_cast<std::uint32_t>(rank) / wavefront_.ranks_per_node;
  }

  Message message(std::uint32_t column, std::uint32_t row, std::uint32_t to_column, std::uint32_t to_row,
                  std::uint64_t bytes) const {
    const bool within = node(column, row) == node(to_column, to_row);
    const replay::LinkCosts& link = within ? network_.within_node : network_.between_nodes;
    const replay::MessageCosts& costs = link.of(bytes);
    const auto n = static_cast<double>(bytes);
    Message message{.send = costs.send.fixed + n * costs.send.per_byte,
                    .receive = costs.receive.fixed + n * costs.receive.per_byte};
    message.total = message.send + costs.latency + costs.transfer + n * costs.byte_time + message.receive;
    replay::Bytes limit = network_.eager_limit.value_or(replay::no_eager_limit);
    if (within) limit = network_.eager_limit_within_node.value_or(limit);
    if (bytes > limit) {
      message.total += network_.handshake_latencies * costs.latency + costs.handshake;
      message.send = message.total - message.receive;
    }
    return message;
  }

  const Wavefront& wavefront_;
  const replay::NetworkDescription& network_;
  bool upper_;
};

/// Returns (4), by rank of the processors as the sweep meets them.
std::vector<double> starts(const Wavefront& wavefront, const WavefrontSweep& sweep) {
  std::vector<double> start(std::size_t{wavefront.columns} * wavefront.rows);
  const auto at = [&](std::uint32_t column, std::uint32_t row) -> double& {
    return start[static_cast<std::size_t>(wavefront.rank(column, row))];
  };
  for (std::uint32_t row = 0; row < wavefront.rows; ++row)
    for (std::uint32_t column = 0; column < wavefront.columns; ++column) {
      double latest = 0;
      if (column > 0) {
        const double to_south = row + 1 < wavefront.rows ? sweep.south(column - 1, row).send : 0;
        latest = std::max(latest, at(column - 1, row) + sweep.work(column - 1, row) + to_south +
                                      sweep.east(column - 1, row).total);
      }
      if (row > 0) {
        const double from_west = column > 0 ? sweep.east(column - 1, row).receive : 0;
        latest = std::max(latest, at(column, row - 1) + sweep.work(column, row - 1) +
                                      sweep.south(column, row - 1).total + from_west);
      }
      at(column, row) = latest;
    }
  return start;
}

/// Returns (5) and (6): the last processor's start, its work on all slices, and what comes before each slice but the
/// first.
double sweep_time(const Wavefront& wavefront, const WavefrontSweep& sweep, double start) {
  const std::uint32_t column = wavefront.columns - 1;
  const std::uint32_t row = wavefront.rows - 1;
  const double slices = wavefront.points[2];
  double before = sweep.jacobian(column, row);
  if (row > 0) before += sweep.south(column, row - 1).receive;
  if (column > 0) before += sweep.east(column - 1, row).receive;
  return start + slices * sweep.work(column, row) + (slices - 1) * before;
}

void require_time(double seconds, const char* what) {
  if (!std::isfinite(seconds) || seconds < 0)
    throw Error(Failure::usage, std::string(what) + " is no time", std::to_string(seconds), "give seconds from 0 on");
}

} // namespace

std::uint32_t Wavefront::width(std::uint32_t column) const {
  return share(points[0], columns, column);
}

std::uint32_t Wavefront::depth(std::uint32_t row) const {
  return share(points[1], rows, row);
}

double Wavefront::slice(std::uint32_t column, std::uint32_t row) const {
  return static_cast<double>(width(column)) * depth(row);
}

void require_possible(const Wavefront& wavefront) {
  const auto [x, y, z] = wavefront.points;
  if (wavefront.columns == 0 || wavefront.rows == 0 || wavefront.ranks_per_node == 0 || z == 0)
    throw Error(Failure::usage, "a wavefront needs processors and slices", "", "give numbers from 1 on");
  if (wavefront.iterations == 0)
    throw Error(Failure::usage, "no iteration is asked for", "", "give a number from 1 on");
  if (wavefront.columns > x || wavefront.rows > y)
    throw Error(Failure::usage, "more processors along an edge than grid points",
                std::to_string(wavefront.columns) + " x " + std::to_string(wavefront.rows) + " processors, " +
                    std::to_string(x) + " x " + std::to_string(y) + " points",
                "give fewer ranks or a larger grid");
  if (std::uint64_t{wavefront.columns} * wavefront.rows > std::numeric_limits<trace::Rank>::max())
    throw Error(Failure::usage, "more processors than ranks can be numbered", "", "give fewer ranks");
  const WavefrontWork& work = wavefront.work;
  for (const double seconds : {work.lower, work.upper, work.lower_jacobian, work.upper_jacobian})
    require_time(seconds, "the work for a grid point");
  require_time(wavefront.initialisation, "the initialisation");
  require_time(wavefront.verification, "the verification");
}

std::vector<double> wavefront_starts(const Wavefront& wavefront, const replay::NetworkDescription& network,
                                     bool upper) {
  require_possible(wavefront);
  return starts(wavefront, WavefrontSweep(wavefront, network, upper));
}

WavefrontTimes wavefront_times(const Wavefront& wavefront, const replay::NetworkDescription& network) {
  require_possible(wavefront);
  const WavefrontSweep lower(wavefront, network, false);
  const WavefrontSweep upper(wavefront, network, true);
  WavefrontTimes times;
  times.lower_start = starts(wavefront, lower).back();
  times.upper_start = starts(wavefront, upper).back();
  times.lower = sweep_time(wavefront, lower, times.lower_start);
  times.upper = sweep_time(wavefront, upper, times.upper_start);
  times.ssor = static_cast<double>(wavefront.iterations) * (times.lower + times.upper);
  times.total = wavefront.initialisation + times.ssor + wavefront.verification;
  return times;
}

} // namespace timeless::analysis
