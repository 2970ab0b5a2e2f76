#include "analysis/trace/summary.h"

#include "trace/model/collective_bytes.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;

bool is_message(const Action& action) {
  if (exchanges_messages(action.kind)) return action.peer != trace::no_rank;
  return sends_message(action.kind);
}

/// What one rank's threads did.
struct RankVolumes {
  double own = 0;
  double workers_sum = 0;
  double workers_maximum = 0;
  std::set<trace::Rank> threads = {0};
  bool cancels = false;

  void add(ActionKind kind, double volume) {
    if (kind == ActionKind::compute) own += volume;
    if (kind == ActionKind::workers_sum) workers_sum += volume;
    if (kind == ActionKind::workers_maximum) workers_maximum += volume;
  }
};

/// Counts a block's actions by dictionary entry first, so that a name is looked up once per distinct action.
void add_block(const ActionBlock& block, const trace::Run& run, trace::Rank number, Summary& summary,
               RankVolumes& rank) {
  std::vector<std::uint64_t> occurrences(block.dictionary().size());
  std::vector<double> volumes(block.dictionary().size());
  auto volume = block.volumes().begin();
  for (const std::uint32_t entry : block.sequence()) {
    ++occurrences[entry];
    if (has_volume(block.dictionary()[entry].kind)) volumes[entry] += static_cast<double>(*volume++);
  }
  for (std::size_t entry = 0; entry < occurrences.size(); ++entry) {
    const Action& action = block.dictionary()[entry];
    const std::uint64_t count = occurrences[entry];
    if (count == 0) continue;
    if (action.kind == ActionKind::thread) rank.threads.insert(action.peer);
    if (action.kind == ActionKind::cancelled) rank.cancels = true;
    CallSummary& call = summary.calls[mpi_name(action)];
    call.count += count;
    call.bytes += count * bytes_sent(action, run, number);
    call.bytes_received += count * bytes_received(action);
    if (is_message(action)) {
      summary.messages += count;
      summary.message_bytes += count * action.bytes;
    }
    rank.add(action.kind, volumes[entry]);
  }
}

/// Takes back what was counted of the messages that the rank has cancelled: nothing came of them.
void take_back_cancelled(const trace::Source& source, trace::Rank rank, Summary& summary) {
  std::unordered_map<trace::RequestId, Action> begun; ///< without the lists
  const auto stream = source.open(rank);
  ActionBlock block;
  while (stream->next(block))
    for_each_action(block, [&](const Action& action, std::uint64_t) {
      if (action.kind == ActionKind::send || action.kind == ActionKind::receive) {
        if (action.request != trace::no_request) begun.insert_or_assign(action.request, action);
        return;
      }
      const auto cancelled = action.kind == ActionKind::cancelled ? begun.find(action.request) : begun.end();
      if (cancelled == begun.end()) return;
      const Action& message = cancelled->second;
      CallSummary& call = summary.calls[mpi_name(message)];
      call.bytes -= bytes_sent(message, source.run(), rank);
      call.bytes_received -= bytes_received(message);
      if (is_message(message)) {
        --summary.messages;
        summary.message_bytes -= message.bytes;
      }
      begun.erase(cancelled);
    });
}

} // namespace

Spread spread(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  return {least, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), most};
}

trace::Bytes bytes_sent(const Action& action, const trace::Run& run, trace::Rank rank) {
  switch (family(action.kind)) {
  case trace::ActionFamily::point_to_point:
    return is_message(action) ? action.bytes : 0;
  case trace::ActionFamily::collective:
    return collective_bytes(action, run.communicators.at(action.communicator), rank).given;
  case trace::ActionFamily::file_collective:
    // Sizes of files, of which nothing moves.
    return traits(action.kind).sent == trace::Sizes::one ? action.bytes : 0;
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::file:
    return action.bytes;
  default:
    return 0;
  }
}

trace::Bytes bytes_received(const Action& action) {
  switch (family(action.kind)) {
  case trace::ActionFamily::point_to_point:
    if (action.kind == ActionKind::receive) return action.peer == trace::any_rank ? 0 : action.bytes;
    return exchanges_messages(action.kind) ? action.receive_bytes : 0;
  case trace::ActionFamily::request:
    return action.kind == ActionKind::resolved ? action.bytes : 0;
  case trace::ActionFamily::one_sided:
  case trace::ActionFamily::file:
  case trace::ActionFamily::file_collective:
    return action.receive_bytes;
  default:
    return 0;
  }
}

Summary summarise(const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  Summary summary;
  std::vector<double> actions;
  std::vector<double> volumes;
  std::vector<double> workers_sums;
  std::vector<double> threads;
  std::vector<double> workers_maxima;
  for (const trace::RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    ActionBlock block;
    std::uint64_t rank_actions = 0;
    RankVolumes rank;
    while (stream->next(block)) {
      add_block(block, source.run(), record.rank, summary, rank);
      rank_actions += block.size();
      if (progress) progress(summary.actions + rank_actions);
    }
    if (rank.cancels) take_back_cancelled(source, record.rank, summary);
    summary.actions += rank_actions;
    summary.volume += rank.own;
    summary.workers += rank.workers_sum;
    actions.push_back(static_cast<double>(rank_actions));
    volumes.push_back(rank.own);
    workers_sums.push_back(rank.workers_sum);
    threads.push_back(static_cast<double>(rank.threads.size()));
    workers_maxima.push_back(rank.workers_maximum);
  }
  summary.unrecorded_calls = source.run().unrecorded_calls();
  summary.actions_per_rank = spread(actions);
  summary.volume_per_rank = spread(volumes);
  summary.workers_per_rank = spread(workers_sums);
  summary.threads_per_rank = spread(threads);
  summary.largest_worker_per_rank = spread(workers_maxima);
  return summary;
}

} // namespace timeless::analysis
