#include "trace/model/action_block.h"

#include <atomic>
#include <utility>

namespace timeless::trace {

namespace {

constexpr std::uint32_t unknown = 0xffffffffU;

} // namespace

/// Does as intern(), for the next of the sequence: programs repeat themselves, so what followed the last entry before
/// is the first guess.
std::uint32_t ActionBlock::intern_next(const Action& action) {
  if (followers_.size() < dictionary_.size()) followers_.resize(dictionary_.size(), unknown);
  const std::uint32_t last = sequence_.empty() ? unknown : sequence_.back();
  const std::uint32_t guess = last == unknown ? unknown : followers_[last];
  if (guess != unknown && dictionary_[guess] == action) return guess;
  const std::uint32_t entry = intern(action);
  if (last != unknown) followers_[last] = entry;
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

std::uint64_t ActionBlock::use_dictionary(Dictionary dictionary) {
  static std::atomic<std::uint64_t> last_mark{0};
  clear();
  dictionary_ = std::move(dictionary);
  return mark_.value = ++last_mark;
}

void ActionBlock::assign(std::vector<std::uint32_t> sequence, std::vector<std::uint64_t> volumes) {
  sequence_ = std::move(sequence);
  volumes_ = std::move(volumes);
  times_.clear();
}

std::span<std::uint32_t> ActionBlock::refill(std::size_t actions) {
  sequence_.resize(actions);
  times_.clear();
  return sequence_;
}

std::span<std::uint64_t> ActionBlock::refill_volumes(std::size_t volumes) {
  volumes_.resize(volumes);
  return volumes_;
}

void ActionBlock::clear() {
  mark_.value = 0;
  dictionary_.clear();
  followers_.clear();
  sequence_.clear();
  volumes_.clear();
  times_.clear();
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
