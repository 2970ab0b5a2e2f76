#include "analysis/calibration/network/collective_choice.h"

#include "analysis/statistics/quantiles.h"
#include "replay/collectives/schedules/binomial_tree.h"
#include "replay/collectives/schedules/bruck.h"
#include "replay/collectives/schedules/dissemination.h"
#include "replay/collectives/schedules/linear.h"
#include "replay/collectives/schedules/pairwise.h"
#include "replay/collectives/schedules/rabenseifner.h"
#include "replay/collectives/schedules/recursive_doubling.h"
#include "replay/collectives/schedules/recursive_halving.h"
#include "replay/collectives/schedules/ring.h"
#include "replay/collectives/schedules/scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

namespace timeless::analysis {

namespace {

namespace schedules = replay::schedules;
using ping::Experiment;
using StepOf = bool (*)(const schedules::Group&, std::uint32_t, std::uint32_t, schedules::Step&);

/// How a phase divides the bytes of the call.
enum class BlockSize : std::uint8_t { whole, of_members, of_power_of_two };

struct AlgorithmPhase {
  StepOf step;
  BlockSize blocks = BlockSize::whole;
};

struct Algorithm {
  Experiment collective;
  const char* name;
  std::vector<AlgorithmPhase> phases;
  bool powers_of_two_only = false;
};

const std::vector<Algorithm>& algorithms() {
  using enum BlockSize;
  static const std::vector<Algorithm> all{
      {Experiment::barrier, "dissemination", {{schedules::dissemination}}},
      {Experiment::broadcast, "binomial tree", {{schedules::binomial_broadcast}}},
      {Experiment::broadcast,
       "scatter and recursive doubling",
       {{schedules::binomial_scatter, of_members}, {schedules::doubling_allgather, of_members}},
       true},
      {Experiment::broadcast,
       "scatter and ring",
       {{schedules::binomial_scatter, of_members}, {schedules::ring_allgather, of_members}}},
      {Experiment::reduce, "binomial tree", {{schedules::binomial_reduce}}},
      {Experiment::reduce, "Rabenseifner", {{schedules::rabenseifner_reduce, of_power_of_two}}},
      {Experiment::allreduce, "recursive doubling", {{schedules::doubling_allreduce}}},
      {Experiment::allreduce, "Rabenseifner", {{schedules::rabenseifner_allreduce, of_power_of_two}}},
      {Experiment::allreduce,
       "binomial reduce and broadcast",
       {{schedules::binomial_reduce}, {schedules::binomial_broadcast}}},
      {Experiment::gather, "binomial tree", {{schedules::binomial_gather}}},
      {Experiment::gather, "linear", {{schedules::linear_gather}}},
      {Experiment::allgather, "recursive doubling", {{schedules::doubling_allgather}}, true},
      {Experiment::allgather, "Bruck", {{schedules::bruck_allgather}}},
      {Experiment::allgather, "ring", {{schedules::ring_allgather}}},
      {Experiment::alltoall, "pairwise", {{schedules::pairwise_alltoall}}},
      {Experiment::alltoall, "Bruck", {{schedules::bruck_alltoall}}},
      {Experiment::scatter, "binomial tree", {{schedules::binomial_scatter}}},
      {Experiment::scatter, "linear", {{schedules::linear_scatter}}},
      {Experiment::reduce_scatter_block, "recursive halving", {{schedules::halving_reduce_scatter}}},
      {Experiment::reduce_scatter_block, "recursive doubling", {{schedules::doubling_reduce_scatter}}},
      {Experiment::reduce_scatter_block, "pairwise", {{schedules::pairwise_reduce_scatter}}},
      {Experiment::scan, "recursive doubling", {{schedules::doubling_scan}}},
  };
  return all;
}

/// One member on its way through an algorithm.
struct Member {
  double now = 0;
  std::size_t phase = 0;
  std::uint32_t index = 0;
  bool posted = false; ///< the step is under way
  std::optional<schedules::Step> step;
};

/// What one rank sends another, or wants from it, in order.
struct Channel {
  struct Sent {
    double ready;
    std::uint64_t bytes;
  };
  std::vector<Sent> sent;
  std::vector<double> wanted;
  std::size_t sends_done = 0;
  std::size_t receives_done = 0;
};

/// Runs an algorithm's steps among members that all begin at 0, without contention; each goes on once what it receives
/// has come.
class Run {
public:
  Run(const Algorithm& algorithm, std::uint32_t ranks, std::uint64_t bytes, const FittedMachine& machine)
      : algorithm_(algorithm), group_{.members = ranks}, bytes_(bytes), machine_(machine), members_(ranks) {}

