#include "replay/network/varied_network.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace timeless::replay {

VariedNetwork::VariedNetwork(Network& network, std::vector<Variation> variations)
    : network_(network), variations_(std::move(variations)) {
  for (const Variation& variation : variations_) {
    if (variation.lane >= network.lanes().size())
      throw Error(Failure::usage, "a variation of a configuration that does not exist", std::to_string(variation.lane));
    for (const double factor : {variation.latency, variation.byte_time, variation.compute})
      if (!(factor >= 0) || !std::isfinite(factor))
        throw Error(Failure::usage, "a cost's factor must be a number from 0 on", std::to_string(factor));
    names_.push_back(network.lanes()[variation.lane]);
  }
  memory_copy_ = chosen(network.memory_copy_byte_time());
  reduction_ = chosen(network.reduction_byte_time());
  compute_scale_ = chosen(network.compute_scale());
  eager_limits_ = chosen(network.eager_limits());
  for (std::size_t i = 0; i < variations_.size(); ++i)
    compute_scale_[i] *= variations_[i].compute;
}

template <typename Value>
std::vector<Value> VariedNetwork::chosen(std::span<const Value> values) const {
  std::vector<Value> ours;
  for (const Variation& variation : variations_)
    if (!values.empty()) ours.push_back(values[variation.lane]);
  return ours;
}

void VariedNetwork::costs(LinkClass link, std::size_t segment, std::span<double> latency,
                          std::span<double> byte_time) const {
  const std::size_t given = network_.lanes().size();
  std::vector<double> latencies(given);
  std::vector<double> byte_times(given);
  network_.costs(link, segment, latencies, byte_times);
  const bool scales = network_.scales(link);
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    const Variation& variation = variations_[i];
    latency[i] = latencies[variation.lane] * (scales ? variation.latency : 1);
    byte_time[i] = byte_times[variation.lane] * (scales ? variation.byte_time : 1);
  }
}

void VariedNetwork::handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  std::vector<double> given(network_.lanes().size());
  network_.handshake(link, segment, given);
  const bool scales = network_.scales(link);
  for (std::size_t i = 0; i < variations_.size(); ++i)
    seconds[i] = given[variations_[i].lane] * (scales ? variations_[i].latency : 1);
}

bool VariedNetwork::handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  std::vector<double> theirs(network_.lanes().size());
  if (!network_.handshake_overhead(link, segment, theirs)) return false;
  std::ranges::copy(chosen<double>(theirs), seconds.begin());
  return true;
}

bool VariedNetwork::transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  std::vector<double> theirs(network_.lanes().size());
  if (!network_.transfer_constant(link, segment, theirs)) return false;
  const bool scales = network_.scales(link);
  for (std::size_t i = 0; i < variations_.size(); ++i)
    seconds[i] = theirs[variations_[i].lane] * (scales ? variations_[i].byte_time : 1);
  return true;
}

void VariedNetwork::overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  const std::size_t given = network_.lanes().size();
  std::vector<double> fixed(given);
  std::vector<double> per_byte(given);
  network_.overheads(which, link, segment, {fixed, per_byte});
  std::ranges::copy(chosen<double>(fixed), seconds.fixed.begin());
  std::ranges::copy(chosen<double>(per_byte), seconds.per_byte.begin());
}

void VariedNetwork::port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  const std::size_t given = network_.lanes().size();
  std::vector<double> fixed(given);
  std::vector<double> per_byte(given);
  network_.port(link, segment, {fixed, per_byte});
  const bool scales = network_.scales(link);
  for (std::size_t i = 0; i < variations_.size(); ++i) {
    seconds.fixed[i] = fixed[variations_[i].lane];
    seconds.per_byte[i] = per_byte[variations_[i].lane] * (scales ? variations_[i].byte_time : 1);
  }
}

} // namespace timeless::replay
