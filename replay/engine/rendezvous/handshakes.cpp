#include "replay/engine/rendezvous/handshakes.h"

#include <bit>
#include <utility>

namespace timeless::replay {

std::uint32_t Handshakes::begin(Handshake handshake) {
  const std::uint32_t number = numbers_.take();
  ++size_;
  if (number == handshakes_.size()) handshakes_.emplace_back();
  handshakes_[number] = std::move(handshake);
  return number;
}

void Handshakes::end(std::uint32_t number) {
  handshakes_[number] = {};
  numbers_.give_back(number);
  --size_;
}

void Postings::add(std::uint32_t channel, std::uint64_t ticket, Moment when) {
  if (channel >= rings_.size()) rings_.resize(std::size_t{channel} + 1);
  Ring& ring = rings_[channel];
  if (ring.first == ring.end) ring.first = ticket;
  if (ticket - ring.first >= ring.places.size()) grow(ring, ticket);
  ring.end = ticket + 1;
  ++size_;
  ring.at(ticket) = std::move(when);
}

void Postings::grow(Ring& ring, std::uint64_t ticket) {
  std::vector<Moment> larger(std::bit_ceil(ticket - ring.first + 1));
  for (std::uint64_t old = ring.first; old < ring.end; ++old)
    larger[old & (larger.size() - 1)] = std::move(ring.at(old));
  ring.places = std::move(larger);
}

Moment Postings::take(std::uint32_t channel, std::uint64_t ticket) {
  if (channel >= rings_.size()) return {};
  Ring& ring = rings_[channel];
  if (ticket < ring.first || ticket >= ring.end) return {};
  Moment when = std::exchange(ring.at(ticket), {});
  if (when.base) --size_;
  while (ring.first != ring.end && !ring.at(ring.first).base)
    ++ring.first;
  return when;
}

} // namespace timeless::replay
