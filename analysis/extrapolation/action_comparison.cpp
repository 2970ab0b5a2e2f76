#include "analysis/extrapolation/action_comparison.h"

#include "analysis/extrapolation/arrival_order.h"
#include "analysis/scaling/run_figures.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::CommunicatorId;

/// Reads a rank's actions one by one.
class ActionCursor {
public:
  explicit ActionCursor(std::unique_ptr<trace::RankStream> stream) : stream_(std::move(stream)) { refill(); }

  bool done() const { return done_; }
  const Action& action() const { return block_.dictionary()[block_.sequence()[at_]]; }
  std::uint64_t volume() const { return has_volume(action().kind) ? block_.volumes()[volume_] : 0; }
  void advance() {
    if (has_volume(action().kind)) ++volume_;
    if (++at_ == block_.size()) refill();
  }

private:
  void refill() {
    at_ = volume_ = 0;
    do
      done_ = !stream_->next(block_);
    while (!done_ && block_.empty());
  }

  std::unique_ptr<trace::RankStream> stream_;
  trace::ActionBlock block_;
  std::size_t at_ = 0;
  std::size_t volume_ = 0;
  bool done_ = false;
};

class ActionsBeside {
public:
  ActionsBeside(const trace::Source& one, const trace::Source& other)
      : one_(one.run()), other_(other.run()), kernels_(kernel_keys(one.run())),
        other_kernels_(kernel_keys(other.run())) {}

  /// Returns what differs between two actions but for bytes and volumes; empty where nothing does.
  std::string difference(const Action& one, const Action& other) {
    if (one.kind != other.kind || one.mode != other.mode ||
        (one.request == trace::no_request) != (other.request == trace::no_request))
      return fmt::format("{} instead of {}", mpi_name(one), mpi_name(other));
    const std::string name = mpi_name(one);
    if (one.kind == trace::ActionKind::compute && !same_kernel(one.kernel, other.kernel))
      return "a computation at another place";
    if (one.peer != other.peer || one.receive_peer != other.receive_peer)
      return fmt::format("{} with rank {} instead of {}", name, one.peer, other.peer);
    if (one.tag != other.tag || one.receive_tag != other.receive_tag || one.flags != other.flags ||
        one.element_bytes != other.element_bytes)
      return name + " with other tags, flags or elements";
    if (one.request != other.request || !std::ranges::equal(one.requests, other.requests))
      return name + " with other requests";
    if (!same_communicator(one.communicator, other.communicator) ||
        !same_communicator(one.new_communicator, other.new_communicator))
      return name + " with another communicator";
    if (region(one_, one) != region(other_, other)) return name + " of another region";
    return {};
  }

private:
  static std::string region(const trace::Run& run, const Action& action) {
    return action.region < run.regions.size() ? run.regions[action.region] : "";
  }

  bool same_kernel(trace::KernelId one, trace::KernelId other) const {
    if (one >= kernels_.size() || other >= other_kernels_.size()) return one == other;
    return kernels_[one] == other_kernels_[other];
  }

  bool same_communicator(CommunicatorId one, CommunicatorId other) {
    if (one == trace::no_communicator || other == trace::no_communicator) return one == other;
    const auto [found, fresh] = same_.try_emplace({one, other}, false);
    if (fresh)
      found->second = one_.communicators[one].members == other_.communicators[other].members &&
                      one_.communicators[one].grid == other_.communicators[other].grid;
    return found->second;
  }

  const trace::Run& one_;
  const trace::Run& other_;
  std::vector<KernelKey> kernels_;
  std::vector<KernelKey> other_kernels_;
  std::map<std::pair<CommunicatorId, CommunicatorId>, bool> same_;
};

bool same_bytes_of(const Action& one, const Action& other) {
  return one.bytes == other.bytes && one.receive_bytes == other.receive_bytes &&
         std::ranges::equal(one.counts, other.counts) && std::ranges::equal(one.receive_counts, other.receive_counts);
}

bool has_bytes(const Action& action) {
  return action.bytes > 0 || action.receive_bytes > 0 || !action.counts.empty() || !action.receive_counts.empty();
}

