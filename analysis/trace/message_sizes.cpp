#include "analysis/trace/message_sizes.h"

#include "analysis/trace/traffic.h"
#include "trace/model/action_block.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::Bytes;

Bytes largest_of(std::span<const Bytes> parts) {
  return parts.empty() ? 0 : std::ranges::max(parts);
}

/// Returns what one message of it has; of a collective a member's part.
Bytes size_of(const Action& action) {
  switch (family(action.kind)) {
  case ActionFamily::point_to_point:
    return sends_message(action.kind) && action.peer != trace::no_rank ? action.bytes : 0;
  case ActionFamily::one_sided:
    return action.peer == trace::no_rank ? 0 : std::max(action.bytes, action.receive_bytes);
  case ActionFamily::collective:
    return std::max({action.bytes, action.receive_bytes, largest_of(action.counts), largest_of(action.receive_counts)});
  default:
    return 0;
  }
}

/// Calls `message(rank, action, bytes, count)` for what sends anything; each distinct action of a block once.
template <typename Message>
void for_each_message(const trace::Source& source, const Message& message) {
  trace::ActionBlock block;
  std::vector<std::uint64_t> occurrences;
  for (const trace::RankRecord& record : source.run().ranks)
    for (const auto stream = source.open(record.rank); stream->next(block);) {
      occurrences.assign(block.dictionary().size(), 0);
      for (const std::uint32_t entry : block.sequence())
        ++occurrences[entry];
      for (std::size_t entry = 0; entry < occurrences.size(); ++entry) {
        const Action& action = block.dictionary()[entry];
        if (const Bytes bytes = size_of(action); occurrences[entry] > 0 && bytes > 0)
          message(record.rank, action, bytes, occurrences[entry]);
      }
    }
}

/// Returns the smallest limit that two of the ranks have between them.
Bytes smallest_limit(std::span<const std::uint32_t> node_of_rank, Bytes within, Bytes between) {
  const std::set<std::uint32_t> nodes(node_of_rank.begin(), node_of_rank.end());
  Bytes limit = std::numeric_limits<Bytes>::max();
  if (nodes.size() > 1) limit = std::min(limit, between);
  if (nodes.size() < node_of_rank.size() || nodes.size() <= 1) limit = std::min(limit, within);
  return limit;
}

} // namespace

LargeMessages messages_above(const trace::Source& source, std::span<const std::uint32_t> node_of_rank, Bytes within,
                             Bytes between) {
  const Bytes of_collectives = smallest_limit(node_of_rank, within, between);
  LargeMessages all;
  const auto limit = [&](trace::Rank rank, const Action& action) {
    if (family(action.kind) == ActionFamily::collective) return of_collectives;
    const auto here = static_cast<std::size_t>(rank);
    const auto there = static_cast<std::size_t>(world_rank(source.run(), rank, action));
    // Ranks of another world are on other nodes.
    if (here >= node_of_rank.size() || there >= node_of_rank.size()) return between;
    return node_of_rank[here] == node_of_rank[there] ? within : between;
  };
  for_each_message(source, [&](trace::Rank rank, const Action& action, Bytes bytes, std::uint64_t count) {
    const double together = static_cast<double>(bytes) * static_cast<double>(count);
    all.messages += count;
    all.bytes += together;
    all.largest = std::max(all.largest, bytes);
    if (bytes <= limit(rank, action)) return;
    all.large += count;
    all.large_bytes += together;
  });
  return all;
}

Bytes largest_message(const trace::Source& source) {
  Bytes largest = 0;
  for_each_message(source,
                   [&](trace::Rank, const Action&, Bytes bytes, std::uint64_t) { largest = std::max(largest, bytes); });
  return largest;
}

std::vector<Bytes> typical_sizes(const trace::Source& source, std::size_t most) {
  constexpr std::size_t most_sizes = 65536;
  std::map<Bytes, double> counts;
  for_each_message(source, [&](trace::Rank, const Action&, Bytes bytes, std::uint64_t count) {
    const auto known = counts.find(bytes);
    if (known != counts.end())
      known->second += static_cast<double>(count);
    else if (counts.size() < most_sizes)
      counts.emplace(bytes, static_cast<double>(count));
  });
  std::vector<std::pair<Bytes, double>> sizes(counts.begin(), counts.end());
  std::set<Bytes> typical;
  const auto take = [&](const auto& weight) {
    std::ranges::stable_sort(sizes, std::ranges::greater{}, weight);
    for (std::size_t place = 0; place < std::min(most, sizes.size()); ++place)
      typical.insert(sizes[place].first);
  };
  take([](const auto& one) { return one.second; });
  take([](const auto& one) { return one.second * static_cast<double>(one.first); });
  return {typical.begin(), typical.end()};
}

} // namespace timeless::analysis
