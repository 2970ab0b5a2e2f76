#pragma once

#include "replay/collectives/schedules/schedule_plan.h"

#include <cstdint>

namespace timeless::replay::schedules {

/// A plan that is being made, and the parts that several collectives' plans have. Roots are numbers in the own group,
/// but for connect().
class PlanBuilder {
public:
  using Function = bool (*)(const Group&, std::uint32_t, std::uint32_t, Step&);

  /// Begins a plan. All that is given must outlive this.
  PlanBuilder(const CollectiveShape& shape, const trace::Action& action, const GroupPosition& place);

  /// Adds an algorithm among the own group.
  Phase& add(Function step);
  /// Adds a phase likewise, with the root as number 0.
  Phase& add_from(std::uint32_t root, Function step);
  /// Returns the same with all members of the other group.
  Phase& add_between(Function step);
  /// Sets every block of the phase to this size.
  static void whole(Phase& phase, double bytes);
  static void split(Phase& phase, Layout layout, double bytes, std::uint32_t blocks);
  /// Adds what the algorithm chosen is to SchedulePlan::algorithm.
  void chose(std::uint32_t algorithm) { plan.algorithm = plan.algorithm * 8 + algorithm; }

  void broadcast(std::uint32_t root, double bytes);
  void reduce(std::uint32_t root, double bytes, bool arithmetic = true);
  /// Adds a message from one place to another, if this member is one of the two.
  void connect(std::uint32_t from, std::uint32_t to, double bytes);

  /// Returns the collective's shape, with other bytes.
  CollectiveShape of(double bytes) const;
  bool is_root() const { return place.root == place.base + place.me; }
  /// Returns the bytes of a member's part: MPI_IN_PLACE leaves one of the two sizes at 0.
  double part() const;

  CollectiveShape shape; ///< its members are those of the group that an algorithm runs in
  const trace::Action& action;
  const GroupPosition& place;
  SchedulePlan plan;
};

/// Plans a collective of one group.
void plan_within_group(PlanBuilder& builder);
/// Plans a collective of an intercommunicator.
void plan_between_groups(PlanBuilder& builder);

} // namespace timeless::replay::schedules
