#pragma once

#include "analysis/extrapolation/arrival_order.h"
#include "analysis/extrapolation/drawn_volumes.h"
#include "analysis/extrapolation/loop_layout.h"
#include "analysis/extrapolation/not_understood.h"
#include "analysis/extrapolation/recorded_class.h"
#include "analysis/scaling/forecast.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What a program would do on more ranks, from recordings of fewer.
namespace timeless::analysis {

/// One of the recorded runs; the caller owns the source.
struct ExtrapolationInput {
  std::string name = {};
  const trace::Source* source = nullptr;
};

/// What is to be extrapolated, from which runs.
struct ExtrapolationQuestion {
  std::vector<ExtrapolationInput> runs = {}; ///< by rising number of ranks
  trace::Rank ranks = 0;                     ///< of the target
  std::vector<std::uint32_t> grid = {};      ///< of the target; empty where a rule is to say it
  double tolerance = 0;                      ///< how far off a rank's work may be, relative
  /// Draws volumes that differ between ranks in the same position: by the law of their mean, times how one of the
  /// recorded ranks differs from it. Where volumes were not counted exactly, all are drawn. Nothing: none are.
  std::optional<std::uint64_t> seed = {};
};

/// The law of a figure, as it was used.
struct UsedLaw {
  std::string position = {};
  std::string what = {}; ///< "bytes of MPI_Send", "instructions of kernel 12"
  trace::KernelId kernel = trace::no_kernel;
  std::string law = {};
  std::uint64_t there = 0; ///< at the target, over all times
  std::uint64_t times = 0; ///< in a rank
  bool exact = true;
  double error = 0; ///< of `there`; of what is drawn, of its mean
  std::string because = {};
  bool drawn = false;
  double spread = 0; ///< how far ranks in the same position, or trips, are from their mean: root mean square, relative
};

/// A loop whose trips change with the number of ranks, and the law they follow.
struct UsedLoop {
  std::string position = {};
  std::uint64_t actions = 0; ///< of a trip
  std::uint64_t trips = 0;   ///< at the target
  std::string law = {};      ///< "p1 - 2", "log2(P) + 0"
  std::uint64_t places = 0;  ///< in a rank's actions, where such a loop is

  bool alike(const UsedLoop& other) const {
    return position == other.position && actions == other.actions && trips == other.trips && law == other.law;
  }
};

/// Ranks of the target in the same position.
struct ExtrapolatedClass {
  std::string position = {};
  trace::Rank ranks = 0;                    ///< of the target
  std::vector<std::string> runs = {};       ///< that have it
  std::vector<std::uint32_t> sequence = {}; ///< by slot: actions, as numbers of Extrapolation::actions
  std::vector<std::uint32_t> volumes = {};  ///< by slot, where it has one: as numbers of Extrapolation::figures
  LoopLayout layout = {};
  std::vector<std::uint64_t> trips = {}; ///< by loop of the layout
  double error = 0;                      ///< how far off a rank's work may be, relative
  std::vector<RecordedRank> donors = {}; ///< whose differences from the laws its ranks may get

  /// Returns how many actions a rank has.
  std::uint64_t actions() const;
};

/// An action of the target, but for what depends on its rank.
struct TargetAction {
  trace::Action action = {}; ///< communicators as in SharedAction
  std::optional<PeerRelation> peer = {};
  std::optional<PeerRelation> receive_peer = {};
  std::optional<CountRelation> tag = {};
  std::optional<CountRelation> receive_tag = {};
  std::array<std::optional<std::uint32_t>, action_figures> figures = {}; ///< as numbers of Extrapolation::figures
};

/// A run of more ranks, as what each class of ranks does.
struct Extrapolation {
  RankGrid grid = {};
  std::string assumption = {};                       ///< "the recorded grid", "a line of ranks"
  std::shared_ptr<const PatternTable> patterns = {}; ///< owns what the actions' lists point to
  std::vector<TargetAction> actions = {};
  std::vector<TargetFigure> figures = {};
  std::vector<ExtrapolatedClass> classes = {};
  std::vector<CreatedCommunicator> created = {};
  bool uses_own_communicator = false;
  std::vector<UsedLoop> loops = {};
  std::optional<std::uint64_t> seed = {};            ///< of what is drawn; nothing where nothing is
  double drawn_share = 0;                            ///< of the work
  std::vector<std::vector<RunMean>> drawn_from = {}; ///< by figure: what ranks of its class have, by run; empty where
                                                     ///< it is not drawn
  std::vector<RecordedRun> recordings = {};          ///< for what is drawn; their sources must outlive what reads that
  std::shared_ptr<const std::deque<OrderedArrivals>> ordered = {}; ///< those sources
  std::vector<UsedLaw> laws = {};                                  ///< those with the most work or bytes first
  double error = 0;                                                ///< of the class that may be farthest off
  bool even_shares = false; ///< all runs share out evenly, and it is assumed that the target does
};

/// Throws Error(missing_capability), with the run's name, for a run of those that have laws (demand_one_program) that
/// no other may be extrapolated from: one whose volumes are rounded.
void demand_extrapolable(const std::string& name, const trace::Run& run);

/// How far off a rank's work may be where nobody says, relative.
inline constexpr double usual_extrapolation_tolerance = 0.01;

/// Returns how far off it may be with the volumes of these runs: as `asked`, where all were counted exactly, are drawn,
/// or there are none; else not at all, since noise must not be taken for laws that hold nearly.
double extrapolation_tolerance(const std::vector<ExtrapolationInput>& runs, double asked, bool drawn = false);

/// Returns what the runs say of a target. Throws Error(usage) for a target or grid that makes no sense, and
/// NotUnderstood for what the runs do not say. `progress`, if given, is called with the assumption that is tried.
Extrapolation extrapolation(const ExtrapolationQuestion& question,
                            const std::function<void(const std::string&)>& progress = {});

} // namespace timeless::analysis
