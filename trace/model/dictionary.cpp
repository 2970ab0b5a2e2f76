#include "trace/model/dictionary.h"

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

void renumber(std::span<const std::uint32_t> numbers, std::uint32_t& id, std::uint32_t none) {
  if (!numbers.empty() && id != none) id = id < numbers.size() ? numbers[id] : none;
}

} // namespace

void renumber(Action& action, std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
              std::span<const RegionId> regions) {
  renumber(communicators, action.communicator, no_communicator);
  renumber(communicators, action.new_communicator, no_communicator);
  renumber(kernels, action.kernel, no_kernel);
  renumber(regions, action.region, no_region);
}

/// Open-addressed table from an action's hash to its dictionary index.
struct Dictionary::Lookup {
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t entry = free_slot;
  };
  std::vector<Slot> slots = std::vector<Slot>(256);
  std::uint32_t used = 0; ///< entries known here: those that were only added are not yet

  Slot& find(std::uint64_t key, const Action& action, std::span<const Action> dictionary) {
    std::size_t position = key & (slots.size() - 1);
    while (slots[position].entry != free_slot &&
           !(slots[position].hash == key && dictionary[slots[position].entry] == action))
      position = (position + 1) & (slots.size() - 1);
    return slots[position];
  }

  void insert(std::uint64_t key, std::uint32_t entry) {
    if (2 * (std::size_t{used} + 1) > slots.size()) grow();
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

Dictionary::Dictionary() = default;
Dictionary::Dictionary(std::size_t entries, std::shared_ptr<const void> lender) : lender_(std::move(lender)) {
  entries_.reserve(entries);
}
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;
Dictionary::~Dictionary() = default;

std::uint32_t Dictionary::add(const Action& action) {
  Action entry = action;
  entry.requests = lists_.keep(action.requests);
  entry.counts = lists_.keep(action.counts);
  entry.receive_counts = lists_.keep(action.receive_counts);
  entry.ranks = lists_.keep(action.ranks);
  entries_.push_back(entry);
  return static_cast<std::uint32_t>(entries_.size() - 1);
}

std::uint32_t Dictionary::intern(const Action& action) {
  if (!lookup_) lookup_ = std::make_unique<Lookup>();
  while (lookup_->used < entries_.size())
    lookup_->insert(hash(entries_[lookup_->used]), lookup_->used);
  const std::uint64_t key = hash(action);
  const std::uint32_t known = lookup_->find(key, action, entries_).entry;
  if (known != free_slot) return known;
  const std::uint32_t entry = add(action);
  lookup_->insert(key, entry);
  return entry;
}

void Dictionary::renumber(std::span<const CommunicatorId> communicators, std::span<const KernelId> kernels,
                          std::span<const RegionId> regions) {
  for (Action& action : entries_)
    trace::renumber(action, communicators, kernels, regions);
  lookup_.reset();
}

void Dictionary::clear() {
  entries_.clear();
  if (lookup_) lookup_->clear();
  lists_.clear();
  lender_.reset();
}

} // namespace timeless::trace
