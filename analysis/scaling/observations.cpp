#include "analysis/scaling/observations.h"

#include <algorithm>

namespace timeless::analysis {

std::size_t FigureTable::Hash::operator()(const Node& node) const {
  std::uint64_t mixed = node.before;
  for (const std::uint64_t part :
       {std::uint64_t{node.last.run}, static_cast<std::uint64_t>(node.last.rank), node.last.value, node.last.trip})
    mixed = (mixed ^ part) * 0x9e3779b97f4a7c15ULL ^ (mixed >> 29U);
  return static_cast<std::size_t>(mixed);
}

FigureId FigureTable::add(FigureId figure, const Observation& observation) {
  if (figure != no_observations && nodes_[figure].last == observation) return figure;
  const auto [found, fresh] = known_.try_emplace({figure, observation}, static_cast<FigureId>(nodes_.size()));
  if (fresh) nodes_.push_back(found->first);
  return found->second;
}

std::vector<Observation> FigureTable::observations(FigureId figure) const {
  std::vector<Observation> all;
  for (; figure != no_observations; figure = nodes_[figure].before)
    all.push_back(nodes_[figure].last);
  std::ranges::reverse(all);
  return all;
}

} // namespace timeless::analysis
