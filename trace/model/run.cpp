#include "trace/model/run.h"

#include <algorithm>

namespace timeless::trace {

std::size_t Communicator::foreign_members() const {
  return static_cast<std::size_t>(std::ranges::count(members, foreign_rank) +
                                  std::ranges::count(remote_members, foreign_rank));
}

bool Communicator::fills_grid() const {
  std::uint64_t places = 1;
  for (const GridDimension& dimension : grid)
    if (places <= members.size()) places *= dimension.extent;
  return grid.empty() || places == members.size();
}

const RankRecord* Run::find(Rank rank) const {
  const auto found = std::ranges::lower_bound(ranks, rank, {}, &RankRecord::rank);
  return found != ranks.end() && found->rank == rank ? &*found : nullptr;
}

RankRecord* Run::find(Rank rank) {
  return const_cast<RankRecord*>(static_cast<const Run*>(this)->find(rank));
}

std::vector<Rank> Run::missing_ranks() const {
  std::vector<Rank> missing;
  auto present = ranks.begin();
  for (Rank rank = 0; rank < size; ++rank) {
    if (present != ranks.end() && present->rank == rank)
      ++present;
    else
      missing.push_back(rank);
  }
  return missing;
}

std::map<std::string, std::uint64_t> Run::unrecorded_calls() const {
  std::map<std::string, std::uint64_t> calls;
  for (const RankRecord& rank : ranks)
    for (const auto& [call, times] : rank.unrecorded_calls)
      calls[call] += times;
  return calls;
}

bool Run::complete() const {
  return static_cast<std::size_t>(size) == ranks.size() &&
         std::ranges::all_of(ranks, [](const RankRecord& rank) { return rank.ending == Ending::finalized; });
}

const char* name(VolumeUnit unit) {
  switch (unit) {
  case VolumeUnit::instructions:
    return "instructions";
  case VolumeUnit::nanoseconds:
    return "ns";
  case VolumeUnit::events:
    return "events";
  case VolumeUnit::none:
    break;
  }
  return "none";
}

const char* name(Exactness exactness) {
  switch (exactness) {
  case Exactness::hardware:
    return "hardware";
  case Exactness::inexact:
    return "inexact";
  case Exactness::exact:
    break;
  }
  return "exact";
}

const char* name(Ending ending) {
  switch (ending) {
  case Ending::finalized:
    return "finalized";
  case Ending::stopped:
    return "stopped";
  case Ending::unknown:
    break;
  }
  return "unknown";
}

} // namespace timeless::trace
