#include "trace/formats/dumpi/clocks.h"

#include "trace/formats/dumpi/call_kinds.h"

#include <algorithm>
#include <limits>

namespace timeless::trace::formats::dumpi {

namespace {

/// No member of MPI_COMM_WORLD leaves these before all have come.
bool is_meeting(const Record& record) {
  constexpr std::uint16_t world = 2;
  if (record.is(Call::Barrier)) return record.half(Field::comm) == world;
  return record.is(Call::Allreduce) && record.half(Field::comm) == world && record.word(Field::count) > 0;
}

} // namespace

void Clocks::see(Rank rank, const Record& record, std::uint64_t wall_origin) {
  if (!record.wall) return;
  RankClock& seen = ranks_[rank];
  if (!seen.left_call && is_meeting(record)) {
    seen.left_call = wall_origin + record.exit;
    seen.synchronising_call = record.call;
  }
  if (seen.initialised) return;
  seen.initialised = record.is(Call::Init) || record.is(Call::Init_thread);
  if (seen.initialised)
    seen.start = wall_origin + record.exit;
  else if (!seen.start && matters(record.call))
    seen.start = wall_origin + record.entry;
}

void Clocks::end(Rank rank, const RankFile& file) {
  RankClock& seen = ranks_[rank];
  seen.host = file.host();
  seen.since_1970 = file.whole() && file.version() == Version{1, 0, 0};
}

bool Clocks::on_one_clock() const {
  return std::ranges::all_of(ranks_, [&](const auto& one) { return one.second.host == ranks_.begin()->second.host; }) ||
         std::ranges::all_of(ranks_, [](const auto& one) { return one.second.since_1970; });
}

bool Clocks::all_synchronised() const {
  return std::ranges::all_of(ranks_, [&](const auto& one) {
    return one.second.left_call && one.second.synchronising_call == ranks_.begin()->second.synchronising_call;
  });
}

Clocks::State Clocks::state() const {
  const auto timed = [](const auto& one) { return one.second.start.has_value(); };
  if (ranks_.empty() || !std::ranges::all_of(ranks_, timed)) return State::untimed;
  if (on_one_clock()) return State::common;
  return all_synchronised() ? State::set : State::differ;
}

std::string Clocks::call() const {
  return "MPI_" + std::string(layout(ranks_.begin()->second.synchronising_call).name);
}

std::vector<std::uint64_t> Clocks::starts(Rank size) const {
  std::vector<std::uint64_t> starts(static_cast<std::size_t>(size));
  const State state = this->state();
  if (state != State::common && state != State::set) return starts;
  std::map<std::string, std::uint64_t> synchronisations; // of each host, by its clock
  std::uint64_t latest = 0;
  if (state == State::set)
    for (const auto& [rank, seen] : ranks_) {
      const auto [known, first] = synchronisations.try_emplace(seen.host, *seen.left_call);
      known->second = std::min(known->second, *seen.left_call);
    }
  for (const auto& [host, left_call] : synchronisations)
    latest = std::max(latest, left_call);
  std::uint64_t first_start = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [rank, seen] : ranks_) {
    const std::uint64_t ahead = state == State::set ? latest - synchronisations.at(seen.host) : 0;
    starts[static_cast<std::size_t>(rank)] = *seen.start + ahead;
    first_start = std::min(first_start, *seen.start + ahead);
  }
  for (const auto& [rank, seen] : ranks_)
    starts[static_cast<std::size_t>(rank)] -= first_start;
  return starts;
}

} // namespace timeless::trace::formats::dumpi
