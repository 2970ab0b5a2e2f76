#include "shuffled_bus.h"

#include "replay/distributed/replay_in_step.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace timeless::replay::test {

namespace {

constexpr std::size_t most_batches_on_their_way = 6;

} // namespace

ShuffledBuses::ShuffledBuses(int processes, std::uint64_t seed) : random_(seed) {
  for (int process = 0; process < processes; ++process)
    buses_.emplace_back(*this, process).from_.resize(static_cast<std::size_t>(processes));
}

void ShuffledBuses::One::send(int to, Batch batch) {
  ++all_.sent_;
  ++on_their_way_;
  all_.most_on_their_way_ = std::max(all_.most_on_their_way_, on_their_way_);
  all_.buses_[static_cast<std::size_t>(to)].from_[static_cast<std::size_t>(process_)].push_back(std::move(batch));
}

std::optional<Bus::Arrival> ShuffledBuses::One::receive() {
  // Some are late.
  if (all_.random_() % 3 == 0) return std::nullopt;
  std::vector<std::size_t> senders;
  for (std::size_t sender = 0; sender < from_.size(); ++sender)
    if (!from_[sender].empty()) senders.push_back(sender);
  if (senders.empty()) return std::nullopt;
  const std::size_t sender = senders[all_.random_() % senders.size()];
  Arrival arrival{static_cast<int>(sender), std::move(from_[sender].front())};
  from_[sender].pop_front();
  --all_.buses_[sender].on_their_way_;
  return arrival;
}

bool ShuffledBuses::One::congested() {
  return on_their_way_ > most_batches_on_their_way;
}

namespace {

/// One replay; what process 0 has.
Result replay_once(const trace::Source& source, const Network& network, const ReplayOptions& options, int processes,
                   std::uint64_t seed) {
  ShuffledBuses buses(processes, seed);
  auto& random = buses.random();
  const Cooperation cooperation{.runs = static_cast<std::uint32_t>(1 + random() % 8),
                                .batch_bytes = std::size_t{8} << (random() % 10),
                                .most_held = 1 + random() % 64,
                                .patience = static_cast<std::uint32_t>(random() % 4)};
  std::deque<Participant> participants;
  for (int process = 0; process < processes; ++process)
    participants.emplace_back(source, network, options, buses.bus(process), cooperation);
  std::vector<std::size_t> left(participants.size());
  for (std::size_t process = 0; process < left.size(); ++process)
    left[process] = process;
  for (std::uint64_t steps = 0; !left.empty(); ++steps) {
    const std::size_t place = random() % left.size();
    if (participants[left[place]].step() == Participant::Next::done)
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(place));
    if (steps > 50'000'000) {
      ADD_FAILURE() << "the participants do not come to an end";
      return {};
    }
  }
  return participants.front().result();
}

} // namespace

Result replay_distributed(const trace::Source& source, const Network& network, const ReplayOptions& options,
                          int processes, std::uint64_t seed) {
  return replay_in_step(source, network, options, [&](const Network& lanes, const ReplayOptions& asked) {
    return replay_once(source, lanes, asked, processes, seed);
  });
}

} // namespace timeless::replay::test
