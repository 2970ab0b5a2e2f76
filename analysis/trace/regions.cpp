#include "analysis/trace/regions.h"

#include "trace/model/open_regions.h"

#include <algorithm>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;

/// What one rank does in one region.
struct RankFigures {
  std::uint64_t visits = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double volume = 0;
};

/// Adds up, action by action, what one rank does in each region: in every region that is open, once each.
class RankReader {
public:
  RankReader(const trace::Run& run, trace::Rank rank) : run_(run), rank_(rank), figures_(run.regions.size()) {}

  void follow(const Action& action, std::uint64_t volume, std::uint64_t ordinal) {
    if (family(action.kind) == ActionFamily::mark) {
      regions_.follow(action, ordinal);
      if (action.kind == ActionKind::region_begin) ++figures_.at(action.region).visits;
      list_here();
      return;
    }
    if (here_.empty()) return;
    const trace::Bytes bytes = bytes_sent(action, run_, rank_);
    for (const trace::RegionId region : here_)
      add(figures_[region], action, volume, bytes);
  }

  const std::vector<RankFigures>& figures() const { return figures_; }

private:
  static void add(RankFigures& figures, const Action& action, std::uint64_t volume, trace::Bytes bytes) {
    // The largest worker's share is in the workers' sum already.
    if (action.kind == ActionKind::compute || action.kind == ActionKind::workers_sum)
      figures.volume += static_cast<double>(volume);
    if (!is_call(action.kind)) return;
    ++figures.calls;
    figures.bytes += bytes;
  }

  /// Lists each region once, however often it is open.
  void list_here() {
    here_.clear();
    for (const trace::OpenRegions::Open& open : regions_.here())
      if (std::ranges::find(here_, open.region) == here_.end()) here_.push_back(open.region);
  }

  const trace::Run& run_;
  trace::Rank rank_;
  trace::OpenRegions regions_;
  std::vector<trace::RegionId> here_;
  std::vector<RankFigures> figures_;
};

} // namespace

std::vector<RegionFigures> region_figures(const trace::Source& source,
                                          const std::function<void(std::uint64_t)>& progress) {
  const std::size_t regions = source.run().regions.size();
  std::vector<std::vector<double>> visits(regions);
  std::vector<std::vector<double>> volumes(regions);
  std::vector<RegionFigures> result(regions);
  std::uint64_t done = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    RankReader rank(source.run(), record.rank);
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    std::uint64_t ordinal = 0;
    while (stream->next(block)) {
      for_each_action(block,
                      [&](const Action& action, std::uint64_t volume) { rank.follow(action, volume, ordinal++); });
      if (progress) progress(done + ordinal);
    }
    done += ordinal;
    for (std::size_t region = 0; region < regions; ++region) {
      const RankFigures& figures = rank.figures()[region];
      result[region].ranks += figures.visits > 0 ? 1 : 0;
      result[region].visits += figures.visits;
      result[region].calls += figures.calls;
      result[region].bytes += figures.bytes;
      result[region].volume += figures.volume;
      visits[region].push_back(static_cast<double>(figures.visits));
      volumes[region].push_back(figures.volume);
    }
  }
  for (std::size_t region = 0; region < regions; ++region) {
    result[region].visits_per_rank = spread(visits[region]);
    result[region].volume_per_rank = spread(volumes[region]);
  }
  return result;
}

std::vector<trace::RegionId> entered_regions(const std::vector<RegionFigures>& regions) {
  std::vector<trace::RegionId> order;
  for (trace::RegionId region = 0; region < regions.size(); ++region)
    if (regions[region].visits > 0) order.push_back(region);
  std::ranges::stable_sort(order, std::greater{}, [&](trace::RegionId region) { return regions[region].volume; });
  return order;
}

} // namespace timeless::analysis
