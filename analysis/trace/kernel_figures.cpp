#include "analysis/trace/kernel_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionKind;
using trace::KernelId;

/// The MPI call at a place, as far as the actions seen tell.
struct CallThere {
  bool seen = false;
  bool ambiguous = false;
  std::string name = {};

  void add(const std::string& other) {
    ambiguous = ambiguous || (seen && other != name);
    if (!seen) name = other;
    seen = true;
  }
  std::string text() const { return ambiguous ? "" : name; }
};

/// Returns true for an action that does not follow a computation but says something of one, or of a receive.
bool says_of_others(const Action& action) {
  return resolves_receive(action.kind) || of_workers(action.kind);
}

std::string call_name(const Action& action) {
  if (action.kind == ActionKind::compute) return "";
  // Marks are not all made by MPI calls.
  return (family(action.kind) == trace::ActionFamily::mark ? "" : "MPI_") + mpi_name(action);
}

/// Adds a visit by Welford's update: exact enough for billions of visits, in one pass.
void add_visit(KernelFigures& kernel, double volume) {
  kernel.least = kernel.visits == 0 ? volume : std::min(kernel.least, volume);
  kernel.most = std::max(kernel.most, volume);
  ++kernel.visits;
  kernel.volume += volume;
  const double before = volume - kernel.mean;
  kernel.mean += before / static_cast<double>(kernel.visits);
  kernel.squares += before * (volume - kernel.mean);
}

constexpr std::uint32_t no_entry = 0xffffffffU;

/// Goes through the ranks' actions, one rank at a time.
class Pass {
public:
  explicit Pass(const trace::Run& run)
      : run_(run), kernels_(run.kernels.size()), ends_(run.kernels.size()), of_rank_(run.kernels.size()),
        first_(run.kernels.size()), later_(run.kernels.size()) {}

  void begin_rank() {
    at_begin_ = true;
    computed_ = trace::no_kernel;
  }

  void add(const trace::ActionBlock& block) {
    // What followed each entry's computation last: it is named again only when it changes.
    std::vector<std::uint32_t> follower(block.dictionary().size(), no_entry);
    std::uint32_t computed_entry = no_entry;
    auto volume = block.volumes().begin();
    for (const std::uint32_t entry : block.sequence()) {
      const Action& action = block.dictionary()[entry];
      const double here = has_volume(action.kind) ? static_cast<double>(*volume++) : 0;
      if (action.kind == ActionKind::workers_sum && action.kernel < kernels_.size())
        kernels_[action.kernel].workers += here;
      if (says_of_others(action)) continue;
      if (computed_ != trace::no_kernel && (computed_entry == no_entry || follower[computed_entry] != entry)) {
        ends_[computed_].add(call_name(action));
        if (computed_entry != no_entry) follower[computed_entry] = entry;
      }
      const bool computes = action.kind == ActionKind::compute && action.kernel < kernels_.size();
      computed_ = computes ? action.kernel : trace::no_kernel;
      computed_entry = computes ? entry : no_entry;
      if (computes) visit(action.kernel, here);
      at_begin_ = false;
    }
  }

  void end_rank() {
    for (std::size_t id = 0; id < kernels_.size(); ++id) {
      const OfRank rank = std::exchange(of_rank_[id], {});
      if (rank.visits == 0) continue;
      KernelFigures& kernel = kernels_[id];
      kernel.least_of_rank = kernel.ranks == 0 ? rank.volume : std::min(kernel.least_of_rank, rank.volume);
      kernel.most_of_rank = std::max(kernel.most_of_rank, rank.volume);
      ++kernel.ranks;
    }
  }

  std::vector<KernelFigures> finish() {
    // A place that ends one kernel begins the next.
    std::map<std::pair<trace::CallSite, trace::CallerId>, CallThere> calls;
    for (std::size_t id = 0; id < kernels_.size(); ++id)
      if (ends_[id].seen) calls[{run_.kernels[id].end, run_.kernels[id].end_caller}].add(ends_[id].text());
    for (std::size_t id = 0; id < kernels_.size(); ++id) {
      const trace::Kernel& kernel = run_.kernels[id];
      const auto end = calls.find({kernel.end, kernel.end_caller});
      if (end != calls.end()) kernels_[id].end_call = end->second.text();
      // Nothing ends at MPI_Init: recording begins there, and with it a rank's first kernel.
      if (first_[id] && !later_[id]) kernels_[id].begin_call = "MPI_Init";
      const auto begin = calls.find({kernel.begin, kernel.begin_caller});
      if (begin != calls.end()) kernels_[id].begin_call = begin->second.text();
    }
    return std::move(kernels_);
  }

private:
  struct OfRank {
    std::uint64_t visits = 0;
    double volume = 0;
  };

  void visit(KernelId id, double volume) {
    add_visit(kernels_[id], volume);
    ++of_rank_[id].visits;
    of_rank_[id].volume += volume;
    (at_begin_ ? first_[id] : later_[id]) = true;
  }

  const trace::Run& run_;
  std::vector<KernelFigures> kernels_;
  std::vector<CallThere> ends_;
  std::vector<OfRank> of_rank_;          ///< the present rank's share
  std::vector<bool> first_;              ///< visited as a rank's first action
  std::vector<bool> later_;              ///< visited as another
  bool at_begin_ = true;                 ///< of the rank's actions
  KernelId computed_ = trace::no_kernel; ///< the kernel whose end the next action is
};

} // namespace

double KernelFigures::variation() const {
  return visits == 0 || mean == 0 ? 0 : std::sqrt(squares / static_cast<double>(visits)) / mean;
}

std::vector<KernelFigures> kernel_figures(const trace::Source& source,
                                          const std::function<void(std::uint64_t)>& progress) {
  Pass pass(source.run());
  std::uint64_t actions = 0;
  for (const trace::RankRecord& record : source.run().ranks) {
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    pass.begin_rank();
    while (stream->next(block)) {
      pass.add(block);
      actions += block.size();
      if (progress) progress(actions);
    }
    pass.end_rank();
  }
  return pass.finish();
}

std::vector<KernelId> heaviest(const std::vector<KernelFigures>& kernels) {
  std::vector<KernelId> ids;
  for (KernelId id = 0; id < kernels.size(); ++id)
    if (kernels[id].visits > 0 || kernels[id].workers > 0) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater{}, [&](KernelId id) { return kernels[id].volume; });
  return ids;
}

} // namespace timeless::analysis
