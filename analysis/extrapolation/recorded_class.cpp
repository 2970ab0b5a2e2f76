#include "analysis/extrapolation/recorded_class.h"

#include "analysis/extrapolation/not_understood.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace timeless::analysis {

namespace {

using trace::Action;
using trace::Communicator;
using trace::CommunicatorId;

/// What stands in a slot that no rank has come to.
constexpr std::uint32_t no_pattern = ~std::uint32_t{0};

/// Returns the periodicities of a topology of the free sides; nothing where it is none of them.
std::optional<std::vector<bool>> topology(const Communicator& communicator, const RankGrid& grid, unsigned mask) {
  std::vector<bool> periodic;
  for (std::size_t side = 0, next = 0; side < grid.sides.size(); ++side) {
    if ((mask >> side & 1U) == 0) continue;
    if (next == communicator.grid.size() || communicator.grid[next].extent != grid.sides[side].extent)
      return std::nullopt;
    periodic.push_back(communicator.grid[next++].periodic);
  }
  if (periodic.size() != communicator.grid.size()) return std::nullopt;
  return periodic;
}

/// Describes a communicator that a rank has created.
CreatedCommunicator described(const Communicator& communicator, const RankGrid& grid, trace::Rank rank) {
  if (!communicator.remote_members.empty()) throw NotUnderstood("an intercommunicator");
  CreatedCommunicator created;
  for (unsigned mask = 0; mask < 1U << grid.sides.size(); ++mask) {
    if (grid.line(rank, mask) != communicator.members) continue;
    created.masks |= 1U << mask;
    if (!communicator.grid.empty() && !created.grid) created.grid = topology(communicator, grid, mask);
  }
  if (created.masks == 0)
    throw NotUnderstood(fmt::format("a communicator of {} ranks that is neither all of them nor a row, a column or a "
                                    "plane of their grid, in its order",
                                    communicator.members.size()));
  if (!communicator.grid.empty() && !created.grid)
    throw NotUnderstood("a Cartesian topology other than the ranks' grid");
  return created;
}

} // namespace

/// One rank while it is read.
class ClassReader::Rank {
public:
  Rank(ClassReader& reader, const RecordedRun& run, std::size_t number, trace::Rank rank)
      : reader_(reader), actions_(reader.actions_), run_(run), by_{static_cast<std::uint32_t>(number), rank},
        rank_(rank) {
    const auto& communicators = run.source->run().communicators;
    known_.resize(communicators.size());
    known_[trace::world_communicator] = SharedCommunicator{trace::world_communicator, view(trace::world_communicator)};
  }

  void read() {
    const auto stream = run_.source->open(rank_);
    trace::ActionBlock block;
    LoopWalk walk(actions_.layout, trips());
    while (stream->next(block)) {
      cache_.assign(block.dictionary().size(), {});
      auto volume = block.volumes().begin();
      for (const std::uint32_t entry : block.sequence()) {
        const Action& action = block.dictionary()[entry];
        try {
          if (walk.done()) refuse_end();
          by_.trip = walk.trip();
          place(entry, action, walk.slot());
          if (has_volume(action.kind)) add_volume(action, *volume++, walk.slot());
        } catch (NotUnderstood& reason) {
          locate(reason, action);
          throw;
        }
        if (action.kind == trace::ActionKind::compute) kernel_ = run_.kernels[action.kernel];
        ++next_;
        walk.advance();
      }
    }
    if (!walk.done()) refuse_end();
    add_means();
    if (reader_.begun_ && created_ != actions_.created.size()) throw NotUnderstood("other communicators created");
  }

private:
  struct SharedCommunicator {
    CommunicatorId shared = trace::no_communicator;
    CommunicatorView view = {};
  };

  /// Returns the trips of the loops in this run.
  std::vector<std::uint64_t> trips() const {
    std::vector<std::uint64_t> here;
    for (const VariableLoop& loop : actions_.layout.loops)
      here.push_back(loop.trips[by_.run].value_or(0));
    return here;
  }

