#include "trace/model/open_regions.h"

#include <algorithm>

namespace timeless::trace {

bool OpenRegions::follow(const Action& action, std::uint64_t ordinal) {
  switch (action.kind) {
  case ActionKind::thread:
    here_ = &threads_[action.peer];
    return true;
  case ActionKind::region_begin:
    here_->push_back({action.region, ordinal});
    return true;
  case ActionKind::region_end: {
    const auto innermost = std::ranges::find(here_->rbegin(), here_->rend(), action.region, &Open::region);
    if (innermost == here_->rend()) return false;
    here_->erase(std::next(innermost).base());
    return true;
  }
  default:
    return true;
  }
}

std::vector<OpenRegions::Open> OpenRegions::all() const {
  std::vector<Open> open;
  for (const auto& [thread, regions] : threads_)
    open.insert(open.end(), regions.begin(), regions.end());
  return open;
}

} // namespace timeless::trace
