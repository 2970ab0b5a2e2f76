#include "replay/network/link_costs.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace timeless::replay {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw Error(Failure::invalid_input, what, {}, advice);
}

void require_usable(std::span<const MeasuredTime> times) {
  if (times.size() < 2) refuse("a table of fewer than two sizes", "measure at least two, the more the better");
  for (const MeasuredTime& time : times)
    if (!std::isfinite(time.seconds) || time.seconds <= 0)
      refuse("the time of " + std::to_string(time.bytes) + " bytes is not above 0", "give seconds above 0");
  for (std::size_t i = 1; i < times.size(); ++i)
    if (times[i].bytes <= times[i - 1].bytes)
      refuse(std::to_string(times[i].bytes) + " bytes stand after " + std::to_string(times[i - 1].bytes),
             "give sizes in rising order, each once");
  if (times.back().seconds <= times[times.size() - 2].seconds)
    refuse("the time of " + std::to_string(times.back().bytes) + " bytes is not above that of " +
               std::to_string(times[times.size() - 2].bytes),
           "end with two sizes whose times rise: larger messages follow the line through them");
}

} // namespace

const MessageCosts& LinkCosts::of(Bytes bytes) const {
  return *std::ranges::lower_bound(sizes, bytes, {}, &MessageCosts::up_to);
}

LinkCosts hockney_costs(double latency, double byte_time) {
  return {{{.latency = latency, .byte_time = byte_time}}};
}

LinkCosts max_rate_costs(double latency, const NodeRate& node) {
  return {.sizes = {{.latency = latency, .byte_time = 1 / node.first}}, .node = node};
}

LinkCosts sent_together(LinkCosts costs, std::uint32_t ranks) {
  if (!costs.node || ranks < 2) return costs;
  const NodeRate& node = *costs.node;
  const double together = std::min(node.most, node.first + (ranks - 1) * node.further);
  for (MessageCosts& some : costs.sizes)
    some.byte_time = ranks / together;
  return costs;
}

LinkCosts measured_costs(std::span<const MeasuredTime> times) {
  require_usable(times);
  const double shortest = std::ranges::min(times, {}, &MeasuredTime::seconds).seconds;
  LinkCosts costs;
  costs.sizes = {{.up_to = times.front().bytes, .latency = shortest, .transfer = times.front().seconds - shortest}};
  for (std::size_t i = 1; i < times.size(); ++i) {
    const MeasuredTime& from = times[i - 1];
    const MeasuredTime& to = times[i];
    const double slope = (to.seconds - from.seconds) / static_cast<double>(to.bytes - from.bytes);
    costs.sizes.push_back({.up_to = i + 1 < times.size() ? to.bytes : MessageCosts::any_size,
                           .latency = shortest,
                           .transfer = from.seconds - shortest - slope * static_cast<double>(from.bytes),
                           .byte_time = slope});
  }
  return costs;
}

LinkCosts scaled(LinkCosts costs, double bandwidth, double latency) {
  for (MessageCosts& some : costs.sizes) {
    some.latency *= latency;
    some.transfer /= bandwidth;
    some.byte_time /= bandwidth;
    if (some.port) some.port->per_byte /= bandwidth;
  }
  if (costs.node)
    for (double* rate : {&costs.node->first, &costs.node->further, &costs.node->most})
      *rate *= bandwidth;
  return costs;
}

} // namespace timeless::replay
