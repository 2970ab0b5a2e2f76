#include "analysis/critical_path.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace timeless::analysis {

namespace {

using replay::PathSegment;
using trace::Action;
using trace::ActionKind;
using Kind = PathSegment::Kind;

/// Returns whether a rank that is done with an action need not wait any more for what others did before it: they have
/// all come, or the one that all need something of.
bool meets_all(const Action& action, const trace::Run& run) {
  switch (action.kind) {
  case ActionKind::barrier:
  case ActionKind::allreduce:
  case ActionKind::allgather:
  case ActionKind::allgatherv:
  case ActionKind::alltoall:
  case ActionKind::alltoallv:
  case ActionKind::alltoallw:
  case ActionKind::reduce_scatter:
  case ActionKind::reduce_scatter_block:
  case ActionKind::broadcast:
  case ActionKind::scatter:
  case ActionKind::scatterv:
    break;
  default:
    return false;
  }
  return action.communicator < run.communicators.size() &&
         run.communicators[action.communicator].members.size() == static_cast<std::size_t>(run.size);
}

/// The volumes of the kernels in some of a rank's actions, as a replay takes them: a burst with worker threads is as
/// long as the longest of them.
class Volumes {
public:
  explicit Volumes(const std::function<double(trace::KernelId)>& factor) : factor_(factor) {}

  void add(const Action& action, std::uint64_t volume) {
    if (action.kind == ActionKind::workers_maximum) {
      if (volume > last_) kernels_[action.kernel] += factor_(action.kernel) * static_cast<double>(volume - last_);
      last_ = 0;
    } else if (action.kind == ActionKind::compute) {
      kernels_[action.kernel] += factor_(action.kernel) * static_cast<double>(volume);
      last_ = volume;
    } else if (action.kind != ActionKind::workers_sum) {
      last_ = 0;
    }
  }

  /// Returns each kernel's part of the seconds; starts anew.
  std::vector<KernelOnPath> parts(double seconds) {
    std::vector<KernelOnPath> all;
    const double total = std::accumulate(kernels_.begin(), kernels_.end(), 0.0,
                                         [](double sum, const auto& each) { return sum + each.second; });
    for (const auto& [kernel, volume] : std::exchange(kernels_, {}))
      if (volume > 0) all.push_back({kernel, seconds * (volume / total)});
    std::ranges::stable_sort(all, std::greater{}, &KernelOnPath::seconds);
    return all;
  }

private:
  const std::function<double(trace::KernelId)>& factor_;
  std::map<trace::KernelId, double> kernels_;
  std::uint64_t last_ = 0; ///< the computation just before
};

/// Pieces of the path on one rank, by number.
struct PiecesOnRank {
  std::vector<std::size_t> computed;
  std::vector<std::size_t> taken; ///< messages and collectives
};

/// The pieces of the path on one rank, as its actions are read in order.
class PiecesOfRank {
public:
  PiecesOfRank(PiecesOnRank pieces, CriticalPath& path, const Volumes& none, const trace::Run& run)
      : pieces_(std::move(pieces.computed)), taken_(std::move(pieces.taken)), path_(path), none_(none), run_(run) {
    // Pieces of several threads overlap, and are not in the order of their actions.
    std::ranges::stable_sort(pieces_, {}, [&](std::size_t piece) { return path_.segments[piece].first_action; });
    std::ranges::stable_sort(taken_, {}, [&](std::size_t piece) { return path_.segments[piece].last_action; });
  }

  bool done() const { return next_ == pieces_.size() && next_taken_ == taken_.size() && open_.empty(); }

