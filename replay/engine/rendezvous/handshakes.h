#pragma once

#include "base/free_numbers.h"
#include "replay/engine/clocks/clocks.h"
#include "replay/engine/matching/channels.h"

#include <cstdint>
#include <vector>

namespace timeless::replay {

inline constexpr std::uint32_t no_stepper = 0xffffffffU;

/// The sender's side of a message that waits for its receive in some lane.
struct Handshake {
  Snapshot start; ///< when the message left: empty until the receive is posted
  std::uint32_t channel = 0;
  std::uint32_t row = 0;             ///< what the sender waits for from there
  std::uint32_t receive_channel = 0; ///< of the receive that a nonblocking exchange posts with it
  double bytes = 0;
  bool synchronous = false; ///< it waits in all lanes
  bool abandoned = false;   ///< its request was freed: nobody will ask for it
  /// Who takes the step of a collective that the message belongs to, as the messages of schedules names those who wait.
  std::uint32_t stepper = no_stepper;
  std::uint32_t receiver = 0; ///< then the receiver's place in the communicator
  // Of a message from another process, which has the sender's side under its own number:
  int origin = -1;
  std::uint32_t number_there = 0;
};

/// Handshakes that are not over, by number.
class Handshakes {
public:
  std::uint32_t begin(Handshake handshake);
  Handshake& operator[](std::uint32_t number) { return handshakes_[number]; }
  const Handshake& operator[](std::uint32_t number) const { return handshakes_[number]; }
  void end(std::uint32_t number);
  /// Returns how many there are.
  std::size_t size() const { return size_; }

private:
  std::vector<Handshake> handshakes_;
  std::size_t size_ = 0;
  FreeNumbers numbers_;
};

/// When the receives were posted whose messages have not been sent.
class Postings {
public:
  /// Adds a posting. Tickets of a channel come in rising order.
  void add(std::uint32_t channel, std::uint64_t ticket, Moment when);
  /// Returns what was added for the ticket, which is forgotten; its base is empty when there is nothing.
  Moment take(std::uint32_t channel, std::uint64_t ticket);
  /// Returns how many there are.
  std::size_t size() const { return size_; }

private:
  /// Ticket t stands in place t modulo the number of places, a power of two.
  struct Ring {
    std::vector<Moment> places;
    std::uint64_t first = 0; ///< nothing before this ticket is left
    std::uint64_t end = 0;   ///< nor from this one on
    Moment& at(std::uint64_t ticket) { return places[ticket & (places.size() - 1)]; }
  };

  static void grow(Ring& ring, std::uint64_t ticket);

  std::vector<Ring> rings_; ///< by channel
  std::size_t size_ = 0;
};

} // namespace timeless::replay