/// What a rank computed in the extrapolated run and in the recorded one.
struct ComparedVolumes {
  double extrapolated = 0;
  double recorded = 0;
  bool alike = true;
};

class RankComparison {
public:
  RankComparison(ActionComparison& all, ActionsBeside& beside, trace::Rank rank)
      : all_(all), beside_(beside), rank_(rank) {}

  ComparedVolumes compare(ActionCursor extrapolated, ActionCursor recorded) {
    std::uint64_t number = 0;
    for (; !extrapolated.done() && !recorded.done(); extrapolated.advance(), recorded.advance(), ++number) {
      if (sums_.alike) compare(extrapolated, recorded, number);
      sum(extrapolated, recorded);
    }
    if (extrapolated.done() != recorded.done()) differ(number, "one run has more actions than the other");
    for (; !extrapolated.done(); extrapolated.advance())
      sums_.extrapolated += static_cast<double>(extrapolated.volume());
    for (; !recorded.done(); recorded.advance(), ++number)
      sums_.recorded += static_cast<double>(recorded.volume());
    all_.actions += number;
    return sums_;
  }

private:
  void sum(const ActionCursor& extrapolated, const ActionCursor& recorded) {
    sums_.extrapolated += static_cast<double>(extrapolated.volume());
    sums_.recorded += static_cast<double>(recorded.volume());
  }

  void compare(const ActionCursor& extrapolated, const ActionCursor& recorded, std::uint64_t number) {
    const Action& one = extrapolated.action();
    const Action& other = recorded.action();
    if (const std::string what = beside_.difference(one, other); !what.empty()) return differ(number, what);
    ++all_.actions_alike;
    if (has_volume(one.kind)) {
      ++all_.volumes;
      all_.volumes_equal += extrapolated.volume() == recorded.volume() ? 1 : 0;
      all_.action_error +=
          std::abs(static_cast<double>(extrapolated.volume()) - static_cast<double>(recorded.volume()));
    } else if (has_bytes(one) || has_bytes(other)) {
      ++all_.sized;
      all_.sized_equal += same_bytes_of(one, other) ? 1 : 0;
    }
  }

  void differ(std::uint64_t number, const std::string& what) {
    if (all_.first_difference.empty())
      all_.first_difference = fmt::format("rank {}, action {}: {}", rank_, number, what);
    sums_.alike = false;
  }

  ActionComparison& all_;
  ActionsBeside& beside_;
  trace::Rank rank_;
  ComparedVolumes sums_;
};

} // namespace

void demand_ranks(const trace::Run& recorded, trace::Rank ranks) {
  if (recorded.size != ranks)
    throw Error(Failure::invalid_input, fmt::format("the recorded run has {} ranks, not {}", recorded.size, ranks), {},
                "compare with a recording of as many ranks");
}

ActionComparison compare_actions(const trace::Source& made, const trace::Source& real) {
  const OrderedArrivals extrapolated(made);
  const OrderedArrivals recorded(real);
  demand_ranks(recorded.run(), extrapolated.run().size);
  ActionComparison all;
  ActionsBeside beside(extrapolated, recorded);
  double sum = 0;
  ComparedVolumes most;
  for (trace::Rank rank = 0; rank < recorded.run().size; ++rank) {
    const ComparedVolumes of = RankComparison(all, beside, rank)
                                   .compare(ActionCursor(extrapolated.open(rank)), ActionCursor(recorded.open(rank)));
    ++all.ranks;
    all.ranks_alike += of.alike ? 1 : 0;
    all.volume += of.recorded;
    sum += of.extrapolated;
    most.extrapolated = std::max(most.extrapolated, of.extrapolated);
    most.recorded = std::max(most.recorded, of.recorded);
    if (of.recorded > 0) all.rank_error = std::max(all.rank_error, std::abs(of.extrapolated / of.recorded - 1));
  }
  if (all.volume > 0) all.volume_error = sum / all.volume - 1;
  if (all.volume > 0) all.action_error /= all.volume;
  const auto ranks = static_cast<double>(all.ranks);
  if (most.extrapolated > 0) all.balance = sum / ranks / most.extrapolated;
  if (most.recorded > 0) all.balance_recorded = all.volume / ranks / most.recorded;
  return all;
}

} // namespace timeless::analysis