  void read(std::uint64_t ordinal, const Action& action, std::uint64_t volume) {
    if (action.kind == ActionKind::thread) thread_ = action.peer;
    if (action.kind == ActionKind::compute) computed_[thread_] = action.kernel;
    for (; next_taken_ < taken_.size() && path_.segments[taken_[next_taken_]].last_action <= ordinal; ++next_taken_) {
      const std::size_t taken = taken_[next_taken_];
      if (const auto found = computed_.find(thread_); found != computed_.end())
        path_.computed_before[taken] = found->second;
      path_.together[taken] = meets_all(action, run_);
    }
    for (; next_ < pieces_.size() && path_.segments[pieces_[next_]].first_action <= ordinal; ++next_)
      open_.push_back({pieces_[next_], {}});
    for (Open& piece : open_) {
      Volumes& volumes = piece.by_thread.try_emplace(thread_, none_).first->second;
      volumes.add(action, volume);
      const PathSegment& segment = path_.segments[piece.number];
      if (ordinal >= segment.last_action) path_.kernels[piece.number] = volumes.parts(segment.compute);
    }
    std::erase_if(open_, [&](const Open& piece) { return ordinal >= path_.segments[piece.number].last_action; });
  }

private:
  struct Open {
    std::size_t number;
    std::map<trace::Rank, Volumes> by_thread; ///< a piece is of the thread that its last action is of
  };
  std::vector<std::size_t> pieces_;
  std::vector<std::size_t> taken_;
  CriticalPath& path_;
  const Volumes& none_;
  const trace::Run& run_;
  std::size_t next_ = 0;
  std::size_t next_taken_ = 0;
  std::vector<Open> open_;
  trace::Rank thread_ = 0;
  std::map<trace::Rank, trace::KernelId> computed_; ///< last, by thread
};

/// Reads a rank's actions as far as its pieces of the path reach.
void find_kernels(const trace::Source& source, trace::Rank rank, PiecesOfRank pieces, std::uint64_t& read,
                  const std::function<void(std::uint64_t)>& progress) {
  const auto stream = source.open(rank);
  trace::ActionBlock block;
  std::uint64_t ordinal = 0;
  while (!pieces.done() && stream->next(block)) {
    trace::for_each_action(block,
                           [&](const Action& action, std::uint64_t volume) { pieces.read(ordinal++, action, volume); });
    read += block.size();
    if (progress) progress(read);
  }
}

void add_to_sums(CriticalPath& path) {
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    const PathSegment& segment = path.segments[i];
    const double seconds = segment.end - segment.begin;
    if (segment.kind == Kind::not_started) {
      path.not_started += seconds;
      continue;
    }
    path.compute += segment.compute;
    path.latency += segment.latency;
    path.bandwidth += segment.bandwidth;
    path.rest += seconds - segment.compute - segment.latency - segment.bandwidth;
    switch (segment.kind) {
    case Kind::local:
      path.by_rank[segment.rank] += seconds;
      for (const KernelOnPath& part : path.kernels[i])
        path.by_kernel[part.kernel] += part.seconds;
      break;
    case Kind::message:
      ++path.messages;
      path.in_messages += seconds;
      break;
    case Kind::collective:
      ++path.collectives;
      path.in_collectives += seconds;
      break;
    case Kind::forgotten:
      path.forgotten += seconds;
      break;
    case Kind::not_started:
      break;
    }
  }
}

} // namespace

CriticalPath explain_path(const trace::Source& source, std::vector<PathSegment> segments,
                          const std::function<double(trace::KernelId)>& factor,
                          const std::function<void(std::uint64_t)>& progress) {
  CriticalPath path;
  path.segments = std::move(segments);
  path.kernels.resize(path.segments.size());
  if (!path.segments.empty()) path.makespan = path.segments.back().end;
  path.computed_before.assign(path.segments.size(), trace::no_kernel);
  path.together.assign(path.segments.size(), false);
  std::map<trace::Rank, PiecesOnRank> pieces;
  for (std::size_t i = 0; i < path.segments.size(); ++i) {
    const PathSegment& segment = path.segments[i];
    if (segment.kind == Kind::local && segment.compute > 0) pieces[segment.rank].computed.push_back(i);
    if (segment.kind == Kind::message || segment.kind == Kind::collective) pieces[segment.rank].taken.push_back(i);
  }
  std::uint64_t read = 0;
  const Volumes none(factor);
  for (const auto& [rank, of_rank] : pieces)
    find_kernels(source, rank, {of_rank, path, none, source.run()}, read, progress);
  add_to_sums(path);
  return path;
}

} // namespace timeless::analysis
