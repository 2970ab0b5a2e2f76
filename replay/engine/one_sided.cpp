#include "replay/engine/one_sided.h"

#include "replay/engine/engine.h"
#include "replay/engine/trace_error.h"

#include <fmt/format.h>

namespace timeless::replay {

using trace::RequestId;
using Act = OneSidedCall::Act;

namespace {

void open_epoch(bool& open, std::vector<Notice>& group, const std::vector<Notice>& others, const char* what) {
  if (open) fail(fmt::format("an epoch of {} begins before the last one has ended", what));
  open = true;
  group = others;
}

void close_epoch(bool& open, const char* what) {
  if (!open) fail(fmt::format("an epoch of {} ends that has not begun", what));
  open = false;
}

} // namespace

std::uint32_t OneSided::keep(Transit way) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(kept_.size()));
    kept_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  kept_[number] = std::move(way);
  return number;
}

Transit OneSided::release(std::uint32_t number) {
  free_.push_back(number);
  return std::exchange(kept_[number], {});
}

bool Engine::one_sided(RankState& rank, std::uint32_t number, const Operation& operation) {
  const OneSidedCall& call = rank.program.one_sided[operation.call];
  WindowState& window = one_sided_.window(rank_number(number), call.window);
  switch (call.act) {
  case Act::transfer:
    begin_transfer(rank, number, call, window, operation.request);
    return true;
  case Act::ask:
    ask(number, call.row);
    return true;
  case Act::ask_all:
    ask(number, clocks_.rows().row(collective_link(call.window), 0));
    return true;
  case Act::finish:
    finish_transfers(number, window);
    return true;
  case Act::finish_and_meet:
    return finish_and_meet(rank, number, call, window);
  case Act::free:
    if (!finish_and_meet(rank, number, call, window)) return false;
    one_sided_.forget(rank_number(number), call.window);
    return true;
  case Act::post:
    open_epoch(window.exposure, window.origins, call.group, "exposure");
    notify(number, call.group);
    return true;
  case Act::start:
    return start_access(rank, number, call, window);
  case Act::complete:
    close_epoch(window.access, "access");
    finish_transfers(number, window);
    notify(number, window.targets);
    return true;
  case Act::wait:
    if (rank.stage == 0) close_epoch(window.exposure, "exposure");
    return take_notices(rank, number, window, window.origins);
  }
  return true;
}

void Engine::begin_transfer(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window,
                            RequestId request) {
  Clocks::Clock& clock = clocks_[number];
  clocks_.pay_for_transfer(clock, call.row, call.sent, call.overhead);
  Transit way = clocks_.transfer(clock, one_sided_.port(number), call.row, call.messages, call.bytes);
  if (request != trace::no_request)
    start(rank, request) = {.subject = one_sided_.keep(way), .state = RequestState::transfer};
  clocks_.join(window.transfers, std::move(way));
}

/// There and back, before anything else.
void Engine::ask(std::uint32_t number, std::uint32_t row) {
  const Moment now = clocks_.now(clocks_[number]);
  clocks_.take(clocks_[number], {.sent = now.time(), .row = row, .messages = 2, .constants = 2});
}

void Engine::finish_transfers(std::uint32_t number, WindowState& window) {
  if (!window.transfers) return;
  clocks_.finish(clocks_[number], window.transfers);
  window.transfers = {};
}

bool Engine::finish_and_meet(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window) {
  if (rank.stage == 0 && call.waits) finish_transfers(number, window);
  if (rank.program.calls[call.instance].scheduled) return carry_out(rank, number, {.call = call.instance});
  return meet(rank, number, rank.program.calls[call.instance]);
}

void Engine::notify(std::uint32_t number, const std::vector<Notice>& group) {
  for (const Notice& notice : group) {
    const std::uint64_t ticket =
        channels_.send(notice.to_other, {.sent = clocks_.now(clocks_[number]), .row = notice.row});
    const Channel& channel = channels_[notice.to_other];
    if (channel.awaited == ticket) wake_receiver(notice.to_other);
  }
}

bool Engine::start_access(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window) {
  if (rank.stage == 0) open_epoch(window.access, window.targets, call.group, "access");
  if (call.waits) return take_notices(rank, number, window, window.targets);
  for (const Notice& notice : call.group)
    channels_.ignore(notice.from_other, channels_.post(notice.from_other));
  return true;
}

/// Waits for a notice from each of a group, and takes them as they come.
bool Engine::take_notices(RankState& rank, std::uint32_t number, WindowState& window,
                          const std::vector<Notice>& group) {
  if (rank.stage == 0) {
    window.tickets.clear();
    for (const Notice& notice : group)
      window.tickets.push_back(channels_.post(notice.from_other));
    rank.stage = 1;
  }
  for (; rank.stage <= group.size(); ++rank.stage)
    if (!has_message(rank, group[rank.stage - 1].from_other, window.tickets[rank.stage - 1])) return false;
  incoming_.clear();
  for (std::size_t index = 0; index < group.size(); ++index) {
    const Message& arrived = message(channels_[group[index].from_other], window.tickets[index]);
    incoming_.push_back({.sent = arrived.sent.time(), .row = arrived.row});
  }
  clocks_.take_all(clocks_[number], incoming_);
  for (std::size_t index = 0; index < group.size(); ++index)
    channels_.remove(channels_[group[index].from_other], window.tickets[index]);
  return true;
}

/// After all messages of a completion: transfers, then files, as listed.
void Engine::complete_others(RankState& rank, std::uint32_t number, std::span<const RequestId> ids) {
  for (const RequestId id : ids) {
    Request& request = rank.requests[id];
    if (request.state != RequestState::transfer) continue;
    complete_other(number, request);
    request.state = RequestState::done;
  }
  for (const RequestId id : ids) {
    Request& request = rank.requests[id];
    if (request.state != RequestState::file_transfer && request.state != RequestState::file) continue;
    complete_other(number, request);
    request.state = RequestState::done;
  }
}

void Engine::complete_other(std::uint32_t number, const Request& request) {
  if (request.state == RequestState::transfer)
    clocks_.finish(clocks_[number], one_sided_.release(request.subject));
  else if (request.state == RequestState::file_transfer)
    clocks_.finish_file(clocks_[number], one_sided_.release(request.subject));
  else
    take_file_collective(number, request.subject, request.ticket);
}

/// A freed request's part is over unnoticed.
void Engine::release_other(const Request& request) {
  if (request.state == RequestState::file)
    leave_early(request.subject);
  else
    one_sided_.release(request.subject);
}

} // namespace timeless::replay