  void place(std::uint32_t entry, const Action& action, std::size_t slot) {
    const bool creates = action.new_communicator != trace::no_communicator;
    if (creates) create(action.new_communicator);
    // Equal entries of a rank, and those of the class's further ranks, come together again in the same patterns.
    std::uint32_t& pattern = actions_.sequence[slot];
    auto& cache = cache_[entry];
    const std::uint64_t key = by_.trip << 32U | pattern;
    const auto found = cache.find(key);
    if (found != cache.end() && !creates) {
      pattern = found->second;
      return;
    }
    pattern = pattern == no_pattern ? reader_.patterns_.first(shared(action), by_)
                                    : reader_.patterns_.join(pattern, shared(action), by_);
    cache[key] = pattern;
  }

  void add_volume(const Action& action, std::uint64_t volume, std::size_t slot) {
    if (reader_.pooled_) {
      const auto kernel = action.kernel == trace::no_kernel ? action.kernel : run_.kernels[action.kernel];
      auto& [sum, visits] = visited_[{action.kind, kernel}];
      sum += static_cast<double>(volume);
      visits += 1;
      return;
    }
    FigureId& figure = actions_.volumes[slot];
    figure = reader_.figures_.add(figure, {by_.run, by_.rank, volume, by_.trip});
  }

  /// Adds the means over the visits, where volumes are pooled.
  void add_means() {
    for (const auto& [of, visited] : visited_) {
      FigureId& figure = reader_.pools_[of];
      const auto mean = static_cast<std::uint64_t>(std::llround(visited.first / visited.second));
      figure = reader_.figures_.add(figure, {by_.run, by_.rank, mean, 0});
    }
  }

  CommunicatorView view(CommunicatorId id) const {
    const auto& members = run_.source->run().communicators[id].members;
    const auto own = std::ranges::find(members, rank_);
    if (own == members.end()) throw NotUnderstood("a communicator that the rank is no member of");
    return {&run_.grid, &members, static_cast<trace::Rank>(own - members.begin()), 0};
  }

  void create(CommunicatorId id) {
    const CreatedCommunicator made = described(run_.source->run().communicators[id], run_.grid, rank_);
    if (created_ == actions_.created.size()) {
      if (reader_.begun_) throw NotUnderstood("a communicator that others do not create");
      actions_.created.push_back(made);
    }
    CreatedCommunicator& all = actions_.created[created_];
    if ((all.masks & made.masks) == 0) throw NotUnderstood("a communicator of other sides of the grid than on others");
    if (all.grid != made.grid) throw NotUnderstood("a Cartesian topology that others lack");
    all.masks &= made.masks;
    known_[id] = SharedCommunicator{created_communicator + static_cast<CommunicatorId>(created_++), view(id)};
  }

  const SharedCommunicator& known(CommunicatorId id) {
    if (!known_[id]) {
      const Communicator& communicator = run_.source->run().communicators[id];
      if (communicator.members.size() != 1 || communicator.members.front() != rank_)
        throw NotUnderstood("a communicator that no recorded call has created");
      known_[id] = SharedCommunicator{own_communicator, view(id)};
      actions_.uses_own_communicator = true;
    }
    return *known_[id];
  }

  SharedAction shared(const Action& action) {
    SharedAction shared{.action = action};
    shared.communicator.grid = &run_.grid;
    if (names_communicator(action.kind)) {
      const SharedCommunicator& of = known(action.communicator);
      shared.action.communicator = of.shared;
      shared.communicator = of.view;
    }
    shared.communicator.trip = by_.trip;
    if (action.new_communicator != trace::no_communicator)
      shared.action.new_communicator = known(action.new_communicator).shared;
    if (action.kernel != trace::no_kernel) shared.action.kernel = run_.kernels[action.kernel];
    if (action.region != trace::no_region) shared.action.region = run_.regions[action.region];
    return shared;
  }

