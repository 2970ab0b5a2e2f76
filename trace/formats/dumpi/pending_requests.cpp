#include "trace/formats/dumpi/pending_requests.h"

#include <algorithm>

namespace timeless::trace::formats::dumpi {

namespace {

/// As many sends of one number are kept. Where a trace leaves completions out, they would be as many as it is long.
constexpr std::size_t most_sharing = 4096;

} // namespace

const PendingRequest* PendingRequests::find(std::int32_t number) const {
  const auto found = first_.find(number);
  return found == first_.end() ? nullptr : &found->second;
}

bool PendingRequests::may_share(std::int32_t number, const Action& action) const {
  if (action.kind != ActionKind::send || first_.at(number).action.kind != ActionKind::send) return false;
  const auto others = sharing_.find(number);
  return others == sharing_.end() || others->second.size() < most_sharing;
}

void PendingRequests::add(std::int32_t number, const PendingRequest& request) {
  if (!first_.try_emplace(number, request).second) sharing_[number].push_back(request);
}

void PendingRequests::forget_first(std::int32_t number) {
  const auto others = sharing_.find(number);
  if (others == sharing_.end()) {
    first_.erase(number);
    return;
  }
  first_.at(number) = others->second.front();
  others->second.pop_front();
  if (others->second.empty()) sharing_.erase(others);
}

std::vector<std::int32_t> PendingRequests::numbers() const {
  std::vector<std::int32_t> all;
  for (const auto& [number, first] : first_)
    all.push_back(number);
  std::ranges::sort(all);
  return all;
}

std::size_t PendingRequests::size() const {
  std::size_t all = first_.size();
  for (const auto& [number, others] : sharing_)
    all += others.size();
  return all;
}

} // namespace timeless::trace::formats::dumpi
