#include "analysis/scaling/run_figures.h"

#include "analysis/trace/regions.h"
#include "analysis/trace/summary.h"
#include "trace/model/memory_events.h"
#include "trace/model/open_regions.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <set>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::ActionFamily;
using trace::ActionKind;

std::string module_key(const trace::Module& module) {
  return module.build_id.empty() ? module.path.substr(module.path.rfind('/') + 1) : module.build_id;
}

SitePath site_path(const trace::Run& run, trace::CallSite site, trace::CallerId caller) {
  SitePath path;
  const auto add = [&](const trace::CallSite& at) {
    path.emplace_back(at.module < run.modules.size() ? module_key(run.modules[at.module]) : "", at.offset);
  };
  add(site);
  for (; caller != trace::no_caller && caller < run.callers.size(); caller = run.callers[caller].caller)
    add(run.callers[caller].site);
  return path;
}

/// Sums of one rank, which become sums and maxima of all.
template <typename Key>
class SumsByRank {
public:
  void add(const Key& key, const std::string& metric, double value) { rank_[key][metric] += value; }
  void end_rank() {
    for (auto& [key, metrics] : rank_)
      for (const auto& [metric, value] : metrics) {
        OverRanks& all = all_[key][metric];
        all.mean += value; // a sum until finish()
        all.most = std::max(all.most, value);
      }
    rank_.clear();
  }
  std::map<Key, Metrics> finish(double ranks) {
    for (auto& [key, metrics] : all_)
      for (auto& [metric, value] : metrics)
        value.mean /= ranks;
    return std::move(all_);
  }

private:
  std::map<Key, std::map<std::string, double>> rank_;
  std::map<Key, Metrics> all_;
};

/// How often kernels are visited in each region, by RegionId, over all ranks.
using VisitsByRegion = std::vector<std::map<trace::KernelId, double>>;

/// Goes through one rank's actions: what it computes where, and which calls it makes at which place. A call's place is
/// the end of the computation before it, or the begin of that after it.
class RankPass {
public:
  RankPass(const trace::Run& run, trace::Rank rank, const std::vector<KernelKey>& keys,
           const std::vector<trace::KernelId>& first, std::map<std::string, ActionFamily>& families,
           VisitsByRegion& in_regions)
      : run_(run), rank_(rank), keys_(keys), first_(first), families_(families), in_regions_(in_regions),
        volumes_(run.kernels.size()), visits_(run.kernels.size()) {}

  void follow(const Action& action, std::uint64_t volume) {
    if (family(action.kind) == ActionFamily::mark) regions_.follow(action, 0);
    if (action.kind == ActionKind::compute) return compute(action.kernel, static_cast<double>(volume));
    if (has_volume(action.kind) || action.kind == ActionKind::resolved) return;
    if (waiting_) note(nullptr);
    if (is_call(action.kind)) {
      waiting_ = Waiting{&families_.try_emplace(mpi_name(action), family(action.kind)).first->first,
                         bytes_sent(action, run_, rank_)};
      if (computed_ != trace::no_kernel) note(&keys_[computed_].end);
    }
    computed_ = trace::no_kernel;
  }

  void end(SumsByRank<trace::KernelId>& kernels, std::map<CallKey, CallOfRun>& calls, const std::string& unit,
           std::vector<std::vector<double>>& by_rank) {
    if (waiting_) note(nullptr);
    for (trace::KernelId id = 0; id < volumes_.size(); ++id) {
      if (visits_[id] == 0) continue;
      kernels.add(id, unit, volumes_[id]);
      by_rank[id].resize(static_cast<std::size_t>(run_.size));
      by_rank[id][static_cast<std::size_t>(rank_)] = volumes_[id];
      kernels.add(id, "visits", visits_[id]);
    }
    for (const auto& [place, of_names] : calls_)
      for (const auto& [name, sum] : of_names) {
        CallOfRun& call = calls[{*name, place == nullptr ? SitePath() : *place}];
        add(call, "calls", sum.calls);
        add(call, "bytes", sum.bytes);
      }
  }

private:
  struct Waiting {
    const std::string* name;
    trace::Bytes bytes;
  };
  struct Sum {
    double calls = 0;
    double bytes = 0;
  };

