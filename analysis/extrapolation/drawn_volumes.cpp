#include "analysis/extrapolation/drawn_volumes.h"

#include "base/mixing.h"

#include <cmath>
#include <set>

namespace timeless::analysis {

namespace {

/// So many ranks are enough to draw from.
constexpr std::size_t enough_donors = 8;

} // namespace

std::vector<RecordedRank> donors_in(const std::vector<std::vector<trace::Rank>>& position) {
  std::vector<RecordedRank> donors;
  for (std::size_t run = position.size(); run-- > 0 && donors.size() < enough_donors;)
    for (const trace::Rank rank : position[run])
      donors.push_back({static_cast<std::uint32_t>(run), rank});
  return donors;
}

RecordedRank donor_of(const std::vector<RecordedRank>& donors, std::uint64_t seed, trace::Rank rank) {
  const std::uint64_t drawn = splitmix64(splitmix64(seed) + static_cast<std::uint64_t>(rank));
  return donors[drawn % donors.size()];
}

std::vector<RunMean> means_by_run(const std::vector<Observation>& figure, std::size_t runs, bool by_visit) {
  std::vector<RunMean> means(runs);
  std::vector<double> numbers(runs);
  std::vector<std::set<trace::Rank>> ranks(runs);
  for (const Observation& one : figure) {
    means[one.run].mean += static_cast<double>(one.value);
    numbers[one.run] += 1;
    ranks[one.run].insert(one.rank);
  }
  for (std::size_t run = 0; run < runs; ++run) {
    if (numbers[run] > 0) means[run].mean /= numbers[run];
    const auto number = static_cast<double>(ranks[run].size());
    if (number > 1 && number == numbers[run] && !by_visit) means[run].stretch = std::sqrt(number / (number - 1));
  }
  return means;
}

DonorVolumes::DonorVolumes(const RecordedRun& run, const RecordedRank& rank, const LoopLayout& layout)
    : rank_(rank), layout_(&layout) {
  for (const VariableLoop& loop : layout.loops)
    trips_.push_back(loop.trips[rank.run].value_or(0));
  const auto stream = run.source->open(rank.rank);
  trace::ActionBlock block;
  while (stream->next(block)) {
    auto volume = block.volumes().begin();
    for (const std::uint32_t entry : block.sequence())
      volumes_.push_back(has_volume(block.dictionary()[entry].kind) ? *volume++ : 0);
  }
}

std::optional<std::uint64_t> DonorVolumes::at(std::size_t slot, std::uint64_t trip) const {
  std::uint64_t before = 0; // actions of the loops that have ended
  std::uint64_t slots = 0;  // their slots
  for (std::size_t i = 0; i < layout_->loops.size() && slot >= layout_->loops[i].begin; ++i) {
    const VariableLoop& loop = layout_->loops[i];
    const std::uint64_t length = loop.end - loop.begin;
    if (slot < loop.end) {
      if (trips_[i] == 0) return std::nullopt;
      return volumes_[slot - slots + before + trip % trips_[i] * length];
    }
    before += trips_[i] * length;
    slots += length;
  }
  return volumes_[slot - slots + before];
}

} // namespace timeless::analysis
