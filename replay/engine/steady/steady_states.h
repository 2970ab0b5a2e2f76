#pragma once

#include "replay/engine/core/core.h"
#include "replay/engine/matching/collective_matching.h"
#include "replay/engine/rendezvous/rendezvous.h"
#include "replay/engine/steady/counted_before.h"
#include "replay/engine/steady/cut_agreement.h"
#include "replay/engine/steady/loop_walk.h"
#include "replay/engine/steady/sampling.h"
#include "replay/engine/steady/state.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace timeless::replay {

/// Stops all ranks before every iteration of the loops that they share, and jumps over iterations that are proved to
/// repeat what was played.
///
/// When each rank stands before its iteration i, that is a cut: all messages that have been sent and not been taken are
/// in channels. From there on times count from the latest clock of the cut, lane by lane, and counters from 0; what
/// they were before is added up exactly. So a state that is the same as at an earlier cut is so to the last bit, and
/// what follows both is the same to the last bit, as long as actions and volumes are: then so many periods are
/// skipped, and the sums grow by as many times what they grew by in one. A replay that plays all actions has the same
/// cuts and thus the same bits.
///
/// States are compared with one that is kept, as in R. P. Brent's search for cycles (BIT 20, 1980): it is replaced
/// after 1, 2, 4, ... cuts, so that any period is found within some three times transient and period. States from which
/// iterations of an inner loop were proved to repeat are kept, and met again when the loop is gone through anew.
///
/// Where a share of the iterations is asked for (ReplayOptions::sample), blocks of them are played instead, and what a
/// block took is added for what is skipped around it: an estimate, whose error is told.
class SteadyStates {
public:
  /// Looks for loops where the options ask for it and the replay can jump.
  SteadyStates(Core& core, const CollectiveMatching& matching, const Rendezvous& rendezvous);

  /// Returns true while a rank stands at a cut.
  bool any_parked() const { return !parked_.empty(); }
  /// Notes that a rank has come to its next cut.
  void park(std::uint32_t number) { parked_.push_back(number); }
  /// Looks at a block that a rank begins, for what cannot be jumped over. `known`: it has the same dictionary as the
  /// rank's block before.
  void begin_block(std::uint32_t number, bool known) {
    if (walk_.any() && !(known && clean_[number])) look_for_obstacles(number);
  }
  /// Makes no cuts from here on. Throws NoSteadyStates where there were some.
  void give_up(std::string why);
  /// Lets the ranks that stand at a cut go on, since no other can. Returns false when there are none.
  bool pass();

  // What pass() consists of where several processes replay the run, once no rank of any can go on.

  /// Returns how this process's ranks stand.
  CutStanding standing();
  /// Takes how those of all stand, of which some stand at a cut: counts from there, or lets them go on. Returns true
  /// where they are to be compared, and finish() follows.
  bool begin(const CutStanding& all);
  /// Compares this process's ranks with those kept.
  CutComparison comparison() const;
  /// Takes how all compare: jumps where that proves something, and lets the ranks go on.
  void finish(const CutComparison& all);

  /// Brings clocks and counters back to what they are from the beginning on. Call it once all ranks have ended.
  void restore() { before_.restore(); }
  /// Throws Error(invalid_input) where iterations were to be added and none could be.
  void demand_iterations() const;
  /// Says what was jumped over, and why not more, and of each configuration how much was jumped over, and by how much
  /// its time may be off where that is an estimate.
  void tell(Result& result) const;
  /// Returns true where there may be cuts.
  bool makes_cuts() const { return !walk_.shared().empty(); }
  bool jumped() const { return report_.actions > 0; }

private:
  /// Iterations from a state back to it.
  struct Period {
    std::uint64_t iterations = 0;
    CountedBefore::Sums counted;             ///< in them
    std::shared_ptr<const PathPeriod> paths; ///< in them, where they are asked for
  };
  /// A state from which such iterations, with these volumes, led back to it.
  struct Orbit {
    SteadyState state;
    trace::VolumesDigest volumes;
    Period period;
  };

  /// Returns the place of one of this process's ranks among all.
  std::size_t world_rank(std::size_t number) const {
    return static_cast<std::size_t>(core_.local_ranks.begin) + number;
  }
  std::uint64_t local_actions() const;
  const CutLoop& loop() const { return walk_.loop(); }
  void add_iterations(std::uint64_t iterations);
  SteadyReport report() const;
  void look_for_obstacles(std::uint32_t number);
  void next_loop();
  void set_cuts();
  void set_cut(std::uint32_t number, std::uint64_t ordinal);
  std::string obstacle();
  bool look();
  void cut(const CutComparison& all);
  void go_on();
  std::vector<double> latest() const;
  void keep();
  bool searching() const;
  std::vector<bool> met() const;
  bool meet(const std::vector<bool>& met);
  void compare(const CutComparison& all);
  void begin_search();
  void note_periods(const std::vector<bool>& same);
  void prove();
  void remember(Period period);
  std::uint64_t unwatched(const Period& period, std::uint64_t times) const;
  std::vector<std::uint64_t> actions_before(std::uint64_t iteration) const;
  void follow_paths(const Period& period, std::uint64_t times);
  void jump_along(const Period& period, std::uint64_t from, std::uint64_t times, std::uint64_t added);
  void sample();
  void estimate(const SamplePlan::Part& part);
  SteadyReport::Loop& reported_loop(std::uint64_t from, std::uint64_t period);
  void report_jump(std::uint64_t from, std::uint64_t period, std::uint64_t iterations);
  void jump(std::uint64_t iterations);
  void skip(RankState& rank, std::uint64_t target);
  std::uint64_t next_change(std::uint64_t iteration) const;

  Core& core_;
  const CollectiveMatching& matching_;
  const Rendezvous& rendezvous_;
  LoopWalk walk_;
  std::vector<bool> clean_;  ///< by rank: its last dictionary names nothing that cannot be jumped over
  std::size_t longest_ = 0;  ///< loop that iterations are added to
  std::uint64_t to_add_ = 0; ///< iterations that are still to be added to it
  std::uint64_t next_ = 0;   ///< cut
  std::vector<std::uint32_t> parked_;
  CountedBefore before_;
  bool countable_ = true;                            ///< all that was counted since the state was kept is in the sums
  std::map<std::size_t, std::vector<Orbit>> orbits_; ///< by number of an inner loop

  // The state that is kept, and what was counted before it.
  SteadyState kept_;
  CountedBefore::Sums kept_sums_;
  std::uint64_t kept_cut_ = 0;
  std::uint32_t kept_paths_ = 0;       ///< the number of its cut among those of the paths
  std::uint64_t kept_for_ = 0;         ///< cuts until it is replaced; 0 when there is none
  std::uint64_t search_from_ = 0;      ///< the cut from which on the state is sought
  std::vector<std::uint64_t> periods_; ///< by lane: iterations after which its own state came again; 0: it did not

  // Where a share of the iterations is to be played: of the present loop.
  std::optional<SamplePlan> plan_;
  std::size_t part_ = 0;                    ///< of the plan
  std::vector<std::vector<double>> blocks_; ///< what SampleErrors::add() takes
  SampleErrors errors_;

  SteadyReport report_;
  bool watched_ = false; ///< something was proved to repeat, and played for the observer
};

} // namespace timeless::replay
