#include "analysis/trace/region_source.h"

#include "trace/model/open_regions.h"

#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionBlock;
using trace::ActionKind;
using trace::RequestId;
using trace::RequestUse;

/// The region that a rank's actions lie in: the outermost one that is open.
class OutermostRegion {
public:
  /// Returns true for the marks of regions, which lie in none.
  bool follow(const Action& action) {
    regions_.follow(action, ordinal_++);
    return action.kind == ActionKind::region_begin || action.kind == ActionKind::region_end;
  }
  trace::RegionId here() const { return regions_.here().empty() ? trace::no_region : regions_.here().front().region; }

private:
  trace::OpenRegions regions_;
  std::uint64_t ordinal_ = 0;
};

/// Passes what lies in a region.
class RegionStream : public trace::RankStream {
public:
  RegionStream(std::unique_ptr<trace::RankStream> whole, trace::RegionId region)
      : whole_(std::move(whole)), region_(region) {}

  bool next(ActionBlock& block) override {
    block.clear();
    while (block.empty() && whole_->next(read_))
      for_each_action(read_, [&](const Action& action, std::uint64_t volume) { pass(action, volume, block); });
    return !block.empty();
  }

private:
  void pass(const Action& action, std::uint64_t volume, ActionBlock& block) {
    if (outermost_.follow(action)) return;
    // Threads and the end of the rank are of every part.
    const bool of_every_part = action.kind == ActionKind::thread || action.kind == ActionKind::finalize;
    if (!of_every_part && outermost_.here() != region_) return;
    if (has_volume(action.kind)) return block.append_volume(action.kind, action.kernel, volume);
    if (trace::nonblocking(action)) begun_.insert(action.request);
    const RequestUse use = trace::traits(action.kind).requests;
    if (use == RequestUse::begins) {
      block.append(action);
    } else if (use == RequestUse::completes) {
      complete(action, block);
    } else if (begun_.contains(action.request)) {
      block.append(action);
    }
  }

  void complete(const Action& action, ActionBlock& block) {
    kept_.clear();
    for (const RequestId request : action.requests)
      if (begun_.erase(request) > 0) kept_.push_back(request);
    if (kept_.empty() && !action.requests.empty()) return;
    Action own = action;
    own.requests = kept_;
    block.append(own);
  }

  std::unique_ptr<trace::RankStream> whole_;
  trace::RegionId region_;
  OutermostRegion outermost_;
  ActionBlock read_;
  std::set<RequestId> begun_; ///< in the part, and not completed yet
  std::vector<RequestId> kept_;
};

} // namespace

std::unique_ptr<trace::RankStream> RegionSource::open(trace::Rank rank) const {
  return std::make_unique<RegionStream>(whole_.open(rank), region_);
}

std::vector<trace::RegionId> outermost_regions(const trace::Source& source) {
  std::set<trace::RegionId> found;
  for (const trace::RankRecord& record : source.run().ranks) {
    OutermostRegion outermost;
    const auto stream = source.open(record.rank);
    ActionBlock block;
    while (stream->next(block))
      for_each_action(block, [&](const Action& action, std::uint64_t /*volume*/) {
        if (outermost.follow(action) && outermost.here() != trace::no_region) found.insert(outermost.here());
      });
  }
  return {found.begin(), found.end()};
}

} // namespace timeless::analysis
