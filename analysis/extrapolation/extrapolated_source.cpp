#include "analysis/extrapolation/extrapolated_source.h"

#include "analysis/extrapolation/not_understood.h"
#include "base/mixing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

namespace timeless::analysis {

namespace {

using trace::Communicator;
using trace::CommunicatorId;
using trace::Rank;

constexpr std::size_t actions_per_block = std::size_t{1} << 15U;
const char* const another_run = "add a run of another number of ranks";

std::string mpi_call(const trace::Action& action) {
  return "MPI_" + mpi_name(action);
}

NotUnderstood ambiguous(const std::string& what) {
  NotUnderstood reason(what, {}, another_run);
  reason.ambiguous = true;
  return reason;
}

/// Returns a number for a communicator that no other of the run has.
std::uint64_t identity_of(std::uint64_t created, std::uint64_t line) {
  return splitmix64((created << 32U) + line);
}

/// Returns the topology of the free sides of a grid.
std::vector<trace::GridDimension> topology_at(const RankGrid& grid, unsigned mask, const std::vector<bool>& periodic) {
  std::vector<trace::GridDimension> sides;
  for (std::size_t side = 0, next = 0; side < grid.sides.size(); ++side)
    if ((mask >> side & 1U) != 0 && next < periodic.size())
      sides.push_back({grid.sides[side].extent, periodic[next++]});
  return sides;
}

} // namespace

ExtrapolatedSource::ExtrapolatedSource(Extrapolation extrapolation, const trace::Run& largest, std::string words)
    : extrapolation_(std::move(extrapolation)) {
  const Rank ranks = extrapolation_.grid.ranks();
  run_.size = ranks;
  run_.counter = largest.counter;
  if (extrapolation_.error > 0 || extrapolation_.seed) run_.counter.exactness = trace::Exactness::inexact;
  run_.provenance = largest.provenance;
  run_.provenance.extrapolated = std::move(words);
  run_.provenance.command.clear(); // nobody started it
  run_.modules = largest.modules;
  run_.callers = largest.callers;
  run_.kernels = largest.kernels;
  run_.regions = largest.regions;
  run_.hosts = {{.name = "extrapolated", .cpu_model = {}}};
  std::map<std::string, std::size_t> classes;
  for (std::size_t number = 0; number < extrapolation_.classes.size(); ++number)
    classes[extrapolation_.classes[number].position] = number;
  for (Rank rank = 0; rank < ranks; ++rank) {
    class_of_.push_back(classes.at(position(extrapolation_.grid, rank)));
    run_.ranks.push_back({.rank = rank,
                          .ending = trace::Ending::finalized,
                          .actions = extrapolation_.classes[class_of_.back()].actions()});
  }
  add_communicators();
}

void ExtrapolatedSource::add_communicators() {
  const RankGrid& grid = extrapolation_.grid;
  const auto ranks = static_cast<std::size_t>(run_.size);
  const unsigned all = (1U << grid.sides.size()) - 1;
  const auto add = [&](unsigned mask, std::uint64_t created, const std::optional<std::vector<bool>>& periodic) {
    std::vector<CommunicatorId> of_rank(ranks, trace::no_communicator);
    for (Rank rank = 0; rank < run_.size; ++rank) {
      if (of_rank[static_cast<std::size_t>(rank)] != trace::no_communicator) continue;
      Communicator communicator{.members = grid.line(rank, mask)};
      communicator.identity = identity_of(created, static_cast<std::uint64_t>(rank));
      if (periodic) communicator.grid = topology_at(grid, mask, *periodic);
      for (const Rank member : communicator.members)
        of_rank[static_cast<std::size_t>(member)] = static_cast<CommunicatorId>(run_.communicators.size());
      run_.communicators.push_back(std::move(communicator));
    }
    communicators_.push_back(std::move(of_rank));
  };
  add(all, 0, std::nullopt);
  if (extrapolation_.uses_own_communicator)
    add(0, 1, std::nullopt);
  else
    communicators_.emplace_back();
  for (std::size_t i = 0; i < extrapolation_.created.size(); ++i) {
    const CreatedCommunicator& created = extrapolation_.created[i];
    add(static_cast<unsigned>(std::countr_zero(created.masks)), i + created_communicator, created.grid);
  }
}

CommunicatorView ExtrapolatedSource::view(CommunicatorId shared, Rank rank, std::uint64_t trip) const {
  const auto& members = run_.communicators[communicators_[shared][static_cast<std::size_t>(rank)]].members;
  const auto own = std::ranges::lower_bound(members, rank);
  return {&extrapolation_.grid, &members, static_cast<Rank>(own - members.begin()), trip};
}

trace::Tag ExtrapolatedSource::only_tag(const CountRelation& relation, Rank rank, std::uint64_t trip,
                                        const trace::Action& action) const {
  const std::set<int> tags = relation.values({&extrapolation_.grid, nullptr, 0, trip});
  if (tags.size() == 1) return *tags.begin();
  throw ambiguous(fmt::format("the runs do not tell the tag of {} on rank {} of the target", mpi_call(action), rank));
}

Rank ExtrapolatedSource::only_peer(const PeerRelation& relation, const CommunicatorView& view,
                                   const trace::Action& action) const {
  const std::set<Rank> peers = relation.peers(view);
  if (peers.size() == 1) return *peers.begin();
  const std::string whose = fmt::format("the partner of {} on rank {} of the target", mpi_call(action),
                                        (*view.members)[static_cast<std::size_t>(view.own)]);
  if (peers.empty()) throw NotUnderstood(whose + " would be no rank", {}, another_run);
  throw ambiguous(
      fmt::format("{} may be rank {} or rank {}: the runs do not tell", whose, *peers.begin(), *peers.rbegin()));
}

void ExtrapolatedSource::drop_impossible(TargetAction& target, Rank rank, std::uint64_t trip) const {
  if (!names_communicator(target.action.kind)) return;
  const CommunicatorView of = view(target.action.communicator, rank, trip);
  for (auto* peer : {&target.peer, &target.receive_peer})
    if (*peer && !(*peer)->keep_possible(of))
      throw NotUnderstood(
          fmt::format("the partner of {} on rank {} of the target would be no rank", mpi_call(target.action), rank), {},
          another_run);
}

void ExtrapolatedSource::demand_partners(const TargetAction& target, Rank rank, std::uint64_t trip) const {
  const trace::Action& action = target.action;
  for (const auto& tag : {target.tag, target.receive_tag})
    if (tag) (void)only_tag(*tag, rank, trip, action);
  if (!names_communicator(action.kind)) return;
  const CommunicatorView of = view(action.communicator, rank, trip);
  for (const auto& peer : {target.peer, target.receive_peer})
    if (peer) (void)only_peer(*peer, of, action);
}

namespace {

/// A call of a class of ranks that is made so often in a row of trips.
struct ClassCall {
  std::uint32_t action = 0;
  std::uint64_t trips = 1;
  trace::KernelId kernel = trace::no_kernel; ///< the last before it
};

/// Returns the different calls of a class.
std::vector<ClassCall> different_calls(const ExtrapolatedClass& of, const std::vector<TargetAction>& actions) {
  std::vector<ClassCall> calls;
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  trace::KernelId kernel = trace::no_kernel;
  std::size_t loop = 0;
  for (std::size_t slot = 0; slot < of.sequence.size(); ++slot) {
    const std::vector<VariableLoop>& loops = of.layout.loops;
    while (loop < loops.size() && slot >= loops[loop].end)
      ++loop;
    const std::uint32_t number = of.sequence[slot];
    if (has_volume(actions[number].action.kind)) {
      kernel = actions[number].action.kernel;
      continue;
    }
    const std::uint64_t trips = loop < loops.size() && slot >= loops[loop].begin ? of.trips[loop] : 1;
    if (seen.insert({number, trips}).second) calls.push_back({number, trips, kernel});
  }
  return calls;
}

} // namespace

void ExtrapolatedSource::settle_partners() {
  std::vector<std::vector<ClassCall>> calls;
  for (const ExtrapolatedClass& one : extrapolation_.classes)
    calls.push_back(different_calls(one, extrapolation_.actions));
  const auto for_each_call = [&](const auto& visit) {
    for (Rank rank = 0; rank < run_.size; ++rank)
      for (const ClassCall& call : calls[class_of_[static_cast<std::size_t>(rank)]])
        for (std::uint64_t trip = 0; trip < call.trips; ++trip) {
          TargetAction& target = extrapolation_.actions[call.action];
          try {
            visit(target, rank, trip);
          } catch (NotUnderstood& reason) {
            reason.where = {.call = mpi_call(target.action), .kernel = call.kernel};
            throw;
          }
        }
  };
  for_each_call([&](TargetAction& target, Rank rank, std::uint64_t trip) { drop_impossible(target, rank, trip); });
  for_each_call(
      [&](const TargetAction& target, Rank rank, std::uint64_t trip) { demand_partners(target, rank, trip); });
}

/// The actions of a rank, a block at a time.
class ExtrapolatedSource::Stream : public trace::RankStream {
public:
  Stream(const ExtrapolatedSource& source, Rank rank)
      : source_(source), rank_(rank),
        of_(source.extrapolation_.classes[source.class_of_[static_cast<std::size_t>(rank)]]),
        walk_(of_.layout, of_.trips) {
    const Extrapolation& made = source.extrapolation_;
    if (!made.seed) return;
    const RecordedRank donor = donor_of(of_.donors, *made.seed, rank);
    donor_.emplace(made.recordings[donor.run], donor, of_.layout);
  }

