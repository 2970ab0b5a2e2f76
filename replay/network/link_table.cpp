#include "replay/network/link_table.h"

#include <utility>

namespace timeless::replay {

LinkTable::LinkTable(ClassCosts within_a_node, ClassCosts between_two_nodes) {
  classes_.push_back(std::move(within_a_node));
  classes_.push_back(std::move(between_two_nodes));
}

LinkClass LinkTable::route(std::uint32_t from, std::uint32_t to) {
  const std::lock_guard lock(routing_);
  return router_->link(from, to, classes_);
}

LinkClass LinkTable::collective_link(std::span<const std::uint32_t> nodes) {
  if (!router_)
    return std::ranges::adjacent_find(nodes, std::ranges::not_equal_to()) == nodes.end() ? within_node : between_nodes;
  const std::lock_guard lock(routing_);
  return router_->collective_link(nodes, classes_);
}

const ClassCosts& LinkTable::operator[](LinkClass link) const {
  if (!router_) return classes_[link];
  const std::lock_guard lock(routing_);
  return classes_.at(link);
}

} // namespace timeless::replay
