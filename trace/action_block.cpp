#include "trace/action_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::uint32_t free_slot = 0xffffffffU;

std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
  return (std::rotl(state, 5) ^ value) * 0x517cc1b727220a95U;
}

template <typename Value>
std::uint64_t mix_list(std::uint64_t state, std::span<const Value> list) {
  for (const Value value : list)
    state = mix(state, static_cast<std::uint64_t>(value));
  return mix(state, list.size());
}

std::uint64_t hash(const Action& action) {
  std::array<std::uint64_t, (plain_action_bytes + 7) / 8> words{};
  std::memcpy(words.data(), &action, plain_action_bytes);
  std::uint64_t state = 0;
  for (const std::uint64_t word : words)
    state = mix(state, word);
  state = mix_list(state, action.requests);
  state = mix_list(state, action.counts);
  state = mix_list(state, action.receive_counts);
  state = mix_list(state, action.ranks);
  return state ^ (state >> 32U);
}

} // namespace

/// Open-addressed table from an action's hash to its dictionary index.
struct ActionBlock::Lookup {
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t entry = free_slot;
  };
  std::vector<Slot> slots = std::vector<Slot>(256);
  std::size_t used = 0;

  Slot& find(std::uint64_t key, const Action& action, std::span<const Action> dictionary) {
    std::size_t position = key & (slots.size() - 1);
    while (slots[position].entry != free_slot &&
           !(slots[position].hash == key && dictionary[slots[position].entry] == action))
      position = (position + 1) & (slots.size() - 1);
    return slots[position];
  }

  void insert(std::uint64_t key, std::uint32_t entry) {
    if (2 * (used + 1) > slots.size()) grow();
    place({key, entry});
    ++used;
  }

  void clear() {
    std::ranges::fill(slots, Slot{});
    used = 0;
  }

private:
  void place(Slot slot) {
    std::size_t position = slot.hash & (slots.size() - 1);
    while (slots[position].entry != free_slot)
      position = (position + 1) & (slots.size() - 1);
    slots[position] = slot;
  }

  void grow() {
    std::vector<Slot> old(slots.size() * 2);
    std::swap(old, slots);
    for (const Slot& slot : old)
      if (slot.entry != free_slot) place(slot);
  }
};

ActionBlock::ActionBlock() = default;
ActionBlock::ActionBlock(ActionBlock&&) noexcept = default;
ActionBlock& ActionBlock::operator=(ActionBlock&&) noexcept = default;
ActionBlock::~ActionBlock() = default;

std::uint32_t ActionBlock::add_entry(const Action& action) {
  Action entry = action;
  entry.requests = lists_.keep(action.requests);
  entry.counts = lists_.keep(action.counts);
  entry.receive_counts = lists_.keep(action.receive_counts);
  entry.ranks = lists_.keep(action.ranks);
  dictionary_.push_back(entry);
  return static_cast<std::uint32_t>(dictionary_.size() - 1);
}

std::uint32_t ActionBlock::intern(const Action& action) {
  if (!lookup_) {
    lookup_ = std::make_unique<Lookup>();
    for (std::uint32_t entry = 0; entry < dictionary_.size(); ++entry)
      lookup_->insert(hash(dictionary_[entry]), entry);
  }
  const std::uint64_t key = hash(action);
  const std::uint32_t known = lookup_->find(key, action, dictionary_).entry;
  if (known != free_slot) return known;
  const std::uint32_t entry = add_entry(action);
  lookup_->insert(key, entry);
  return entry;
}

/// As intern(), for the next of the sequence: programs repeat themselves, so what followed the last entry before is the
/// first guess.
std::uint32_t ActionBlock::intern_next(const Action& action) {
  if (followers_.size() < dictionary_.size()) followers_.resize(dictionary_.size(), free_slot);
  const std::uint32_t last = sequence_.empty() ? free_slot : sequence_.back();
  const std::uint32_t guess = last == free_slot ? free_slot : followers_[last];
  if (guess != free_slot && dictionary_[guess] == action) return guess;
  const std::uint32_t entry = intern(action);
  if (last != free_slot) followers_[last] = entry;
  return entry;
}

std::size_t ActionBlock::append(const Action& action) {
  return append_entry(intern_next(action));
}

std::size_t ActionBlock::append_entry(std::uint32_t entry) {
  sequence_.push_back(entry);
  return sequence_.size() - 1;
}

void ActionBlock::append_compute(KernelId kernel, std::uint64_t volume) {
  append_volume(ActionKind::compute, kernel, volume);
}

void ActionBlock::append_volume(ActionKind kind, KernelId kernel, std::uint64_t volume) {
  const std::uint32_t entry = intern_next({.kind = kind, .kernel = kernel});
  // In this order, so that a failure leaves no action without its volume.
  volumes_.push_back(volume);
  sequence_.push_back(entry);
}

void ActionBlock::replace(std::size_t position, const Action& action) {
  sequence_[position] = intern(action);
}

void ActionBlock::assign(std::vector<std::uint32_t> sequence, std::vector<std::uint64_t> volumes) {
  sequence_ = std::move(sequence);
  volumes_ = std::move(volumes);
  times_.clear();
}

void ActionBlock::renumber(std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
                           std::span<const RegionId> regions) {
  const auto renumbered = [](std::span<const std::uint32_t> numbers, std::uint32_t& id, std::uint32_t none) {
    if (!numbers.empty() && id != none) id = id < numbers.size() ? numbers[id] : none;
  };
  for (Action& action : dictionary_) {
    renumbered(communicators, action.communicator, no_communicator);
    renumbered(communicators, action.new_communicator, no_communicator);
    renumbered(kernels, action.kernel, no_kernel);
    renumbered(regions, action.region, no_region);
  }
  lookup_.reset();
}

void ActionBlock::clear() {
  dictionary_.clear();
  followers_.clear();
  sequence_.clear();
  volumes_.clear();
  times_.clear();
  if (lookup_) lookup_->clear();
  lists_.clear();
}

ActionBlock part(const ActionBlock& block, std::size_t begin, std::size_t end) {
  ActionBlock result;
  for_each_action(block, [&, position = std::size_t{0}](const Action& action, std::uint64_t volume) mutable {
    if (position >= begin && position < end) {
      if (has_volume(action.kind))
        result.append_volume(action.kind, action.kernel, volume);
      else
        result.append(action);
      if (!block.times().empty()) result.add_times(block.times()[position]);
    }
    ++position;
  });
  return result;
}

} // namespace timeless::trace
