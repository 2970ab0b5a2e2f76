#include "machines.h"

#include "base/mixing.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace timeless::replay::test {

namespace {

/// Returns a whole number in [0, limit), decided by the two words.
double draw(std::uint64_t seed, std::uint64_t what, std::uint64_t limit) {
  return static_cast<double>(mix_bits(seed * 0x9e3779b97f4a7c15U + what) % limit);
}

constexpr std::uint32_t link_classes = 3;

class IntegerRouter : public Router {
public:
  IntegerRouter(std::uint32_t ranks, std::vector<ClassCosts> classes) : ranks_(ranks), classes_(std::move(classes)) {}

  LinkClass link(std::uint32_t from, std::uint32_t to, std::deque<ClassCosts>& classes) override {
    return named((from * 7 + to * 5 + ranks_) % link_classes, classes);
  }
  LinkClass collective_link(std::span<const std::uint32_t> nodes, std::deque<ClassCosts>& classes) override {
    return named(static_cast<LinkClass>(nodes.size() % link_classes), classes);
  }

private:
  /// Appends no more classes than it has to.
  LinkClass named(LinkClass link, std::deque<ClassCosts>& classes) {
    while (classes.size() <= link)
      classes.push_back(classes_[classes.size()]);
    return link;
  }

  std::uint32_t ranks_;
  std::vector<ClassCosts> classes_;
};

/// Another line for small messages, and for large ones.
SecondsBySize drawn_overhead(std::uint64_t seed, std::uint64_t what, double more = 0) {
  std::vector<SecondsBySize::Piece> pieces;
  for (const Bytes up_to : {Bytes{0}, Bytes{10}, Bytes{64}, Bytes{700}, Bytes{50'000}, no_eager_limit}) {
    const std::uint64_t number = pieces.size();
    pieces.push_back({up_to, {draw(seed, what + number, 50) + more, draw(seed, what + 10 + number, 2)}});
  }
  return SecondsBySize(std::move(pieces));
}

MpiLibrary drawn_library(std::uint64_t seed) {
  return {.alltoall_throttle = seed % 3 == 0 ? 32U : static_cast<std::uint32_t>(seed % 5 + 1),
          .sends_before_posting = (seed >> 1U) % 2 == 0,
          .copies_own_part = (seed >> 2U) % 2 == 0,
          .scatters_small_first = (seed >> 3U) % 2 == 0,
          .allgathers_directly = (seed >> 4U) % 2 == 0,
          .sends_empty_parts = (seed >> 5U) % 2 == 0};
}

} // namespace

Network flat_machine(Rank ranks, const std::vector<FlatCosts>& lanes) {
  std::vector<HockneyLane> configurations;
  for (const FlatCosts& costs : lanes)
    configurations.push_back({.name = "lane " + std::to_string(configurations.size()),
                              .between_nodes = {costs.latency, costs.byte_time},
                              .within_node = {costs.latency, costs.byte_time},
                              .memory_copy_byte_time = costs.memory_copy,
                              .reduction_byte_time = costs.reduction,
                              .compute_scale = costs.compute_scale});
  return hockney_network(configurations, one_rank_per_node(ranks, 1));
}

Network fractional_machine(Rank ranks, const std::vector<std::size_t>& lanes) {
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
  return hockney_network(all, std::move(placement));
}

Network with_eager_limits(Network network, const std::vector<Bytes>& limits) {
  for (std::size_t lane = 0; lane < limits.size(); ++lane)
    network.lanes.at(lane).eager_limit = limits[lane];
  return network;
}

IntegerMachine::IntegerMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds)
    : ranks_(ranks), seed_(seed), lane_seeds_(std::move(lane_seeds)) {
  thresholds = {64, 4096};
  library = drawn_library(seed);
  overheads.send = overheads.synchronous_send = drawn_overhead(seed, 1000);
  overheads.nonblocking_send = drawn_overhead(seed, 2000);
  overheads.receive = overheads.synchronous_receive = drawn_overhead(seed, 3000);
  for (const std::uint64_t lane : lane_seeds_)
    lanes.push_back({.name = "lane of seed " + std::to_string(lane),
                     .memory_copy_byte_time = draw(lane, 1, 3),
                     .reduction_byte_time = draw(lane, 2, 3),
                     .compute_scale = 1 + draw(lane, 3, 3),
                     .column = lanes.size()});
  constexpr std::array<std::uint32_t, 6> nodes{0, 1, 1, 2, 2, 2};
  for (std::uint32_t rank = 0; rank < static_cast<std::uint32_t>(ranks); ++rank) {
    placement.node_of_rank.push_back(rank / 6 * 3 + nodes[rank % 6]);
    placement.seconds_per_unit.push_back(1 + draw(seed, rank, 3));
  }
  for (LinkClass link = 0; link < link_classes; ++link)
    classes_.push_back(costs(link));
  make_table();
}

void IntegerMachine::make_table() {
  links = std::make_shared<LinkTable>(std::make_unique<IntegerRouter>(static_cast<std::uint32_t>(ranks_), classes_));
}

ClassCosts IntegerMachine::costs(LinkClass link) const {
  ClassCosts costs{.columns = lane_seeds_.size(), .scales = link != 0};
  for (std::size_t segment = 0; segment <= thresholds.size(); ++segment)
    for (const std::uint64_t lane : lane_seeds_) {
      const std::uint64_t row = 16 + 2 * (link * (thresholds.size() + 1) + segment);
      costs.latency.push_back(draw(lane, row, 5000));
      costs.byte_time.push_back(draw(lane, row + 1, 4));
      costs.handshake.push_back(2 * costs.latency.back());
    }
  return costs;
}

void IntegerMachine::add_rarities(LinkClass link, ClassCosts& costs) const {
  for (std::size_t segment = 0; segment <= thresholds.size(); ++segment)
    for (const std::uint64_t lane : lane_seeds_) {
      const std::uint64_t row = 8 * (link * (thresholds.size() + 1) + segment);
      const auto drawn = [&](std::uint64_t what) {
        return Seconds{draw(lane, what + row, 50), draw(lane, what + 1 + row, 2)};
      };
      costs.transfer.push_back(segment == 1 ? 0 : draw(lane, 4000 + row, 3) * 100);
      costs.send.push_back(drawn(5000));
      costs.nonblocking_send.push_back(drawn(5002));
      costs.receive.push_back(drawn(5004));
      costs.port.push_back({draw(lane, 6000 + row, 300) - 100, draw(lane, 6001 + row, 4)});
    }
}

void IntegerMachine::add_rarities() {
  overheads = {};
  overheads_by_lane = ports = true;
  for (std::uint64_t kernel = 0; kernel < 32; ++kernel)
    placement.kernel_factors.push_back(1 + draw(seed_, 7000 + kernel, 3));
  for_each_class([this](LinkClass link, ClassCosts& costs) { add_rarities(link, costs); });
}

LimitedMachine::LimitedMachine(Rank ranks, std::uint64_t seed, std::vector<std::uint64_t> lane_seeds,
                               const std::vector<Bytes>& limits)
    : IntegerMachine(ranks, seed, std::move(lane_seeds)) {
  for (std::size_t lane = 0; lane < limits.size(); ++lane)
    lanes.at(lane).eager_limit = limits[lane];
  overheads.synchronous_send = drawn_overhead(seed, 1000, 3);
  overheads.synchronous_receive = drawn_overhead(seed, 3000, 5);
  for_each_class([&](LinkClass link, ClassCosts& costs) {
    costs.handshake.clear();
    for (std::size_t segment = 0; segment <= thresholds.size(); ++segment)
      for (const Bytes limit : limits) {
        costs.handshake.push_back(static_cast<double>(limit % 7 + 11 * (link + 1) + 17 * segment));
        if (link != 1) costs.handshake_overhead.push_back(static_cast<double>(limit % 5 * 13 + 7 * segment));
      }
  });
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

bool same_bits(const AttributedTimes& left, const AttributedTimes& right) {
  return left.rank == right.rank && left.subject == right.subject && left.count == right.count &&
         std::ranges::equal(left.lanes, right.lanes,
                            [](const RankTimes& one, const RankTimes& other) { return same_bits(one, other); });
}

bool same_bits(const LaneResult& left, const LaneResult& right) {
  const auto same = [](const auto& one, const auto& other) { return same_bits(one, other); };
  return left.makespan == right.makespan && std::ranges::equal(left.ranks, right.ranks, same) &&
         same_bits(left.sensitivity, right.sensitivity) &&
         std::ranges::equal(left.rank_sensitivities, right.rank_sensitivities, same);
}

std::vector<double> ends(const LaneResult& lane) {
  std::vector<double> all;
  for (const RankTimes& times : lane.ranks)
    all.push_back(times.end);
  return all;
}

} // namespace timeless::replay::test