  void add(CallOfRun& call, const std::string& metric, double value) const {
    std::vector<double>& by_rank = call.by_rank[metric];
    by_rank.resize(static_cast<std::size_t>(run_.size));
    by_rank[static_cast<std::size_t>(rank_)] += value;
  }

  void compute(trace::KernelId kernel, double volume) {
    if (kernel >= volumes_.size()) return;
    if (waiting_) note(&keys_[kernel].begin);
    volumes_[first_[kernel]] += volume;
    visits_[first_[kernel]] += 1;
    std::set<trace::RegionId> here;
    for (const trace::OpenRegions::Open& open : regions_.here())
      if (here.insert(open.region).second) in_regions_.at(open.region)[first_[kernel]] += 1;
    computed_ = kernel;
  }

  void note(const SitePath* place) {
    Sum& sum = calls_[place][waiting_->name];
    sum.calls += 1;
    sum.bytes += static_cast<double>(waiting_->bytes);
    waiting_.reset();
  }

  const trace::Run& run_;
  trace::Rank rank_;
  const std::vector<KernelKey>& keys_;
  const std::vector<trace::KernelId>& first_;     ///< kernel of each name
  std::map<std::string, ActionFamily>& families_; ///< its keys stay where they are: each call's name has one address
  VisitsByRegion& in_regions_;
  trace::OpenRegions regions_;
  std::vector<double> volumes_;
  std::vector<double> visits_;
  std::map<const SitePath*, std::map<const std::string*, Sum>> calls_;
  std::optional<Waiting> waiting_;              ///< a call whose place is not known yet
  trace::KernelId computed_ = trace::no_kernel; ///< by the action before
};

OverRanks over_ranks(const std::vector<double>& by_rank) {
  return {std::accumulate(by_rank.begin(), by_rank.end(), 0.0) / static_cast<double>(by_rank.size()),
          *std::ranges::max_element(by_rank)};
}

/// A size of caches that misses of a memory profile are said of.
struct CacheOfFigures {
  const char* misses;
  double bytes;
};

/// About what first, second and last caches have.
constexpr std::array caches_of_figures{CacheOfFigures{"MISSES_32KiB", 32.0 * 1024},
                                       CacheOfFigures{"MISSES_1MiB", 1024.0 * 1024},
                                       CacheOfFigures{"MISSES_32MiB", 32.0 * 1024 * 1024}};

/// Adds what a kernel accesses, and what caches of several sizes would miss of it, instead of each class of distances.
void add_memory(const std::vector<std::uint64_t>& sums, trace::KernelId kernel, SumsByRank<trace::KernelId>& kernels) {
  const std::vector<double> events(sums.begin(), sums.end());
  for (std::size_t event = trace::memory_loads; event < trace::memory_first_class; ++event)
    kernels.add(kernel, trace::memory_events()[event], events[event]);
  for (const CacheOfFigures& cache : caches_of_figures) {
    double misses = trace::new_lines(events);
    for (const auto order : {trace::FetchOrder::sequential, trace::FetchOrder::random, trace::FetchOrder::chained})
      misses += trace::lines_beyond(events, order, cache.bytes);
    kernels.add(kernel, cache.misses, misses);
  }
}

void add_profile(const trace::Run& run, const trace::RankRecord& record, const std::vector<trace::KernelId>& first,
                 SumsByRank<trace::KernelId>& kernels) {
  if (run.profile_events == trace::memory_events()) {
    for (const trace::KernelProfile& profile : record.profile)
      if (profile.sums.size() == run.profile_events.size()) add_memory(profile.sums, first.at(profile.kernel), kernels);
    return;
  }
  for (const trace::KernelProfile& profile : record.profile)
    for (std::size_t event = 0; event < std::min(profile.sums.size(), run.profile_events.size()); ++event)
      kernels.add(first.at(profile.kernel), run.profile_events[event], static_cast<double>(profile.sums[event]));
}

