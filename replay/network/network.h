#pragma once

#include "trace/model/ids.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace timeless::replay {

using trace::Bytes;
using trace::Rank;

/// Dense number of a kind of path between ranks; paths of one class cost the same.
using LinkClass = std::uint32_t;

/// Seconds that depend on a message's size: fixed + n * per_byte.
struct Seconds {
  double fixed = 0;
  double per_byte = 0;
  bool operator==(const Seconds&) const = default;
};

/// Such seconds in every lane.
struct LaneSeconds {
  std::span<double> fixed;
  std::span<double> per_byte;
};

/// Where the MPI library of a machine goes its own way: MPICH's by default.
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

/// What the engine asks of a machine, for a set of configurations ("lanes") at once.
///
/// A message of n bytes over a link takes latency + n * byte_time seconds, the two taken from the row of the link's
/// class and of the segment n falls into, one value per lane. Every way to describe a network compiles to such rows.
/// The engine asks for each row once and keeps it; answers must not change during a replay.
class Network {
public:
  virtual ~Network() = default;

  /// Name of each lane; their number is the length of every per-lane list below.
  virtual std::span<const std::string> lanes() const = 0;

  /// Message sizes at which costs change, rising. Segment s holds the sizes <= thresholds()[s] that no earlier segment
  /// holds; segment thresholds().size() is open. Empty: one segment.
  virtual std::span<const Bytes> thresholds() const { return {}; }
  /// The class of the path between two world ranks, which may be equal. May create classes.
  /// Throws Error for ranks the machine has no place for.
  virtual LinkClass link(Rank from, Rank to) = 0;
  /// The class whose costs stand for the steps of a collective among these world ranks. May create classes.
  virtual LinkClass collective_link(std::span<const Rank> members) = 0;
  /// Fills one value per lane: seconds, and seconds per byte.
  virtual void costs(LinkClass link, std::size_t segment, std::span<double> latency,
                     std::span<double> byte_time) const = 0;

  /// Whether this class's latencies and byte times are the ones in question when a replay says what a change of latency
  /// or bandwidth would do: those between nodes.
  virtual bool scales(LinkClass) const { return true; }

  /// The MPI library that ranks of this machine run on.
  virtual MpiLibrary library() const { return {}; }

  /// How many ranks share this rank's node, itself included.
  virtual std::uint32_t ranks_on_node(Rank) const { return 1; }

  /// Seconds per byte of the sender's copy into the system's buffer, per lane.
  virtual std::span<const double> memory_copy_byte_time() const = 0;
  /// Seconds per byte of reduction arithmetic, per lane.
  virtual std::span<const double> reduction_byte_time() const = 0;
  /// What computation time is multiplied by, per lane: 0.5 is a processor twice as fast.
  virtual std::span<const double> compute_scale() const = 0;
  /// Seconds that one unit of a compute volume (an instruction, or a nanosecond) takes this rank. A volume takes
  /// volume * seconds_per_unit(rank) * compute_scale()[lane] seconds.
  virtual double seconds_per_unit(Rank rank) const = 0;
  /// What the volumes of this kernel are multiplied by before that: 2 is a kernel that does half as many in a second as
  /// the others. 0 or more, and finite.
  virtual double kernel_factor(trace::KernelId) const { return 1; }

  /// Seconds a processor spends on sending a message of this size, before the message leaves.
  virtual double send_overhead(Bytes) const { return 0; }
  /// The same for a nonblocking send.
  virtual double isend_overhead(Bytes) const { return 0; }
  /// Seconds a processor spends on a message of this size after it has arrived.
  virtual double receive_overhead(Bytes) const { return 0; }
  /// Both for synchronous sends, blocking ones.
  virtual double synchronous_send_overhead(Bytes bytes) const { return send_overhead(bytes); }
  virtual double synchronous_receive_overhead(Bytes bytes) const { return receive_overhead(bytes); }

  /// Seconds that every message of the row takes between its latency and its bytes, per lane; they count as bandwidth.
  /// May be negative where the sum with n * byte_time is not. False: none in any lane.
  virtual bool transfer_constant(LinkClass, std::size_t /*segment*/, std::span<double> /*seconds*/) const {
    return false;
  }

  /// True when processors' overheads differ by lane or link: the engine then asks overheads() instead of the three
  /// above.
  virtual bool overheads_by_lane() const { return false; }
  virtual void overheads(Overhead, LinkClass, std::size_t /*segment*/, const LaneSeconds&) const {}

  /// True when a message may have to wait until earlier ones of its sender have left the sender's port.
  virtual bool ports() const { return false; }
  /// For how long a message keeps the next one from setting off: LogGP's g and G. A lane without ports on this link has
  /// a `fixed` below 0.
  virtual void port(LinkClass, std::size_t /*segment*/, const LaneSeconds&) const {}

  /// Messages larger than this wait for their receive (rendezvous), per lane; no_eager_limit where none does. Empty: no
  /// lane has a limit.
  virtual std::span<const Bytes> eager_limits() const { return {}; }
  /// Messages of this size and more set off only when their receive is posted, whether or not their senders go on;
  /// buffered ones, too. The same in all lanes; no_eager_limit where none does.
  virtual Bytes departs_at_once_below() const { return std::numeric_limits<Bytes>::max(); }
  /// Fills in what sender and receiver spend on agreeing before the message of a rendezvous leaves, per lane: seconds.
  /// By default two latencies, a request and its answer. They count as latency.
  virtual void handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const;
  /// Seconds that their processors spend on agreeing beside, per lane. They count as no cost of the network. False:
  /// none in any lane.
  virtual bool handshake_overhead(LinkClass, std::size_t /*segment*/, std::span<double> /*seconds*/) const {
    return false;
  }
};

/// The eager limit of a lane in which no message of a standard send waits for its receive.
inline constexpr Bytes no_eager_limit = std::numeric_limits<Bytes>::max();

/// The segment a message of this size falls into (see Network::thresholds).
inline std::size_t segment_of(std::span<const Bytes> thresholds, Bytes bytes) {
  return static_cast<std::size_t>(std::ranges::lower_bound(thresholds, bytes) - thresholds.begin());
}

} // namespace timeless::replay
