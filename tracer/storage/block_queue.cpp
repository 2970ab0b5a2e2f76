#include "tracer/storage/block_queue.h"

#include <utility>

namespace timeless::tracer {

namespace {

/// A block is closed early when the lists of its actions (counts of alltoallv on many ranks) reach this size, or when
/// so many of its actions are different: what is held of a rank stays small, whatever it does.
constexpr std::size_t max_list_bytes = std::size_t{1} << 20U;
constexpr std::size_t max_different_actions = 1024;

} // namespace

BlockQueue::BlockQueue(std::size_t actions_per_block, std::size_t blocks_held, Write write)
    : actions_per_block_(actions_per_block), blocks_held_(blocks_held), write_(std::move(write)) {
  held_.emplace_back();
}

void BlockQueue::keep(Journal& journal, Define define) {
  journal_ = &journal;
  define_ = std::move(define);
  held_.back().log = journal.open(first_action_);
}

ActionPosition BlockQueue::append(const trace::Action& action, bool unsettled) {
  Held& last = held_.back();
  const std::size_t known = last.block.dictionary().size();
  const ActionPosition place{first_ + held_.size() - 1, static_cast<std::uint32_t>(last.block.append(action))};
  if (last.block.dictionary().size() != known)
    list_bytes_ += action.requests.size_bytes() + action.counts.size_bytes() + action.receive_counts.size_bytes();
  if (unsettled) ++last.unsettled;
  stamp_last();
  if (last.log) note(last, known, 0);
  close_if_full();
  return place;
}

void BlockQueue::append_volume(trace::ActionKind kind, trace::KernelId kernel, std::uint64_t volume) {
  Held& last = held_.back();
  const std::size_t known = last.block.dictionary().size();
  last.block.append_volume(kind, kernel, volume);
  stamp_last();
  if (last.log) note(last, known, volume);
  close_if_full();
}

void BlockQueue::note(Held& last, std::size_t known, std::uint64_t volume) {
  const std::uint32_t entry = last.block.sequence().back();
  const trace::Action& action = last.block.dictionary()[entry];
  const trace::ActionTimes* const times = stamp_.on() ? &last.block.times().back() : nullptr;
  bool noted = false;
  if (entry >= known) {
    define_();
    noted = last.log.append_new(action, volume, times);
  } else if (has_volume(action.kind)) {
    noted = last.log.append(entry, volume, times);
  } else {
    noted = last.log.append(entry, times);
  }
  if (!noted) overflowed_ = true;
}

void BlockQueue::stamp_last() {
  if (stamp_.on()) held_.back().block.add_times(stamp_.take());
}

void BlockQueue::replace(ActionPosition place, const trace::Action& action) {
  Held& held = at(place);
  const std::size_t known = held.block.dictionary().size();
  held.block.replace(place.position, action);
  if (!held.log) return;
  const std::uint32_t entry = held.block.sequence()[place.position];
  const trace::Action* const fresh = entry >= known ? &held.block.dictionary()[entry] : nullptr;
  if (!held.log.replace(place.position, entry, fresh)) flush();
}

void BlockQueue::add_flag(ActionPosition place, trace::ActionFlag flag) {
  const trace::ActionBlock& block = at(place).block;
  trace::Action action = block.dictionary()[block.sequence()[place.position]];
  action.flags = static_cast<std::uint16_t>(action.flags | flag);
  replace(place, action);
}

void BlockQueue::settle(ActionPosition place) {
  if (!holds(place)) return;
  --at(place).unsettled;
  write_settled();
}

bool BlockQueue::define(std::string_view definitions) {
  return held_.back().log && held_.back().log.define(definitions);
}

void BlockQueue::flush() {
  overflowed_ = false;
  list_bytes_ = 0;
  if (!held_.back().block.empty()) begin_block();
  while (held_.size() > 1)
    write_first();
}

void BlockQueue::begin_block() {
  first_action_ += held_.back().block.size();
  if (spare_.empty()) {
    held_.emplace_back();
  } else {
    held_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  if (journal_ != nullptr && !journal_->kept()) journal_ = nullptr;
  if (journal_ == nullptr) return;
  held_.back().log = journal_->open(first_action_);
  if (!held_.back().log) overflowed_ = true;
}

void BlockQueue::close_if_full() {
  if (overflowed_) return flush();
  const Held& last = held_.back();
  const bool full = last.block.size() >= actions_per_block_ || list_bytes_ >= max_list_bytes ||
                    last.block.dictionary().size() >= max_different_actions ||
                    (last.log && last.log.nearly_full(last.unsettled));
  if (!full) return;
  list_bytes_ = 0;
  begin_block();
  while (held_.size() > blocks_held_ + 1)
    write_first();
  write_settled();
}

void BlockQueue::write_settled() {
  while (held_.size() > 1 && held_.front().unsettled == 0)
    write_first();
}

void BlockQueue::write_first() {
  write_(held_.front().block);
  Held first = std::move(held_.front());
  held_.erase(held_.begin()); // few, and a queue that allocates as it moves on would do so for ever
  ++first_;
  if (first.log && journal_ != nullptr) journal_->close(first.log);
  first.log = {};
  first.block.clear();
  first.unsettled = 0;
  spare_.push_back(std::move(first));
}

} // namespace timeless::tracer