  double seconds() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::uint32_t me = 0; me < group_.members; ++me)
        while (advance(me))
          moved = true;
    }
    double last = 0;
    for (const Member& member : members_)
      last = std::max(last, member.now);
    return last;
  }

private:
  std::uint64_t block_bytes(const Member& member) const {
    switch (algorithm_.phases[member.phase].blocks) {
    case BlockSize::of_members:
      return (bytes_ + group_.members - 1) / group_.members;
    case BlockSize::of_power_of_two:
      return (bytes_ + std::bit_floor(group_.members) - 1) / std::bit_floor(group_.members);
    default:
      return bytes_;
    }
  }

  bool begin_step(std::uint32_t me, Member& member) {
    while (member.phase < algorithm_.phases.size()) {
      schedules::Step step;
      if (algorithm_.phases[member.phase].step(group_, me, member.index, step)) {
        member.step = step;
        return true;
      }
      ++member.phase;
      member.index = 0;
    }
    return false;
  }

  /// True when the member has posted or completed a step.
  bool advance(std::uint32_t me) {
    Member& member = members_[me];
    if (!member.step && !begin_step(me, member)) return false;
    const schedules::Step& step = *member.step;
    if (!member.posted) {
      if (step.from != schedules::nobody) channels_[{step.from, me}].wanted.push_back(member.now);
      if (step.to != schedules::nobody) {
        const std::uint64_t bytes = step.out.count * block_bytes(member);
        member.now += machine_.message(me, step.to, bytes).isend(static_cast<double>(bytes));
        channels_[{me, step.to}].sent.push_back({member.now, bytes});
      }
      member.posted = true;
      return true;
    }
    return complete(me, member);
  }

  double arrival(const Channel& channel, std::size_t number, const LogGpSegment& cost) const {
    const Channel::Sent& sent = channel.sent[number];
    const double wire = static_cast<double>(sent.bytes) * cost.byte_time;
    if (cost.eager) return sent.ready + cost.latency + wire;
    return std::max(sent.ready, channel.wanted[number]) + (1 + handshake_latencies) * cost.latency + cost.handshake +
           wire;
  }

  bool complete(std::uint32_t me, Member& member) {
    const schedules::Step step = *member.step;
    double done = member.now;
    if (step.to != schedules::nobody) {
      const Channel& channel = channels_[{me, step.to}];
      const LogGpSegment& cost = machine_.message(me, step.to, channel.sent[channel.sends_done].bytes);
      if (!cost.eager && channel.wanted.size() <= channel.sends_done) return false;
      if (!cost.eager) done = std::max(done, arrival(channel, channel.sends_done, cost));
    }
    if (step.from != schedules::nobody) {
      Channel& channel = channels_[{step.from, me}];
      if (channel.sent.size() <= channel.receives_done) return false;
      const std::uint64_t bytes = channel.sent[channel.receives_done].bytes;
      const LogGpSegment& cost = machine_.message(step.from, me, bytes);
      done = std::max(done, arrival(channel, channel.receives_done, cost)) + cost.receive(static_cast<double>(bytes));
      if (step.reduces) done += static_cast<double>(bytes) * machine_.reduction_byte_time;
      ++channel.receives_done;
    }
    if (step.to != schedules::nobody) ++channels_[{me, step.to}].sends_done;
    member.now = done;
    member.posted = false;
    member.step.reset();
    ++member.index;
    return true;
  }

  const Algorithm& algorithm_;
  schedules::Group group_;
  std::uint64_t bytes_;
  const FittedMachine& machine_;
  std::vector<Member> members_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Channel> channels_;
};

/// The sizes up to which samples are judged together.
constexpr std::uint64_t size_classes[] = {std::uint64_t{1} << 10U, std::uint64_t{1} << 16U, ~std::uint64_t{0}};

const double near_enough = std::log(1.25);
const double a_twentieth = std::log(1.05);

/// How far an algorithm's prediction is from what was measured, whichever way, where all are off by a factor.
double misses(const AlgorithmMatch& match, double all_off = 1) {
  return match.predicted_over_measured > 0 ? std::abs(std::log(match.predicted_over_measured / all_off)) : 1e9;
}

