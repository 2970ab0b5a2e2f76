#include "replay/engine/program/not_modelled.h"

#include <map>
#include <utility>

namespace timeless::replay {

const char* words(Unmodelled what) {
  switch (what) {
  case Unmodelled::another_world:
    return "processes of another MPI_COMM_WORLD are not replayed: calls on what they share take no time";
  case Unmodelled::process_creation:
    return "starting or meeting processes of another MPI_COMM_WORLD costs a barrier of the callers";
  case Unmodelled::generalized_request:
    return "generalized requests are complete as soon as they start";
  case Unmodelled::exclusive_lock:
    return "exclusive locks do not wait for each other";
  case Unmodelled::arithmetic_at_target:
    return "the arithmetic of accumulates takes nobody's time";
  case Unmodelled::shared_file_pointer:
    return "processes do not wait for each other's moves of a shared file pointer";
  case Unmodelled::end_without_begin:
    return "the end of a split collective on a file whose begin was not recorded takes no time";
  case Unmodelled::begin_without_end:
    return "a split collective on a file whose end was not recorded takes no time";
  case Unmodelled::neighbourhood:
    return "neighbourhood collectives whose neighbours were not recorded wait for all members of their communicator, "
           "and "
           "cost one message of all they send";
  case Unmodelled::cancelled_after_receipt:
    return "a cancelled message had already been received, and the next one took its place";
  case Unmodelled::unordered_messages:
    return "several threads of a rank sent or received with one tag at once: their messages are paired in the order "
           "recorded, which need not be theirs";
  case Unmodelled::number_of:
    break;
  }
  return "";
}

void NotModelledCalls::add(Unmodelled what, std::size_t number, std::uint64_t calls) {
  const auto kind = static_cast<std::size_t>(what);
  counts_[kind].calls += calls;
  auto& seen = seen_[kind];
  if (seen.empty()) seen.resize(ranks_);
  if (seen[number]) return;
  seen[number] = true;
  ++counts_[kind].ranks;
}

std::vector<NotModelled> list(const UnmodelledCounts& counts, std::span<const trace::RankRecord> records) {
  std::vector<NotModelled> all;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    if (counts[kind].calls > 0)
      all.push_back({words(static_cast<Unmodelled>(kind)), counts[kind].calls, counts[kind].ranks});
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> unrecorded;
  for (const trace::RankRecord& record : records)
    for (const auto& [call, count] : record.unrecorded_calls) {
      unrecorded[call].first += count;
      ++unrecorded[call].second;
    }
  for (const auto& [call, count] : unrecorded)
    all.push_back({call + " takes no time: it was seen, but not recorded as an action", count.first, count.second});
  return all;
}

} // namespace timeless::replay
