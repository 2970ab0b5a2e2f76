#include "analysis/contention.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace timeless::analysis {

namespace {

using replay::AttributeBy;
using replay::AttributedTimes;
using replay::Result;

void add(const Result& result, std::size_t lane, double TimeWithAndWithout::*side,
         std::map<std::uint32_t, KernelContention>& kernels) {
  for (const AttributedTimes& part : replay::mean_parts(result)) {
    KernelContention& kernel = kernels[part.subject];
    kernel.kernel = part.subject;
    kernel.count = std::max(kernel.count, part.count);
    kernel.time.*side += part.lanes.at(lane).end;
  }
}

} // namespace

Contention contention(const Result& smpi, const Result& model, std::size_t lane) {
  const replay::LaneResult& with = smpi.lanes.front();
  const replay::LaneResult& without = model.lanes.at(lane);
  Contention found{.makespan = {without.makespan, with.makespan}, .ranks = {}, .kernels = {}};
  for (std::size_t rank = 0; rank < std::min(with.ranks.size(), without.ranks.size()); ++rank)
    found.ranks.push_back({without.ranks[rank].end, with.ranks[rank].end});
  if (smpi.attribution.by != AttributeBy::kernels || model.attribution.by != AttributeBy::kernels) return found;
  std::map<std::uint32_t, KernelContention> kernels;
  add(model, lane, &TimeWithAndWithout::model, kernels);
  add(smpi, 0, &TimeWithAndWithout::smpi, kernels);
  for (const auto& [number, kernel] : kernels)
    found.kernels.push_back(kernel);
  std::ranges::stable_sort(found.kernels, std::ranges::greater{},
                           [](const KernelContention& kernel) { return std::abs(kernel.time.difference()); });
  return found;
}

} // namespace timeless::analysis
