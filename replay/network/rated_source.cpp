#include "replay/network/rated_source.h"

#include "base/mixing.h"

#include <algorithm>

namespace timeless::replay {

namespace {

/// Returns a number of [0, 1) that belongs to a visit.
double drawn(std::uint64_t seed, trace::Rank rank, trace::KernelId kernel, std::uint64_t visit) {
  constexpr double unit = 1.0 / 9007199254740992; // 2^-53
  const std::uint64_t of_rank = splitmix64(splitmix64(seed) ^ static_cast<std::uint64_t>(rank));
  return static_cast<double>(splitmix64(splitmix64(of_rank ^ kernel) ^ visit) >> 11U) * unit;
}

class RatedStream : public trace::RankStream {
public:
  RatedStream(std::unique_ptr<trace::RankStream> stream, const RatedSource::Rates& rates, trace::Rank rank)
      : stream_(std::move(stream)), rates_(rates), rank_(rank), visits_(rates.noise ? rates.kernels.size() + 1 : 0) {}

  bool next(trace::ActionBlock& block) override {
    if (!stream_->next(block)) return false;
    const std::span<std::uint64_t> volumes = block.refill_volumes(block.volumes().size());
    std::size_t place = 0;
    for (const std::uint32_t entry : block.sequence()) {
      const trace::Action& action = block.dictionary()[entry];
      if (!has_volume(action.kind)) continue;
      std::uint64_t& volume = volumes[place++];
      volume = rated(action, volume);
    }
    return true;
  }

  void read_times(trace::ActionBlock& block) const override { stream_->read_times(block); }

private:
  std::uint64_t rated(const trace::Action& action, std::uint64_t volume) {
    const bool known = action.kernel < rates_.kernels.size();
    const KernelTiming& timing = known ? rates_.kernels[action.kernel] : rates_.rest;
    double seconds = timing.fixed_seconds + timing.seconds_per_unit * static_cast<double>(volume);
    if (rates_.noise) seconds *= factor(action, known ? action.kernel : rates_.kernels.size(), timing);
    constexpr double most = 9e18; // what a volume holds
    return static_cast<std::uint64_t>(std::min(seconds * rates_.units_per_second + 0.5, most));
  }

  /// Workers beside a burst have its luck.
  double factor(const trace::Action& action, std::size_t kernel, const KernelTiming& timing) {
    if (action.kind == trace::ActionKind::compute)
      luck_ = relative_time(timing.relative_times,
                            drawn(*rates_.noise, rank_, static_cast<trace::KernelId>(kernel), visits_[kernel]++));
    return luck_;
  }

  std::unique_ptr<trace::RankStream> stream_;
  const RatedSource::Rates& rates_;
  trace::Rank rank_;
  std::vector<std::uint64_t> visits_; ///< by kernel, of those so far
  double luck_ = 1;
};

} // namespace

std::unique_ptr<trace::RankStream> RatedSource::open(trace::Rank rank) const {
  return std::make_unique<RatedStream>(source_->open(rank), rates_, rank);
}

double relative_time(const RelativeTimes& times, double u) {
  const double position = u * static_cast<double>(times.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(position), times.size() - 2);
  const double part = position - static_cast<double>(below);
  return times[below] + part * (times[below + 1] - times[below]);
}

} // namespace timeless::replay
