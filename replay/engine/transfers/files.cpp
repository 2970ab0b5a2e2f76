#include "replay/engine/transfers/files.h"

#include <utility>

namespace timeless::replay {

using trace::RequestId;

bool Files::perform(RankState& rank, std::uint32_t number, const Operation& operation) {
  const FileCall& call = rank.program.files[operation.call];
  switch (call.act) {
  case Act::alone:
    access_alone(rank, number, call, operation.request);
    return true;
  case Act::together:
    if (operation.request == trace::no_request) return access_together(rank, number, call);
    rank.start(operation.request) = {.ticket = call.bytes,
                                     .subject = collectives_.arrive(rank, number, rank.program.calls[call.instance]),
                                     .state = RequestState::file};
    return true;
  case Act::begin:
    give_up_split(number, call.file);
    this->split(number, call.file) = {collectives_.arrive(rank, number, rank.program.calls[call.instance]), call.bytes};
    return true;
  case Act::end:
    return end_split(rank, number, call);
  }
  return true;
}

void Files::access_alone(RankState& rank, std::uint32_t number, const FileCall& call, RequestId request) {
  Clock& clock = core_.clocks[number];
  const FileSystem& system = core_.options.file_system;
  Transit way =
      core_.transfers.begin_file(clock, ports_[number], system.latency, moving_seconds(system, call.bytes, 0));
  if (request == trace::no_request)
    core_.transfers.finish_file(clock, way);
  else
    rank.start(request) = {.subject = core_.transfers.keep(std::move(way)), .state = RequestState::file_transfer};
}

bool Files::access_together(RankState& rank, std::uint32_t number, const FileCall& call) {
  if (rank.stage == 0) {
    rank.ticket = collectives_.arrive(rank, number, rank.program.calls[call.instance]);
    rank.stage = 1;
  }
  const auto instance = static_cast<std::uint32_t>(rank.ticket);
  if (!collectives_.is_complete(rank, instance)) return false;
  const bool closes = collectives_.matching[instance].first.call.shape.kind == trace::ActionKind::file_close;
  take(number, instance, call.bytes);
  if (closes) {
    give_up_split(number, call.file);
    splits_.erase(std::uint64_t{core_.rank_number(number)} << 32U | call.file);
  }
  return true;
}

void Files::take(std::uint32_t number, std::uint32_t instance, trace::Bytes bytes) {
  const FileSystem& system = core_.options.file_system;
  const double seconds =
      system.latency + moving_seconds(system, bytes, collectives_.matching[instance].first.call.moved);
  core_.transfers.take_file(core_.clocks[number], {.base = collectives_.matching[instance].latest.values()}, seconds);
  collectives_.matching.leave(instance);
}

bool Files::end_split(RankState& rank, std::uint32_t number, const FileCall& call) {
  std::optional<SplitCollective>& split = this->split(number, call.file);
  if (!split) {
    core_.not_modelled.add(Unmodelled::end_without_begin, core_.rank_number(number));
    return true;
  }
  if (!collectives_.is_complete(rank, split->instance)) return false;
  take(number, split->instance, split->bytes);
  split.reset();
  return true;
}

void Files::leave_early(std::uint32_t instance) {
  if (collectives_.matching[instance].complete) collectives_.matching.leave(instance);
}

void Files::give_up_split(std::uint32_t number, trace::CommunicatorId file) {
  std::optional<SplitCollective>& split = this->split(number, file);
  if (!split) return;
  core_.not_modelled.add(Unmodelled::begin_without_end, core_.rank_number(number));
  leave_early(split->instance);
  split.reset();
}

} // namespace timeless::replay