  [[noreturn]] void refuse_end() const {
    throw NotUnderstood(
        fmt::format("rank {} does not do as often what others do: they do not have {} actions", rank_, next_),
        {.run = run_.name, .rank = rank_, .action = next_, .kernel = kernel_});
  }

  void locate(NotUnderstood& reason, const Action& action) const {
    if (!reason.where.run.empty()) return;
    const auto of = family(action.kind);
    const bool call = of != trace::ActionFamily::computation && of != trace::ActionFamily::mark;
    reason.where = {.run = run_.name,
                    .rank = rank_,
                    .action = next_,
                    .call = call ? "MPI_" + mpi_name(action) : "",
                    .kernel = kernel_};
  }

  ClassReader& reader_;
  ClassActions& actions_;
  const RecordedRun& run_;
  Observer by_;
  trace::Rank rank_;
  std::vector<std::optional<SharedCommunicator>> known_;                                       ///< by the run's number
  std::map<std::pair<trace::ActionKind, trace::KernelId>, std::pair<double, double>> visited_; ///< volumes, visits
  std::size_t created_ = 0;
  std::uint64_t next_ = 0;
  trace::KernelId kernel_ = trace::no_kernel;
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>>
      cache_; ///< by entry: what it made of which pattern, in which trip
};

ClassReader::ClassReader(PatternTable& patterns, FigureTable& figures, LoopLayout layout, bool pooled)
    : patterns_(patterns), figures_(figures), pooled_(pooled) {
  actions_.sequence.assign(layout.slots, no_pattern);
  actions_.volumes.assign(layout.slots, no_observations);
  actions_.layout = std::move(layout);
}

ClassActions ClassReader::finish() {
  for (std::size_t slot = 0; pooled_ && slot < actions_.sequence.size(); ++slot) {
    const Action& action = patterns_[actions_.sequence[slot]].action;
    if (has_volume(action.kind)) actions_.volumes[slot] = pools_[{action.kind, action.kernel}];
  }
  return std::move(actions_);
}

std::size_t count_actions(const RecordedRun& run, trace::Rank rank) {
  const auto stream = run.source->open(rank);
  trace::ActionBlock block;
  std::size_t count = 0;
  while (stream->next(block))
    count += block.size();
  return count;
}

std::vector<Symbol> symbols_of(const RecordedRun& run, trace::Rank rank, SymbolTable& table) {
  const auto stream = run.source->open(rank);
  trace::ActionBlock block;
  std::vector<Symbol> symbols;
  std::map<CommunicatorId, std::size_t> created; // in the order in which the rank gets them
  std::vector<std::optional<Symbol>> known;
  while (stream->next(block)) {
    known.assign(block.dictionary().size(), std::nullopt);
    for (const std::uint32_t entry : block.sequence()) {
      const Action& action = block.dictionary()[entry];
      const bool creates = action.new_communicator != trace::no_communicator;
      if (creates) created.try_emplace(action.new_communicator, created.size() + 1);
      if (!known[entry] || creates) {
        const auto communicator = created.find(action.communicator);
        known[entry] = table(fmt::format(
            "{} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(action.kind), static_cast<int>(action.mode),
            mpi_name(action), action.flags, communicator == created.end() ? 0 : communicator->second,
            creates ? created[action.new_communicator] : 0, action.element_bytes, action.request,
            action.kernel == trace::no_kernel ? action.kernel : run.kernels[action.kernel],
            action.region == trace::no_region ? action.region : run.regions[action.region],
            fmt::join(action.requests, ",")));
      }
      symbols.push_back(*known[entry]);
    }
  }
  return symbols;
}

void ClassReader::add(const RecordedRun& run, std::size_t number, trace::Rank rank) {
  Rank(*this, run, number, rank).read();
  begun_ = true;
}

} // namespace timeless::analysis
