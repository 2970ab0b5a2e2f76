#pragma once

#include "base/bytes.h"
#include "replay/engine/bus/bus.h"
#include "replay/engine/clocks/rank_range.h"
#include "replay/engine/explanation/path_tracer.h"
#include "replay/engine/matching/channels.h"
#include "replay/engine/matching/collective_matching.h"
#include "replay/engine/matching/communicators.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace timeless::replay {

/// What is told between engines. A record begins with its kind and its subject, in one number.
enum class RecordKind : std::uint32_t {
  channel = 1, ///< subject: the sender's number of a channel; then source and destination, communicator and tag
  message,     ///< likewise; then the message, without what follows from its channel and size
  unsend,      ///< likewise; then the ticket of a message that is taken back
  partial,     ///< subject: a communicator; then what the members of one process bring to a collective
  result,      ///< likewise; what the collective gives to all
  left,        ///< subject: the number of a handshake where it began; then when its message has left
  step,        ///< subject: a communicator; then a message within one of its collectives
  dropped,     ///< subject: a node of a path (PathTracer) that needs not be kept for the other engine any more
  batch,       ///< begins every batch; subject: which attempt at the replay it belongs to
};
inline constexpr std::size_t record_kinds = static_cast<std::size_t>(RecordKind::batch) + 1;

/// A collective that members of several processes may come to: the k-th of its communicator.
using InstanceId = std::pair<trace::CommunicatorId, std::uint64_t>;

/// What some members bring to a collective.
struct Partial {
  Caller caller;   ///< one of them, with the shape of all
  Snapshot latest; ///< of those who take part; empty when none does
};

/// What an engine must know of the others it shares a run with, and what it has to tell them.
///
/// A message departs, as it is, when it enters its channel: whatever sends on channels reaches other processes.
class Remote : public Departures {
public:
  /// Connects the process with the others. `ranges` by process, each beginning where the one before ends. A batch is
  /// sent once it has `batch_bytes`. `attempt` tells the batches of a second attempt from those of the first.
  Remote(Bus& bus, std::vector<RankRange> ranges, std::size_t batch_bytes, std::uint32_t attempt);

  int self() const { return bus_.process(); }
  const RankRange& local_ranks() const { return ranges_[static_cast<std::size_t>(self())]; }
  int processes() const { return static_cast<int>(ranges_.size()); }
  int process_of(trace::Rank rank) const;
  /// Sets what a snapshot holds, and the rows of messages.
  void set_clocks(std::size_t values, const CostRows& rows) {
    values_ = values;
    rows_ = &rows;
  }
  std::size_t values() const { return values_; }
  /// Tells every moment with its path from here on.
  void trace_paths(PathTracer& tracer);

  void open(std::uint32_t channel, const ChannelKey& key) override;
  void message(std::uint32_t channel, const Message& message) override;
  void unsend(std::uint32_t channel, std::uint64_t ticket) override;

  /// Returns the processes that have members in a communicator, rising.
  const std::vector<int>& participants(trace::CommunicatorId communicator, const Communicators& communicators);
  /// Returns which of them brings together what the others bring to a collective: each in turn.
  static int coordinator(const InstanceId& id, const std::vector<int>& participants) {
    return participants[id.second % participants.size()];
  }
  /// Writes a record of `kind`, partial or result.
  void instance(RecordKind kind, int to, const InstanceId& id, const Partial& partial);
  /// Reads what follows the ordinal; `latest` is to hold the values.
  Partial read_instance(int from, trace::CommunicatorId communicator, ByteReader& words, Snapshot latest) const;

  /// Tells the process where a handshake began that its message has left.
  void left(int to, std::uint32_t handshake, const Snapshot& start);
  /// Sends a message from one member of a collective to another, which belongs to the process `to`.
  void step(int to, const InstanceId& id, std::uint32_t from_member, std::uint32_t to_member, const Message& message);

  /// A message as it was sent, and what its row depends on.
  struct Arrived {
    Message message;
    std::uint32_t handshake = no_handshake; ///< its number where it was sent
    bool rendezvous = false;
    trace::SendMode mode = trace::SendMode::standard;
  };
  Arrived read_message(int from, ByteReader& words, Snapshot values) const;
  /// Reads a moment.
  void read_values(int from, ByteReader& words, Snapshot& values) const;

  /// Sends what there is to tell.
  void flush();
  std::uint64_t batches_sent() const { return batches_sent_; }
  /// Returns how many of them were written.
  std::uint64_t records(RecordKind kind) const { return records_[static_cast<std::size_t>(kind)]; }

  /// A channel from another process.
  struct Arriving {
    std::uint32_t channel = 0; ///< its number here
    // The last message's, for the next one:
    double bytes = -1;
    bool rendezvous = false;
    trace::SendMode mode = trace::SendMode::standard;
    std::uint32_t row = 0;
    /// Tickets that could not be taken back: in what its sender says, all after them are one too small.
    std::vector<std::uint64_t> kept;
  };
  /// Returns the channels from a process, by the numbers they have there.
  std::vector<Arriving>& arriving(int from) { return arriving_[static_cast<std::size_t>(from)]; }

private:
  ByteWriter& begin(int process, RecordKind kind, std::uint32_t subject) {
    ByteWriter& words = outgoing_[static_cast<std::size_t>(process)];
    if (words.empty()) words.put(static_cast<std::uint32_t>(RecordKind::batch), attempt_);
    ++records_[static_cast<std::size_t>(kind)];
    words.put(static_cast<std::uint32_t>(kind), subject);
    return words;
  }
  void complete(int process) {
    if (outgoing_[static_cast<std::size_t>(process)].size() >= batch_bytes_) flush(process);
  }
  void flush(int process);
  void put(ByteWriter& words, int to, const Message& message) const;
  void put(ByteWriter& words, int to, const Snapshot& moment) const;

  Bus& bus_;
  std::vector<RankRange> ranges_;
  std::size_t batch_bytes_;
  std::uint32_t attempt_;
  std::size_t values_ = 0;
  const CostRows* rows_ = nullptr;
  PathTracer* tracer_ = nullptr;
  std::vector<ByteWriter> outgoing_;
  std::vector<int> process_of_channel_;
  std::vector<std::vector<Arriving>> arriving_;
  std::map<trace::CommunicatorId, std::vector<int>> participants_;
  std::uint64_t batches_sent_ = 0;
  std::array<std::uint64_t, record_kinds> records_{};
};

} // namespace timeless::replay
