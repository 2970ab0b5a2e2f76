#include "replay/engine/program/schedule.h"

#include <algorithm>

namespace timeless::replay {

namespace {

// More than any algorithm needs whose steps grow with the logarithm of the members.
constexpr std::size_t most_kept = 64;

} // namespace

Schedule::Schedule(const CollectiveShape& shape, const trace::Action& action, const schedules::GroupPosition& place)
    : counts_(action.counts.begin(), action.counts.end()),
      receive_counts_(action.receive_counts.begin(), action.receive_counts.end()),
      ranks_(action.ranks.begin(), action.ranks.end()) {
  trace::Action owned = action;
  owned.counts = counts_;
  owned.receive_counts = receive_counts_;
  owned.ranks = ranks_;
  plan_ = schedules::plan(shape, owned, place);
}

bool Schedule::step(std::uint32_t index, schedules::Cursor& cursor, std::uint32_t here,
                    std::span<const trace::Rank> members, const Network& network, CostRows& rows, bool rendezvous_path,
                    MemberStep& step) {
  if (index < first_.size()) {
    step = first_[index];
    return true;
  }
  if (all_) return false;
  const bool keeps = index < most_kept;
  if (keeps || index == most_kept) cursor = after_first_;
  schedules::Transfer transfer;
  if (!schedules::next(plan_, cursor, transfer)) {
    all_ = keeps;
    return false;
  }
  step = {.to = transfer.to,
          .from = transfer.from,
          .bytes = transfer.bytes,
          .reduced_bytes = transfer.reduced_bytes,
          .sending = transfer.sending,
          .overhead = transfer.sending == schedules::Sending::blocking ? Overhead::send : Overhead::nonblocking_send};
  if (transfer.to != schedules::nobody) {
    step.row = rendezvous_path
                   ? rows.rendezvous(members[here], members[transfer.to], transfer.bytes, trace::SendMode::standard)
                   : rows.message(members[here], members[transfer.to], transfer.bytes);
    const Overheads& overheads = network.overheads;
    const Bytes bytes = whole_bytes(transfer.bytes);
    step.send_overhead = (step.overhead == Overhead::send ? overheads.send : overheads.nonblocking_send)(bytes);
    step.receive_overhead = overheads.receive(bytes);
  }
  if (keeps) {
    first_.push_back(step);
    after_first_ = cursor;
  }
  return true;
}

} // namespace timeless::replay
