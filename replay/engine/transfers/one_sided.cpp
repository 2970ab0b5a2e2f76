#include "replay/engine/transfers/one_sided.h"

#include "replay/engine/core/messages.h"

#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

using trace::RequestId;

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

bool OneSided::perform(RankState& rank, std::uint32_t number, const Operation& operation) {
  const OneSidedCall& call = rank.program.one_sided[operation.call];
  WindowState& window = this->window(number, call.window);
  switch (call.act) {
  case Act::transfer:
    begin_transfer(rank, number, call, window, operation.request);
    return true;
  case Act::ask:
    ask(number, call.row);
    return true;
  case Act::ask_all:
    ask(number, core_.clocks.model.rows.row(collectives_.link(call.window), 0));
    return true;
  case Act::finish:
    finish_transfers(number, window);
    return true;
  case Act::finish_and_meet:
    return finish_and_meet(rank, number, call, window);
  case Act::free:
    if (!finish_and_meet(rank, number, call, window)) return false;
    windows_.erase(std::uint64_t{core_.rank_number(number)} << 32U | call.window);
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

void OneSided::begin_transfer(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window,
                              RequestId request) {
  Clock& clock = core_.clocks[number];
  core_.clocks.sends.pay_for_transfer(clock, call.row, call.sent, call.overhead);
  Transit way = core_.transfers.begin(clock, ports_[number], call.row, call.messages, call.bytes);
  if (request != trace::no_request)
    rank.start(request) = {.subject = core_.transfers.keep(way), .state = RequestState::transfer};
  core_.transfers.join(window.transfers, std::move(way));
}

/// Charges the way there and back, before anything else.
void OneSided::ask(std::uint32_t number, std::uint32_t row) {
  const Moment now = core_.clocks.model.now(core_.clocks[number]);
  core_.clocks.take(core_.clocks[number], {.sent = now.time(), .row = row, .messages = 2, .constants = 2});
}

void OneSided::finish_transfers(std::uint32_t number, WindowState& window) {
  if (!window.transfers) return;
  core_.transfers.finish(core_.clocks[number], window.transfers);
  window.transfers = {};
}

bool OneSided::finish_and_meet(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window) {
  if (rank.stage == 0 && call.waits) finish_transfers(number, window);
  if (rank.program.calls[call.instance].scheduled) return scheduled_.carry_out(rank, number, call.instance);
  return collectives_.enter(rank, number, rank.program.calls[call.instance]);
}

void OneSided::notify(std::uint32_t number, const std::vector<Notice>& group) {
  for (const Notice& notice : group) {
    Message message{.sent = core_.clocks.model.now(core_.clocks[number]), .row = notice.row};
    put_message(core_, notice.to_other, [&] { return std::move(message); });
  }
}

bool OneSided::start_access(RankState& rank, std::uint32_t number, const OneSidedCall& call, WindowState& window) {
  if (rank.stage == 0) open_epoch(window.access, window.targets, call.group, "access");
  if (call.waits) return take_notices(rank, number, window, window.targets);
  for (const Notice& notice : call.group)
    core_.channels.ignore(notice.from_other, core_.channels.post(notice.from_other));
  return true;
}

/// Waits for a notice from each of a group, and takes them as they come.
bool OneSided::take_notices(RankState& rank, std::uint32_t number, WindowState& window,
                            const std::vector<Notice>& group) {
  if (rank.stage == 0) {
    window.tickets.clear();
    for (const Notice& notice : group)
      window.tickets.push_back(core_.channels.post(notice.from_other));
    rank.stage = 1;
  }
  for (; rank.stage <= group.size(); ++rank.stage)
    if (!has_message(core_, rank, group[rank.stage - 1].from_other, window.tickets[rank.stage - 1])) return false;
  core_.arrivals.clear();
  for (std::size_t index = 0; index < group.size(); ++index) {
    const Message& arrived = message_of(core_.channels[group[index].from_other], window.tickets[index]);
    core_.arrivals.push_back({.sent = arrived.sent.time(), .row = arrived.row});
  }
  core_.clocks.take_all(core_.clocks[number], core_.arrivals);
  for (std::size_t index = 0; index < group.size(); ++index)
    core_.channels.remove(core_.channels[group[index].from_other], window.tickets[index]);
  return true;
}

} // namespace timeless::replay
