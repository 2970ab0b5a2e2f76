#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/clocks/rank_range.h"
#include "trace/model/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

namespace timeless::replay {

/// Whom a message goes from and to; messages of one channel are received in the order they were sent.
struct ChannelKey {
  trace::Rank source = trace::no_rank;      ///< world rank
  trace::Rank destination = trace::no_rank; ///< world rank
  trace::CommunicatorId communicator = trace::world_communicator;
  trace::Tag tag = 0;
  bool operator==(const ChannelKey&) const = default;
};

inline constexpr std::uint32_t no_handshake = 0xffffffffU;

/// A message from its send until it is taken.
struct alignas(64) Message {
  Moment sent; ///< its base is empty once the message has been taken
  double bytes = 0;
  double receive_overhead = 0; ///< seconds, the receiver's
  std::uint32_t row = 0;
  std::uint32_t handshake = no_handshake; ///< until it has left, when it waits for its receive in some lane
};

/// Messages between two ranks. The n-th receive posted gets the n-th message sent: both draw tickets from 0.
struct alignas(64) Channel {
  static constexpr std::uint64_t nobody = ~std::uint64_t{0};

  std::unique_ptr<Message[]> ring; ///< once there are several: ticket t stands in place t & mask
  std::uint64_t oldest = 0;        ///< no message before this ticket is left
  std::uint64_t sent = 0;          ///< the next message's ticket
  std::uint64_t posted = 0;        ///< the next receive's ticket
  std::uint64_t awaited = nobody;  ///< the ticket the destination waits for
  std::uint32_t destination = 0;
  std::uint32_t mask = 0;
  bool exceptional = false; ///< some ticket was given up, or the destination is another engine's: see Channels
  bool departing = false;   ///< the destination is another engine's
  /// The only message on its way, as mostly; on the line of the caches after the rest.
  Message first;

  bool has(std::uint64_t ticket) const { return ticket < sent; }
  Message& message(std::uint64_t ticket) { return mask == 0 ? first : ring[ticket & mask]; }
};

/// Takes over what is sent to ranks that another engine replays.
class Departures {
public:
  virtual ~Departures() = default;
  /// Opens a channel to another engine's rank; `channel` is its number here.
  virtual void open(std::uint32_t channel, const ChannelKey& key) = 0;
  virtual void message(std::uint32_t channel, const Message& message) = 0;
  /// Takes back the message with this ticket; those after it move up.
  virtual void unsend(std::uint32_t channel, std::uint64_t ticket) = 0;
};

/// All channels, numbered densely as they are first named.
///
/// The messages that are left of a channel have tickets from `oldest` on and below `sent`; those taken out of order
/// have no `sent.base`. A channel becomes exceptional once a ticket was given back or ignored, and is so from the
/// beginning when its destination is another engine's: only then do post() and send() look beyond the channel itself.
/// number() may move all channels: no reference to one lives across it.
class Channels {
public:
  /// Numbers destinations from the first of `local_ranks`. What is sent to others goes to `departures`.
  explicit Channels(RankRange local_ranks, Departures* departures = nullptr)
      : local_ranks_(local_ranks), departures_(departures) {}

  /// Returns the channel of this key, which is made if there is none.
  std::uint32_t number(const ChannelKey& key);
  Channel& operator[](std::uint32_t number) { return channels_[number]; }
  /// Fetches a channel into the caches of which a message is about to be sent or taken.
  void prefetch(std::uint32_t number) const {
    const auto* channel = reinterpret_cast<const std::byte*>(channels_.data() + number);
    __builtin_prefetch(channel);
    __builtin_prefetch(channel + 64);
  }
  const ChannelKey& key(std::uint32_t number) const { return keys_[number]; }
  std::size_t size() const { return channels_.size(); }

  /// Returns the ticket of a receive posted now.
  std::uint64_t post(std::uint32_t number) {
    Channel& channel = channels_[number];
    return channel.exceptional ? post_exceptional(number) : channel.posted++;
  }
  /// Returns the ticket that a receive posted now would get.
  std::uint64_t next_ticket(std::uint32_t number) const;
  /// Appends a message; returns its ticket.
  std::uint64_t send(std::uint32_t number, Message&& message) {
    return send_made(number, [&] { return std::move(message); });
  }
  /// Sends what `make` returns, made in its place in the channel.
  template <typename Make>
  std::uint64_t send_made(std::uint32_t number, Make make) {
    Channel& channel = channels_[number];
    if (channel.sent - channel.oldest > channel.mask) [[unlikely]]
      grow(channel);
    const std::uint64_t ticket = channel.sent++;
    // No message stands there, so nothing needs an end.
    new (&channel.message(ticket)) Message(make());
    if (channel.exceptional) [[unlikely]]
      send_exceptional(number, ticket);
    return ticket;
  }
  /// Forgets a message that has been taken.
  void remove(Channel& channel, std::uint64_t ticket) { remove(channel, ticket, channel.message(ticket)); }
  /// Removes a message that is at hand.
  void remove(Channel& channel, std::uint64_t ticket, Message& taken) {
    taken.sent.base.reset();
    if (ticket != channel.oldest) return;
    do
      ++channel.oldest;
    while (channel.oldest != channel.sent && !channel.message(channel.oldest).sent.base);
  }

  /// Gives a receive's ticket back: the next receive posted gets the lowest such ticket.
  void give_back(std::uint32_t number, std::uint64_t ticket);
  /// Ignores a receive that nobody will complete: its message goes unnoticed, now or later.
  void ignore(std::uint32_t number, std::uint64_t ticket);
  /// Takes a sent message back, as if it had never been; false if it was already taken.
  bool unsend(std::uint32_t number, std::uint64_t ticket);

  /// Calls visit(message) for the messages that no receive was posted for.
  template <typename Visit>
  void for_each_unmatched(std::uint32_t number, Visit&& visit) {
    Channel& channel = channels_[number];
    for (std::uint64_t ticket = channel.oldest; ticket < channel.sent; ++ticket)
      if (channel.message(ticket).sent.base && !posted(number, ticket)) visit(channel.message(ticket));
  }

private:
  /// Tickets given back or ignored: they are rare, and kept out of the channels themselves.
  struct Exceptions {
    std::vector<std::uint64_t> given_back; ///< rising
    std::vector<std::uint64_t> ignored;
  };

  std::uint32_t& slot(const ChannelKey& key);
  void double_slots();
  static void grow(Channel& channel);
  bool posted(std::uint32_t number, std::uint64_t ticket) const;
  std::uint64_t post_exceptional(std::uint32_t number);
  void send_exceptional(std::uint32_t number, std::uint64_t ticket);

  RankRange local_ranks_;
  Departures* departures_;
  std::vector<Channel> channels_;
  std::vector<ChannelKey> keys_;
  std::vector<std::uint32_t> slots_; ///< numbers of channels by their keys' hashes, open-addressed: there are many
  std::unordered_map<std::uint32_t, Exceptions> exceptions_;
};

} // namespace timeless::replay
