#include "trace/formats/dumpi/translation.h"

#include <algorithm>
#include <array>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::int32_t null_request = 1;
/// As many sends of one number are kept. Where a trace leaves completions out, they would be as many as it is long.
constexpr std::size_t most_sharing = 4096;

} // namespace

/// Begins what the request of this number stands for.
void Translation::begin(std::int32_t number, Action action) {
  const auto earlier = pending_.find(number);
  bool shares = false;
  if (earlier != pending_.end()) {
    ++remarks_.shared_requests;
    // One number for several sends, or one that nobody completed: what it stood for is done, or will be.
    shares = earlier->second.action.kind == ActionKind::send && action.kind == ActionKind::send &&
             sharing_[number].size() < most_sharing;
    if (!shares) free_request(number);
  }
  Pending pending;
  pending.id = take_id();
  action.request = pending.id;
  pending.action = action;
  pending.block = block_number_;
  pending.position = append(action);
  if (shares)
    sharing_[number].push_back(pending);
  else
    pending_[number] = pending;
}

/// Forgets the first request of this number, which is done: the number stands for the next one that shares it, if there
/// is one.
void Translation::forget_first(Requests::iterator request) {
  const auto others = sharing_.find(request->first);
  if (others == sharing_.end()) {
    pending_.erase(request);
    return;
  }
  request->second = others->second.front();
  others->second.pop_front();
  if (others->second.empty()) sharing_.erase(others);
}

RequestId Translation::take_id() {
  if (free_.empty()) return next_request_++;
  const RequestId id = free_.back();
  free_.pop_back();
  return id;
}

/// Frees all that the number stands for.
void Translation::free_request(std::int32_t number) {
  for (auto found = pending_.find(number); found != pending_.end(); found = pending_.find(number)) {
    settle(found->second, nullptr);
    append({.kind = ActionKind::request_free, .request = found->second.id});
    free_.push_back(found->second.id);
    forget_first(found);
  }
}

/// Says what a receive has received, now that it is known.
void Translation::settle(const Pending& pending, const Status* status) {
  if (status != nullptr && status->cancelled) {
    append({.kind = ActionKind::cancelled, .request = pending.id});
    return;
  }
  if (pending.action.kind != ActionKind::receive || pending.action.peer == no_rank) return;
  Action got = pending.action;
  const bool nobody = got.peer == any_rank && nobody_sent(status);
  if (nobody) {
    got = {.kind = ActionKind::receive, .communicator = got.communicator, .request = got.request};
  } else {
    if (status != nullptr && status->source >= 0) {
      if (got.peer == any_rank) got.peer = status->source;
      if (got.tag == any_tag && status->tag >= 0) got.tag = status->tag;
      got.bytes = static_cast<Bytes>(std::max(0, status->bytes));
    }
    if (got.peer == any_rank || got.tag == any_tag) {
      ++remarks_.unknown_sources;
      return;
    }
  }
  if (pending.block == block_number_) {
    block_->replace(pending.position, got);
    return;
  }
  const bool open = pending.action.peer == any_rank || pending.action.tag == any_tag;
  if (nobody)
    append({.kind = ActionKind::cancelled, .request = pending.id});
  else if (open)
    append({.kind = ActionKind::resolved,
            .communicator = got.communicator,
            .peer = got.peer,
            .tag = got.tag,
            .bytes = got.bytes,
            .request = pending.id});
}

void Translation::completion(const Record& record) {
  const auto& listed = record.list(Field::requests);
  const auto one = [&](ActionKind kind, std::int32_t number) {
    complete(kind, std::array{number},
             std::span(record.statuses).first(std::min<std::size_t>(1, record.statuses.size())));
  };
  const auto picked = [&](ActionKind kind) {
    const std::int32_t index = record.word(Field::index);
    if (index >= 0 && static_cast<std::size_t>(index) < listed.size())
      one(kind, listed[static_cast<std::size_t>(index)]);
  };
  switch (static_cast<Call>(record.call)) {
  case Call::Wait:
    return one(ActionKind::wait, record.word(Field::request));
  case Call::Test:
    if (record.word(Field::flag) != 0) one(ActionKind::test, record.word(Field::request));
    return;
  case Call::Waitany:
    return picked(ActionKind::wait_any);
  case Call::Testany:
    if (record.word(Field::flag) != 0) picked(ActionKind::test_any);
    return;
  case Call::Waitall:
    return complete(ActionKind::wait_all, listed, record.statuses);
  case Call::Testall:
    if (record.word(Field::flag) != 0) complete(ActionKind::test_all, listed, record.statuses);
    return;
  default:
    break;
  }
  numbers_.clear();
  chosen_statuses_.clear();
  const auto& indices = record.list(Field::indices);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= listed.size()) continue;
    numbers_.push_back(listed[static_cast<std::size_t>(indices[i])]);
    if (i < record.statuses.size()) chosen_statuses_.push_back(record.statuses[i]);
  }
  if (chosen_statuses_.size() != numbers_.size()) chosen_statuses_.clear();
  complete(record.is(Call::Waitsome) ? ActionKind::wait_some : ActionKind::test_some, numbers_, chosen_statuses_);
}

void Translation::complete(ActionKind kind, std::span<const std::int32_t> numbers, std::span<const Status> statuses) {
  ids_.clear();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto found = numbers[i] == null_request ? pending_.end() : pending_.find(numbers[i]);
    if (found == pending_.end()) continue; // already done, as Open MPI's shared request
    settle(found->second, i < statuses.size() ? &statuses[i] : nullptr);
    ids_.push_back(found->second.id);
    forget_first(found);
  }
  if (ids_.empty()) return;
  append({.kind = kind, .requests = ids_});
  free_.insert(free_.end(), ids_.begin(), ids_.end());
}

/// Requests that nobody completes are done, as far as anybody can tell.
void Translation::free_all_requests() {
  std::vector<std::int32_t> rest;
  for (const auto& [number, pending] : pending_)
    rest.push_back(number);
  std::ranges::sort(rest);
  remarks_.left_open += rest.size();
  for (const auto& [number, others] : sharing_)
    remarks_.left_open += others.size();
  for (const std::int32_t number : rest)
    free_request(number);
}

} // namespace timeless::trace::formats::dumpi
