#include "trace/formats/dumpi/translation.h"

#include <algorithm>
#include <array>

namespace timeless::trace::formats::dumpi {

namespace {

constexpr std::int32_t null_request = 1;

} // namespace

/// Begins what the request of this number stands for.
void Translation::begin(std::int32_t number, Action action) {
  if (pending_.find(number) != nullptr) {
    ++remarks_.shared_requests;
    // One number for several sends, or one that nobody completed: what it stood for is done, or will be.
    if (!pending_.may_share(number, action)) free_request(number);
  }
  PendingRequest pending{.id = pending_.take_id()};
  action.request = pending.id;
  pending.action = action;
  pending.block = block_number_;
  pending.position = append(action);
  pending_.add(number, pending);
}

/// Frees all that the number stands for.
void Translation::free_request(std::int32_t number) {
  while (const PendingRequest* const found = pending_.find(number)) {
    settle(*found, nullptr);
    append({.kind = ActionKind::request_free, .request = found->id});
    pending_.give_back(std::span(&found->id, 1));
    pending_.forget_first(number);
  }
}

/// Says what a receive has received, now that it is known.
void Translation::settle(const PendingRequest& pending, const Status* status) {
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
    const PendingRequest* const found = numbers[i] == null_request ? nullptr : pending_.find(numbers[i]);
    if (found == nullptr) continue; // already done, as Open MPI's shared request
    settle(*found, i < statuses.size() ? &statuses[i] : nullptr);
    ids_.push_back(found->id);
    pending_.forget_first(numbers[i]);
  }
  if (ids_.empty()) return;
  append({.kind = kind, .requests = ids_});
  pending_.give_back(ids_);
}

/// Requests that nobody completes are done, as far as anybody can tell.
void Translation::free_all_requests() {
  remarks_.left_open += pending_.size();
  for (const std::int32_t number : pending_.numbers())
    free_request(number);
}

} // namespace timeless::trace::formats::dumpi
