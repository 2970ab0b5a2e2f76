#include "machines.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace timeless::replay::test {

namespace {

/// A whole number in [0, limit), decided by the two words.
double draw(std::uint64_t seed, std::uint64_t what, std::uint64_t limit) {
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + what;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((state ^ (state >> 31U)) % limit);
}

constexpr std::uint64_t link_classes = 3;

} // namespace

HockneyNetwork flat_machine(Rank ranks, const std::vector<FlatCosts>& lanes) {
  std::vector<HockneyLane> configurations;
  for (const FlatCosts& costs : lanes)
    configurations.push_back({.name = "lane " + std::to_string(configurations.size()),
                              .between_nodes = {costs.latency, costs.byte_time},
                              .within_node = {costs.latency, costs.byte_time},
                              .memory_copy_byte_time = costs.memory_copy,
                              .reduction_byte_time = costs.reduction,
                              .compute_scale = costs.compute_scale});
  return {std::move(configurations), one_rank_per_node(ranks, 1)};
}

HockneyNetwork fractional_machine(Rank ranks, const std::vector<std::size_t>& lanes) {
  std::vector<HockneyLane> all;
  for (const std::size_t lane : lanes) {
    const double odd = static_cast<double>(lane) + 1;
    all.push_back({.name = std::to_string(lane),
                   .between_nodes = {1e-6 * odd / 3, 1e-9 / odd},
                   .within_node = {1e-7 * odd / 7, 1e-10 / odd},
                   .memory_copy_byte_time = 3.1e-11 * odd,
                   .reduction_byte_time = 1.7e-10 / odd,
                   .compute_scale = 1 / odd});
  }
  Placement placement = one_rank_per_node(ranks, 1.0 / 3e9);
  for (auto& node : placement.node_of_rank)
    node /= 2;
  return {std::move(all), std::move(placement)};
}

IntegerMachine::IntegerMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds)
    : ranks_(ranks), seed_(seed), lane_seeds_(std::move(lane_seeds)) {
  for (const std::uint64_t lane : lane_seeds_) {
    names_.push_back("lane of seed " + std::to_string(lane));
    memory_copy_.push_back(draw(lane, 1, 3));
    reduction_.push_back(draw(lane, 2, 3));
    compute_scale_.push_back(1 + draw(lane, 3, 3));
  }
}

LinkClass IntegerMachine::link(Rank from, Rank to) {
  return *named_.insert(static_cast<LinkClass>((from * 7 + to * 5 + ranks_) % static_cast<Rank>(link_classes))).first;
}

LinkClass IntegerMachine::collective_link(std::span<const Rank> members) {
  return *named_.insert(static_cast<LinkClass>(members.size() % link_classes)).first;
}

void IntegerMachine::costs(LinkClass link, std::size_t segment, std::span<double> latency,
                           std::span<double> byte_time) const {
  if (!named_.contains(link)) throw std::logic_error("the costs of a class of links that was never named");
  for (std::size_t lane = 0; lane < lane_seeds_.size(); ++lane) {
    const std::uint64_t row = 16 + 2 * (link * (thresholds_.size() + 1) + segment);
    latency[lane] = draw(lane_seeds_[lane], row, 5000);
    byte_time[lane] = draw(lane_seeds_[lane], row + 1, 4);
  }
}

double IntegerMachine::seconds_per_unit(Rank rank) const {
  return 1 + draw(seed_, static_cast<std::uint64_t>(rank), 3);
}

double IntegerMachine::send_overhead(Bytes bytes) const {
  return draw(seed_, 1000 + bytes % 5, 50);
}

double IntegerMachine::isend_overhead(Bytes bytes) const {
  return draw(seed_, 2000 + bytes % 5, 50);
}

double IntegerMachine::receive_overhead(Bytes bytes) const {
  return draw(seed_, 3000 + bytes % 5, 50);
}

void LimitedMachine::handshake(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  for (std::size_t lane = 0; lane < seconds.size(); ++lane)
    seconds[lane] = static_cast<double>(limits_[lane] % 7 + 11 * (link + 1) + 17 * segment);
}

bool LimitedMachine::handshake_overhead(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  for (std::size_t lane = 0; lane < seconds.size(); ++lane)
    seconds[lane] = static_cast<double>(limits_[lane] % 5 * 13 + 7 * segment);
  return link != 1;
}

Bytes some_late_departures(std::uint64_t seed) {
  constexpr std::array<Bytes, 4> choice{no_eager_limit, 0, 65, 5000};
  return choice[seed / 3 % choice.size()];
}

std::vector<Bytes> some_eager_limits(std::uint64_t seed, std::size_t lanes) {
  constexpr std::array<Bytes, 8> choice{0, 7, 64, 500, 4096, 99'999, 100'000, no_eager_limit};
  std::vector<Bytes> limits;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::uint64_t state = (seed + lane * 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U;
    state ^= state >> 29U;
    limits.push_back(choice[(state * 0x94d049bb133111ebU) >> 61U]);
  }
  return limits;
}

bool same_bits(const RankTimes& left, const RankTimes& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

bool same_bits(const Sensitivity& left, const Sensitivity& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

bool same_bits(const LaneResult& left, const LaneResult& right) {
  const auto same = [](const auto& one, const auto& other) { return same_bits(one, other); };
  return left.makespan == right.makespan && std::ranges::equal(left.ranks, right.ranks, same) &&
         same_bits(left.sensitivity, right.sensitivity) &&
         std::ranges::equal(left.rank_sensitivities, right.rank_sensitivities, same);
}

bool IntegerMachine::transfer_constant(LinkClass link, std::size_t segment, std::span<double> seconds) const {
  if (!rare_) return false;
  for (std::size_t lane = 0; lane < lane_seeds_.size(); ++lane)
    seconds[lane] = draw(lane_seeds_[lane], 4000 + row(link, segment), 3) * 100;
  return segment != 1;
}

void IntegerMachine::overheads(Overhead which, LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  const std::uint64_t what = 5000 + 2 * static_cast<std::uint64_t>(which) + row(link, segment);
  for (std::size_t lane = 0; lane < lane_seeds_.size(); ++lane) {
    seconds.fixed[lane] = draw(lane_seeds_[lane], what, 50);
    seconds.per_byte[lane] = draw(lane_seeds_[lane], what + 1, 2);
  }
}

void IntegerMachine::port(LinkClass link, std::size_t segment, const LaneSeconds& seconds) const {
  for (std::size_t lane = 0; lane < lane_seeds_.size(); ++lane) {
    seconds.fixed[lane] = draw(lane_seeds_[lane], 6000 + row(link, segment), 300) - 100;
    seconds.per_byte[lane] = draw(lane_seeds_[lane], 6001 + row(link, segment), 4);
  }
}

MpiLibrary IntegerMachine::library() const {
  return {.alltoall_throttle = seed_ % 3 == 0 ? 32U : static_cast<std::uint32_t>(seed_ % 5 + 1),
          .sends_before_posting = (seed_ >> 1U) % 2 == 0,
          .copies_own_part = (seed_ >> 2U) % 2 == 0,
          .scatters_small_first = (seed_ >> 3U) % 2 == 0,
          .allgathers_directly = (seed_ >> 4U) % 2 == 0,
          .sends_empty_parts = (seed_ >> 5U) % 2 == 0};
}

double IntegerMachine::kernel_factor(trace::KernelId kernel) const {
  return rare_ ? 1 + draw(seed_, 7000 + kernel, 3) : 1;
}

} // namespace timeless::replay::test