/// Whether it does not matter which of the algorithms is followed.
bool are_alike(const std::vector<AlgorithmMatch>& nearest_first) {
  return std::ranges::all_of(nearest_first, [&](const AlgorithmMatch& one) {
    return one.predicted_over_measured > 0 &&
           std::abs(std::log(one.predicted_over_measured / nearest_first[0].predicted_over_measured)) < a_twentieth;
  });
}

/// Whether the first is the nearest as predicted, and also where all predictions are off by a factor: else a slower
/// algorithm might be the nearest only because everything is predicted too short.
bool is_told_apart(const std::vector<AlgorithmMatch>& nearest_first, double all_off) {
  if (nearest_first.size() < 2 || misses(nearest_first[0]) >= near_enough) return false;
  return std::ranges::all_of(nearest_first.begin() + 1, nearest_first.end(), [&](const AlgorithmMatch& other) {
    return std::ranges::all_of(std::array{1.0, all_off}, [&](double off) {
      return misses(other, off) > misses(nearest_first[0], off) + a_twentieth;
    });
  });
}

/// Sets which choices tell algorithms apart. By what factor predictions are off, whatever the algorithm, is told by the
/// collectives of as many ranks and such sizes whose algorithms are alike: their median.
void tell_apart(std::vector<CollectiveChoice>& choices) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<double>> whatever_algorithm;
  for (const CollectiveChoice& one : choices)
    if (are_alike(one.algorithms))
      whatever_algorithm[{one.ranks, one.up_to}].push_back(one.algorithms[0].predicted_over_measured);
  for (CollectiveChoice& one : choices) {
    const std::vector<double>& off = whatever_algorithm[{one.ranks, one.up_to}];
    one.told_apart = is_told_apart(one.algorithms, off.empty() ? 1 : median(off));
  }
}

CollectiveChoice choice_of(Experiment collective, std::uint32_t ranks, const std::vector<const Sample*>& samples,
                           const FittedMachine& machine) {
  CollectiveChoice choice;
  choice.collective = collective;
  choice.ranks = ranks;
  choice.from = ~std::uint64_t{0};
  choice.samples = samples.size();
  for (const Sample* sample : samples) {
    choice.from = std::min(choice.from, sample->bytes);
    choice.to = std::max(choice.to, sample->bytes);
  }
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != collective || (algorithm.powers_of_two_only && !std::has_single_bit(ranks))) continue;
    std::vector<double> ratios;
    std::vector<LaunchValue> of_launches;
    for (const Sample* sample : samples) {
      ratios.push_back(Run(algorithm, ranks, sample->bytes, machine).seconds() / sample->seconds);
      of_launches.push_back({sample->launch, ratios.back()});
    }
    choice.algorithms.push_back({algorithm.name, median(ratios), interval_of_median(of_launches)});
  }
  std::ranges::stable_sort(choice.algorithms, {}, [](const AlgorithmMatch& one) { return misses(one); });
  return choice;
}

} // namespace

double algorithm_seconds(Experiment collective, const std::string& algorithm, std::uint32_t ranks, std::uint64_t bytes,
                         const FittedMachine& machine) {
  for (const Algorithm& one : algorithms())
    if (one.collective == collective && one.name == algorithm) return Run(one, ranks, bytes, machine).seconds();
  return 0;
}

std::vector<CollectiveChoice> collective_choices(const std::map<SeriesKey, Series>& series,
                                                 const FittedMachine& machine) {
  constexpr std::size_t least_samples = 3;
  constexpr std::size_t most_samples = 200; // of one class; more say the same
  std::vector<CollectiveChoice> choices;
  for (const auto& [key, one] : series) {
    if (key.second < Experiment::barrier) continue;
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<const Sample*>> classes;
    for (const Sample& sample : one.samples) {
      const auto size = static_cast<std::size_t>(std::ranges::lower_bound(size_classes, sample.bytes) - size_classes);
      if (sample.seconds > 0) classes[{sample.ranks, size}].push_back(&sample);
    }
    for (auto& [ranks_and_size, samples] : classes) {
      if (samples.size() < least_samples) continue;
      if (samples.size() > most_samples) samples.resize(most_samples);
      choices.push_back(choice_of(key.second, ranks_and_size.first, samples, machine));
      choices.back().above = ranks_and_size.second == 0 ? 0 : size_classes[ranks_and_size.second - 1];
      choices.back().up_to = size_classes[ranks_and_size.second];
    }
  }
  tell_apart(choices);
  return choices;
}

} // namespace timeless::analysis
