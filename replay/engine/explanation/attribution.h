#pragma once

#include "replay/engine/clocks/clocks.h"
#include "replay/engine/program/program.h"
#include "replay/options/options.h"
#include "trace/model/action_block.h"
#include "trace/model/run.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace timeless::replay {

/// Divides what the clocks count by call or by kernel, and leaves the clocks alone: when a rank turns to another
/// subject, what it has counted since the last time goes to the one before. So whatever an action does to a clock is
/// attributed, and the clocks' own sums have the same bits as without.
class Attributor {
public:
  Attributor(const ReplayOptions& options, Clocks& clocks, std::size_t ranks);

  /// Derives the subjects of a block's dictionary unless they are `known`, and lets the program's computations be told
  /// apart where that matters.
  void enter_block(std::size_t rank, std::span<const trace::Action> dictionary, bool known, Program& program);
  /// Counts the actions of the rank's block, whose sequence this is, from where they were counted last up to here.
  void count_to(std::size_t rank, std::span<const std::uint32_t> sequence, std::size_t position);
  /// Counts none of the actions up to here.
  void pass_to(std::size_t rank, std::size_t position) { ranks_[rank].counted_to = position; }
  /// Makes room for so many ranks and threads in all.
  void make_room(std::size_t ranks);
  /// Notes that the rank is about to do what this dictionary entry says.
  void switch_to(std::size_t rank, std::uint32_t entry) {
    const std::uint32_t subject = ranks_[rank].subjects[entry];
    if (subject != same_as_before && subject != ranks_[rank].subject) change(rank, subject);
  }
  /// By subject, in each of so many lanes: `end` is not used.
  using Parts = std::map<std::uint32_t, std::vector<RankTimes>>;
  /// Returns what the rank has counted up to the time of one of its threads (see RankThread::beyond).
  Parts counted(std::size_t thread, std::size_t lanes);
  /// Gives the thread the parts of another thread of its rank, whose time has become its own in these lanes.
  void take_over(std::size_t thread, const Parts& other, const std::vector<bool>& lanes);
  /// Joins the parts of a rank that ends: in each lane, those of the thread of `threads` that `last` names.
  void unite(std::size_t rank, const std::vector<std::uint32_t>& threads, const std::vector<std::uint32_t>& last);
  /// The division, of settled clocks, the first of which are ranks and none their further threads; `first` is the world
  /// rank of the first of them. `total` gives what a rank has in a lane.
  using Total = std::function<RankTimes(std::size_t rank, std::size_t lane)>;
  Attribution result(std::size_t lanes, trace::Rank first, std::size_t ranks, const Total& total);
  /// Returns what a part takes: while it grows, as a result, and where iterations are jumped over.
  static std::size_t part_bytes(const ReplayOptions& options, std::size_t lanes);
  /// Returns true when parts were put together for want of memory.
  bool crowded() const { return crowded_; }

  // What SteadyStates moves from the parts to sums of its own, where all ranks stand at a cut.

  /// Sums of everything a clock counts that is no list of lanes.
  struct Scalars {
    double volume = 0;
    double copied = 0;
    double overhead = 0;
    double reduced = 0;
  };
  /// What a rank has counted for a subject.
  struct Part {
    std::size_t place = 0; ///< among all parts: their number, when it was made
    std::uint64_t count = 0;
    Scalars scalars;
    std::unique_ptr<double[]> counters; ///< as a clock's; nothing: all 0
  };
  /// Returns the number of parts.
  std::size_t parts() const { return parts_; }
  /// Returns the subject to which what a rank counts goes until it turns to another.
  std::uint32_t subject_of(std::size_t rank) const { return ranks_[rank].subject; }
  /// Gives each rank's subject what its settled clock has counted since the last time.
  void settle_all();
  /// Calls visit(part) for every part.
  template <typename Visit>
  void for_each_part(Visit&& visit) {
    for (OfRank& rank : ranks_)
      for (auto& [subject, part] : rank.parts)
        visit(part);
  }
  /// Takes what the rank's clock counts now as what it had counted when it was settled last.
  void follow(std::size_t rank);

private:
  static constexpr std::uint32_t same_as_before = 0xfffffffdU;
  struct OfRank {
    std::uint32_t subject = no_subject;
    std::vector<std::uint32_t> subjects; ///< by dictionary entry
    std::vector<bool> counts;            ///< by dictionary entry: it is an action of its subject's
    std::size_t counted_to = 0;          ///< position in the block
    Scalars counted;                     ///< of the clock, when it last turned to another subject
    std::unique_ptr<double[]> lanes;     ///< the same of its lists
    std::unordered_map<std::uint32_t, Part> parts;
    Parts beyond; ///< of a thread: what the rank has counted up to its time, where that is not what it has
    std::optional<Parts> united; ///< of a rank with several threads, at the end
  };

  std::uint32_t subject(const trace::Action& action);
  Part& part(OfRank& rank, std::uint32_t subject);
  void change(std::size_t rank, std::uint32_t subject);
  void settle(std::size_t rank);
  std::vector<RankTimes> times_of(std::size_t rank, Part& part, std::size_t lanes);
  static Scalars scalars(const Clock& clock);
  std::size_t list_length() const { return clocks_.model.counters_per_rank() * clocks_.model.lanes(); }
  std::unique_ptr<double[]> list();
  void close(AttributedTimes* first, AttributedTimes* last, std::size_t lane, const RankTimes& total) const;
  void name_calls(Attribution& attribution) const;

  AttributeBy by_;
  Clocks& clocks_;
  std::vector<OfRank> ranks_;
  std::map<std::string, std::uint32_t> calls_; ///< by name
  std::vector<std::uint64_t> scratch_;         ///< by dictionary entry: actions; all 0
  std::size_t parts_ = 0;
  std::size_t bytes_left_;
  std::size_t part_bytes_;
  bool crowded_ = false;
};

} // namespace timeless::replay
