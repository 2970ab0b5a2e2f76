#include "analysis/trace/part_source.h"

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

/// Passes what lies in a part.
class PartStream : public trace::RankStream {
public:
  PartStream(std::unique_ptr<trace::RankStream> whole, PartFollower follow, std::uint32_t part)
      : whole_(std::move(whole)), follow_(std::move(follow)), part_(part) {}

  bool next(ActionBlock& block) override {
    block.clear();
    while (block.empty() && whole_->next(read_))
      for_each_action(read_, [&](const Action& action, std::uint64_t volume) { pass(action, volume, block); });
    return !block.empty();
  }

private:
  void pass(const Action& action, std::uint64_t volume, ActionBlock& block) {
    const std::optional<std::uint32_t> part = follow_(action);
    if (!part) return;
    // Threads and the end of the rank are of every part.
    const bool of_every_part = action.kind == ActionKind::thread || action.kind == ActionKind::finalize;
    if (!of_every_part && *part != part_) return;
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
  PartFollower follow_;
  std::uint32_t part_;
  ActionBlock read_;
  std::set<RequestId> begun_; ///< in the part, and not completed yet
  std::vector<RequestId> kept_;
};

/// The regions that are open while a rank is followed.
struct Following {
  trace::OpenRegions regions;
  std::uint64_t ordinal = 0;
};

} // namespace

std::unique_ptr<trace::RankStream> PartSource::open(trace::Rank rank) const {
  return std::make_unique<PartStream>(whole_.open(rank), division_(), part_);
}

PartFollower by_region() {
  return [following = std::make_shared<Following>()](const Action& action) -> std::optional<std::uint32_t> {
    following->regions.follow(action, following->ordinal++);
    if (action.kind == ActionKind::region_begin || action.kind == ActionKind::region_end) return std::nullopt;
    const auto here = following->regions.here();
    return here.empty() ? trace::no_region : here.front().region;
  };
}

std::vector<trace::RegionId> outermost_regions(const trace::Source& source) {
  std::set<trace::RegionId> found;
  for (const trace::RankRecord& record : source.run().ranks) {
    trace::OpenRegions regions;
    std::uint64_t ordinal = 0;
    const auto stream = source.open(record.rank);
    ActionBlock block;
    while (stream->next(block))
      for_each_action(block, [&](const Action& action, std::uint64_t /*volume*/) {
        regions.follow(action, ordinal++);
        if (action.kind == ActionKind::region_begin && !regions.here().empty())
          found.insert(regions.here().front().region);
      });
  }
  return {found.begin(), found.end()};
}

} // namespace timeless::analysis
