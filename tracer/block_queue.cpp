#include "tracer/block_queue.h"

#include <utility>

namespace timeless::tracer {

namespace {

/// A block is closed early when the lists of its actions (counts of alltoallv on many ranks) reach this size.
constexpr std::size_t max_list_bytes = std::size_t{8} << 20U;

} // namespace

BlockQueue::BlockQueue(std::size_t actions_per_block, std::size_t blocks_held, Write write)
    : actions_per_block_(actions_per_block), blocks_held_(blocks_held), write_(std::move(write)) {
  held_.emplace_back();
}

Place BlockQueue::append(const trace::Action& action, bool unsettled) {
  Held& last = held_.back();
  const std::size_t known = last.block.dictionary().size();
  const Place place{first_ + held_.size() - 1, static_cast<std::uint32_t>(last.block.append(action))};
  if (last.block.dictionary().size() != known)
    list_bytes_ += action.requests.size_bytes() + action.counts.size_bytes() + action.receive_counts.size_bytes();
  if (unsettled) ++last.unsettled;
  close_if_full();
  return place;
}

void BlockQueue::append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume) {
  held_.back().block.append_volume(kind, kernel, volume);
  close_if_full();
}

void BlockQueue::replace(Place place, const trace::Action& action) {
  at(place).block.replace(place.position, action);
}

void BlockQueue::settle(Place place) {
  if (!holds(place)) return;
  --at(place).unsettled;
  write_settled();
}

void BlockQueue::flush() {
  while (held_.size() > 1)
    write_first();
  if (!held_.front().block.empty()) {
    held_.emplace_back();
    write_first();
  }
}

void BlockQueue::close_if_full() {
  if (held_.back().block.size() < actions_per_block_ && list_bytes_ < max_list_bytes) return;
  list_bytes_ = 0;
  if (spare_.empty()) {
    held_.emplace_back();
  } else {
    held_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  while (held_.size() > blocks_held_ + 1)
    write_first();
  write_settled();
}

void BlockQueue::write_settled() {
  while (held_.size() > 1 && held_.front().unsettled == 0)
    write_first();
}

void BlockQueue::write_first() {
  Held first = std::move(held_.front());
  held_.erase(held_.begin()); // few, and a queue that allocates as it moves on would do so for ever
  ++first_;
  write_(first.block);
  first.block.clear();
  first.unsettled = 0;
  spare_.push_back(std::move(first));
}

} // namespace timeless::tracer