  bool next(trace::ActionBlock& block) override {
    if (walk_.done()) return false;
    block.clear();
    entries_.clear();
    for (std::size_t count = 0; count < actions_per_block && !walk_.done(); ++count, walk_.advance()) {
      const std::uint32_t number = of_.sequence[walk_.slot()];
      const trace::Action& action = source_.extrapolation_.actions[number].action;
      if (has_volume(action.kind)) {
        block.append_volume(action.kind, action.kernel, volume(of_.volumes[walk_.slot()]));
        continue;
      }
      const auto [entry, fresh] = entries_.try_emplace({number, walk_.trip()}, 0);
      if (fresh) entry->second = block.intern(made(number));
      block.append_entry(entry->second);
    }
    return true;
  }

private:
  trace::Action made(std::uint32_t number) {
    const TargetAction& target = source_.extrapolation_.actions[number];
    trace::Action action = target.action;
    const auto here = [&](CommunicatorId shared) {
      return source_.communicators_[shared][static_cast<std::size_t>(rank_)];
    };
    if (action.new_communicator != trace::no_communicator) action.new_communicator = here(action.new_communicator);
    const auto of = [&](ActionFigure which) { return target.figures[static_cast<std::size_t>(which)]; };
    if (const auto bytes = of(ActionFigure::bytes)) action.bytes = figure(*bytes);
    if (const auto bytes = of(ActionFigure::receive_bytes)) action.receive_bytes = figure(*bytes);
    const auto tag_of = [&](const std::optional<CountRelation>& relation, ActionFigure which) {
      return relation ? source_.only_tag(*relation, rank_, walk_.trip(), action) : tag(*of(which));
    };
    action.tag = tag_of(target.tag, ActionFigure::tag);
    action.receive_tag = tag_of(target.receive_tag, ActionFigure::receive_tag);
    if (!names_communicator(action.kind)) return action;
    const CommunicatorView view = source_.view(action.communicator, rank_, walk_.trip());
    const auto& members = *view.members;
    action.communicator = here(action.communicator);
    action.peer = source_.only_peer(*target.peer, view, action);
    action.receive_peer = source_.only_peer(*target.receive_peer, view, action);
    if (const auto each = of(ActionFigure::count)) {
      counts_.assign(members.size(), figure(*each));
      action.counts = counts_;
    }
    if (const auto each = of(ActionFigure::receive_count)) {
      receive_counts_.assign(members.size(), figure(*each));
      action.receive_counts = receive_counts_;
    }
    return action;
  }

