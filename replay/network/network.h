#pragma once

#include "replay/network/collective_algorithms.h"
#include "replay/network/link_table.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace timeless::replay {

using trace::Rank;

/// The eager limit of a lane in which no message of a standard send waits for its receive.
inline constexpr Bytes no_eager_limit = std::numeric_limits<Bytes>::max();

/// Where MPI libraries differ; the defaults are MPICH's.
struct MpiLibrary {
  /// The most messages of an alltoall that a member has on their way together; MPICH's MPIR_CVAR_ALLTOALL_THROTTLE.
  std::uint32_t alltoall_throttle = 32;
  /// Such messages have links to themselves; else their bytes follow one another where they leave or come in. For cost
  /// tables: messages of step-by-step collectives never hold each other up but at ports.
  bool side_by_side = false;
  bool sends_before_posting = false; ///< Sendrecv starts its send, then posts its receive; else the other way round
  bool copies_own_part = false;      ///< of an Alltoallv or Alltoallw; else a member sends it to itself
  bool scatters_small_first = false; ///< down a Scatter's tree, the smallest subtrees first; else the largest
  bool allgathers_directly = false;  ///< Allgather: in round i to the i-th member on; else around the ring
  bool sends_empty_parts = false;    ///< of Gatherv, Scatterv, Alltoallv and Alltoallw
  bool operator==(const MpiLibrary&) const = default;
};

/// Which of a message's overheads.
enum class Overhead : std::uint8_t { send, nonblocking_send, receive };

/// Seconds that depend on a message's size, in pieces: fixed + n * per_byte. Without pieces: 0.
class SecondsBySize {
public:
  struct Piece {
    Bytes up_to = 0; ///< the largest message of the piece
    Seconds seconds = {};
  };

  SecondsBySize() = default;
  /// Takes pieces by rising size; the last piece holds for larger messages, too.
  explicit SecondsBySize(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {}
  double operator()(Bytes bytes) const { return pieces_.empty() ? 0 : of_piece(bytes); }

private:
  double of_piece(Bytes bytes) const;

  std::vector<Piece> pieces_;
};

/// Seconds that processors spend on messages, the same in all lanes and on all links.
struct Overheads {
  SecondsBySize send = {}; ///< before the message leaves
  SecondsBySize nonblocking_send = {};
  SecondsBySize receive = {}; ///< after the message has arrived
  // Of synchronous sends, blocking ones:
  SecondsBySize synchronous_send = {};
  SecondsBySize synchronous_receive = {};
};

/// Where the ranks run and how fast they compute there.
struct Placement {
  /// Ranks with equal numbers share a node. Its length is the number of ranks.
  std::vector<std::uint32_t> node_of_rank;
  /// Seconds that one unit of a compute volume (an instruction, or a nanosecond) takes: one value per rank, or one for
  /// all.
  std::vector<double> seconds_per_unit;
  /// What each kernel's volumes are multiplied by, by KernelId: 2 is a kernel that does half as many units in a second
  /// as the others. 0 or more, and finite; 1 for those that are not there.
  std::vector<double> kernel_factors = {};
};

/// Puts each rank on a node of its own.
Placement one_rank_per_node(Rank ranks, double seconds_per_unit);

/// Returns how many ranks share each rank's node, itself included; by rank.
std::vector<std::uint32_t> ranks_on_nodes(const Placement& placement);
/// Returns how many ranks the node has that has most; 0 without ranks.
std::uint32_t most_ranks_of_a_node(std::span<const std::uint32_t> node_of_rank);

/// One configuration of a machine: what it is called, and what differs from the others beside its messages' costs.
struct Lane {
  std::string name;
  double memory_copy_byte_time = 0; ///< seconds per byte of the sender's copy into the system's buffer
  double reduction_byte_time = 0;   ///< seconds per byte of reduction arithmetic
  double compute_scale = 1;         ///< computation time is multiplied by it: 0.5 is a processor twice as fast
  /// Larger messages wait for their receive (rendezvous).
  Bytes eager_limit = no_eager_limit;
  /// The same for messages within a node, in tables of two classes; nothing: `eager_limit`.
  std::optional<Bytes> eager_limit_within_node = {};
  std::size_t column = 0; ///< of the tables of Network::links
  // What costs of links that scale (ClassCosts::scales) are multiplied by:
  double latency = 1;
  double byte_time = 1;
};

/// A machine as the engine sees it, for a set of configurations ("lanes") at once: data, which a replay never
/// changes, but for the pairs of nodes that a Router is asked for as a replay first meets them (LinkTable).
/// Copies share `links`, so that lanes can be divided among threads, or multiplied, by copying the rest (variations.h).
///
/// A message of n bytes over a link takes latency + n * byte_time seconds, the two taken from the table of the link's
/// class, in the segment n falls into, and the lane's column. A volume of a kernel takes
/// volume * kernel_factor * seconds_per_unit * compute_scale seconds.
struct Network {
  std::vector<Lane> lanes = {};
  /// Message sizes at which costs change, rising. Segment s holds the sizes <= thresholds[s] that no earlier segment
  /// holds; segment thresholds.size() is open. Empty: one segment.
  std::vector<Bytes> thresholds = {};
  std::shared_ptr<LinkTable> links = {};
  Placement placement = {};
  MpiLibrary library = {}; ///< that ranks of this machine run on
  std::vector<MeasuredAlgorithm> collectives = {}; ///< that were measured; for CollectiveModel::measured
  Overheads overheads = {};
  /// Processors' overheads differ by lane or link: those of `links` hold, and `overheads` is empty.
  bool overheads_by_lane = false;
  /// Messages may have to wait until earlier ones of their sender have left the sender's port (ClassCosts::port).
  bool ports = false;
  /// Messages of this size and more set off only when their receive is posted, whether or not their senders go on;
  /// buffered ones, too. The same in all lanes; no_eager_limit where none does.
  Bytes departs_at_once_below = no_eager_limit;

  /// Throws Error(usage) for ranks the machine has no place for.
  std::uint32_t node(Rank rank) const {
    const auto index = static_cast<std::size_t>(rank); // a negative one is beyond all
    if (index >= placement.node_of_rank.size()) no_place(rank);
    return placement.node_of_rank[index];
  }
  double seconds_per_unit(Rank rank) const;
  double kernel_factor(trace::KernelId kernel) const;

private:
  [[noreturn]] static void no_place(Rank rank);
};

std::vector<std::string> lane_names(const Network& network);

} // namespace timeless::replay
