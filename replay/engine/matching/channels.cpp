#include "replay/engine/matching/channels.h"

#include <algorithm>
#include <utility>

namespace timeless::replay {

namespace {

constexpr std::uint32_t free_slot = 0xffffffffU;
constexpr std::size_t fewest_slots = 256;

std::size_t hash(const ChannelKey& key) {
  const auto pack = [](auto high, auto low) {
    return std::uint64_t{static_cast<std::uint32_t>(high)} << 32U | static_cast<std::uint32_t>(low);
  };
  std::uint64_t state = pack(key.source, key.destination) * 0x9e3779b97f4a7c15U;
  state = (state ^ (state >> 29U) ^ pack(key.communicator, key.tag)) * 0xff51afd7ed558ccdU;
  return state ^ (state >> 32U);
}

} // namespace

/// Returns where the channel of this key stands, or would.
std::uint32_t& Channels::slot(const ChannelKey& key) {
  const std::size_t last = slots_.size() - 1;
  std::size_t place = hash(key) & last;
  while (slots_[place] != free_slot && keys_[slots_[place]] != key)
    place = (place + 1) & last;
  return slots_[place];
}

void Channels::double_slots() {
  slots_.assign(std::max(2 * slots_.size(), fewest_slots), free_slot);
  for (std::uint32_t number = 0; number < keys_.size(); ++number)
    slot(keys_[number]) = number;
}

std::uint32_t Channels::number(const ChannelKey& key) {
  if (2 * keys_.size() >= slots_.size()) double_slots();
  std::uint32_t& number = slot(key);
  if (number != free_slot) return number;
  number = static_cast<std::uint32_t>(channels_.size());
  keys_.push_back(key);
  Channel& channel = channels_.emplace_back();
  channel.destination = static_cast<std::uint32_t>(key.destination - local_ranks_.begin);
  channel.exceptional = channel.departing = !local_ranks_.holds(key.destination);
  if (channel.departing) departures_->open(number, key);
  return number;
}

std::uint64_t Channels::next_ticket(std::uint32_t number) const {
  const Channel& channel = channels_[number];
  if (!channel.exceptional) return channel.posted;
  const auto& given_back = exceptions_.at(number).given_back;
  return given_back.empty() ? channel.posted : given_back.front();
}

std::uint64_t Channels::post_exceptional(std::uint32_t number) {
  auto& given_back = exceptions_[number].given_back;
  if (given_back.empty()) return channels_[number].posted++;
  const std::uint64_t ticket = given_back.front();
  given_back.erase(given_back.begin());
  return ticket;
}

void Channels::give_back(std::uint32_t number, std::uint64_t ticket) {
  Channel& channel = channels_[number];
  if (ticket + 1 == channel.posted) {
    --channel.posted;
    return;
  }
  channel.exceptional = true;
  auto& given_back = exceptions_[number].given_back;
  given_back.insert(std::ranges::upper_bound(given_back, ticket), ticket);
}

void Channels::ignore(std::uint32_t number, std::uint64_t ticket) {
  Channel& channel = channels_[number];
  if (channel.has(ticket)) return remove(channel, ticket);
  channel.exceptional = true;
  exceptions_[number].ignored.push_back(ticket);
}

void Channels::send_exceptional(std::uint32_t number, std::uint64_t ticket) {
  Channel& channel = channels_[number];
  if (channel.departing) {
    departures_->message(number, channel.message(ticket));
    return remove(channel, ticket);
  }
  auto& ignored = exceptions_[number].ignored;
  if (std::erase(ignored, ticket) > 0) remove(channel, ticket);
}

bool Channels::unsend(std::uint32_t number, std::uint64_t ticket) {
  Channel& channel = channels_[number];
  if (channel.departing) {
    departures_->unsend(number, ticket);
    --channel.sent;
    --channel.oldest;
    return true;
  }
  if (ticket < channel.oldest || !channel.message(ticket).sent.base) return false;
  for (std::uint64_t later = ticket + 1; later < channel.sent; ++later)
    channel.message(later - 1) = std::move(channel.message(later));
  --channel.sent;
  channel.message(channel.sent).sent.base.reset();
  return true;
}

bool Channels::posted(std::uint32_t number, std::uint64_t ticket) const {
  if (ticket >= channels_[number].posted) return false;
  const auto exceptions = exceptions_.find(number);
  return exceptions == exceptions_.end() || !std::ranges::binary_search(exceptions->second.given_back, ticket);
}

void Channels::grow(Channel& channel) {
  const std::uint32_t mask = 2 * channel.mask + 1;
  auto larger = std::make_unique<Message[]>(std::size_t{mask} + 1);
  for (std::uint64_t ticket = channel.oldest; ticket < channel.sent; ++ticket)
    larger[ticket & mask] = std::move(channel.message(ticket));
  channel.ring = std::move(larger);
  channel.mask = mask;
}

} // namespace timeless::replay