  std::uint64_t figure(std::uint32_t number) {
    const TargetFigure& of = source_.extrapolation_.figures[number];
    const std::uint64_t trip = of.by_trip() ? walk_.trip() : 0;
    const auto [found, fresh] = figures_.try_emplace({number, trip}, 0);
    if (fresh) found->second = of.on(source_.extrapolation_.grid, rank_, trip);
    return found->second;
  }

  /// Returns a volume: by its law, and where it is drawn, as much more or less as the donor has there.
  std::uint64_t volume(std::uint32_t number) {
    const std::uint64_t there = figure(number);
    const std::vector<RunMean>& means = source_.extrapolation_.drawn_from[number];
    if (means.empty()) return there;
    const RecordedRank& donor = donor_->rank();
    const auto recorded = donor_->at(walk_.slot(), walk_.trip());
    const auto& by_share = source_.extrapolation_.figures[number].by_share;
    const RankGrid& grid = source_.extrapolation_.recordings[donor.run].grid;
    const bool by_law = by_share.has_value();
    const double expected =
        by_law ? by_share->at(by_share->shares_of(grid, donor.rank, walk_.trip())) : means[donor.run].mean;
    if (!recorded || !(expected > 0)) return there;
    const double off = static_cast<double>(*recorded) / expected - 1;
    const double factor = std::max(1 + (by_law ? 1 : means[donor.run].stretch) * off, 0.0);
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(there) * factor));
  }

  trace::Tag tag(std::uint32_t number) { return static_cast<trace::Tag>(figure(number)); }

  const ExtrapolatedSource& source_;
  Rank rank_;
  const ExtrapolatedClass& of_;
  LoopWalk walk_;
  std::optional<DonorVolumes> donor_;                                        ///< where volumes are drawn
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> entries_; ///< of the block, by action and trip
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> figures_; ///< on this rank, by figure and trip
  std::vector<trace::Bytes> counts_;
  std::vector<trace::Bytes> receive_counts_;
};

std::unique_ptr<trace::RankStream> ExtrapolatedSource::open(Rank rank) const {
  return std::make_unique<Stream>(*this, rank);
}

} // namespace timeless::analysis