/// Returns for each kernel the first one of the same name: runs that were put together have several, and so have builds
/// whose places are told by source line.
std::vector<trace::KernelId> first_of_name(const std::vector<KernelKey>& keys) {
  std::map<KernelKey, trace::KernelId> first;
  std::vector<trace::KernelId> ids;
  for (const KernelKey& key : keys)
    ids.push_back(first.try_emplace(key, static_cast<trace::KernelId>(ids.size())).first->second);
  return ids;
}

} // namespace

std::vector<KernelKey> kernel_keys(const trace::Run& run) {
  std::vector<KernelKey> keys;
  for (const trace::Kernel& kernel : run.kernels)
    keys.push_back({site_path(run, kernel.begin, kernel.begin_caller), site_path(run, kernel.end, kernel.end_caller)});
  return keys;
}

void add_functions(RunFigures& figures, const std::map<KernelKey, std::string>& names, const std::string& unit) {
  std::map<std::string, std::vector<double>> by_rank;
  for (const auto& [key, kernel] : figures.kernels) {
    const auto name = names.find(key);
    if (name == names.end()) continue;
    figures.functions_of[key] = {name->second};
    std::vector<double>& sum = by_rank.try_emplace(name->second, kernel.by_rank.size()).first->second;
    std::ranges::transform(sum, kernel.by_rank, sum.begin(), std::plus{});
  }
  for (const auto& [name, values] : by_rank)
    figures.functions[name] = {{unit, over_ranks(values)}};
}

RunFigures run_figures(const trace::Source& source, const std::function<void(std::uint64_t)>& progress) {
  const trace::Run& run = source.run();
  const std::string unit = name(run.counter.unit);
  RunFigures figures{.ranks = static_cast<double>(run.size), .grid = recorded_grid(run)};
  const std::vector<KernelKey> keys = kernel_keys(run);
  const std::vector<trace::KernelId> first = first_of_name(keys);
  std::vector<std::vector<double>> by_rank(run.kernels.size());
  SumsByRank<trace::KernelId> kernels;
  SumsByRank<int> whole;
  VisitsByRegion in_regions(run.regions.size());
  std::uint64_t done = 0;
  for (const trace::RankRecord& record : run.ranks) {
    RankPass pass(run, record.rank, keys, first, figures.families, in_regions);
    const auto stream = source.open(record.rank);
    trace::ActionBlock block;
    while (stream->next(block)) {
      for_each_action(block, [&](const Action& action, std::uint64_t volume) {
        pass.follow(action, volume);
        if (action.kind == ActionKind::compute) whole.add(0, unit, static_cast<double>(volume));
      });
      done += block.size();
      if (progress) progress(done);
    }
    pass.end(kernels, figures.calls, unit, by_rank);
    add_profile(run, record, first, kernels);
    kernels.end_rank();
    whole.end_rank();
  }
  for (auto& [key, call] : figures.calls)
    for (const auto& [metric, values] : call.by_rank)
      call.metrics[metric] = over_ranks(values);
  figures.volume = whole.finish(figures.ranks)[0][unit];
  for (auto& [id, metrics] : kernels.finish(figures.ranks)) {
    by_rank[id].resize(static_cast<std::size_t>(run.size)); // those that are profiled, and compute nothing
    figures.kernels.emplace(keys.at(id), KernelOfRun{id, std::move(metrics), std::move(by_rank[id])});
  }
  for (std::size_t region = 0; region < in_regions.size(); ++region)
    for (const auto& [kernel, visits] : in_regions[region])
      // As a mean of the ranks, so that it is the same number.
      if (figures.kernels.at(keys.at(kernel)).metrics.at("visits").mean == visits / figures.ranks)
        figures.regions_of[keys.at(kernel)].insert(run.regions[region]);
  const std::vector<RegionFigures> regions =
      run.regions.empty() ? std::vector<RegionFigures>() : region_figures(source);
  for (std::size_t id = 0; id < regions.size(); ++id)
    figures.regions[run.regions[id]] = {
        {unit, {regions[id].volume_per_rank.mean, regions[id].volume_per_rank.most}},
        {"visits", {regions[id].visits_per_rank.mean, regions[id].visits_per_rank.most}}};
  return figures;
}

} // namespace timeless::analysis
