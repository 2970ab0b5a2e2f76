#include "tools/answers/summary.h"

#include <algorithm>
#include <numeric>

namespace timeless::tools {

namespace {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;

Spread spread(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  return {least, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), most};
}

bool sends_message(const Action& action) {
  if (action.kind == ActionKind::exchange || action.kind == ActionKind::exchange_replace)
    return action.peer != trace::no_rank;
  return action.kind == ActionKind::send;
}

/// Counts a block's actions by dictionary entry first, so that a name is looked up once per distinct action.
void add_block(const ActionBlock& block, Summary& summary, double& rank_volume) {
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
    CallSummary& call = summary.calls[mpi_name(action)];
    call.count += count;
    call.bytes += count * bytes_sent(action);
    if (sends_message(action)) {
      summary.messages += count;
      summary.message_bytes += count * action.bytes;
    }
    if (action.kind != ActionKind::compute) continue;
    rank_volume += volumes[entry];
    if (action.kernel >= summary.kernels.size()) continue;
    summary.kernels[action.kernel].bursts += count;
    summary.kernels[action.kernel].volume += volumes[entry];
  }
}

} // namespace

trace::Bytes bytes_sent(const Action& action) {
  switch (action.kind) {
  case ActionKind::receive:
  case ActionKind::probe:
  case ActionKind::poll:
  case ActionKind::resolved:
    return 0;
  default:
    break;
  }
  return std::accumulate(action.counts.begin(), action.counts.end(), action.bytes);
}

Summary summarise(const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  Summary summary;
  summary.kernels.resize(source.run().kernels.size());
  std::vector<double> actions;
  std::vector<double> volumes;
  for (const trace::RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    ActionBlock block;
    std::uint64_t rank_actions = 0;
    double rank_volume = 0;
    while (stream->next(block)) {
      add_block(block, summary, rank_volume);
      rank_actions += block.size();
      if (progress) progress(summary.actions + rank_actions);
    }
    summary.actions += rank_actions;
    summary.volume += rank_volume;
    actions.push_back(static_cast<double>(rank_actions));
    volumes.push_back(rank_volume);
    for (const auto& [name, count] : record.unrecorded_calls)
      summary.unrecorded_calls[name] += count;
  }
  summary.actions_per_rank = spread(actions);
  summary.volume_per_rank = spread(volumes);
  return summary;
}

} // namespace timeless::tools
