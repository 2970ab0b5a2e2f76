#include "replay/engine/files.h"

#include "replay/engine/engine.h"

namespace timeless::replay {

using trace::RequestId;
using Act = FileCall::Act;

bool Engine::file(RankState& rank, std::uint32_t number, const Operation& operation) {
  const FileCall& call = rank.program.files[operation.call];
  switch (call.act) {
  case Act::alone:
    access_file(rank, number, call, operation.request);
    return true;
  case Act::together:
    if (operation.request == trace::no_request) return access_file_together(rank, number, call);
    start(rank, operation.request) = {.ticket = call.bytes,
                                      .subject = arrive(rank, number, rank.program.calls[call.instance]),
                                      .state = RequestState::file};
    return true;
  case Act::begin:
    give_up_split(number, call.file);
    files_.split(rank_number(number), call.file) = {arrive(rank, number, rank.program.calls[call.instance]),
                                                    call.bytes};
    return true;
  case Act::end:
    return end_split(rank, number, call);
  }
  return true;
}

void Engine::access_file(RankState& rank, std::uint32_t number, const FileCall& call, RequestId request) {
  Clocks::Clock& clock = clocks_[number];
  const FileSystem& system = options_.file_system;
  Transit way =
      clocks_.file_transfer(clock, files_.port(number), system.latency, moving_seconds(system, call.bytes, 0));
  if (request == trace::no_request)
    clocks_.finish_file(clock, way);
  else
    start(rank, request) = {.subject = one_sided_.keep(std::move(way)), .state = RequestState::file_transfer};
}

bool Engine::access_file_together(RankState& rank, std::uint32_t number, const FileCall& call) {
  if (rank.stage == 0) {
    rank.ticket = arrive(rank, number, rank.program.calls[call.instance]);
    rank.stage = 1;
  }
  const auto instance = static_cast<std::uint32_t>(rank.ticket);
  if (!is_complete(rank, instance)) return false;
  const bool closes = matching_[instance].first.call.shape.kind == trace::ActionKind::file_close;
  take_file_collective(number, instance, call.bytes);
  if (closes) {
    give_up_split(number, call.file);
    files_.forget(rank_number(number), call.file);
  }
  return true;
}

/// The members go on from their collective, each with its own bytes, and all within what the file system can take.
void Engine::take_file_collective(std::uint32_t number, std::uint32_t instance, trace::Bytes bytes) {
  const FileSystem& system = options_.file_system;
  const double seconds = system.latency + moving_seconds(system, bytes, matching_[instance].first.call.moved);
  clocks_.take_file(clocks_[number], {.base = matching_[instance].latest.values()}, seconds);
  matching_.leave(instance);
}

bool Engine::end_split(RankState& rank, std::uint32_t number, const FileCall& call) {
  std::optional<SplitCollective>& split = files_.split(rank_number(number), call.file);
  if (!split) {
    not_modelled_.add(Unmodelled::end_without_begin, rank_number(number));
    return true;
  }
  if (!is_complete(rank, split->instance)) return false;
  take_file_collective(number, split->instance, split->bytes);
  split.reset();
  return true;
}

/// One who wants no result. A collective that others have yet to come to stays where they will look for it.
void Engine::leave_early(std::uint32_t instance) {
  if (matching_[instance].complete) matching_.leave(instance);
}

void Engine::give_up_split(std::uint32_t number, trace::CommunicatorId file) {
  std::optional<SplitCollective>& split = files_.split(rank_number(number), file);
  if (!split) return;
  not_modelled_.add(Unmodelled::begin_without_end, rank_number(number));
  leave_early(split->instance);
  split.reset();
}

} // namespace timeless::replay
