#pragma once

#include <cstdint>
#include <string>

/// What ranks do together to measure a network, one experiment after the other.
namespace timeless::ping {

/// Who does what, and which seconds are measured. "First" and "second" are the two ranks of the experiment; unless said
/// otherwise the first one measures.
enum class Experiment : std::uint8_t {
  round_trip,    ///< a message there and one of the same size back
  send,          ///< MPI_Send, whose receive is posted
  isend,         ///< MPI_Isend, likewise; its completion is not measured
  receive,       ///< MPI_Recv of a message that has arrived
  train,         ///< messages one after the other, `gap` seconds of work between them; the last one is answered by one
                 ///< of no bytes: from the first send to that answer
  delayed_send,  ///< MPI_Send whose receive is posted only `gap` seconds later
  delayed_isend, ///< MPI_Isend and MPI_Wait, likewise
  overlap,       ///< MPI_Isend, `gap` seconds of work without MPI, MPI_Wait: that alone
  copy,          ///< memcpy, on the first rank alone
  reduction,     ///< MPI_Reduce_local of doubles, MPI_SUM, likewise
  pairs,         ///< every rank of the first node with one of the second: round trips at the same time; all measure
  incast,        ///< every rank of the second node sends to the first rank: from the first receive to the last
  exchanges,     ///< likewise MPI_Sendrecv, a message in each direction at once; on one node, of the two ranks alone
  barrier,       ///< collectives of all ranks, each from a common start to when the last has left
  broadcast,
  reduce,
  allreduce,
  gather,
  allgather,
  alltoall,
  scatter,
  reduce_scatter_block,
  scan,
};
inline constexpr std::size_t experiments = static_cast<std::size_t>(Experiment::scan) + 1;

/// Returns "round_trip" and so on.
const char* name(Experiment experiment);
/// Throws Error(invalid_input) for a name that is none.
Experiment experiment(const std::string& name);

/// What the first process of a measurement tells all to do next.
struct Order {
  Experiment experiment = Experiment::round_trip;
  std::int32_t first = 0;
  std::int32_t second = 1;
  std::uint64_t bytes = 0;    ///< of a message, or of each member's part of a collective
  std::uint32_t messages = 1; ///< of a train; else 1
  std::uint32_t repetitions = 1;
  double gap = 0; ///< seconds
};

/// What one repetition of an order gave.
struct Measurement {
  Order order;
  std::int32_t rank = 0;        ///< that measured
  std::uint32_t repetition = 0; ///< from 0
  double start = 0;             ///< seconds since the measurements began
  double seconds = 0;
};

} // namespace timeless::ping
