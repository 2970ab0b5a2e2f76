#include "replay/engine/core/core.h"

#include "replay/engine/clocks/eager_limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace timeless::replay {

namespace {

bool messages_wait(const Network& network, const ReplayOptions& options) {
  return departs_at_once_below(network, options) != no_eager_limit ||
         std::ranges::any_of(eager_limits(network, options), &EagerLimits::any);
}

/// Returns the recorded time of a rank's first action, in seconds; nothing without actions.
std::optional<double> recorded_start(const trace::Source& source, trace::Rank rank) {
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  do
    if (!stream->next(block)) return std::nullopt;
  while (block.size() == 0);
  stream->read_times(block);
  if (block.times().empty())
    throw Error(Failure::usage, "a global clock needs the times of the recording, and the trace holds none",
                fmt::format("rank {}", rank), "record with --timestamps, or let every rank's clock begin at 0");
  constexpr double nanosecond = 1e-9;
  return static_cast<double>(block.times().front().entry) * nanosecond;
}

/// Begins each clock, with StartClock::global with its first action's recorded time.
Clocks& begun(Clocks& clocks, const trace::Source& source, RankRange local_ranks, const ReplayOptions& options) {
  for (std::size_t number = 0; options.clock == StartClock::global && number < local_ranks.size(); ++number)
    if (const auto start = recorded_start(source, local_ranks.begin + static_cast<trace::Rank>(number)))
      clocks.begin_at(clocks[number], *start);
  return clocks;
}

} // namespace

Core::Core(const trace::Source& trace, const Network& machine, const ReplayOptions& asked, Remote* others,
           bool on_rendezvous_path)
    : source(trace), network(machine), options(asked), library(network.library), remote(others),
      local_ranks(remote ? remote->local_ranks() : RankRange{0, source.run().size}),
      rendezvous_path(on_rendezvous_path || messages_wait(network, options)), communicators(source.run()),
      clocks(network, local_ranks, options), channels(local_ranks, remote), not_modelled(local_ranks.size()),
      compiler(source.run(), network, communicators, channels, clocks.model.rows, rendezvous_path, options),
      lookahead(source, local_ranks, rendezvous_path), transfers(clocks), ranks(local_ranks.size()),
      worklist(ranks.size()), explanation(options, begun(clocks, source, local_ranks, options), source.run(),
                                          lane_names(network), local_ranks) {
  for (std::uint32_t number = 0; number < ranks.size(); ++number) {
    ranks[number].stream = source.open(world_rank(number));
    worklist.push(number);
  }
  if (remote == nullptr) return;
  remote->set_clocks(clocks.model.pool.values(), clocks.model.rows);
  if (explanation.paths) remote->trace_paths(*explanation.paths);
}

std::string Core::where(std::uint32_t number) const {
  return fmt::format("rank {}, action {}", world_rank(number), ranks[number].action());
}

void Core::count_not_modelled(const Program& program, const trace::ActionBlock& block, std::size_t number) {
  if (program.unmodelled.empty()) return;
  std::vector<std::uint64_t> calls(program.operations.size());
  for (const std::uint32_t entry : block.sequence())
    ++calls[entry];
  for (const auto& [entry, what] : program.unmodelled)
    if (calls[entry] > 0) not_modelled.add(what, number, calls[entry]);
}

/// Several threads may wait for messages of one channel; the lowest ticket among theirs is the channel's.
void Core::await_among_threads(RankState& rank, Channel& channel, std::uint64_t ticket) {
  rank.thread->awaited = ticket;
  channel.awaited = std::min(channel.awaited, ticket);
}

void Core::wake_threads(std::uint32_t channel_number) {
  Channel& channel = channels[channel_number];
  const std::uint64_t ticket = std::exchange(channel.awaited, Channel::nobody);
  for (const std::uint32_t player : ranks[channel.destination].thread->all->players) {
    RankState& rank = ranks[player];
    if (rank.waiting != Waiting::for_message || rank.subject != channel_number) continue;
    if (rank.thread->awaited > ticket) {
      channel.awaited = std::min(channel.awaited, rank.thread->awaited);
    } else {
      rank.waiting = Waiting::no;
      worklist.push(player);
    }
  }
}

void Core::look_again(std::uint32_t number, std::uint32_t channel_number) {
  channels[channel_number].awaited = Channel::nobody;
  wake_those(rank_number(number), Waiting::for_message, channel_number);
}

} // namespace timeless::replay
