#pragma once

#include "replay/network/network_file.h"
#include "trace/model/ids.h"

#include <array>
#include <cstdint>
#include <vector>

/// M. J. Brim, "Predicting MPI-Based Parallel Application Performance on Workstation Clusters Using LogGP": the model
/// of NAS LU, a wavefront over a grid of processors. Numbers in parentheses are the paper's equations.
namespace timeless::analysis {

/// Seconds that a processor works for one grid point.
struct WavefrontWork {
  double lower = 3.22e-6; ///< W_blts; the values are the paper's table 1
  double upper = 2.85e-6; ///< W_buts
  double lower_jacobian = 4.19e-6;
  double upper_jacobian = 4.07e-6;
};

/// A cube of grid points in columns over a grid of processors. Processor (column, row) is rank row * columns + column.
/// Where processors do not divide points, the first of them have one more than the others, as in NAS LU.
struct Wavefront {
  std::array<std::uint32_t, 3> points{64, 64, 64}; ///< along x, y and z; z is cut into slices of one point
  std::uint32_t columns = 1;
  std::uint32_t rows = 1;
  std::uint32_t ranks_per_node = 1; ///< ranks one after the other
  std::uint64_t iterations = 250;
  std::uint64_t bytes_of_point = 40; ///< of a boundary: five double precision numbers
  WavefrontWork work = {};
  double initialisation = 0; ///< T_init, seconds
  double verification = 0;   ///< T_verify

  trace::Rank rank(std::uint32_t column, std::uint32_t row) const {
    return static_cast<trace::Rank>(row * columns + column);
  }
  std::uint32_t width(std::uint32_t column) const;
  std::uint32_t depth(std::uint32_t row) const;
  /// Returns the grid points of a slice on a processor: it jt.
  double slice(std::uint32_t column, std::uint32_t row) const;
  std::uint64_t bytes_south(std::uint32_t column) const { return bytes_of_point * width(column); }
  std::uint64_t bytes_east(std::uint32_t row) const { return bytes_of_point * depth(row); }
};

/// Throws Error(usage) for a wavefront without processors, slices or iterations, with more processors along an edge
/// than points, more ranks than can be numbered, and times that are negative or not finite.
void require_possible(const Wavefront& wavefront);

/// What the equations say, in seconds.
struct WavefrontTimes {
  double lower_start = 0; ///< StartP of the last processor of the lower sweep (4)
  double upper_start = 0; ///< of the upper one
  double lower = 0;       ///< T_blts (5)
  double upper = 0;       ///< T_buts (6)
  double ssor = 0;        ///< T_SSOR (7)
  double total = 0;       ///< T_LU (8)
};

/// Computes equations (1) to (8) with the costs of a network's links; what they say of a neighbour that a processor
/// does not have is left out.
///
/// Of a message of n bytes T_send is o_s, T_recv is o_r and T_comm is o_s + L + n G + o_r. Where it is above the eager
/// limit, T_comm is longer by the handshake, and T_send is all of T_comm but o_r: the sender waits. Gaps (g) do not
/// enter: the equations have none. Throws as require_possible().
WavefrontTimes wavefront_times(const Wavefront& wavefront, const replay::NetworkDescription& network);

/// Returns StartP_ij of the lower sweep by rank (4), or of the upper one by the rank opposite.
std::vector<double> wavefront_starts(const Wavefront& wavefront, const replay::NetworkDescription& network, bool upper);

} // namespace timeless::analysis
